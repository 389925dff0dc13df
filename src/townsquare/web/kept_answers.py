"""Whole answers in memory, given again while nothing that they follow from has changed.

What an answer follows from is what its request said, as far as anybody reads it, and the keys that were read
for it (`Recording`). One that is kept is given only after each connection that tells of these keys has
answered something that was sent after the request came: news of changes come in one order with replies.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple

from townsquare.api import Identity, Quota
from townsquare.store.near import NearCache, ReadRequest
from townsquare.store.near.cache import FOREVER, Entry
from townsquare.store.near.recording import Grounds
from townsquare.store.store import Store
from townsquare.store.wire.protocol import RedisProtocol, Reply, ReplyError
from townsquare.web.asked import Asked, weight_of, without_token
from townsquare.web.auth import KnownCallers, bearer_token
from townsquare.web.limits import Gate
from townsquare.web.shared_answers import EVERYTHING, SharedAddress, SharedBy, grounds_of, shared_name

SEEN = 32_768  # requests of which it is remembered that they came once
JUDGED_AFTER = 256  # answers of a route that were kept
TRIED_EVERY = 64  # of the requests of a route where it has not paid
OVERHEAD = 1_500  # bytes of an answer besides its text and its question
FOLLOWED = 128  # bytes of each entry that it follows: those that have changed are kept by it alone

EachTime = Callable[[str], Awaitable[Quota | None]]


class KeptAnswer(Entry):
    __slots__ = (
        "body",
        "counts_user",
        "each_time",
        "gate",
        "given",
        "grounds",
        "lines",
        "parts",
        "route",
        "user",
    )

    def __init__(
        self,
        grounds: Grounds,
        lines: bytes,
        body: bytes,
        *,
        route: str,
        user: str,
        gate: Gate | None,
        counts_user: bool = False,
        each_time: EachTime | None = None,
    ) -> None:
        super().__init__(grounds.entries[0].link, 0, FOREVER)
        self.grounds = grounds
        self.lines = lines  # the headers that every request gets alike
        self.body = body
        self.parts: tuple[bytes, ...] = ()  # of a body that is joined for each caller
        self.route = route
        self.user = user  # the id of who asked
        self.gate = gate
        self.counts_user = counts_user  # the gate does; else the address
        self.each_time = each_time  # see `Call`
        self.given = False  # to anybody but who was answered first


class FoundAnswer(NamedTuple):
    """An answer for somebody who asks, and all that it follows from."""

    kept: KeptAnswer
    user: str  # the id of who asks
    grounds: tuple[Grounds, ...]
    join: Callable[[tuple[bytes, ...]], bytes] | None = None

    @property
    def body(self) -> bytes:
        return self.kept.body if self.join is None else self.join(self.kept.parts)


class RouteUse:
    """How often answers of a route were kept, and given again; what was long ago counts less."""

    __slots__ = ("given", "kept", "passed")

    def __init__(self) -> None:
        self.kept = self.given = self.passed = 0

    def pays(self) -> bool:
        """Keeping an answer costs about as much as giving one again spares."""
        if self.kept > 2 * JUDGED_AFTER:
            self.kept, self.given = self.kept // 2, self.given // 2
        return self.kept <= JUDGED_AFTER or self.given >= self.kept

    def is_tried(self) -> bool:
        """Whether this is one of the few that are kept all the same."""
        self.passed += 1
        return self.passed % TRIED_EVERY == 0


class KeptAnswers:
    def __init__(self, store: Store, callers: KnownCallers | None = None) -> None:
        assert store.near is not None, "without memory nothing is kept"
        self._near: NearCache = store.near
        self._clock = store.clock
        self._recall_now = store.recall_now
        self._callers = callers
        self._uses: dict[str, RouteUse] = {}
        self._addresses: dict[int, None] = {}  # hashes of paths and queries of what is, or was, kept
        self._seen: dict[int, bool] = {}  # hashes of requests: of two with the same, one is kept early

    def has_any(self, scope: Any) -> bool:
        """Whether anything may be kept for the address of this request: most need no closer look."""
        return hash((scope.get("raw_path") or scope["path"], scope["query_string"])) in self._addresses

    def find(self, asked: Asked) -> FoundAnswer | None:
        shared = self._near.entries.get(asked[:2])
        found = self._find_shared(asked, shared) if isinstance(shared, SharedAddress) else None
        if found is not None:
            return found
        kept = self._kept(asked, asked)
        return None if kept is None else FoundAnswer(kept, kept.user, (kept.grounds,))

    def _find_shared(self, asked: Asked, shared: SharedAddress) -> FoundAnswer | None:
        """What others were answered of whom it shows the same, by what memory knows of who asks."""
        shared.used = True
        apart = without_token(asked)
        if apart is None or self._callers is None:
            return None
        rest, authorization = apart
        identity: Identity | None = None
        grounds: tuple[Grounds, ...] = ()
        if authorization is not None:
            token = bearer_token(authorization.decode("latin-1"))
            known = self._callers.find(token) if token else None
            if known is None:
                return None
            identity, grounds = known[0], (known[1],)
        facts = shared.facts_of(identity)
        if facts is None:
            return None
        values, entries = self._recall_now(facts.reads)
        if len(entries) < len(values):
            return None
        shown = facts.shown(values, shared.about)
        if shown is None:
            return None
        join = None if facts.join is None else partial(facts.join, shared.about, shown)
        name = shared_name(rest, shared.facts_of, shared.about, shown if join is None else EVERYTHING)
        kept = self._kept(name, rest)
        if kept is None:
            return None
        if entries:
            grounds = (*grounds, grounds_of(entries, self._clock.now_ms()))
        user = identity.user_id if identity is not None else ""
        return FoundAnswer(kept, user, (kept.grounds, *grounds), join)

    def _kept(self, name: Asked, asked: Asked) -> KeptAnswer | None:
        kept = self._near.entries.get(name)
        if not isinstance(kept, KeptAnswer):
            return None
        if not kept.grounds.hold(self._clock):
            self._near.discard(name)
            if kept.given:
                self._see(asked)
            return None
        kept.used = True
        return kept

    def holds(self, found: FoundAnswer) -> bool:
        """Whether it would be answered the same, as far as is known so far."""
        return all(grounds.hold(self._clock) for grounds in found.grounds)

    def after_news(self, found: FoundAnswer, then: Callable[[], object]) -> None:
        """Call `then` when whatever has changed before this moment is known here."""
        links = frozenset[RedisProtocol]().union(*[grounds.links for grounds in found.grounds])
        if len(links) == 1 and not any(grounds.questions for grounds in found.grounds):
            next(iter(links)).after_news(then)
            return
        waiting = set(links)
        for link in links:
            told = partial(self._told, waiting, link, then)
            questions = [one for grounds in found.grounds for one in grounds.questions.get(link, ())]
            if questions:
                replies = link.send_many(questions)
                replies.add_done_callback(partial(self._forget_moved, link, told))
            else:
                link.after_news(told)

    def count(self, kept: KeptAnswer) -> None:
        """That it was given."""
        kept.given = True
        self._near.hits += 1
        self._use_of(kept.route).given += 1

    def wants(self, route: str, ask: Callable[[], Asked | None], *, shared: bool = False) -> Asked | None:
        """What is to be kept, if it is worth that: from the second time that it is asked for, by anybody if
        it is shared, or, of a route whose answers are seldom given again, now and then, to see whether they
        are by now."""
        use = self._use_of(route)
        if use.pays():
            asked = ask()
            apart = without_token(asked) if shared and asked is not None else None
            if asked is None or self._saw(asked if apart is None else apart[0]):
                return asked
            return None
        return ask() if use.is_tried() else None

    def keep(
        self,
        asked: Asked,
        reading: ReadRequest,
        answer: Callable[[Grounds], KeptAnswer],
        shared: SharedBy | None = None,
    ) -> None:
        """Keep what a request was answered that was recorded, for whoever asks the same, or for all who share
        it."""
        apart = without_token(asked) if shared is not None else None
        if shared is None or apart is None:
            name, grounds = asked, self._grounds(reading)
        else:
            name = shared_name(apart[0], shared.facts_of, shared.about, shared.shown)
            grounds = self._shared_grounds(reading)
        if grounds is None or not grounds.entries:
            return
        kept = answer(grounds)
        size = (
            OVERHEAD + len(kept.lines) + len(kept.body) + FOLLOWED * len(grounds.entries) + weight_of(asked)
        )
        if apart is not None and shared is not None:
            size += len(repr(shared.shown))
            if shared.parts_of is not None:
                kept.parts = shared.parts_of(kept.body)
                if not kept.parts:
                    return
                kept.body = b""
            told_apart = SharedAddress(kept.link, shared)
            self._near.keep_entry(asked[:2], told_apart, OVERHEAD + len(repr((asked[:2], shared.about))))
        if not self._near.keep_entry(name, kept, size):
            return
        self._use_of(kept.route).kept += 1
        self._addresses[hash(asked[:2])] = None
        if len(self._addresses) > SEEN:  # what is kept for the oldest is found no more, and makes room
            del self._addresses[next(iter(self._addresses))]

    def _grounds(self, reading: ReadRequest) -> Grounds | None:
        recording = reading.recording
        if recording is None:
            return None
        if reading.aside is not None:
            recording.absorb(reading.aside[0])
        return recording.conclude(reading.used, self._clock.now_ms())

    def _shared_grounds(self, reading: ReadRequest) -> Grounds | None:
        """Without what tells callers apart, which must have been the same all the while."""
        if reading.recording is None or reading.aside is None:
            return None
        of_caller, used = reading.aside
        now = self._clock.now_ms()
        if of_caller.conclude(reading.used[:used], now) is None:
            return None
        return reading.recording.conclude(reading.used[used:], now, without=of_caller)

    def _use_of(self, route: str) -> "RouteUse":
        use = self._uses.get(route)
        if use is None:
            use = self._uses[route] = RouteUse()
        return use

    def _saw(self, asked: Asked) -> bool:
        """Whether this was asked before, of late; from now on it was."""
        if self._seen.pop(hash(asked), False):
            return True
        self._see(asked)
        return False

    def _see(self, asked: Asked) -> None:
        self._seen[hash(asked)] = True
        if len(self._seen) > SEEN:
            del self._seen[next(iter(self._seen))]

    def _forget_moved(
        self, link: RedisProtocol, told: Callable[[], object], replies: asyncio.Future[list[Reply]]
    ) -> None:
        """A node that answers with a redirect has told us of nothing that happened elsewhere."""
        if replies.exception() is not None or ReplyError in map(type, replies.result()):
            self._near.forget_all(link)
        told()

    def _told(self, waiting: set[Any], link: object, then: Callable[[], object]) -> None:
        waiting.discard(link)
        if not waiting:
            then()
