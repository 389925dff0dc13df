"""Anything that can happen to widgets, in any order, against a model in memory."""

import asyncio
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from tests.services.widgets.given import TOKEN, assert_nothing_mentions, visitor
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean, open_square
from townsquare.clock import iso
from townsquare.services.widgets.problems import Cooldown, MessageNotFound, WidgetNotFound
from townsquare.services.widgets.service import Widgets
from townsquare.services.widgets.service.ranking import RankingService
from townsquare.square import Square

pytestmark = pytest.mark.slow

T = TypeVar("T")

EXAMPLES, STEPS_EACH = 60, 40
URLS = ["https://example.com/a", "https://example.com/b"]
SIZE = 4  # of rankings and boards: soon full
SUBMIT_WAIT, POST_WAIT = 60_000, 10_000

urls = st.sampled_from(URLS)
people = st.integers(1, 4)
names = st.sampled_from(["ann", "bob:1", "c d", "丁", "e", "f"])
scores = st.integers(-3, 3)
kinds = st.sampled_from(["counter", "like", "ranking", "bbs"])


@dataclass
class Counted:
    total: int = 0
    days: dict[str, int] = field(default_factory=dict)
    seen: set[tuple[str, int]] = field(default_factory=set)


@dataclass
class Liked:
    total: int = 0
    by: dict[tuple[str, int], bool] = field(default_factory=dict)


@dataclass
class Ranked:
    order: Literal["desc", "asc"]
    entries: list[tuple[int, int, str]] = field(default_factory=list)  # score, when, name
    entered: int = 0
    waiting: dict[tuple[str, int], int] = field(default_factory=dict)

    def better(self, one: int, other: int) -> bool:
        return one > other if self.order == "desc" else one < other

    def places(self) -> list[tuple[str, int]]:
        sign = -1 if self.order == "desc" else 1
        ordered = sorted(self.entries, key=lambda entry: (sign * entry[0], entry[1]))
        return [(name, score) for score, _, name in ordered]


@dataclass
class Board:
    messages: list[tuple[str, str, str]] = field(default_factory=list)  # id, edit token, text
    waiting: dict[tuple[str, int], int] = field(default_factory=dict)


