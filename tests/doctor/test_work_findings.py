"""Findings about effects, jobs, rate limits and mail, on both layouts."""

from typing import Any

import pytest

from tests.support.clock import PinnedClock
from tests.support.squares import Place, browse, open_square
from townsquare.doctor import DoctorFinding, examine
from townsquare.doctor.checks import work
from townsquare.kit.outgoing import NotSent
from townsquare.services.accounts.signin.delivery import MessageQueue, OutgoingMessage
from townsquare.square import Square
from townsquare.store.coordination.incidents import RATE_LIMITED, UNDELIVERED
from townsquare.store.keys import job, jobs_open, outbox

ID = "00000000-0000-4000-8000-0000000000aa"
MAIL = OutgoingMessage("email", "ann@example.org", "sign_in", "Your code", "123456")


async def found(square: Square, code: str) -> DoctorFinding | None:
    findings = await examine(square.store, square.settings)
    return next((one for one in findings if one.code == code), None)


async def test_effects_that_nobody_applies(cluster_place: Place, clock: PinnedClock) -> None:
    async with open_square(cluster_place, clock) as square:
        assert await found(square, "outbox_lag") is None
        written = clock.now_ms() - work.LONGEST_OUTBOX_MS - 1_000
        await square.store.call("XADD", outbox("0a3"), f"{written}-0", "effect", "[]")
        finding = await found(square, "outbox_lag")
        assert finding is not None
        assert "1 outboxes" in finding.found
        assert "31 s" in finding.found
        await square.store.call("DEL", outbox("0a3"))


@pytest.mark.parametrize(("failures", "age_ms"), [(3, 0), (0, work.LONGEST_STEP_MS + 1)])
async def test_jobs_that_do_not_advance(square: Square, failures: int, age_ms: int) -> None:
    async def write_job(failures: int, at: int) -> None:
        fields = {"id": ID, "kind": "toy.work", "args": "{}", "state": "open", "error": "No such page"}
        fields |= {"failures": str(failures), "started_at": str(at), "updated_at": str(at)}
        flat = [part for pair in fields.items() for part in pair]
        await square.store.call("HSET", job(ID), *flat)
        await square.store.call("ZADD", jobs_open(), at, ID)

    now = square.store.clock.now_ms()
    await write_job(0, now)
    assert await found(square, "stuck_jobs") is None
    await write_job(failures, now - age_ms)
    finding = await found(square, "stuck_jobs")
    assert finding is not None
    assert "toy.work" in finding.found
    assert "No such page" in finding.found


async def test_requests_that_rate_limits_reject(
    plain_place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "MANY_REFUSALS", 3)
    limits: dict[str, Any] = {"rate_limits": "on", "rate_limit": {"read": "1/60"}}
    async with open_square(plain_place, clock, **limits) as square, browse(square) as http:
        statuses = [(await http.get("/social/feed/explore")).status_code for _ in range(4)]
        assert statuses == [200, 429, 429, 429]
        await http.get("/metrics")  # settles the counts
        await square.store.incidents.flush()
        finding = await found(square, "rate_limited")
        assert finding is not None
        assert "read 3" in finding.found


async def test_mail_that_cannot_be_delivered(square: Square) -> None:
    class Refusing:
        channels = frozenset({"email"})

        async def send(self, message: OutgoingMessage) -> None:
            raise NotSent("mail server said 550", final=True)

    assert await found(square, "undelivered_mail") is None
    queue = MessageQueue(
        Refusing(),  # type: ignore[arg-type]
        on_loss=lambda kind: square.store.incidents.count(UNDELIVERED, kind),
    )
    queue.post(MAIL)
    await queue.settled()
    await square.store.incidents.flush()
    finding = await found(square, "undelivered_mail")
    assert finding is not None
    assert "sign_in 1" in finding.found


async def test_incidents_of_yesterday_are_included_and_earlier_ones_are_not(
    square: Square, clock: PinnedClock
) -> None:
    incidents = square.store.incidents
    for count in (100, 10, 1):
        incidents.count(RATE_LIMITED, "read", count)
        await incidents.flush()
        clock.move(days=1)
    clock.move(days=-1)
    assert await incidents.recent(RATE_LIMITED) == {"read": 11}
    assert await incidents.recent(UNDELIVERED) == {}
