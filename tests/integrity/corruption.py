"""Damage generated from the declarations of the real services, for a store that has keys of most of them."""

import re
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import Any, NamedTuple

import msgspec

from tests.services.accounts.door import LAPTOP
from tests.services.threads.world import DOMAIN, World
from tests.services.widgets.given import TOKEN, URL, visitor
from tests.support.clock import PinnedClock
from townsquare.keyspace import AnyKey, Role, kinds
from townsquare.services.analytics.models import Rating, Search, View, Wishlist
from townsquare.services.threads.models.sites import SiteSettings
from townsquare.square import Square
from townsquare.store.keys import system
from townsquare.store.store import Store
from townsquare.store.wire.connection import Arg

MINTED = re.compile(r"[0-9a-f]{8}(?=[0-9a-f-]*[0-3][0-9a-f]{2}$)")
NUMBER = "7777"
NONSENSE = "no such thing"
NOBODY = "nobody"

Command = tuple[str, AnyKey, tuple[Arg, ...]]
Snapshot = dict[Role, list[tuple[int | None, str, int, Any]]]


class Damage(NamedTuple):
    name: str
    commands: tuple[Command, ...]


async def populate(square: Square, clock: PinnedClock) -> None:
    """People who use every service."""
    for name in ("alice", "bob", "carol"):
        account = await square.accounts.sign_up(name, email=f"{name}@example.org")
        await square.accounts.sessions.issue(account, "password", LAPTOP)
    await square.accounts.sign_in_anonymously("device-1", LAPTOP)
    await populate_social(square)
    await populate_threads(square, clock)
    widgets = square.widgets
    counter = await widgets.counter.create(URL, TOKEN)
    await widgets.counter.increment(counter.id, visitor(1))
    like = await widgets.like.create(URL, TOKEN)
    await widgets.like.toggle(like.id, visitor(1))
    ranking = await widgets.ranking.create(URL, TOKEN, title="Heroes")
    for number, name in enumerate(("ann", "bob")):
        await widgets.ranking.submit(ranking.id, visitor(number), name, 10 + number)
    board = await widgets.bbs.create(URL, TOKEN)
    await widgets.bbs.post(board.id, visitor(1), "hello")
    for user_id in ("usr_1", "usr_2"):
        await square.analytics.record(
            [View(product="P"), Rating(product="P", stars=4), Wishlist(product="P"), Search(term="x")],
            user_id=user_id,
        )


async def populate_social(square: Square) -> None:
    social = square.social
    await social.follows.follow("alice", "bob")
    await social.follows.follow("bob", "alice")
    post = await social.posts.create("alice", "hello #square")
    other = await social.posts.create("bob", "hello again #square")
    await social.posts.like(post.id, "bob")
    await social.posts.bookmark(post.id, "carol")
    await social.moderation.report(post.id, "carol", "spam")
    await social.moderation.ban(other.id, "carol")
    await social.follows.block("carol", "bob")
    await social.follows.mute("carol", "alice")


async def populate_threads(square: Square, clock: PinnedClock) -> None:
    settings = SiteSettings(moderation="post")
    world = World(square, await square.threads.sites.create("A blog", DOMAIN, settings=settings))
    ann, ben = await world.users(2)
    moderator = await world.moderator()
    root = await world.comment(ann, "a root")
    clock.move(minutes=1)
    reply = await world.comment(ben, "a reply", parent=root.id)
    clock.move(minutes=1)
    answer = await world.comment(ann, "an answer", parent=reply.id)
    gone = await world.comment(ben, "to be deleted", path="/other")
    await world.threads.comments.delete(ben, gone.id)
    await world.threads.comments.vote(ben, root.id, "up")
    await world.threads.comments.vote(ann, reply.id, "down")
    await world.threads.comments.pin(moderator, root.id, True)
    await world.threads.comments.report(ben, await world.key(), answer.id, "spam")
    await world.threads.mailing.follow(ben, (await world.page()).id)
    await world.threads.profiles.block(ben, str(moderator.user_id))


def fake(value: str) -> str:
    """A value of the same shape that no record has."""
    return MINTED.sub("deadbeef", value, count=1) if MINTED.search(value) else NOBODY


