"""Text of tests and servers, made fit to be shown: nothing in it acts, and nothing in it is lost."""

from __future__ import annotations

import unicodedata

__all__ = ["visible"]

# Unicode's categories of control, format, surrogate, private and unassigned characters, and odd line ends.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible(text: str) -> str:
    """The text with a number for every character that has no picture, such as \\x1b and \\u202e.

    These are control characters, and what reorders, hides or cannot be encoded. Tabs and line ends stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible, text.replace("\r\n", "\n")))


def _visible(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character) not in _UNSEEN:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
