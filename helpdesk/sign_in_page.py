"""The page on which a user of the development authorization server says who she is.

Plain HTML that works with a keyboard and a screen reader: one button for each user, no script, no style.
"""

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

if TYPE_CHECKING:
    from helpdesk.auth_server import SignIn

__all__ = ["page", "page_routes"]

PATH = "/sign-in"

HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign in to the help desk</title>
</head>
<body>
<main>
<h1>Sign in to the help desk</h1>
"""
FOOT = """</main>
</body>
</html>
"""

GONE = f"""{HEAD}<p>This sign-in has been used, or took too long. Start again in your client.</p>
{FOOT}"""


def page(
    number: str, client: str | None, asked: Sequence[str], users: Iterable[tuple[str, str, Sequence[str]]]
) -> str:
    """The page for one request of a client, known by its `number`.

    `asked` are the scopes that the client asks for; each user comes with a role and with those of the
    scopes that she can give. Everything is escaped: a client names itself.
    """
    buttons = "\n".join(
        f'<p><button name="user" value="{escape(name)}">{escape(name)} ({escape(role)})</button>'
        f" {escape(', '.join(scopes)) or 'can give none of these'}</p>"
        for name, role, scopes in users
    )
    return f"""{HEAD}<p><strong>For development only.</strong> There are no passwords: choose who you are.</p>
<p><strong>{escape(client or "A client without a name")}</strong> asks for: {escape(", ".join(asked))}.</p>
<form method="post" action="{PATH}">
<input type="hidden" name="request" value="{escape(number)}">
<fieldset>
<legend>Go on as</legend>
{buttons}
</fieldset>
<p><button name="user" value="">Refuse</button></p>
</form>
{FOOT}"""


def page_routes(sign_in: "SignIn") -> list[Route]:
    """GET shows the page; POST takes the user's choice and sends the browser back to the client."""

    async def show(request: Request) -> Response:
        number = request.query_params.get("request", "")
        asked = sign_in.waiting(number)
        if asked is None:
            return html(GONE, status=400)
        return html(page(number, asked.client.client_name, asked.scopes, sign_in.choices(asked)))

    async def choose(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=10) as form:
            url = sign_in.decide(str(form.get("request", "")), str(form.get("user", "")))
        if url is None:
            return html(GONE, status=400)
        # 303: the browser goes on with GET, and does not send the client the form.
        return RedirectResponse(url, status_code=303, headers={"Cache-Control": "no-store"})

    return [Route(PATH, show, methods=["GET"]), Route(PATH, choose, methods=["POST"])]


def html(text: str, status: int = 200) -> Response:
    """An HTML answer that no other site can frame, that loads nothing and that nobody keeps."""
    headers = {
        "Cache-Control": "no-store",
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
        "Referrer-Policy": "same-origin",
    }
    return HTMLResponse(text, status_code=status, headers=headers)
