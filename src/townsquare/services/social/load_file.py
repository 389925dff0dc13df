"""Loading a whole community from a file: one JSON object a line, each with its `kind`.

    {"kind": "user", "username": "ann", "role": "model", "created_at": 1700000000000}
    {"kind": "post", "id": "p1", "username": "ann", "content": "Hello #travel", "created_at": 1700000000000}
    {"kind": "follow", "follower": "bob", "followed": "ann"}
    {"kind": "like", "post_id": "p1", "username": "bob"}

Records are loaded in the order of the file, so users come before their posts. Loading a file again is safe.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec

from townsquare.services.social.service import Social
from townsquare.services.social.sync_records import RECORDS, SyncResult

KINDS = ("user", "post", "follow", "like")
IN_FLIGHT = 2  # batches: one is on its way while the next is made
KEPT = 1_000  # refusals that are remembered for the report

Load = Callable[[Sequence[Any]], Awaitable[list[SyncResult]]]


class Line(NamedTuple):
    number: int
    size: int  # in bytes
    kind: str  # "" if it cannot be read
    record: Any
    wrong: str = ""


class RefusedLine(NamedTuple):
    line: int
    code: str
    detail: str


class LoadTally:
    """Counts of loaded and refused records."""

    def __init__(self) -> None:
        self.outcomes: Counter[tuple[str, str]] = Counter()  # by kind and status
        self.refused: list[RefusedLine] = []
        self.bytes = 0

    @property
    def records(self) -> int:
        return self.outcomes.total()

    def add(self, lines: Sequence[Line], answers: Sequence[SyncResult]) -> None:
        for line, answer in zip(lines, answers, strict=True):
            self.outcomes[line.kind or "?", answer.status] += 1
            self.bytes += line.size
            if answer.status == "refused" and len(self.refused) < KEPT:
                self.refused.append(RefusedLine(line.number, answer.code, answer.detail))


async def load(
    social: Social, lines: Iterable[bytes], on_progress: Callable[[LoadTally], None] | None = None
) -> LoadTally:
    """Load every line. Calls `on_progress` with the tally after each batch."""
    loads: dict[str, Load] = {
        "user": social.sync.users,
        "post": social.sync.posts,
        "follow": social.sync.follows,
        "like": social.sync.likes,
    }
    tally = LoadTally()
    turns = asyncio.Semaphore(IN_FLIGHT)

    async def send(batch: Sequence[Line]) -> None:
        try:
            kind = batch[0].kind
            if kind:
                tally.add(batch, await loads[kind]([line.record for line in batch]))
            else:
                tally.add(
                    batch, [SyncResult(status="refused", code="invalid", detail=line.wrong) for line in batch]
                )
            if on_progress:
                on_progress(tally)
        finally:
            turns.release()

    for _, run in groupby(map(parsed, enumerate(lines, 1)), attrgetter("kind")):
        async with asyncio.TaskGroup() as group:  # the next kind may need all of this one
            for batch in batches(run):
                await turns.acquire()
                group.create_task(send(batch))
    return tally


def parsed(numbered: tuple[int, bytes]) -> Line:
    number, text = numbered
    try:
        record = msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.MsgspecError as wrong:
        return Line(number, len(text), "", None, str(wrong))
    kind = record.pop("kind", None)
    if kind not in KINDS:
        return Line(number, len(text), "", None, f"kind is one of {', '.join(KINDS)}")
    return Line(number, len(text), kind, record)


def batches(lines: Iterator[Line]) -> Iterator[list[Line]]:
    while batch := list(islice(lines, RECORDS)):
        yield batch
