"""What a rule of the desk says when it refuses."""

__all__ = ["DeskError"]


class DeskError(Exception):
    """A refusal that the caller can do something about.

    `code` is for tests and logs: `BAD_STATE`, `INVALID`, `NOT_FOUND` or `FORBIDDEN`. `message` says what
    is wrong and `hint` what to do next. The tool adapter shows the caller message and hint, joined by a
    space; it never shows the code.
    """

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(f"{message} {hint}")
        self.code = code
        self.message = message
        self.hint = hint
