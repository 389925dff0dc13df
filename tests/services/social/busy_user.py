"""Somebody who has left a trace in every kind of place, and the others around."""

from dataclasses import dataclass, field

from tests.services.social.world import World
from townsquare.keyspace import Owns
from townsquare.services.social import keys
from townsquare.store.coordination.deletion import SHARE_OF_SCRIPTS

OTHERS = ("ann", "bob", "cyd", "dan", "eve", "mod")
MANY = SHARE_OF_SCRIPTS + 5  # more than one share
OWNED = [
    declared
    for owns in keys.social.relations
    if isinstance(owns, Owns) and owns.owner is keys.user and not owns.without_owner and not owns.members
    for declared in owns.owned
]


@dataclass
class Life:
    name: str
    posts: list[str] = field(default_factory=list)
    liked: list[str] = field(default_factory=list)


async def make_busy_user(world: World, name: str = "Zelda") -> Life:
    """A model with posts, one of them banned, likes, bookmarks, reports, bans, follows, blocks and mutes."""
    social = world.social
    await world.people(*OTHERS)
    given = {"display_name": "The princess", "bio": "hello", "favourite_colour": "green"}
    await social.profiles.register(name, role="model", given=given)
    life = Life(name)
    life.posts = [(await world.post(name, f"mine {number} #hyrule #tag{number}")).id for number in range(12)]
    life.liked = [(await world.post("ann", f"ann's {number} #castle")).id for number in range(MANY)]
    for id in life.liked:
        await social.posts.like(id, name)
    for id in life.posts:
        await social.posts.like(id, "bob")
    await social.posts.bookmark(life.liked[0], name)
    await social.posts.bookmark(life.posts[0], "cyd")
    await social.posts.bookmark(life.posts[0], name)
    await social.moderation.report(life.liked[1], name, "spam")
    await social.moderation.report(life.posts[1], "bob", "spam")
    await social.moderation.ban(life.liked[2], name)
    await social.moderation.ban(life.posts[2], "mod")
    for fan in ("ann", "bob", "cyd"):
        await social.follows.follow(fan, name)
    for other in ("ann", "cyd"):
        await social.follows.follow(name, other)
    await social.follows.block(name, "dan")
    await social.follows.block("eve", name)
    await social.follows.mute(name, "bob")
    await social.follows.mute("cyd", name)
    for reader in (name, "ann", "bob"):
        await social.feeds.home(reader)
    assert await world.count(name, "postCount") == len(life.posts) - 1
    return life


async def counts_of(world: World, name: str) -> dict[str, int]:
    fields = ("postCount", "followerCount", "followingCount")
    return {field: await world.count(name, field) for field in fields}


def owned_by(name: str) -> list[str]:
    return [declared(name).text for declared in (keys.user, *OWNED, keys.home_feed)]
