"""Creating requests that may be sent twice: the second one gets the first one's answer."""

import re
from collections.abc import Awaitable, Callable
from hashlib import sha256

import structlog

from townsquare.api import Call, Content, by_ip
from townsquare.problems import BadRequest, OutcomeUnknown, Problem
from townsquare.store.coordination.idempotency import Idempotency
from townsquare.store.keys import Remembered

KEY = re.compile(rb"[\x20-\x7e]{1,255}")
log = structlog.get_logger("townsquare.idempotency")


async def run_once(
    store: Idempotency,
    operation: str,
    call: Call,
    raw_key: bytes,
    request: tuple[bytes, ...],
    run: Callable[[], Awaitable[Content]],
) -> tuple[Content, bool]:
    """The answer, and whether it is a replay.

    A key belongs to who sent it, and to one operation. A refused request gives its key back. One whose
    outcome nobody knows keeps it, so that a retry cannot create a second time before the key expires.
    """
    if not KEY.fullmatch(raw_key):
        raise BadRequest("Idempotency-Key must be 1 to 255 printable ASCII characters")
    sender = f"user {call.identity.user_id}" if call.identity else by_ip(call)
    scope, key = f"{operation} {sender}", raw_key.decode("ascii")
    fingerprint = sha256(b"\0".join(request)).hexdigest()
    replay = await store.begin(scope, key, fingerprint)
    if replay is not None:
        return Content(replay.body, replay.media_type, replay.status, replay.headers), True
    try:
        answer = await run()
    except OutcomeUnknown:
        raise
    except Problem:
        await _quietly(store.abandon(scope, key))
        raise
    kept = Remembered(fingerprint, answer.status, answer.media_type, answer.body, dict(answer.headers))
    await _quietly(store.finish(scope, key, kept))
    return answer, False


async def _quietly(step: Awaitable[None]) -> None:
    """The operation itself is done: trouble with its key must not change the answer."""
    try:
        await step
    except Problem as trouble:
        log.warning("idempotency key not settled", reason=trouble.code)
