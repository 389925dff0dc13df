"""From ids to records: posts, their authors, and what lies between those and the viewer, in one bulk read."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from townsquare.services.social import records
from townsquare.services.social.models import Item, Post, Profile
from townsquare.services.social.records import ViewerList
from townsquare.services.social.service.list_lookup import ListLookup, Scores
from townsquare.store.near import RecordBundle
from townsquare.store.store import Store

READS_REMEMBERED = 16_384  # of posts and authors on pages; each is about a kilobyte
AUTHORS_REMEMBERED = 100_000  # who wrote a post does not change: a page read before needs no second look


class People(NamedTuple):
    profiles: dict[str, Profile | None]  # by username; None: there is no such user any more
    hidden: set[str]  # those with whom the viewer has a block, or whom the viewer mutes


class PostRecords(NamedTuple):
    posts: list[Post | None]  # as they were asked for; None: there is no such post any more
    liked: Sequence[float | None]  # when the viewer did, for each of them
    bookmarked: Sequence[float | None]
    authors: People
    shared: "SharedPosts | None" = None  # where the viewer, but for those marks, sees what all others see


class SharedPosts:
    """What was made of posts and their authors, for all who read them while none of these changes."""

    __slots__ = ("items", "posts", "profiles", "unknown")

    def __init__(
        self, posts: list[Post | None], names: Sequence[str], profiles: Sequence[Profile | None]
    ) -> None:
        self.posts = posts
        self.profiles = dict(zip(names, profiles, strict=True))
        self.unknown = unique([post.user_id for post in posts if post and post.user_id not in self.profiles])
        self.items: list[Item] | None = None


class KnownPosts(NamedTuple):
    """Posts that are read together, with those of their authors whom we know."""

    names: list[str]
    bundle: RecordBundle


class Hydration:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._authors: dict[str, str] = {}
        self._known: dict[tuple[str, ...], KnownPosts] = {}
        self._known_reads = 0  # of all of these

    async def people(
        self, usernames: Sequence[str], viewer: str | None, *, blocks: bool = True, mutes: bool = False
    ) -> People:
        profiles = [records.read_profile(username) for username in usernames]
        lookup = ListLookup(self._store, hiding(usernames, viewer, blocks=blocks, mutes=mutes))
        replies = await self._store.read([*profiles, *lookup.commands])
        hidden = hidden_of(lookup.scores(replies[len(usernames) :]), usernames, viewer)
        return People(dict(zip(usernames, replies, strict=False)), hidden)

    async def posts(
        self, ids: Sequence[str], viewer: str | None, *, blocks: bool = True, mutes: bool = True
    ) -> PostRecords:
        """One round trip if all authors are remembered, one more for those who are not."""
        ids = tuple(ids)
        names, bundle = self._known.get(ids) or self._know(ids)
        marks = [(one, ids) for one in records.viewer_lists(viewer)[:2]] if viewer else []
        lookup = ListLookup(self._store, [*marks, *hiding(names, viewer, blocks=blocks, mutes=mutes)])
        snapshot, replies = await self._store.read_bundle(bundle, lookup.commands)
        shared: SharedPosts | None = snapshot.derived
        if shared is None:
            posts, profiles = snapshot.answers[: len(ids)], snapshot.answers[len(ids) :]
            shared = snapshot.derived = SharedPosts(posts, names, profiles)
            self._remember_authors(posts)
        scores = lookup.scores(replies)
        hidden = hidden_of(scores[2:], names, viewer)
        liked, bookmarked = scores[:2] if viewer else ([None] * len(ids),) * 2
        if shared.unknown:
            self._forget(ids)
            found = await self.people(shared.unknown, viewer, blocks=blocks, mutes=mutes)
            authors = People(shared.profiles | found.profiles, hidden | found.hidden)
            return PostRecords(shared.posts, liked, bookmarked, authors)
        authors = People(shared.profiles, hidden)
        return PostRecords(shared.posts, liked, bookmarked, authors, None if hidden else shared)

    def _know(self, ids: tuple[str, ...]) -> KnownPosts:
        names = unique([self._authors[id] for id in ids if id in self._authors])
        bundle = RecordBundle([*map(records.read_post, ids), *map(records.read_profile, names)])
        known = KnownPosts(names, bundle)
        if all(id in self._authors for id in ids):
            self._known[ids] = known
            self._known_reads += len(bundle.reads)
            while self._known_reads > READS_REMEMBERED:
                self._forget(next(iter(self._known)))
        return known

    def _forget(self, ids: tuple[str, ...]) -> None:
        if ids in self._known:
            self._known_reads -= len(self._known.pop(ids).bundle.reads)

    def _remember_authors(self, posts: Iterable[Post | None]) -> None:
        if len(self._authors) > AUTHORS_REMEMBERED:
            self._authors.clear()
        for post in posts:
            if post:
                self._authors[post.id] = post.user_id


def hiding(
    usernames: Sequence[str], viewer: str | None, *, blocks: bool, mutes: bool
) -> list[tuple[ViewerList, Sequence[str]]]:
    """In which lists to look for these, to know whom the viewer does not see."""
    if not usernames or not viewer:
        return []
    lists = records.viewer_lists(viewer)
    chosen = ((lists.blocking, lists.blocked_by) if blocks else ()) + ((lists.muting,) if mutes else ())
    return [(one, usernames) for one in chosen]


def hidden_of(found: Sequence[Scores], usernames: Sequence[str], viewer: str | None) -> set[str]:
    """From what was found in the lists of `hiding`."""
    return {
        username
        for scores in found
        if scores.count(None) < len(usernames)  # most often nobody is hidden
        for username, score in zip(usernames, scores, strict=True)
        if score is not None and username != viewer
    }


def unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