async def damages(store: Store) -> AsyncIterator[Damage]:
    """Every way to damage one key of every declaration that has keys."""
    seen: dict[object, int] = {}
    for role, side in store.role_stores.items():
        names = sorted([name async for batch in store.scan(role) for name in batch])
        for name in names:
            key = store.registry.parse(name, side.layout)
            if key is None or key.declared.service == system.service or key.declared.role is not role:
                continue
            seen[key.declared] = seen.get(key.declared, 0) + 1
            if seen[key.declared] == 1:
                for description, *commands in [d async for d in of_key(store, key)]:
                    yield Damage(f"{key.declared.full_name}: {description}", tuple(commands))


async def of_key(store: Store, key: AnyKey) -> AsyncIterator[tuple[Any, ...]]:
    yield "deleted", ("DEL", key, ())
    yield "of another type", ("DEL", key, ()), ("RPUSH", key, ("a",))
    if key.declared.lifetime.ends:
        yield "without its lifetime", ("PERSIST", key, ())
    else:
        yield "with a lifetime", ("EXPIRE", key, (timedelta(days=1).seconds or 86_400,))
    dump = await store.call("DUMP", key)
    for other in namesakes(key):
        yield f"copied to {other.text}", ("RESTORE", other, (0, dump))
    kind = key.declared.kind
    if kind.redis_type == "hash":
        for field, value in sorted((await store.call("HGETALL", key)).items()):
            yield f"without {field.decode()}", ("HDEL", key, (field,))
            for changed in others(value.decode()):
                yield f"{field.decode()} = {changed}", ("HSET", key, (field, changed))
        yield "an unknown field", ("HSET", key, ("unknown_field", "x"))
    elif kind.model is not None:
        document = msgspec.json.decode(await store.call("GET", key))
        for field, value in document.items():
            rest = {name: its for name, its in document.items() if name != field}
            yield f"without {field}", set_to(key, msgspec.json.encode(rest))
            for wrong in [*others(value if isinstance(value, str) else ""), 7777, None]:
                yield f"{field} = {wrong!r}", set_to(key, msgspec.json.encode({**document, field: wrong}))
    elif kind in (kinds.STRING, kinds.COUNTER):
        for changed in others((await store.call("GET", key)).decode()):
            yield f"= {changed}", set_to(key, changed)
    elif kind is kinds.SET:
        (member, *_) = await store.call("SMEMBERS", key)
        yield "without a member", ("SREM", key, (member,))
        for changed in others(member.decode()):
            yield f"with {changed}", ("SADD", key, (changed,))
    elif kind is kinds.SORTED_SET:
        (member, *_) = await store.call("ZRANGE", key, 0, -1)
        yield "without a member", ("ZREM", key, (member,))
        yield "with another score", ("ZADD", key, (7777.5, member))
        for changed in others(member.decode()):
            yield f"with {changed}", ("ZADD", key, (1, changed))


def set_to(key: AnyKey, value: Arg) -> Command:
    return ("SET", key, (value, "KEEPTTL"))


def others(value: str) -> Iterator[str]:
    yield from dict.fromkeys((fake(value), NONSENSE, NUMBER))


def namesakes(key: AnyKey) -> Iterator[AnyKey]:
    """Keys of the same declaration, each with one parameter that nothing else has."""
    for name, value in key.params.items():
        if isinstance(value, str):
            try:
                other = key.declared.of({**key.params, name: fake(value)})
                other.text  # noqa: B018 - not every value can be part of a name
            except ValueError:
                continue
            yield other


async def take_snapshot(store: Store) -> Snapshot:
    found: Snapshot = {}
    for role, side in store.role_stores.items():
        names = sorted([name async for batch in store.scan(role) for name in batch])
        found[role] = []
        for name in names:
            key = store.registry.parse(name, side.layout)
            assert key is not None
            slot = side.layout.slot(key)
            left: Any
            dump, left = await side.nodes.execute_many([(slot, ("DUMP", name)), (slot, ("PTTL", name))])
            found[role].append((slot, name, max(left, 0), dump))
    return found


async def restore(store: Store, snapshot: Snapshot) -> None:
    for role, side in store.role_stores.items():
        for node in side.nodes.connections():
            await node.execute("FLUSHALL")
        await side.nodes.execute_many(
            [(slot, ("RESTORE", name, left, dump)) for slot, name, left, dump in snapshot[role]]
        )
