"""Answers that are kept for many: for all of whom they show the same.

An endpoint says through which records its answer depends on who calls (`CallerFacts`). These are read apart
when an answer is to be kept, and looked up in memory when one is asked for.
"""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, NamedTuple

from townsquare.api import CallerFacts, Identity
from townsquare.store.near.cache import FOREVER, Entry
from townsquare.store.near.read_request import trusting_request
from townsquare.store.near.recording import Grounds
from townsquare.store.wire.protocol import RedisProtocol, Words
from townsquare.web.asked import Asked

FactsOf = partial[CallerFacts | None]  # an endpoint's `caller_facts` for one input: of who calls


EVERYTHING = "everything"  # what an answer shows of callers that is joined for each


class SharedBy(NamedTuple):
    """Those who are answered the same: all of whom the answer shows the same."""

    facts_of: FactsOf
    about: Hashable
    shown: Hashable
    parts_of: Callable[[bytes], tuple[bytes, ...]] | None = None  # of a body that is joined for each


class SharedAddress(Entry):
    """How those who ask for one address are told apart, kept as long as there is room."""

    __slots__ = ("about", "facts_of")

    def __init__(self, link: RedisProtocol, shared: SharedBy) -> None:
        super().__init__(link, 0, FOREVER)
        self.facts_of = shared.facts_of
        self.about = shared.about


class Caller(NamedTuple):
    """Who is answered, as far as the answer depends on that."""

    facts_of: FactsOf
    facts: CallerFacts
    read: list[Any]

    def shared_by(self, answer: Any) -> SharedBy | None:
        """Who else is answered so."""
        about = self.facts.about(answer)
        shown = self.facts.shown(self.read, about)
        if shown is None:
            return None
        split, join = self.facts.split, self.facts.join
        if split is None or join is None:
            return SharedBy(self.facts_of, about, shown)

        def parts_of(body: bytes) -> tuple[bytes, ...]:
            parts = split(about, body)
            return parts if parts and join(about, shown, parts) == body else ()

        return SharedBy(self.facts_of, about, EVERYTHING, parts_of)


async def caller_of(
    facts_of: Callable[[Any, Identity | None], CallerFacts | None], given: Any, identity: Identity | None
) -> Caller | None:
    """Who is answered, if the answer is to be kept; what follows is recorded apart from them."""
    reading = trusting_request()
    facts = facts_of(given, identity) if reading is not None and reading.recording is not None else None
    if reading is None or facts is None:
        return None
    read = await reading.store.read(facts.reads)
    if any(one is None for one in read):
        return None
    reading.set_aside()
    return Caller(partial(facts_of, given), facts, read)


def shared_name(asked: Asked, facts_of: FactsOf, about: Hashable, shown: Hashable) -> Asked:
    """Under which an answer is kept for all of whom it shows this; no request asks so."""
    return ("shared", facts_of.func, about, shown, *asked)


def grounds_of(entries: list[Entry], now_ms: int) -> Grounds:
    """For what follows from records in memory."""
    questions: dict[RedisProtocol, list[Words]] = {}
    until = FOREVER
    for entry in entries:
        until = min(until, entry.until)
        if entry.question is not None:
            questions.setdefault(entry.link, []).append(entry.question)
    return Grounds(tuple(entries), until, now_ms, FOREVER, questions)
