"""The test layers, cheap ones first, and how a test says which is its own."""

from typing import Any

__all__ = ["LAYERS", "layer_of"]

LAYERS = ("unit", "contract", "snapshot", "conformance", "end_to_end", "security", "property", "transport")


def layer_of(item: Any) -> str:
    """The layer of a pytest item: its `layer` mark, else the folder behind the last `suite/`, else ""."""
    mark = item.get_closest_marker("layer")
    if mark is not None:
        return mark.args[0]
    folders = item.path.parts
    if "suite" in folders[:-1]:
        below = folders[len(folders) - 1 - folders[::-1].index("suite") + 1]
        if below in LAYERS:
            return below
    return ""
