"""The guest book over HTTP, and its page."""

from pathlib import Path

import msgspec

from guestbook.keys import Entry
from guestbook.service import Guestbook
from townsquare.api import CREATE, AnyEndpoint, Auth, Call, HtmlPage, Nothing
from townsquare.kit.templates import Templates, fill, joined
from townsquare.problems import Invalid, Unauthorized
from townsquare.routes import Routes

templates = Templates(Path(__file__).parent / "pages")


class Words(msgspec.Struct):
    text: str


class Entries(msgspec.Struct):
    entries: list[Entry]


def endpoints(guestbook: Guestbook) -> list[AnyEndpoint]:
    routes = Routes("/guestbook", tag="guestbook")

    @routes.post("/entries", auth=Auth.USER, limit=CREATE, status=201, errors=(Invalid,))
    async def write(call: Call, given: Words) -> Entry:
        """Write into the guest book."""
        if call.identity is None:
            raise Unauthorized()
        return await guestbook.write(call.identity.user_id, given.text)

    @routes.get("/entries")
    async def read(call: Call, given: Nothing) -> Entries:
        """The newest entries."""
        return Entries(await guestbook.newest())

    @routes.page("")
    async def page(call: Call, given: Nothing) -> HtmlPage:
        entries = joined(fill("<li>$text</li>", text=entry.text) for entry in await guestbook.newest())
        return HtmlPage(
            title="Guest book",
            body=templates.fill("guestbook.html", entries=entries),
            styles=("/guestbook/assets/guestbook.css",),
        )

    return routes.endpoints
