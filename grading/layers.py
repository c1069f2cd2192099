"""Which layer a test belongs to. The layers themselves, cheap ones first, are the catalogue's."""

from typing import Any

from defects.model import LAYERS

__all__ = ["LAYERS", "layer_of", "layer_of_item"]


def layer_of(path: str, mark: str | None = None) -> str:
    """The layer of a test: its mark, else the innermost folder that is named after a layer, else "".

    `path` is relative to the root directory, with forward slashes; a node id will do.
    """
    if mark:
        return mark
    folders = path.split("::", 1)[0].split("/")[:-1]
    return next((folder for folder in reversed(folders) if folder in LAYERS), "")


def layer_of_item(item: Any) -> str:
    """The layer of a pytest item, by its `layer` mark and its node id."""
    mark = item.get_closest_marker("layer")
    return layer_of(item.nodeid, str(mark.args[0]) if mark and mark.args else None)
