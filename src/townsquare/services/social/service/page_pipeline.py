"""What a viewer sees: skeleton (ids, state) → hydration (records) → rules (bans, blocks) → presentation."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from townsquare.keyspace import AnyKey
from townsquare.kit.paging import Cursor, Page, cut, page_down
from townsquare.services.social.models import Item, Post, Profile
from townsquare.services.social.records import POST, PROFILE
from townsquare.services.social.service.hydration import Hydration, People
from townsquare.services.social.service.presentation import (
    POST_LIST,
    PostList,
    item,
    item_json,
)
from townsquare.services.social.service.skeletons import (
    NO_STATE,
    ReadSkeleton,
    Skeleton,
    ViewerState,
    read_viewer_state,
)
from townsquare.store.client_cache import CacheKey
from townsquare.store.store import Store

T = TypeVar("T")

ROUNDS = 4


class PresentPosts(Protocol[T]):
    """Presents posts to a viewer. Returns each with its index among the ids."""

    async def __call__(
        self, ids: Sequence[str], viewer: str | None, state: ViewerState, *, mutes: bool = True
    ) -> list[tuple[int, T]]: ...


class ReadPage(Protocol[T]):
    """Reads a page of posts. If the rules remove some, it reads more, at most `ROUNDS` times."""

    async def __call__(
        self,
        read_skeleton: ReadSkeleton,
        viewer: str | None,
        after: Cursor | None,
        limit: int,
        *,
        mutes: bool = True,
    ) -> Page[T]: ...


class PagePipeline:
    def __init__(self, store: Store, hydration: Hydration) -> None:
        self._store = store
        self._hydration = hydration

    async def feed(
        self,
        read_skeleton: ReadSkeleton,
        viewer: str | None,
        after: Cursor | None,
        limit: int,
        *,
        mutes: bool = True,
    ) -> Page[Item]:
        """A page of models."""
        first = await read_skeleton(after, limit + 1)
        return await self._feed(self.present_items, first, read_skeleton, viewer, limit, mutes=mutes)

    async def feed_json(
        self,
        read_skeleton: ReadSkeleton,
        viewer: str | None,
        after: Cursor | None,
        limit: int,
        *,
        mutes: bool = True,
    ) -> Page[bytes]:
        """The same as JSON: of each post, or of all together, if viewers that hide nobody see all of them."""
        first = await read_skeleton(after, limit + 1)
        if first.state.hides_users or not first.ids_text:
            return await self._feed(self._present_json, first, read_skeleton, viewer, limit, mutes=mutes)
        has_more = first.size > limit
        key = first.ids_text.rpartition(b" ")[0] if has_more else first.ids_text
        posts = await self._store.composite(POST_LIST, key)
        if posts is None and self._store.is_worth_composing(POST_LIST, key):
            posts = await self._store.compose(POST_LIST, key, lambda: self._compose(key))
        if posts is None:
            return await self._feed(self._present_json, first, read_skeleton, viewer, limit, mutes=mutes)
        return Page([posts.for_viewer(first.state)], first.cursor(limit - 1).encode() if has_more else None)

    async def _compose(self, key: bytes) -> PostList | None:
        """None if not everybody sees all of these posts."""
        ids = key.decode().split()
        rows = await self._visible(ids, None, NO_STATE)
        if len(rows) < len(ids):
            return None
        posts = PostList.of([(post, author) for _, post, author in rows])
        made_of: dict[CacheKey, Any] = {(POST, post.id): post for _, post, _ in rows}
        made_of |= {(PROFILE, post.user_id): author for _, post, author in rows}
        self._store.add_composite(POST_LIST, key, posts, made_of.items())
        return posts

    async def _feed(
        self,
        present: PresentPosts[T],
        first: Skeleton,
        read_skeleton: ReadSkeleton,
        viewer: str | None,
        limit: int,
        *,
        mutes: bool,
    ) -> Page[T]:
        shown: list[tuple[int, T]] = []
        skeleton = first
        for rounds_left in reversed(range(ROUNDS)):
            ids = skeleton.ids
            page = await present(ids[:limit], viewer, skeleton.state, mutes=mutes)
            room = limit - len(shown)
            if len(page) > room:
                return Page(
                    [one for _, one in shown + page[:room]], skeleton.cursor(page[room - 1][0]).encode()
                )
            shown += page
            if len(ids) <= limit:
                return Page([one for _, one in shown], None)
            after = skeleton.cursor(limit - 1)
            if len(shown) == limit or not rounds_left:
                break
            skeleton = await read_skeleton(after, limit + 1)
        return Page([one for _, one in shown], after.encode())

    async def items(
        self,
        ids: Sequence[str],
        viewer: str | None,
        *,
        blocks: bool = True,
        mutes: bool = True,
        banned: bool = False,
    ) -> list[Item]:
        """Posts in this order, without those that this viewer cannot see."""
        state = await read_viewer_state(self._store, viewer, ids)
        shown = await self.present_items(ids, viewer, state, blocks=blocks, mutes=mutes, banned=banned)
        return [one for _, one in shown]

    async def present_items(
        self,
        ids: Sequence[str],
        viewer: str | None,
        state: ViewerState,
        *,
        blocks: bool = True,
        mutes: bool = True,
        banned: bool = False,
    ) -> list[tuple[int, Item]]:
        """Hydration, rules, presentation. Returns the index of each id that is shown, and its item."""
        rows = await self._visible(ids, viewer, state, blocks=blocks, mutes=mutes, banned=banned)
        return [
            (index, item(post, author, post.id in state.liked, post.id in state.bookmarked))
            for index, post, author in rows
        ]

    async def _present_json(
        self, ids: Sequence[str], viewer: str | None, state: ViewerState, *, mutes: bool = True
    ) -> list[tuple[int, bytes]]:
        rows = await self._visible(ids, viewer, state, mutes=mutes)
        return [(index, item_json(post, author, state)) for index, post, author in rows]

    async def _visible(
        self,
        ids: Sequence[str],
        viewer: str | None,
        state: ViewerState,
        *,
        blocks: bool = True,
        mutes: bool = True,
        banned: bool = False,
    ) -> list[tuple[int, Post, Profile]]:
        """Without deleted and banned posts, and posts of deleted or hidden users."""
        if not ids:
            return []
        hides_from = viewer if state.hides_users else None
        records = await self._hydration.posts(ids, hides_from, blocks=blocks, mutes=mutes)
        profiles, hidden = records.authors
        return [
            (index, post, author)
            for index, post in enumerate(records.posts)
            if post and (banned or not post.banned) and post.user_id not in hidden
            if (author := profiles[post.user_id])
        ]

    async def profiles(self, usernames: Sequence[str], viewer: str | None) -> list[Profile]:
        """Public profiles in this order, without those that the viewer cannot see."""
        return visible_profiles(await self._hydration.people(usernames, viewer))

    async def profile_page(
        self, key: AnyKey, viewer: str | None, cursor: str | None, limit: int
    ) -> Page[Profile]:
        """A page of the profiles named in a sorted set, the highest score first."""
        found, next = cut(await page_down(self._store, key, Cursor.decode(cursor), limit + 1), limit)
        return Page(await self.profiles([one.member for one in found], viewer), next)


def visible_profiles(people: People) -> list[Profile]:
    return [
        profile for username, profile in people.profiles.items() if profile and username not in people.hidden
    ]
