"""The guest book over HTTP."""

from html import escape
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from guestbook.keys import Entry
from guestbook.service import Guestbook
from townsquare.api import CREATE, AnyEndpoint, Auth, Call, Content, Endpoint
from townsquare.problems import Invalid, Unauthorized

PAGE = Template((Path(__file__).parent / "pages" / "guestbook.html").read_text(encoding="utf-8"))


class Nothing(msgspec.Struct):
    pass


class Words(msgspec.Struct):
    text: str


class Entries(msgspec.Struct):
    entries: list[Entry]


def endpoints(guestbook: Guestbook) -> list[AnyEndpoint]:
    async def write(call: Call, given: Words) -> Entry:
        """Write into the guest book."""
        if call.identity is None:
            raise Unauthorized()
        return await guestbook.write(call.identity.user_id, given.text)

    async def read(call: Call, given: Nothing) -> Entries:
        """The newest entries."""
        return Entries(await guestbook.newest())

    async def page(call: Call, given: Nothing) -> Content:
        shown = "".join(f"<li>{escape(entry.text)}</li>" for entry in await guestbook.newest())
        return Content(PAGE.substitute(entries=shown).encode(), "text/html; charset=utf-8")

    common: dict[str, Any] = {"tag": "guestbook"}
    return [
        Endpoint(
            method="POST",
            path="/guestbook/entries",
            run=write,
            input=Words,
            output=Entry,
            auth=Auth.USER,
            limit=CREATE,
            status=201,
            errors=(Invalid,),
            **common,
        ),
        Endpoint(method="GET", path="/guestbook/entries", run=read, input=Nothing, output=Entries, **common),
        Endpoint(
            method="GET",
            path="/guestbook",
            run=page,
            input=Nothing,
            output=Content,
            documented=False,
            **common,
        ),
    ]
