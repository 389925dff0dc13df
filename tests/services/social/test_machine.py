"""Whatever people do, in any order, the service agrees with a model that fits on a page."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.services.social.world import World, ids, open_world
from tests.support.clock import PinnedClock
from tests.support.engines import Node
from tests.support.squares import Place, assert_clean
from townsquare.problems import Problem
from townsquare.services.social import keys

pytestmark = pytest.mark.slow

PEOPLE = ["ann", "ben", "cat", "dan"]
TAGS = ["x", "y"]
VERBS = [
    "post",
    "post",
    "like",
    "like",
    "unlike",
    "bookmark",
    "unbookmark",
    "follow",
    "follow",
    "unfollow",
    "ban",
    "unban",
    "delete",
    "edit",
    "block",
    "unblock",
    "mute",
    "unmute",
    "read",
    "wait",
]


@dataclass
class Written:
    author: str
    at: int
    tags: set[str]
    likes: set[str] = field(default_factory=set)
    bookmarks: dict[str, int] = field(default_factory=dict)
    banned: bool = False


@dataclass
class Model:
    posts: dict[str, Written] = field(default_factory=dict)
    follows: set[tuple[str, str]] = field(default_factory=set)
    blocks: set[tuple[str, str]] = field(default_factory=set)
    mutes: set[tuple[str, str]] = field(default_factory=set)

    def hidden(self, one: str, other: str) -> bool:
        return bool({(one, other), (other, one)} & self.blocks)

    def seen(self, viewer: str, *, mutes: bool = True, **where: Any) -> list[str]:
        """Posts that a viewer sees, the newest first."""
        found = [
            (post.at, id)
            for id, post in self.posts.items()
            if not post.banned
            and not self.hidden(viewer, post.author)
            and not (mutes and (viewer, post.author) in self.mutes)
            and ("author" not in where or post.author == where["author"])
            and ("tag" not in where or where["tag"] in post.tags)
            and ("reader" not in where or self.reads(where["reader"], post.author))
        ]
        return [id for _, id in sorted(found, reverse=True)]

    def reads(self, reader: str, author: str) -> bool:
        return reader == author or (reader, author) in self.follows


STEP = st.tuples(
    st.sampled_from(VERBS),
    st.sampled_from(PEOPLE),
    st.sampled_from(PEOPLE),
    st.integers(0, 9),
)


async def act(world: World, model: Model, clock: PinnedClock, step: tuple[str, str, str, int]) -> None:
    verb, who, other, number = step
    social = world.social
    tags = {tag for place, tag in enumerate(TAGS) if number >> place & 1}
    text = " ".join(["hello", *(f"#{tag}" for tag in sorted(tags))])
    if verb == "post":
        made = await world.post(who, text)
        model.posts[made.id] = Written(who, made.created_at, tags)
    elif verb == "wait":
        clock.move(ms=number * 7)
    elif verb == "read":
        await social.feeds.home(who, None, 3)
    elif verb in ("follow", "unfollow", "block", "unblock", "mute", "unmute"):
        await getattr(social.follows, verb)(who, other)
        pairs = {"follow": model.follows, "block": model.blocks, "mute": model.mutes}[verb.removeprefix("un")]
        (pairs.discard if verb.startswith("un") else pairs.add)((who, other))
        if verb == "block":
            model.follows -= {(who, other), (other, who)}
    elif model.posts:
        id = list(model.posts)[number % len(model.posts)]
        post = model.posts[id]
        if verb == "delete":
            await social.posts.delete(id, who)
            del model.posts[id]
        elif verb == "edit":
            await social.posts.edit(id, who, content=text)
            post.tags = tags
        elif verb == "ban":
            await social.moderation.ban(id, who)
            post.banned = True
        elif verb == "unban":
            await social.moderation.unban(id)
            post.banned = False
        else:
            await getattr(social.posts, verb)(id, who)
            if verb == "like":
                post.likes.add(who)
            elif verb == "unlike":
                post.likes.discard(who)
            elif verb == "bookmark":
                post.bookmarks.setdefault(who, clock.now_ms())
            else:
                post.bookmarks.pop(who, None)


def allowed(model: Model, step: tuple[str, str, str, int]) -> bool:
    """Whether the service must accept it."""
    verb, who, other, number = step
    if verb in ("follow", "unfollow", "block", "unblock", "mute", "unmute"):
        return who != other and not (verb == "follow" and model.hidden(who, other))
    if verb in ("post", "read", "wait") or not model.posts:
        return True
    post = list(model.posts.values())[number % len(model.posts)]
    if verb in ("like", "bookmark"):
        return not post.banned and not model.hidden(who, post.author)
    if verb in ("unlike", "unbookmark"):
        marked = who in (post.likes if verb == "unlike" else post.bookmarks)
        return marked or (not model.hidden(who, post.author) and (not post.banned or post.author == who))
    if verb == "delete":
        return post.author == who
    return verb != "edit" or (post.author == who and not post.banned)


async def compare(world: World, model: Model) -> None:
    social = world.social
    for id, post in model.posts.items():
        shown = await social.posts.get(id)
        counts = (shown.likes_count, shown.bookmarks_count, shown.banned, set(shown.hashtags))
        assert counts == (len(post.likes), len(post.bookmarks), post.banned, post.tags)
    for who in PEOPLE:
        page = await social.feeds.explore(who, None, 100)
        assert ids(page) == model.seen(who)
        for item in page.items:
            post = model.posts[item.post.id]
            assert (item.is_liked, item.is_bookmarked) == (who in post.likes, who in post.bookmarks)
        assert ids(await social.feeds.home(who, None, 100)) == model.seen(who, reader=who)
        for tag in TAGS:
            assert ids(await social.feeds.hashtag(tag, who, None, 100)) == model.seen(who, tag=tag)
        own = await social.profiles.own(who)
        assert own.post_count == len(model.seen(who, author=who))
        assert own.following_count == sum(one == who for one, _ in model.follows)
        assert own.follower_count == sum(other == who for _, other in model.follows)
        bookmarks = model.seen(who, mutes=False)
        assert set(ids(await social.feeds.bookmarked(who, None, 100))) == {
            id for id in bookmarks if who in model.posts[id].bookmarks
        }
    weights = {
        who: sum(
            len(post.likes) * 3 + len(post.bookmarks) * 4
            for post in model.posts.values()
            if post.author == who and not post.banned
        )
        for who in PEOPLE
    }
    assert {who: await world.score(keys.models_top(), who) for who in PEOPLE} == weights
    await assert_clean(world.store)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(STEP, min_size=10, max_size=50))
def test_the_service_agrees_with_the_model(
    steps: list[tuple[str, str, str, int]], data_node: Node, cache_node: Node
) -> None:
    async def example() -> None:
        data_node.ask("FLUSHALL")
        clock, model = PinnedClock(), Model()
        async with open_world(Place("plain", data_node.unix_url, cache_node.unix_url), clock) as world:
            await world.people(*PEOPLE, role="model")
            for step in steps:
                if allowed(model, step):
                    await act(world, model, clock, step)
                    continue
                try:
                    await act(world, Model(dict(model.posts)), clock, step)
                except Problem:
                    continue
                raise AssertionError(f"{step} was accepted")
            await compare(world, model)

    asyncio.run(example())
