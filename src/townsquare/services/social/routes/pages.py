"""The web client: one page, whose address says what it shows, and the files it is made of."""

from hashlib import sha256
from pathlib import Path

import msgspec

from townsquare.api import AnyEndpoint, Call, Content, Endpoint

FOLDER = Path(__file__).parent.parent / "pages"
PAGE = "social.html"
MEDIA_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
PICTURES = (  # avatars and media are where their owners keep them
    "default-src 'self'; img-src 'self' data: https: http:; connect-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


class Nothing(msgspec.Struct):
    pass


class File:
    """A file, from memory, with an ETag."""

    def __init__(self, path: Path) -> None:
        self._body = path.read_bytes()
        self._media_type = f"{MEDIA_TYPES[path.suffix]}; charset=utf-8"
        self._headers = {"ETag": f'"{sha256(self._body).hexdigest()[:20]}"', "Cache-Control": "no-cache"}
        if path.suffix == ".html":
            self._headers |= {"Content-Security-Policy": PICTURES, "Referrer-Policy": "same-origin"}

    async def show(self, call: Call, given: Nothing) -> Content:
        if call.headers.get("if-none-match") == self._headers["ETag"]:
            return Content(b"", self._media_type, 304, self._headers)
        return Content(self._body, self._media_type, 200, self._headers)


def page_endpoints() -> list[AnyEndpoint]:
    files = {f"/social/pages/{path.name}": path for path in FOLDER.iterdir() if path.suffix in MEDIA_TYPES}
    del files[f"/social/pages/{PAGE}"]
    return [page(path, File(file)) for path, file in {"/social": FOLDER / PAGE, **files}.items()]


def page(path: str, file: File) -> AnyEndpoint:
    return Endpoint(
        method="GET",
        path=path,
        run=file.show,
        input=Nothing,
        output=Content,
        tag="social",
        documented=False,
    )
