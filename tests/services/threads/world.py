"""A site and its commenters, and what tests like to ask of them."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from msgspec.structs import replace

from tests.services.accounts.door import Letters
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean, open_square
from townsquare.keyspace import AnyKey
from townsquare.services.threads import keys
from townsquare.services.threads.models.comments import Comment, CommentPage
from townsquare.services.threads.models.sites import NewSite, SiteConfig, SiteSettings, Viewer
from townsquare.services.threads.page_urls import PageAddress, page_address
from townsquare.services.threads.service import Threads
from townsquare.square import Square

DOMAIN = "blog.example.org"
ORIGIN = f"https://{DOMAIN}"


class World:
    def __init__(self, square: Square, site: NewSite) -> None:
        self.square = square
        self.store = square.store
        self.threads: Threads = square.services["threads"]
        self.site = site
        self.letters = Letters()
        if square.settings.delivery == "console":
            square.services["accounts"]._messages._sender = self.letters
        self.reader = Viewer(site_id=site.id)
        self.owner = Viewer(site_id=site.id, owner=True)

    async def key(self) -> SiteConfig:
        return await self.threads.sites.by_key(self.site.api_key_public)

    async def settings(self, **changes: Any) -> None:
        """Change some settings of the site."""
        before = (await self.threads.sites.get(self.site.id)).settings
        await self.threads.sites.change(self.site.id, settings=replace(before, **changes))

    async def user(self, name: str) -> Viewer:
        """A new account, as a commenter of the site."""
        account = await self.square.accounts.sign_up(name)
        await self.threads.commenters.get(account.id)
        return Viewer(site_id=self.site.id, user_id=account.id)

    async def users(self, count: int) -> list[Viewer]:
        return [await self.user(f"user{number}") for number in range(count)]

    async def moderator(self, name: str = "mod") -> Viewer:
        viewer = await self.user(name)
        await self.threads.sites.set_role(self.site.id, str(viewer.user_id), "moderator")
        return replace(viewer, role="moderator")

    async def page(self, path: str = "/hello") -> PageAddress:
        return page_address(await self.key(), path)

    async def comment(
        self, viewer: Viewer, text: str = "hello", *, parent: str | None = None, path: str = "/hello"
    ) -> Comment:
        site = await self.key()
        made = await self.threads.comments.create(
            viewer, site, page_address(site, path), text, parent_id=parent
        )
        return made.comment

    async def thread(self, viewer: Viewer | None = None, *, path: str = "/hello", **how: Any) -> CommentPage:
        site = await self.key()
        page = page_address(site, path)
        return await self.threads.reading.thread(viewer or self.reader, site.settings, page.id, **how)

    async def texts(self, viewer: Viewer | None = None, **how: Any) -> list[str]:
        """The texts of the roots that a viewer sees."""
        return [one.content for one in (await self.thread(viewer, **how)).comments]

    async def record(self, key: AnyKey) -> dict[str, str]:
        """All fields of a hash, straight from Redis."""
        found = await self.store.call("HGETALL", key)
        return {name.decode(): value.decode() for name, value in found.items()}

    async def scores(self, key: AnyKey) -> dict[str, float]:
        """A sorted set, straight from Redis."""
        found = await self.store.call("ZRANGE", key, 0, -1, "WITHSCORES")
        return {member.decode(): float(score) for member, score in found}

    async def karma(self, viewer: Viewer) -> int:
        return int(await self.store.call("HGET", keys.user(str(viewer.user_id)), "karma") or 0)

    async def code_for(self, to: str) -> str:
        """The digits of the last message to this address."""
        await self.square.accounts.delivered()
        found = re.search(r"\b\d{6}\b", [letter for letter in self.letters.sent if letter.to == to][-1].text)
        assert found
        return found[0]

    async def check(self) -> None:
        await assert_clean(self.store)


@asynccontextmanager
async def open_world(place: Place, clock: PinnedClock, **changes: Any) -> AsyncIterator[World]:
    async with open_square(place, clock, **changes) as square:
        threads: Threads = square.services["threads"]
        settings = SiteSettings(moderation="post")
        yield World(square, await threads.sites.create("A blog", DOMAIN, settings=settings))
