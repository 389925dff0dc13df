"""Damage to the data of the real services: which finding it raises, and what a repair keeps."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from tests.integrity.corruption import populate
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean, open_square
from townsquare.integrity import FindingKind, Outcome, check
from townsquare.keyspace import AnyDeclared, AnyKey
from townsquare.services.accounts import keys as accounts
from townsquare.services.analytics import keys as analytics
from townsquare.services.social import keys as social
from townsquare.services.threads import keys as threads
from townsquare.services.widgets import keys as widgets
from townsquare.square import Square
from townsquare.store.keys import quarantine

MISSING = "deadbeef"


@pytest.fixture
async def square(place: Place, clock: PinnedClock) -> AsyncIterator[Square]:
    async with open_square(place, clock) as square:
        await populate(square, clock)
        yield square


async def keys_of(square: Square, declared: AnyDeclared) -> list[AnyKey]:
    found = []
    for role, side in square.store.role_stores.items():
        names = sorted([name async for batch in square.store.scan(role) for name in batch])
        found += [square.store.registry.parse(name, side.layout) for name in names]
    return [key for key in found if key is not None and key.declared is declared]


async def reply_and_parent(square: Square) -> tuple[AnyKey, str]:
    for key in await keys_of(square, threads.comment):
        parent = await square.store.call("HGET", key, "parent_id")
        if parent:
            return key, parent.decode()
    raise AssertionError("there is no reply")


async def test_a_comment_with_a_missing_parent_stays_in_the_list_of_its_real_parent(square: Square) -> None:
    comment, parent = await reply_and_parent(square)
    await square.store.call("HSET", comment, "parent_id", MISSING + parent[8:])
    for _ in range(2):
        report = await check(square.store, repair=True, jobs=square.jobs)
        assert [(one.kind, one.outcome) for one in report.findings] == [(FindingKind.OWNS, Outcome.REFUSED)]
        assert report.findings[0].note == "the record that it belongs to is not known"
    replies = threads.comment_replies(parent)
    assert await square.store.call("ZSCORE", replies, comment.values[0]) is not None
    await square.store.call("HSET", comment, "parent_id", parent)
    await assert_clean(square.store)


async def test_a_session_without_its_user_is_deleted(square: Square) -> None:
    session = (await keys_of(square, accounts.session))[0]
    user_id = (await square.store.call("HGET", session, "user_id")).decode()
    await square.store.call("HSET", session, "user_id", f"usr_{MISSING}{user_id[12:]}")
    report = await check(square.store, repair=True, jobs=square.jobs)
    assert report.clean
    await assert_clean(square.store)
    assert not await square.store.call("EXISTS", session)


async def test_what_belonged_to_a_deleted_account_is_deleted(square: Square) -> None:
    orphan = social.liked("nobody")
    post = (await keys_of(square, social.post))[0]
    await square.store.call("ZADD", orphan, 1, post.values[0])
    await check(square.store, repair=True, jobs=square.jobs)
    await assert_clean(square.store)
    assert not await square.store.call("EXISTS", quarantine(square.store.name(orphan)))


async def test_other_orphans_are_quarantined(square: Square) -> None:
    page = (await keys_of(square, threads.page))[0]
    await square.store.call("DEL", page)
    report = await check(square.store, repair=True, jobs=square.jobs)
    assert report.clean, report.findings
    assert Outcome.QUARANTINED in report.tallies[FindingKind.OWNS]
    comments = [key for key in report.findings if ":comment:" in key.key and key.outcome == "quarantined"]
    assert comments
    assert await square.store.call("EXISTS", quarantine(comments[0].key))
    await assert_clean(square.store)


async def test_a_lost_profile_is_created_again_before_its_keys_are_orphans(square: Square) -> None:
    await square.store.call("DEL", social.user("alice"))
    report = await check(square.store, repair=True, jobs=square.jobs)
    assert report.clean, report.findings
    await assert_clean(square.store)
    assert await square.store.call("SMEMBERS", social.following("alice")) == [b"bob"]


async def test_a_lost_product_is_created_again_from_its_ratings(square: Square) -> None:
    before = await square.store.call("HGETALL", analytics.product("P"))
    await square.store.call("DEL", analytics.product("P"))
    assert (await check(square.store, repair=True)).clean
    assert await square.store.call("HGETALL", analytics.product("P")) == before
    await assert_clean(square.store)


async def test_sums_are_checked(square: Square) -> None:
    (unread, *_) = await keys_of(square, threads.user_unread)
    right = await square.store.call("GET", unread)
    for damage in (("SET", unread, 7), ("DEL", unread)):
        await square.store.call(*damage)
        report = await check(square.store, repair=True)
        assert (set(report.tallies), report.clean) == ({FindingKind.SUMS}, True)
        assert await square.store.call("GET", unread) == right
    for key, field in [
        ((await keys_of(square, threads.user))[0], "karma"),
        (social.user("alice"), "engagement"),
        (analytics.product("P"), "rating_sum"),
    ]:
        value = await square.store.call("HGET", key, field)
        await square.store.call("HSET", key, field, 7777)
        report = await check(square.store, repair=True)
        assert FindingKind.SUMS in report.tallies
        assert report.clean
        assert await square.store.call("HGET", key, field) == value


async def test_a_notification_of_a_missing_comment_is_removed(square: Square) -> None:
    (notifications, *_) = await keys_of(square, threads.user_notifications)
    (member,) = await square.store.call("ZRANGE", notifications, 0, 0)
    document = msgspec.json.decode(member)
    stray = msgspec.json.encode(
        {**document, "comment_id": MISSING + document["comment_id"][8:], "read": True}
    )
    await square.store.call("ZADD", notifications, 5, stray)
    assert set((await check(square.store)).tallies) == {FindingKind.REFERS}
    await check(square.store, repair=True)
    await assert_clean(square.store)
    assert await square.store.call("ZSCORE", notifications, stray) is None
    assert await square.store.call("ZSCORE", notifications, member) is not None


async def test_a_product_without_views_is_removed_from_the_week(square: Square) -> None:
    week = next(key for key in await keys_of(square, analytics.top_in) if "W" in key.params["period"])
    viewed = analytics.top_in("viewed", week.params["period"])
    await square.store.call("ZADD", viewed, 3, "Q")
    assert set((await check(square.store)).tallies) == {FindingKind.REFERS}
    await check(square.store, repair=True)
    assert await square.store.call("ZRANGE", viewed, 0, -1) == [b"P"]


async def test_an_entry_without_its_score_is_quarantined(square: Square) -> None:
    (entries,) = await keys_of(square, widgets.ranking_entries)
    stray = b'{"member":"cyd:000000000009","displayScore":"9","createdAt":"2026-03-14T15:09:26.535Z"}'
    await square.store.call("HSET", entries, "cyd", stray)
    assert set((await check(square.store)).tallies) == {FindingKind.DESCRIBES}
    await check(square.store, repair=True)
    await assert_clean(square.store)
    assert await square.store.call("GET", quarantine(f"{square.store.name(entries)}#cyd")) == stray
    await square.store.call("HDEL", entries, "ann")
    (finding,) = (await check(square.store, repair=True)).findings
    assert (finding.kind, finding.outcome) == (FindingKind.DESCRIBES, Outcome.REFUSED)
