"""What holds for all four widgets alike."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from tests.services.widgets.given import (
    ID,
    OTHER_ID,
    OTHER_URL,
    TOKEN,
    URL,
    assert_nothing_mentions,
    keys_of,
    outcomes,
    visitor,
)
from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean
from townsquare.problems import Invalid
from townsquare.services.widgets.keys import KINDS
from townsquare.services.widgets.models import (
    BoardExport,
    BoardSettings,
    CounterExport,
    ExportedEntry,
    LikeExport,
    Message,
    RankingExport,
    Select,
)
from townsquare.services.widgets.problems import BadToken, BadUrl, WidgetNotFound, WrongToken
from townsquare.services.widgets.service import Widgets
from townsquare.services.widgets.service import widget as widget_module
from townsquare.square import Square

Use = Callable[[Widgets, str, int], Awaitable[Any]]

USES: dict[str, Use] = {
    "counter": lambda widgets, id, number: widgets.counter.increment(id, visitor(number)),
    "like": lambda widgets, id, number: widgets.like.toggle(id, visitor(number)),
    "ranking": lambda widgets, id, number: widgets.ranking.submit(id, visitor(number), f"n{number}", number),
    "bbs": lambda widgets, id, number: widgets.bbs.post(id, visitor(number), f"m{number}"),
}


@pytest.fixture(params=list(KINDS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def service_of(square: Square, kind: str) -> Any:
    return square.widgets.by_kind[kind]


def size_of(view: Any) -> int:
    for name in ("total", "total_entries", "total_messages"):
        if hasattr(view, name):
            return int(getattr(view, name))
    raise AssertionError(view)


async def read(square: Square, text: str) -> tuple[str, Any, int]:
    """Type, value and lifetime in ms of a key, as Redis has them."""
    found = await keys_of(square.store, text.rpartition(":")[2] if text.startswith("url:") else text)
    key = found[text]
    kind = (await square.store.call("TYPE", key)).decode()
    reads: dict[str, tuple[Any, ...]] = {
        "string": ("GET",),
        "zset": ("ZRANGE", 0, -1),
        "list": ("LRANGE", 0, -1),
        "set": ("SMEMBERS",),
        "hash": ("HKEYS",),
    }
    verb, *args = reads[kind]
    return kind, await square.store.call(verb, key, *args), await square.store.call("PTTL", key)


async def test_deleting_leaves_nothing_and_frees_the_url(
    square: Square, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(widget_module, "DELETE_CHUNK", 3)
    service = service_of(square, kind)
    await service.create(URL, TOKEN)
    await service.create(OTHER_URL, TOKEN)
    for number in range(10):
        await USES[kind](square.widgets, ID, number)
        await USES[kind](square.widgets, OTHER_ID, number)
    await service.delete(ID, TOKEN)
    await assert_nothing_mentions(square.store, ID, "example.com", "100680ad")
    assert await square.store.call("ZRANGE", KINDS[kind].index(), 0, -1) == [OTHER_ID.encode()]
    assert await square.jobs.list() == []
    with pytest.raises(WidgetNotFound):
        await USES[kind](square.widgets, ID, 1)
    assert size_of(await service.create(URL, TOKEN)) == 0
    assert size_of(await service.get(OTHER_ID)) == 10
    await assert_clean(square.store)


async def test_one_of_many_deletions_at_once_wins(square: Square, kind: str) -> None:
    service = service_of(square, kind)
    await service.create(URL, TOKEN)
    await USES[kind](square.widgets, ID, 1)
    await outcomes([service.delete(ID, TOKEN) for _ in range(5)] + [USES[kind](square.widgets, ID, 2)])
    await assert_nothing_mentions(square.store, ID, "example.com")
    await assert_clean(square.store)


async def test_all_kinds_live_side_by_side_under_one_url(square: Square) -> None:
    for kind in KINDS:
        made = await service_of(square, kind).create(URL, TOKEN)
        assert made.id == ID
        await USES[kind](square.widgets, ID, 1)
    await service_of(square, "ranking").delete(ID, TOKEN)
    for kind in ("counter", "like", "bbs"):
        assert size_of(await service_of(square, kind).get(ID)) == 1
    await assert_clean(square.store)


async def test_the_owner_finds_the_id_by_url_and_token(square: Square, kind: str) -> None:
    service = service_of(square, kind)
    await service.create(URL, TOKEN)
    assert await service.lookup(URL, TOKEN) == ID
    with pytest.raises(WrongToken):
        await service.lookup(URL, "wrong token")
    with pytest.raises(WidgetNotFound):
        await service.lookup(OTHER_URL, TOKEN)
    with pytest.raises(BadUrl):
        await service.lookup("javascript:1", TOKEN)


async def test_a_new_token_replaces_the_old(square: Square, kind: str) -> None:
    service = service_of(square, kind)
    await service.create(URL, TOKEN)
    await service.rotate_token(ID, TOKEN, "another horse")
    assert await service.lookup(URL, "another horse") == ID
    with pytest.raises(WrongToken):
        await service.delete(ID, TOKEN)
    with pytest.raises(BadToken):
        await service.rotate_token(ID, "another horse", "short")
    await assert_clean(square.store)


async def test_only_one_of_two_new_tokens_at_once_holds(square: Square, kind: str) -> None:
    service = service_of(square, kind)
    await service.create(URL, TOKEN)
    found = await outcomes(service.rotate_token(ID, TOKEN, f"new token {number}") for number in range(4))
    (winner,) = (number for number, one in enumerate(found) if one is None)
    assert await service.lookup(URL, f"new token {winner}") == ID


async def test_creating_at_once_makes_one(square: Square, kind: str) -> None:
    service = service_of(square, kind)
    found = await outcomes(service.create(URL, TOKEN) for _ in range(10))
    assert {getattr(view, "id", view) for view in found} == {ID}
    assert await square.store.call("ZCARD", KINDS[kind].index()) == 1


async def test_what_was_exported_can_be_imported_elsewhere(square: Square, kind: str) -> None:
    service = service_of(square, kind)
    await service.create(URL, TOKEN)
    for number in range(5):
        await USES[kind](square.widgets, ID, number)
    exported = await service.export(ID, TOKEN)
    assert TOKEN not in str(exported)
    assert "$argon2" not in str(exported)
    text = msgspec.json.encode(exported)
    await service.create(OTHER_URL, "other horse")
    await USES[kind](square.widgets, OTHER_ID, 77)
    imported = await service.import_(OTHER_ID, "other horse", msgspec.json.decode(text, type=type(exported)))
    assert size_of(imported) == 5
    again = await service.export(OTHER_ID, "other horse")
    again.url, again.created = exported.url, exported.created
    assert again == exported
    with pytest.raises(WrongToken):
        await service.import_(ID, "wrong token", exported)
    with pytest.raises(WrongToken):
        await service.export(ID, "wrong token")
    await assert_clean(square.store)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("counter", CounterExport(total=-1)),
        ("counter", msgspec.json.decode(b'{"total":1,"daily":{"2026-01-01":-5}}', type=CounterExport)),
        ("like", LikeExport(total=10**13)),
        ("like", LikeExport(total=1, icon="x" * 17)),
        ("ranking", RankingExport(entries=[ExportedEntry("a", 1), ExportedEntry("a", 2)])),
        ("ranking", RankingExport(entries=[ExportedEntry("a", float("nan"))])),
        ("ranking", RankingExport(entries=[ExportedEntry("a", 1, None, "yesterday")])),
        ("ranking", RankingExport(max_entries=0)),
        ("bbs", BoardExport(messages=[Message('x"', "2026-01-01T00:00:00Z", "a", "m", "")])),
        ("bbs", BoardExport(messages=[Message("x", "yesterday", "a", "m", "")])),
        ("bbs", BoardExport(messages=[Message("x", "2026-01-01T00:00:00Z", "a", "m", "<b>")])),
        ("bbs", BoardExport(messages=[Message("x", "2026-01-01T00:00:00Z", "a", "m", "")] * 2)),
        ("bbs", BoardExport(settings=BoardSettings(title="", max_messages=0, messages_per_page=1))),
    ],
)
async def test_an_import_that_cannot_be_changes_nothing(square: Square, kind: str, given: Any) -> None:
    service = service_of(square, kind)
    await service.create(URL, TOKEN)
    await USES[kind](square.widgets, ID, 1)
    before = await service.get(ID)
    with pytest.raises(Invalid):
        await service.import_(ID, TOKEN, given)
    assert await service.get(ID) == before


async def test_a_batch_is_read_in_one_round_trip(square: Square, kind: str) -> None:
    service = service_of(square, kind)
    await service.create(URL, TOKEN)
    await service.create(OTHER_URL, TOKEN)
    most = service.most_at_once
    asked = [ID, OTHER_ID, *(f"nobody-{number:08x}" for number in range(most - 2))]
    await service.get_batch(asked)  # from here on every node knows the script
    nodes = square.store.role_store(KINDS[kind].record(ID)).nodes
    calls = []
    execute_many = nodes.execute_many

    async def watched(commands: Any) -> Any:
        calls.append(len(commands))
        return await execute_many(commands)

    nodes.execute_many = watched  # type: ignore[method-assign]
    found = await service.get_batch(asked)
    assert set(found) == {ID, OTHER_ID}
    assert calls == [most]


async def test_the_keys_of_a_like_button_are_the_seeds(square: Square) -> None:
    await square.widgets.like.create(URL, TOKEN)
    await square.widgets.like.toggle(ID, visitor())
    found = await keys_of(square.store, ID)
    (user,) = (text for text in found if ":users:" in text)
    assert set(found) == {f"like:{ID}{part}" for part in ("", ":total", ":owner", ":visitors")} | {user}
    assert await read(square, "url:like:https%3A%2F%2Fexample.com") == ("string", ID.encode(), -1)
    assert await read(square, f"like:{ID}:total") == ("string", b"1", -1)
    sort, value, lifetime = await read(square, user)
    to_midnight = (8 * 3600 + 50 * 60 + 33) * 1000 + 465
    assert (sort, value) == ("string", b"true")
    assert to_midnight - 5_000 < lifetime <= to_midnight
    await square.widgets.like.toggle(ID, visitor())
    assert (await read(square, user))[1] == b"false"
    sort, value, lifetime = await read(square, f"like:{ID}")
    record = json.loads(value)
    assert {name: record[name] for name in ("service", "id", "url", "created", "lastLike", "totalLikes")} == {
        "service": "like",
        "id": ID,
        "url": URL,
        "created": "2026-03-14T15:09:26.535Z",
        "lastLike": "2026-03-14T15:09:26.535Z",
        "totalLikes": 0,
    }
    assert (await read(square, f"like:{ID}:owner"))[1].decode() == record["owner"]
    assert lifetime == -1
    assert await square.store.call("TYPE", KINDS["like"].index()) == b"zset"


async def test_the_keys_of_a_ranking_are_the_seeds(square: Square, clock: PinnedClock) -> None:
    await square.widgets.ranking.create(URL, TOKEN, title="Heroes", description="All of them")
    await square.widgets.ranking.submit(ID, visitor(), "a:b", 12.5)
    found = await keys_of(square.store, ID)
    (submit,) = (text for text in found if ":submit:" in text)
    parts = ("", ":scores", ":entries", ":owner", ":meta", ":submitters")
    assert set(found) == {f"ranking:{ID}{part}" for part in parts} | {submit}
    assert await read(square, "url:ranking:https%3A%2F%2Fexample.com") == ("string", ID.encode(), -1)
    sort, (member,), lifetime = await read(square, f"ranking:{ID}:scores")
    name, _, unique_id = member.decode().rpartition(":")
    assert (sort, name, lifetime) == ("zset", "a:b", -1)
    assert unique_id
    assert float(await square.store.call("ZSCORE", found[f"ranking:{ID}:scores"], member)) == 12.5
    sort, value, lifetime = await read(square, submit)
    assert (sort, value) == ("string", b"2026-03-14T15:09:26.535Z")
    assert 55_000 < lifetime <= 60_000
    assert json.loads((await read(square, f"ranking:{ID}:meta"))[1]) == {
        "title": "Heroes",
        "description": "All of them",
    }
    record = json.loads((await read(square, f"ranking:{ID}"))[1])
    assert (record["service"], record["lastSubmit"]) == ("ranking", "2026-03-14T15:09:26.535Z")
    assert (record["totalEntries"], record["maxEntries"]) == (1, 100)
    assert (await read(square, f"ranking:{ID}:owner"))[1].decode() == record["owner"]


async def test_the_keys_of_a_board_are_the_seeds(square: Square) -> None:
    await square.widgets.bbs.create(
        URL, TOKEN, title="Guests", icons=["😀"], selects=[Select("Mood", ["good"])]
    )
    posted = await square.widgets.bbs.post(
        ID, visitor(), "hi", author="ann", icon="😀", selects={"Mood": "good"}
    )
    found = await keys_of(square.store, ID)
    (post,) = (text for text in found if ":post:" in text)
    parts = ("", ":messages", ":edits", ":owner", ":posters")
    assert set(found) == {f"bbs:{ID}{part}" for part in parts} | {post}
    assert await read(square, "url:bbs:https%3A%2F%2Fexample.com") == ("string", ID.encode(), -1)
    sort, (message,), lifetime = await read(square, f"bbs:{ID}:messages")
    assert (sort, lifetime) == ("list", -1)
    assert json.loads(message) == {
        "id": posted.message_id,
        "timestamp": "2026-03-14T15:09:26.535Z",
        "author": "ann",
        "message": "hi",
        "icon": "😀",
        "selects": {"Mood": "good"},
        "userHash": posted.current_user_hash,
    }
    sort, value, lifetime = await read(square, post)
    assert (sort, value) == ("string", b"2026-03-14T15:09:26.535Z")
    assert 8_000 < lifetime <= 10_000
    record = json.loads((await read(square, f"bbs:{ID}"))[1])
    assert (record["service"], record["totalMessages"]) == ("bbs", 1)
    assert record["settings"] == {
        "title": "Guests",
        "maxMessages": 100,
        "messagesPerPage": 10,
        "icons": ["😀"],
        "selects": [{"label": "Mood", "options": ["good"]}],
    }
    assert (await read(square, f"bbs:{ID}:owner"))[1].decode() == record["owner"]
    everything = str([await read(square, text) for text in found])
    assert isinstance(posted.edit_token, str)
    assert posted.edit_token not in everything
    assert TOKEN not in everything


async def test_a_history_tells_each_day(square: Square, clock: PinnedClock) -> None:
    counter = square.widgets.counter
    await counter.create(URL, TOKEN, timezone="Asia/Tokyo")
    for _ in range(3):
        await counter.increment(ID, visitor())
        clock.move(days=2)
    history = await counter.history(ID, 7)
    assert [(day.date, day.count) for day in history.days] == [
        ("2026-03-21", 0),
        ("2026-03-20", 0),
        ("2026-03-19", 1),
        ("2026-03-18", 0),
        ("2026-03-17", 1),
        ("2026-03-16", 0),
        ("2026-03-15", 1),
    ]
    for days in (0, 367):
        with pytest.raises(Invalid):
            await counter.history(ID, days)
    with pytest.raises(WidgetNotFound):
        await counter.history("nobody-00000000")
