"""What a viewer sees: skeleton (ids, state) → hydration (records) → rules (bans, blocks) → presentation."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from townsquare.keyspace import AnyKey
from townsquare.kit.paging import Cursor, Page, cut, page_down
from townsquare.services.social.models import Item, Post, Profile
from townsquare.services.social.records import POST, PROFILE
from townsquare.services.social.service.hydration import Hydration, People
from townsquare.services.social.service.presentation import POST_LIST, item, item_json
from townsquare.services.social.service.skeletons import ReadSkeleton, ViewerState, read_viewer_state
from townsquare.store.client_cache import CacheKey
from townsquare.store.store import Store

T = TypeVar("T")

ROUNDS = 4


class PresentPosts(Protocol[T]):
    """Presents posts to a viewer. Returns each with its index among the ids."""

    async def __call__(
        self, ids: Sequence[str], viewer: str | None, state: ViewerState, *, mutes: bool = True
    ) -> list[tuple[int, T]]: ...


class PagePipeline:
    def __init__(self, store: Store, hydration: Hydration) -> None:
        self._store = store
        self._hydration = hydration

    async def feed(
        self,
        present: PresentPosts[T],
        read_skeleton: ReadSkeleton,
        viewer: str | None,
        after: Cursor | None,
        limit: int,
        *,
        mutes: bool = True,
    ) -> Page[T]:
        """A page of posts. If the rules remove some, it reads more, at most `ROUNDS` times."""
        shown: list[tuple[int, T]] = []
        for _ in range(ROUNDS):
            skeleton = await read_skeleton(after, limit + 1)
            page = await present(skeleton.ids[:limit], viewer, skeleton.state, mutes=mutes)
            room = limit - len(shown)
            if len(page) > room:
                return Page(
                    [one for _, one in shown + page[:room]], skeleton.cursor(page[room - 1][0]).encode()
                )
            shown += page
            if len(skeleton.ids) <= limit:
                return Page([one for _, one in shown], None)
            after = skeleton.cursor(limit - 1)
            if len(shown) == limit:
                break
        return Page([one for _, one in shown], after.encode() if after else None)

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

    async def present_json(
        self, ids: Sequence[str], viewer: str | None, state: ViewerState, *, mutes: bool = True
    ) -> list[tuple[int, bytes]]:
        """The same as JSON. Viewers that hide nobody share it, except for their likes and bookmarks."""
        key = tuple(ids)
        posts = await self._store.composite(POST_LIST, key) if not state.hides_users else None
        if posts is None:
            rows = await self._visible(ids, viewer, state, mutes=mutes)
            if not state.hides_users:  # another request may have added it meanwhile
                posts = await self._store.composite(POST_LIST, key)
        if posts is None:
            posts = [(index, post, author, item_json(post, author)) for index, post, author in rows]
            is_shared = not state.hides_users and len(posts) == len(ids)
            if is_shared and self._store.is_worth_composing(POST_LIST, key):
                made_of: dict[CacheKey, Any] = {(POST, post.id): post for _, post, _ in rows}
                made_of |= {(PROFILE, post.user_id): author for _, post, author in rows}
                self._store.add_composite(POST_LIST, key, posts, made_of.items())
        liked, bookmarked = state.liked, state.bookmarked
        if not liked and not bookmarked:
            return [(index, json) for index, _, _, json in posts]
        marked = liked | bookmarked
        return [
            (index, item_json(post, author, post.id in liked, post.id in bookmarked))
            if post.id in marked
            else (index, json)
            for index, post, author, json in posts
        ]

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
