"""The documentation site at /guide: `scripts/docs` builds it into the folder `guide`, wheels contain it."""

import gzip
import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from townsquare.api import AnyEndpoint, Call, Content, HtmlPage, Nothing
from townsquare.kit.files import REVALIDATED, Assets, asset_endpoints, tagged
from townsquare.kit.templates import Markup
from townsquare.routes import Routes

FOLDER = Path(__file__).parent / "guide"
INLINE_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.S)
POLICY = (
    "default-src 'self'; script-src 'self' {scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' "
    "data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
MISSING = Markup(
    '<main class="column"><h1>The guide is not built</h1><p>This server runs from a checkout. Run '
    "<code>scripts/docs</code> and restart the server. The texts are in the folder <code>docs</code>.</p>"
    "</main>"
)


def guide_endpoints(folder: Path = FOLDER) -> Sequence[AnyEndpoint]:
    routes = Routes(tag="guide", limit=None, documented=False, unknown="ignore")
    built = (folder / "index.html").is_file()

    @routes.page("/guide")
    async def guide(call: Call, given: Nothing) -> HtmlPage | Content:
        if not built:
            return HtmlPage(title="Guide", body=MISSING)
        return Content(b"", "text/html; charset=utf-8", 302, {"Location": "/guide/index.html"})

    for path in sorted(folder.rglob("*.html")):
        routes.get(f"/guide/{path.relative_to(folder).as_posix()}")(_GuidePage(path).serve)
    return [*routes.endpoints, *asset_endpoints((Assets("/guide", folder, REVALIDATED),))]


class _GuidePage:
    """A page whose policy allows its inline scripts and no others."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._packed = self._body = b""
        self._policy = ""

    async def serve(self, call: Call, given: Nothing) -> Content:
        if not self._body:
            self._body = self._path.read_bytes()
            self._packed = gzip.compress(self._body, mtime=0)
            digests = (b64encode(sha256(one).digest()).decode() for one in INLINE_SCRIPT.findall(self._body))
            self._policy = POLICY.format(scripts=" ".join(f"'sha256-{one}'" for one in digests))
        page = tagged(call, self._body, "text/html; charset=utf-8", REVALIDATED, packed=self._packed)
        page.headers = {**page.headers, "Content-Security-Policy": self._policy}
        return page
