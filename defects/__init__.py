"""The catalogue of known bugs: each is a source edit, so the server itself holds no trace of any.

    defects/catalogue/*.toml   one file a bug, which a suite is asked to kill
    defects/halves/*.toml      single defences; a pair takes two of them away at once
    defects/variants/*.toml    correct servers written differently, which a test must not reject

`python -m defects` is the command; docs of the format are in `defects/README.md`.
"""

from defects.edits import EditError
from defects.entries import UnknownDefect, catalogue, find_defect, find_variant, halves, load, variants
from defects.local_names import regenerate
from defects.model import CHAPTERS, FAMILIES, LAYERS, Defect, Edit, FormatError, Variant
from defects.trees import lay, mutant, source_of_helpdesk, tree_of

__all__ = [
    "CHAPTERS",
    "FAMILIES",
    "LAYERS",
    "Defect",
    "Edit",
    "EditError",
    "FormatError",
    "UnknownDefect",
    "Variant",
    "catalogue",
    "find_defect",
    "find_variant",
    "halves",
    "lay",
    "load",
    "mutant",
    "regenerate",
    "source_of_helpdesk",
    "tree_of",
    "variants",
]
