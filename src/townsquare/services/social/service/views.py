"""What a viewer sees: skeleton (ids) → hydration (records) → rules (bans, blocks, mutes) → presentation."""

from collections.abc import Awaitable, Callable, Sequence

from msgspec.structs import replace

from townsquare.keyspace import AnyKey
from townsquare.kit.paging import Cursor, Page, cut, page_down
from townsquare.services.social.models import Item, Post, Profile
from townsquare.services.social.service.hydration import Hydration, People, PostRecords
from townsquare.store.store import Store

ROUNDS = 4  # of reading on when a page lost posts to the rules

Skeleton = Callable[[Cursor | None, int], Awaitable[list[Cursor]]]  # the next ids of a feed, in its order
VisiblePost = tuple[Post, Profile, bool, bool]  # the viewer likes it, and has bookmarked it


class Views:
    def __init__(self, store: Store, hydration: Hydration) -> None:
        self._store = store
        self._hydration = hydration

    async def feed(
        self, skeleton: Skeleton, viewer: str | None, after: Cursor | None, limit: int, *, mutes: bool = True
    ) -> Page[Item]:
        """A page of posts; where the rules took some away, it reads on for a while."""
        items: list[Item] = []
        for _ in range(ROUNDS):
            found = await skeleton(after, limit + 1)
            ended, found = len(found) <= limit, found[:limit]
            seen = await self.items([place.member for place in found], viewer, mutes=mutes)
            items = [*items, *seen] if items else seen
            if len(items) > limit:
                last = items[limit - 1].post.id
                return Page(items[:limit], next(place.encode() for place in found if place.member == last))
            if ended:
                return Page(items, None)
            after = found[-1]
            if len(items) == limit:
                break
        return Page(items, after.encode() if after else None)

    async def items(
        self,
        ids: Sequence[str],
        viewer: str | None,
        *,
        blocks: bool = True,
        mutes: bool = True,
        banned: bool = False,
    ) -> list[Item]:
        """Posts in this order, without what this viewer does not see."""
        if not ids:
            return []
        records = await self._hydration.posts(ids, viewer, blocks=blocks, mutes=mutes)
        shared = records.shared
        if shared is None or banned:
            return [item(*one) for one in visible_posts(records, banned=banned)]
        if shared.items is None:
            visible = visible_posts(records, banned=False)
            shared.items = [item(post, author, False, False) for post, author, _, _ in visible]
        return marked(shared.items, ids, records)

    async def profiles(self, usernames: Sequence[str], viewer: str | None) -> list[Profile]:
        """Public profiles in this order, without those whom the viewer does not see."""
        return visible_profiles(await self._hydration.people(usernames, viewer))

    async def profile_page(
        self, key: AnyKey, viewer: str | None, cursor: str | None, limit: int
    ) -> Page[Profile]:
        """A page of the profiles whose names a sorted set holds, the highest score first."""
        found, next = cut(await page_down(self._store, key, Cursor.decode(cursor), limit + 1), limit)
        return Page(await self.profiles([place.member for place in found], viewer), next)


def marked(items: list[Item], ids: Sequence[str], records: PostRecords) -> list[Item]:
    """What everybody sees, with the marks of this viewer; most often there are none."""
    liked, bookmarked = records.liked, records.bookmarked
    if liked.count(None) == len(ids) == bookmarked.count(None):
        return [*items]
    marks = {
        id: (like is not None, bookmark is not None)
        for id, like, bookmark in zip(ids, liked, bookmarked, strict=True)
        if like is not None or bookmark is not None
    }
    return [item(one.post, one.author, *marks[one.post.id]) if one.post.id in marks else one for one in items]


def visible_posts(records: PostRecords, *, banned: bool) -> list[VisiblePost]:
    """The rules: what is gone, banned or hidden is not shown, nor is the post of somebody who is."""
    profiles, hidden = records.authors
    return [
        (post, author, liked is not None, bookmarked is not None)
        for post, liked, bookmarked in zip(records.posts, records.liked, records.bookmarked, strict=True)
        if post and (banned or not post.banned) and post.user_id not in hidden
        if (author := profiles[post.user_id])
    ]


def visible_profiles(people: People) -> list[Profile]:
    return [
        profile for username, profile in people.profiles.items() if profile and username not in people.hidden
    ]


def item(post: Post, author: Profile, is_liked: bool, is_bookmarked: bool) -> Item:
    """The presentation, with the author as it is now: the copy in the post may be on its way."""
    now = (author.username, author.display_name, author.avatar, author.role)
    if (post.username, post.display_name, post.avatar, post.user_role) != now:
        username, display_name, avatar, role = now
        post = replace(post, username=username, display_name=display_name, avatar=avatar, user_role=role)
    return Item(post=post, is_liked=is_liked, is_bookmarked=is_bookmarked, author=author)
