"""Elements of HTML, escaped by construction.

    tag("p", "1 < 2", class_="note")      <p class="note">1 &lt; 2</p>
    tag("ul", [tag("li", name) for name in names])

Only what `tag` and `join` return is taken as markup; every other text is escaped, and what cannot be seen in
it is made visible. So a test that prints markup, terminal codes or half a surrogate is quoted, not obeyed.
"""

from __future__ import annotations

import html
from collections.abc import Iterable

from grading.reports.visible import visible

__all__ = ["Child", "Html", "join", "tag"]

_VOID = frozenset({"input", "link", "meta", "wbr"})


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


#: What an element may hold: markup, plain text, nothing, or several of these.
Child = str | int | None | Iterable["Child"]


def tag(name: str, /, *children: Child, **attributes: str | int | bool | None) -> Html:
    """One element. An attribute that is None or False is left out, True stands bare.

    An underscore in an attribute's name is a hyphen (`data_chapter`); one at its end is dropped (`class_`).
    """
    head = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        plain = key.rstrip("_").replace("_", "-")
        head.append(plain if value is True else f'{plain}="{html.escape(visible(str(value)))}"')
    opening = f"<{' '.join(head)}>"
    return Html(opening if name in _VOID else f"{opening}{join(*children)}</{name}>")


def join(*children: Child) -> Html:
    """Children one after another, each escaped unless it is markup."""
    return Html("".join(map(_one, children)))


def _one(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, (str, int)):
        return html.escape(visible(str(child)), quote=False)
    return join(*child)
