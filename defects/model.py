"""What a defect, a half and a variant are, and the closed lists that they choose from."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "CHAPTERS",
    "FAMILIES",
    "LAYERS",
    "Defect",
    "Edit",
    "FormatError",
    "Variant",
]

#: The layers of the suite, from the cheapest to run to the dearest.
LAYERS = (
    "unit",
    "contract",
    "snapshot",
    "conformance",
    "end_to_end",
    "security",
    "transport",
    "property",
)

#: What kind of mistake a defect is: the closed list, each with the question that it answers "no" to.
#: A hidden defect shows a student its family and its first hint, and nothing else.
FAMILIES = {
    "answer": "Does an answer hold what was asked for, no less and in the order promised?",
    "annotations": "Do the hints on a tool say what the tool really does?",
    "concurrency": "Is it still right when two callers come at the same moment?",
    "framing": "Does each byte on the wire belong to one message, and is each request answered?",
    "idempotency": "Is a write that is sent twice done once?",
    "identity": "Is the caller who the token says, and is the token meant for this server?",
    "injection": "Is what a caller sends treated as data, never as code?",
    "leak": "Does an answer hold only what this caller may know?",
    "ownership": "Does each caller reach only the records that are hers?",
    "paging": "Do the pages cover every row once, and do they end?",
    "protocol": "Does each message follow the protocol, in both eras?",
    "schema": "Do schemas say exactly what goes in and what comes out?",
    "size": "Does an answer stay small however large the desk grows?",
    "state": "Does a record only move along the arrows that the rules allow?",
    "validation": "Is a wrong argument refused, with words that carry the cure?",
    "words": "Do the texts that a model reads say what is true, and what to do next?",
}

#: The chapters in which defects are met.
CHAPTERS = range(3, 13)


class FormatError(ValueError):
    """A file of the catalogue breaks the format. `problems` holds every complaint, one sentence each."""

    def __init__(self, path: Path, problems: Sequence[str]) -> None:
        self.path = path
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{path.name}: {problem}" for problem in self.problems))


@dataclass(frozen=True)
class Edit:
    """One replacement in one file of `helpdesk`. `find` must match exactly once."""

    file: str
    find: str
    replace: str


@dataclass(frozen=True)
class Defect:
    """A bug that somebody could really ship, as edits of the correct server.

    `layers` names layers that must kill it; a kill by a further layer is no mistake. In a half it names
    the layers that kill it alone, and is empty when nothing does. `combines` names the two halves of a
    pair, whose edits are then those of its halves, in that order; otherwise it is empty.
    """

    id: str
    title: str
    chapter: int
    family: str
    layers: tuple[str, ...]
    origin: str
    story: str
    hint: tuple[str, ...]
    edits: tuple[Edit, ...]
    combines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Variant:
    """A correct server written differently. `differs` says in words what a test must not lean on.

    `local_names` is a seed: after the edits, if there are any, every module is written anew with the other
    local names that this number gives. None leaves the names alone.
    """

    id: str
    title: str
    differs: str
    edits: tuple[Edit, ...]
    local_names: int | None = None
