"""The memory bound: what a cached record takes, with its JSON, is not more than the cache counts for it."""

import gc
import tracemalloc
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.services.threads.world import World, open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place
from townsquare.kit.fragments import Fragment
from townsquare.services.accounts.signin.models import Client
from townsquare.services.accounts.signin.sessions import OWNER_OF_SESSION
from townsquare.services.social import records as social_records
from townsquare.services.threads import keys as threads_keys
from townsquare.services.threads import records as threads_records
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.service.presentation import opening
from townsquare.store.client_cache import ClientCache, Record

pytestmark = pytest.mark.slow

COPIES = 200  # of each record: what the interpreter allocates once does not count
UNBOUNDED = 1 << 40
BLOCKED = 100  # people

TEXTS = {
    "short": "hi",
    "ascii": "x" * 490,
    "escaped": ('"' + "\\\n'") * 122 + "x",  # two bytes of JSON for most characters
    "emoji": "\U0001f600" * 490,
    "one emoji": "\U0001f600" + '"' * 489,  # Python takes four bytes for each character
    "hashtags": " ".join(f"#t{number}" for number in range(27)),  # a text of its own for each
}
KINDS = ("post", "profile", "seen profile", "comment", "author", "commenter", "blocks", "session")


@pytest.fixture
async def world(plain_place: Place, clock: PinnedClock) -> AsyncIterator[World]:
    async with open_world(plain_place, clock) as world:
        yield world


async def written(world: World, text: str) -> dict[str, tuple[Record[Any], str]]:
    """One record of each kind, as the services write it; its parameter."""
    social = world.square.social
    await social.profiles.register(
        "ann", given={"bio": text, "display_name": text[:100].replace("\n", " ").strip()}
    )
    post = await social.posts.create("ann", f"{text} #one #two #three")
    account = await world.square.accounts.sign_up("bea")
    await world.square.accounts.sessions.issue(account, "password", Client("192.0.2.1", "A browser"))
    (session, *_) = await world.square.accounts.sessions.list(account.id)
    commenter = await world.user("cyd")
    comment = await world.comment(commenter, text)
    user = str(commenter.user_id)
    blocked = [f"00000000-0000-4000-8000-{number:012}" for number in range(BLOCKED)]
    await world.store.call("SADD", threads_keys.user_blocks(user), *blocked)
    return {
        "post": (social_records.POST, post.id),
        "profile": (social_records.PROFILE, "ann"),
        "seen profile": (social_records.SEEN_PROFILE, "ann"),
        "comment": (threads_records.COMMENT, comment.id),
        "author": (threads_records.AUTHOR, user),
        "commenter": (threads_records.COMMENTER, user),
        "blocks": (threads_records.BLOCKS, user),
        "session": (OWNER_OF_SESSION, session.id),
    }


@pytest.mark.parametrize("text", TEXTS)
async def test_a_record_takes_no_more_memory_than_is_counted(world: World, text: str) -> None:
    ratios = {}
    for kind, (record, param) in (await written(world, TEXTS[text])).items():
        key = record.declared(param)
        (connection,) = world.store.role_stores[record.role].nodes.sessions()
        cache = ClientCache(UNBOUNDED)
        value = record.decode(await world.store.call(record.verb, key, *record.args))
        assert value is not None, kind
        gc.collect()
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            for number in range(COPIES):
                reply = await world.store.call(record.verb, key, *record.args)
                value = record.decode(reply)
                assert value is not None
                name = f"{world.store.name(key)}{number:04}"
                cache.add((record, f"{param}{number:04}"), name.encode(), connection, value)
                if isinstance(value, Fragment):
                    assert value.json
                elif isinstance(value, CommentRecord):
                    assert opening(value)
                del reply, value, name
            gc.collect()
            taken = tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()
        assert len(cache.entries) == COPIES
        ratios[kind] = round(taken / cache.size, 2)
    assert set(ratios) == set(KINDS)
    assert max(ratios.values()) <= 1, ", ".join(f"{kind} {ratio}" for kind, ratio in ratios.items())
