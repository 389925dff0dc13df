"""Judgements by themselves: what a question concludes from given replies."""

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
from townsquare.integrity.findings import Fault, Write
from townsquare.integrity.membership import BelongsThere
from townsquare.integrity.ownership import HasItsOwner, PointsToItsOwner
from townsquare.integrity.pairs import HasItsInverse
from townsquare.integrity.questions import Question, replay
from townsquare.integrity.reads import Read
from townsquare.keyspace import AnyKey, Owns, Pairs


def judge(question: Question, replies: dict[tuple[Any, ...], Any]) -> Fault | None:
    """What the question concludes; a read that a test did not think of fails it."""
    known = {Read(verb, key, tuple(args)): reply for (verb, key, *args), reply in replies.items()}
    fault, unknown = replay(question, known)
    assert not unknown
    return fault


def index(held: bytes | None, candidate: AnyKey | None, **records: dict[bytes, bytes]) -> Fault | None:
    replies: dict[tuple[Any, ...], Any] = {("GET", mail("a@b")): held, ("PTTL", mail("a@b")): -1}
    for name in ("ann", "bob"):
        replies["HGETALL", user(name)] = records.get(f"user_{name}", {})
        replies["HGETALL", bot(name)] = records.get(f"bot_{name}", {})
    return judge(PointsToItsOwner((OF_USERS, OF_USERS_TOO, OF_BOTS), mail("a@b"), candidate, -1), replies)


HAS_IT = {b"mail": b"a@b"}


def test_an_index_may_belong_to_either_kind_of_record() -> None:
    assert index(b"ann", None, user_ann=HAS_IT) is None
    assert index(b"ann", None, bot_ann=HAS_IT) is None
    assert index(b"ann", None, bot_ann=HAS_IT, user_ann=HAS_IT) is None


@pytest.mark.parametrize("field", [b"mail", b"other_mail"])
def test_an_index_may_follow_from_either_field(field: bytes) -> None:
    assert index(b"ann", None, user_ann={field: b"a@b"}) is None


def test_an_index_of_neither_is_deleted() -> None:
    fault = index(b"ann", None, user_bob=HAS_IT)
    assert fault
    assert fault.mend == Write("DEL", mail("a@b"))


def test_an_index_is_pointed_to_the_record_that_has_its_value() -> None:
    fault = index(b"ann", bot("bob"), bot_bob=HAS_IT)
    assert fault
    assert fault.mend == Write("SET", mail("a@b"), ("bob",))


def test_two_owners_of_one_value_cannot_be_decided() -> None:
    fault = index(b"ann", bot("bob"), user_ann=HAS_IT, bot_bob=HAS_IT)
    assert fault
    assert fault.mend is None
    assert fault.why_not


@pytest.mark.parametrize("left", [0, 1, 30_000])
def test_a_claim_on_its_way_is_not_judged(left: int) -> None:
    question = PointsToItsOwner((OF_USERS,), mail("a@b"), None, 30_000)
    replies = {("GET", mail("a@b")): b"ann", ("PTTL", mail("a@b")): left}
    assert judge(question, replies) is None


def membership(found: int, set_left: int, record: bytes | None, record_left: int) -> Fault | None:
    key, record_key = sessions("ann"), session("ann", "t")
    return judge(
        BelongsThere((OF_SESSIONS,), key, b"t"),
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
    question = HasItsOwner(Owns(session, (session_seen,)), session_seen("ann", "t"))
    owner = ("EXISTS", session("ann", "t"))
    assert judge(question, {owner: 0, ("PTTL", session_seen("ann", "t")): 5_000}) is None
    assert judge(question, {owner: 0, ("PTTL", session_seen("ann", "t")): -1}) is not None


def test_of_two_equal_sides_neither_is_the_truth() -> None:
    question = HasItsInverse(Pairs(friends, friends), friends("ann"), friends("bob"))
    replies = {("SISMEMBER", friends("ann"), b"bob"): 1, ("SISMEMBER", friends("bob"), b"ann"): 0}
    fault = judge(question, replies)
    assert fault
    assert fault.target == friends("bob")
    assert fault.mend is None


def test_the_other_side_of_an_ordered_pair_gets_the_same_score() -> None:
    question = HasItsInverse(Pairs(watches, watchers), watches("ann"), watchers("bob"))
    replies = {("ZSCORE", watches("ann"), b"bob"): 0.0, ("ZSCORE", watchers("bob"), b"ann"): None}
    fault = judge(question, replies)
    assert fault
    assert fault.mend == Write("ZADD", watchers("bob"), ("0.0", b"ann"))


def test_an_order_cannot_be_made_up_from_a_set() -> None:
    question = HasItsInverse(Pairs(blocks, watchers), blocks("ann"), watchers("bob"))
    replies = {("SISMEMBER", blocks("ann"), b"bob"): 1, ("ZSCORE", watchers("bob"), b"ann"): None}
    fault = judge(question, replies)
    assert fault
    assert fault.why_not == "nothing tells its score"
