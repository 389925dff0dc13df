"""The pages for people: sign in, and look after one's account."""

from hashlib import sha256
from pathlib import Path

from townsquare.api import READ, AnyEndpoint, Call, Content
from townsquare.services.accounts.routes.common import Nothing, endpoint

FOLDER = Path(__file__).parent.parent / "pages"
PAGES = {"/sign-in": "signin.html", "/account": "account.html"}
FILES = ("accounts.css", "accounts.js", "devices.js", "signin.js", "account.js")
MEDIA_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}


class Page:
    """A file, from memory, with an ETag."""

    def __init__(self, name: str) -> None:
        path = FOLDER / name
        self._body = path.read_bytes()
        self._media_type = f"{MEDIA_TYPES[path.suffix]}; charset=utf-8"
        self._headers = {
            "ETag": f'"{sha256(self._body).hexdigest()[:20]}"',
            "Cache-Control": "no-cache",
            "Referrer-Policy": "no-referrer",  # an address may hold a code on its way in
        }

    async def show(self, call: Call, given: Nothing) -> Content:
        if call.headers.get("if-none-match") == self._headers["ETag"]:
            return Content(b"", self._media_type, 304, self._headers)
        return Content(self._body, self._media_type, 200, self._headers)


def page_endpoints() -> list[AnyEndpoint]:
    shown = PAGES | {f"/pages/{name}": name for name in FILES}
    return [
        endpoint("GET", path, Page(name).show, Nothing, Content, limit=READ, documented=False)
        for path, name in shown.items()
    ]
