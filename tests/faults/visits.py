"""Counters over HTTP, and a crowd that visits them while things break."""

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from tests.support.servers import Answer, NoAnswer, Server
from tests.support.squares import assert_clean
from townsquare import square as library

VISIT = "/widgets/visit"
TOKEN = "correct horse"
LANES = 6  # visitors at a time
PAGES = itertools.count()


async def create_counter(server: Server, url: str = "") -> str:
    """The id of the counter of this URL, or of one that nobody has counted with."""
    url = url or f"https://example.com/{next(PAGES)}"
    answer = await server.ask(VISIT, action="create", url=url, token=TOKEN)
    assert answer.status == 200, answer
    return str(answer.json["data"]["id"])


async def total_of(server: Server, id: str) -> int:
    return int((await insist(lambda: server.ask(VISIT, action="get", id=id, format="text"))).text)


async def visit(server: Server, id: str, visitor: int | str) -> Answer:
    return await server.ask(VISIT, user_agent=f"browser {visitor}", action="increment", id=id)


async def has_counted(server: Server, id: str, visitor: int) -> bool:
    """Whether this visitor was counted before; is counted now otherwise."""
    answer = await insist(lambda: visit(server, id, visitor))
    return bool(answer.json["data"]["duplicate"])


async def insist(ask: Callable[[], Awaitable[Answer]], patience: float = 10.0) -> Answer:
    """Ask again while the server says that a retry is safe: workers reconnect one by one."""
    async with asyncio.timeout(patience):
        while (answer := await ask()).status == 503:
            assert answer.json["code"] == "store_unavailable", answer
            await asyncio.sleep(0.02)
    assert answer.status == 200, answer
    return answer


async def assert_store_clean(server: Server) -> None:
    """Look at the store of a server beside it, as `townsquare check` does."""
    async with library.open(settings=server.settings(), background=False) as square:
        await assert_clean(square.store)


@dataclass
class Visit:
    visitor: int
    counter: str
    answer: Answer | None  # none: the connection broke
    answered_at: float

    @property
    def acknowledged(self) -> bool:
        return self.answer is not None and self.answer.status == 200

    @property
    def refused(self) -> bool:
        """The server says that this one was not counted."""
        return self.answer is not None and self.answer.json.get("code") == "store_unavailable"


@dataclass
class Crowd:
    """Visitors who come one after the other, each once, until told to stop."""

    server: Server
    counters: Sequence[str]
    lanes: int = LANES
    visits: list[Visit] = field(default_factory=list)

    async def __aenter__(self) -> Self:
        self._numbers = itertools.count()
        self._tasks = [asyncio.create_task(self._come()) for _ in range(self.lanes)]
        self._stopping = False
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping = True
        await asyncio.gather(*self._tasks)

    async def _come(self) -> None:
        while not self._stopping:
            number = next(self._numbers)
            counter = self.counters[number % len(self.counters)]
            answer: Answer | None = None
            try:
                answer = await visit(self.server, counter, number)
            except NoAnswer:
                await asyncio.sleep(0.01)  # nobody listens: do not spin
            self.visits.append(Visit(number, counter, answer, time.monotonic()))

    async def has(self, condition: Callable[[Visit], bool], count: int, patience: float = 20.0) -> None:
        """Wait until so many more visits are like that."""
        start = len(self.visits)
        async with asyncio.timeout(patience):
            while sum(map(condition, self.visits[start:])) < count:
                self._raise_failures()
                await asyncio.sleep(0.01)

    def _raise_failures(self) -> None:
        for task in self._tasks:
            if task.done():
                task.result()

    def acknowledged(self, before: float = float("inf")) -> list[Visit]:
        return [visit for visit in self.visits if visit.acknowledged and visit.answered_at < before]

    def uncertain(self) -> list[Visit]:
        """Those who may or may not have been counted."""
        return [visit for visit in self.visits if not visit.acknowledged and not visit.refused]
