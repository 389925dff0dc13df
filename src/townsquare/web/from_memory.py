"""Answering a request from memory, and keeping what others were answered."""

import asyncio
from collections.abc import Callable
from functools import lru_cache, partial
from operator import add
from time import perf_counter
from typing import Any, NamedTuple

from starlette.types import Scope, Send

from townsquare.api import Call, by_ip, by_user
from townsquare.kit.addresses import customer_of
from townsquare.store.near import ReadRequest
from townsquare.web.answers import SEND_WHOLE, Answer, pairs_of
from townsquare.web.asked import Asked, asked_of
from townsquare.web.client import Clients
from townsquare.web.cors import Cors
from townsquare.web.kept_answers import EachTime, FoundAnswer, KeptAnswer, KeptAnswers
from townsquare.web.limits import Gate, tell_quota
from townsquare.web.logs import AnsweredRequest
from townsquare.web.reply_headers import ReplyHeaders
from townsquare.web.request_log import RequestLog
from townsquare.web.requests import COUNTED, Request, request_id_of

ASKED = "townsquare.asked"  # in the scope of a request whose answer may be kept
OK = 200
joined_lines = lru_cache(512)(add)  # most answers that are kept have the same


class Waiting(NamedTuple):
    """A request that has an answer in memory, until it is certain that it is still the answer."""

    found: FoundAnswer
    scope: Scope
    id: bytes  # as the client calls it
    started: float
    otherwise: Callable[[], object]


class FromMemory:
    def __init__(self, answers: KeptAnswers, clients: Clients, cors: Cors, requests: RequestLog) -> None:
        self._answers = answers
        self._clients = clients
        self._cors = cors
        self._log = requests
        self._counting: set[asyncio.Future[None]] = set()

    def begin(self, scope: Scope, otherwise: Callable[[], object]) -> bool:
        """Begin to answer what was answered before, without a task; False if it was not.

        If it turns out to have changed, `otherwise` has to see to the request.
        """
        if scope["method"] != "GET" or not self._answers.has_any(scope):
            return False
        asked, id = asked_of(scope, by_proxy=self._clients.is_proxied(scope))
        found = None if asked is None else self._answers.find(asked)
        if found is None:
            return False
        waiting = Waiting(found, scope, id, perf_counter(), otherwise)
        self._answers.after_news(found, partial(self._end, waiting))
        return True

    async def answer(self, scope: Scope, send: Send) -> bool:
        """The same for a server that takes no answer whole: whether it was answered."""
        found: asyncio.Future[tuple[bytes, bytes] | None] = asyncio.get_running_loop().create_future()
        scope[SEND_WHOLE] = partial(_found, found)
        begun = self.begin(scope, partial(_found, found, None, OK, b"", None))
        answer = await found if begun else None
        del scope[SEND_WHOLE]
        if answer is None:
            return False
        lines, body = answer
        await send({"type": "http.response.start", "status": OK, "headers": pairs_of(lines)})
        await send({"type": "http.response.body", "body": body})
        return True

    def _end(self, waiting: Waiting) -> None:
        """When whatever had changed before the request came is known."""
        kept = waiting.found.kept
        ip = self._clients.address(waiting.scope)
        headers = ReplyHeaders()
        if not self._answers.holds(waiting.found) or (
            kept.gate is not None and not kept.gate.spend_as(counted_name(waiting.found, ip), headers)
        ):
            waiting.otherwise()
        elif kept.each_time is None:
            self._send(waiting, ip, headers)
        else:
            counting = asyncio.ensure_future(self._send_counted(waiting, kept.each_time, ip, headers))
            self._counting.add(counting)
            counting.add_done_callback(self._counting.discard)

    async def _send_counted(
        self, waiting: Waiting, each_time: EachTime, ip: str, headers: ReplyHeaders
    ) -> None:
        try:
            quota = await each_time(ip)
        except Exception:  # which the request meets again, and tells
            self._begin_anew(waiting, ip)
            return
        waiting.scope[COUNTED] = quota
        if quota is not None and quota.remaining < 0:
            self._begin_anew(waiting, ip)
            return
        tell_quota(quota, headers)
        self._send(waiting, ip, headers)

    def _begin_anew(self, waiting: Waiting, ip: str) -> None:
        """As usual, and not counted twice."""
        gate = waiting.found.kept.gate
        if gate is not None:
            gate.give_back(counted_name(waiting.found, ip))
        waiting.otherwise()

    def _send(self, waiting: Waiting, ip: str, headers: ReplyHeaders) -> None:
        found, scope = waiting.found, waiting.scope
        kept = found.kept
        request_id = request_id_of(waiting.id)
        body = found.body
        if not scope[SEND_WHOLE](scope, OK, kept.lines + headers.lines(request_id, len(body)), body):
            self._begin_anew(waiting, ip)
            return
        self._answers.count(kept)
        seconds = perf_counter() - waiting.started
        self._log.record(AnsweredRequest("GET", kept.route, OK, seconds, ip, request_id, found.user))

    def wants(self, request: Request, *, shared: bool) -> bool:
        """Whether the answer to this request is worth to be kept."""
        if request.method != "GET":
            return False
        asked = self._answers.wants(request.route, partial(self._asked, request.scope), shared=shared)
        request.scope[ASKED] = asked
        return asked is not None

    def _asked(self, scope: Scope) -> Asked | None:
        return asked_of(scope, by_proxy=self._clients.is_proxied(scope))[0]

    def keep(
        self, request: Request, call: Call, gate: Gate | None, reading: ReadRequest, answer: Answer
    ) -> None:
        """Keep what was answered to a request that was recorded, if the next would be answered the same."""
        counted = by_ip if gate is None else gate.limit.key
        if answer.status != OK or answer.stream is not None or counted not in (by_ip, by_user):
            return
        if call.quota is not None and call.each_time is None:
            return
        if request.reply_headers.others:
            return
        user = call.identity.user_id if call.identity is not None else ""
        cors = self._cors.lines(request.headers.get(b"origin"), request.open_to_any_origin)
        self._answers.keep(
            request.scope[ASKED],
            reading,
            partial(
                KeptAnswer,
                lines=joined_lines(answer.lines, cors),
                body=answer.body,
                route=request.route,
                user=user,
                gate=gate,
                counts_user=counted is by_user,
                each_time=call.each_time,
            ),
            request.shared,
        )


def counted_name(found: FoundAnswer, ip: str) -> str:
    """Whom the gate of this answer counts."""
    return found.user if found.kept.counts_user and found.user else customer_of(ip)


def _found(
    found: "asyncio.Future[tuple[bytes, bytes] | None]",
    scope: Any,
    status: int,
    lines: bytes,
    body: bytes | None,
) -> bool:
    if not found.done():
        found.set_result(None if body is None else (lines, body))
    return True
