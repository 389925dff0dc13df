"""Judgements by themselves: what a rule concludes from given replies."""

from typing import Any

import pytest

from tests.integrity.shapes import (
    OF_BOTS,
    OF_SESSIONS,
    OF_USERS,
    OF_USERS_TOO,
    blocks,
    bot,
    friends,
    mail,
    session,
    session_seen,
    sessions,
    user,
    watchers,
    watches,
)
from townsquare.integrity.confirm import judge_again
from townsquare.integrity.findings import Fault, Write
from townsquare.integrity.rules.indexes import IndexesRule
from townsquare.integrity.rules.membership import MembershipRule
from townsquare.integrity.rules.owns import OwnsRule
from townsquare.integrity.rules.pairs import PairsRule
from townsquare.integrity.rules.rule import Row, Rule, Suspicion
from townsquare.integrity.store_reader import Read
from townsquare.keyspace import Owns, Pairs
from townsquare.keyspace.key_relations import KeyRelations
from townsquare.store.wire.connection import ReplyError


def judge(rule: Rule, row: Row, replies: dict[tuple[Any, ...], Any]) -> Fault | None:
    """What the rule concludes; a read that a test did not think of fails it."""
    known = {Read(verb, key, tuple(args)): reply for (verb, key, *args), reply in replies.items()}
    fault, unknown = judge_again(Suspicion(rule, row), known)
    assert not unknown
    return fault


def index(held: bytes | None, wanted: bytes, **records: dict[bytes, bytes] | ReplyError) -> Fault | None:
    replies: dict[tuple[Any, ...], Any] = {("GET", mail("a@b")): held, ("PTTL", mail("a@b")): -1}
    for name in ("ann", "bob"):
        replies["HGETALL", user(name)] = records.get(f"user_{name}", {})
        replies["HGETALL", bot(name)] = records.get(f"bot_{name}", {})
    rule = IndexesRule(mail, (OF_USERS, OF_USERS_TOO, OF_BOTS), -1)
    return judge(rule, Row(mail("a@b"), -1, entry=(("a@b",), wanted)), replies)


HAS_IT = {b"mail": b"a@b"}


def test_an_index_may_belong_to_either_kind_of_record() -> None:
    assert index(b"ann", b"ann", user_ann=HAS_IT) is None
    assert index(b"ann", b"ann", bot_ann=HAS_IT) is None
    assert index(b"ann", b"ann", bot_ann=HAS_IT, user_ann=HAS_IT) is None


@pytest.mark.parametrize("field", [b"mail", b"other_mail"])
def test_an_index_may_follow_from_either_field(field: bytes) -> None:
    assert index(b"ann", b"ann", user_ann={field: b"a@b"}) is None


def test_an_index_of_neither_is_deleted() -> None:
    fault = index(b"ann", b"ann", user_bob=HAS_IT)
    assert fault
    assert fault.repair == Write("DEL", mail("a@b"))


def test_an_index_is_pointed_to_the_record_that_has_its_value() -> None:
    fault = index(b"ann", b"bob", bot_bob=HAS_IT)
    assert fault
    assert fault.repair == Write("SET", mail("a@b"), ("bob",))


def test_two_owners_of_one_value_cannot_be_decided() -> None:
    fault = index(b"ann", b"bob", user_ann=HAS_IT, bot_bob=HAS_IT)
    assert fault
    assert fault.repair is None
    assert fault.refusal


def test_a_damaged_namesake_does_not_hide_a_lost_index() -> None:
    fault = index(None, b"ann", user_ann=HAS_IT, bot_ann=ReplyError("WRONGTYPE"))
    assert fault
    assert fault.repair == Write("SET", mail("a@b"), ("ann",))


def test_an_index_that_points_to_a_damaged_record_is_not_judged() -> None:
    assert index(b"ann", b"ann", user_ann=ReplyError("WRONGTYPE")) is None
    assert index(b"ann", b"bob", user_ann=ReplyError("WRONGTYPE"), user_bob=HAS_IT) is None


@pytest.mark.parametrize("left", [0, 1, 30_000])
def test_a_claim_on_its_way_is_not_judged(left: int) -> None:
    row = Row(mail("a@b"), -1, entry=(("a@b",), b"ann"))
    replies = {("GET", row.key): b"ann", ("PTTL", row.key): left, ("HGETALL", user("ann")): {}}
    assert judge(IndexesRule(mail, (OF_USERS,), 30_000), row, replies) is None


def membership(found: int, set_left: int, record: bytes | None, record_left: int) -> Fault | None:
    key, record_key = sessions("ann"), session("ann", "t")
    return judge(
        MembershipRule(sessions, (OF_SESSIONS,)),
        Row(key, -1, entry=(key.values, b"t", None)),
        {
            ("SISMEMBER", key, b"t"): found,
            ("PTTL", key): set_left,
            ("GET", record_key): record,
            ("PTTL", record_key): record_left,
        },
    )


def test_a_member_may_outlive_its_record_if_both_end_by_themselves() -> None:
    assert membership(1, 60_000, None, -2) is None
    assert membership(1, -1, None, -2) is not None


def test_a_record_may_outlive_its_set_by_a_moment() -> None:
    assert membership(0, -2, b"x", 800) is None
    assert membership(0, -2, b"x", 60_000) is not None


def test_what_ends_by_itself_is_no_orphan_of_what_ends_by_itself() -> None:
    rule = OwnsRule(Owns(session, (session_seen,)), KeyRelations())
    row = Row(session_seen("ann", "t"), -1)
    owner = ("EXISTS", session("ann", "t"))
    assert judge(rule, row, {owner: 0, ("PTTL", row.key): 5_000}) is None
    assert judge(rule, row, {owner: 0, ("PTTL", row.key): -1}) is not None


def pair(relation: Pairs, replies: dict[tuple[Any, ...], Any]) -> Fault | None:
    key = relation.left("ann")
    return judge(PairsRule(relation), Row(key, -1, entry=(b"ann", b"bob")), {("PTTL", key): -1, **replies})


def test_of_two_equal_sides_neither_is_the_truth() -> None:
    replies = {("SISMEMBER", friends("ann"), b"bob"): 1, ("SISMEMBER", friends("bob"), b"ann"): 0}
    fault = pair(Pairs(friends, friends), replies)
    assert fault
    assert fault.target == friends("bob")
    assert fault.repair is None


def test_the_other_side_of_an_ordered_pair_gets_the_same_score() -> None:
    replies = {("ZSCORE", watches("ann"), b"bob"): 0.0, ("ZSCORE", watchers("bob"), b"ann"): None}
    fault = pair(Pairs(watches, watchers), replies)
    assert fault
    assert fault.repair == Write("ZADD", watchers("bob"), ("0.0", b"ann"))


def test_an_order_cannot_be_made_up_from_a_set() -> None:
    replies = {("SISMEMBER", blocks("ann"), b"bob"): 1, ("ZSCORE", watchers("bob"), b"ann"): None}
    fault = pair(Pairs(blocks, watchers), replies)
    assert fault
    assert fault.refusal == "its score is not known"