class Machine(RuleBasedStateMachine):
    square: ClassVar[Square]
    runner: ClassVar[asyncio.Runner]
    clock: ClassVar[PinnedClock]

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[tuple[str, str], Any] = {}
        self.ids: dict[tuple[str, str], str] = {}

    @property
    def widgets(self) -> Widgets:
        return self.square.widgets

    @property
    def day(self) -> str:
        return iso(self.clock.now_ms())[:10]

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def there(self, kind: str, url: str, work: Coroutine[Any, Any, Any]) -> bool:
        """Whether the widget exists; if not, the work must say so."""
        if (kind, url) in self.known:
            work.close()
            return True
        with pytest.raises(WidgetNotFound):
            self.wait(work)
        return False

    def id(self, kind: str, url: str) -> str:
        return self.ids.get((kind, url), "nobody-00000000")

    @rule(kind=kinds, url=urls, order=st.sampled_from(["desc", "asc"]))
    def create(self, kind: str, url: str, order: Literal["desc", "asc"]) -> None:
        settings: dict[str, Any] = {"ranking": {"max_entries": SIZE, "sort_order": order}}.get(kind, {})
        if kind == "bbs":
            settings = {"max_messages": SIZE, "messages_per_page": SIZE}
        service: Any = self.widgets.by_kind[kind]
        made = self.wait(service.create(url, TOKEN, **settings))
        fresh: dict[str, Any] = {
            "counter": Counted,
            "like": Liked,
            "ranking": lambda: Ranked(order),
            "bbs": Board,
        }
        self.known.setdefault((kind, url), fresh[kind]())
        self.ids[kind, url] = made.id

    @rule(kind=kinds, url=urls)
    def delete(self, kind: str, url: str) -> None:
        service: Any = self.widgets.by_kind[kind]
        if self.there(kind, url, service.delete(self.id(kind, url), TOKEN)):
            self.wait(service.delete(self.id(kind, url), TOKEN))
            del self.known[kind, url]
            id = self.ids.pop((kind, url))
            self.wait(assert_nothing_mentions(self.square.store, f"{kind}:{id}"))

    @rule(seconds=st.sampled_from([1, 10, 30, 60, 40_000]))
    def pass_time(self, seconds: int) -> None:
        self.clock.move(seconds=seconds)

    @rule(url=urls, who=people)
    def visit(self, url: str, who: int) -> None:
        work = self.widgets.counter.increment(self.id("counter", url), visitor(who))
        if not self.there("counter", url, work):
            return
        model: Counted = self.known["counter", url]
        if (self.day, who) not in model.seen:
            model.seen.add((self.day, who))
            model.total += 1
            model.days[self.day] = model.days.get(self.day, 0) + 1
        shown = self.wait(self.widgets.counter.increment(self.id("counter", url), visitor(who)))
        assert (shown.total, shown.today) == (model.total, model.days.get(self.day, 0))
        assert shown.month == sum(model.days.values())

    @rule(url=urls, who=people)
    def press(self, url: str, who: int) -> None:
        work = self.widgets.like.toggle(self.id("like", url), visitor(who))
        if not self.there("like", url, work):
            return
        model: Liked = self.known["like", url]
        liked = not model.by.get((self.day, who), False)
        model.by[self.day, who] = liked
        model.total = max(0, model.total + (1 if liked else -1))
        shown = self.wait(self.widgets.like.toggle(self.id("like", url), visitor(who)))
        assert (shown.total, shown.liked) == (model.total, liked)

    @rule(url=urls, total=st.integers(0, 5))
    def set_likes(self, url: str, total: int) -> None:
        if ("like", url) in self.known:
            self.known["like", url].total = total
            assert self.wait(self.widgets.like.set(self.id("like", url), TOKEN, total)).total == total

    @rule(url=urls, who=people, name=names, score=scores)
    def submit(self, url: str, who: int, name: str, score: int) -> None:
        ranking, id = self.widgets.ranking, self.id("ranking", url)
        if not self.there("ranking", url, ranking.submit(id, visitor(who), name, score)):
            return
        model: Ranked = self.known["ranking", url]
        if model.waiting.get((self.day, who), 0) > self.clock.now_ms():
            with pytest.raises(Cooldown):
                self.wait(ranking.submit(id, visitor(who), name, score))
            return
        accepted = self.enter(model, name, score)
        if accepted:
            model.waiting[self.day, who] = self.clock.now_ms() + SUBMIT_WAIT
        shown = self.wait(ranking.submit(id, visitor(who), name, score))
        assert shown.accepted is accepted
        self.same_places(ranking, id, model)

    def enter(self, model: Ranked, name: str, score: int) -> bool:
        places = model.places()
        mine = [known for other, known in places if other == name]
        if mine and not model.better(score, mine[0]):
            return False
        if not mine and len(places) >= SIZE and not model.better(score, places[-1][1]):
            return False
        model.entered += 1
        model.entries = [entry for entry in model.entries if entry[2] != name]
        model.entries.append((score, model.entered, name))
        kept = {name for name, _ in model.places()[:SIZE]}
        model.entries = [entry for entry in model.entries if entry[2] in kept]
        return True

    def same_places(self, ranking: RankingService, id: str, model: Ranked) -> None:
        for limit in (1, SIZE):
            shown = self.wait(ranking.top(id, limit))
            assert [(entry.name, entry.score) for entry in shown.entries] == model.places()[:limit]
            assert shown.total_entries == len(model.entries)

    @rule(url=urls, name=names)
    def remove_entry(self, url: str, name: str) -> None:
        model: Ranked | None = self.known.get(("ranking", url))
        if model and any(entry[2] == name for entry in model.entries):
            model.entries = [entry for entry in model.entries if entry[2] != name]
            self.wait(self.widgets.ranking.remove(self.id("ranking", url), TOKEN, name))
            self.same_places(self.widgets.ranking, self.id("ranking", url), model)

    @rule(url=urls, who=people, text=st.sampled_from(["hi", "ho", "hum"]))
    def post(self, url: str, who: int, text: str) -> None:
        bbs, id = self.widgets.bbs, self.id("bbs", url)
        if not self.there("bbs", url, bbs.post(id, visitor(who), text)):
            return
        model: Board = self.known["bbs", url]
        if model.waiting.get((self.day, who), 0) > self.clock.now_ms():
            with pytest.raises(Cooldown):
                self.wait(bbs.post(id, visitor(who), text))
            return
        model.waiting[self.day, who] = self.clock.now_ms() + POST_WAIT
        posted = self.wait(bbs.post(id, visitor(who), text))
        model.messages = [(str(posted.message_id), str(posted.edit_token), text), *model.messages][:SIZE]
        self.same_messages(id, model)

    @rule(url=urls, place=st.integers(0, SIZE - 1), remove=st.booleans())
    def rewrite(self, url: str, place: int, remove: bool) -> None:
        model: Board | None = self.known.get(("bbs", url))
        if not model or place >= len(model.messages):
            return
        bbs, id = self.widgets.bbs, self.id("bbs", url)
        message_id, edit_token, _ = model.messages[place]
        if remove:
            self.wait(bbs.delete_message(id, message_id, edit_token=edit_token))
            del model.messages[place]
            with pytest.raises(MessageNotFound):
                self.wait(bbs.edit_message(id, message_id, "late", edit_token=edit_token))
        else:
            self.wait(bbs.edit_message(id, message_id, "edited", edit_token=edit_token))
            model.messages[place] = (message_id, edit_token, "edited")
        self.same_messages(id, model)

    def same_messages(self, id: str, model: Board) -> None:
        shown = self.wait(self.widgets.bbs.get(id))
        assert [(one.id, one.message) for one in shown.messages] == [
            (message_id, text) for message_id, _, text in model.messages
        ]

    def teardown(self) -> None:
        self.wait(assert_clean(self.square.store))
        for kind, url in list(self.known):
            service: Any = self.widgets.by_kind[kind]
            self.wait(service.delete(self.ids[kind, url], TOKEN))
        self.wait(assert_nothing_mentions(self.square.store, "example"))


def test_widgets_do_what_the_model_does(place: Place) -> None:
    clock = PinnedClock()
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()

        class Here(Machine):
            square = runner.run(stack.enter_async_context(open_square(place, clock)))

        Here.runner, Here.clock = runner, clock
        try:
            run_state_machine_as_test(
                Here,
                settings=settings(
                    max_examples=EXAMPLES,
                    stateful_step_count=STEPS_EACH,
                    deadline=None,
                    derandomize=True,
                    suppress_health_check=list(HealthCheck),
                ),
            )
        finally:
            runner.run(stack.aclose())
