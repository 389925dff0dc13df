"""The first look: one relation of many keys at once, in as few reads as can be.

A survey is a generator like a question, but it asks in columns and ends with the questions that deserve a
second look. It may suspect what is fine: the question decides. It must not pass over what a question would
find fault with.
"""

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from townsquare.integrity.questions import Question
from townsquare.integrity.reads import Column, Ground
from townsquare.keyspace import AnyKey, Record

Survey = Generator[Sequence[Column], Sequence[Sequence[Any]], Sequence[Question]]


@dataclass(slots=True)
class Sighting:
    """What a first look saw of one key by itself."""

    key: AnyKey
    left: int  # its lifetime, as PTTL answers
    value: Any  # all of it, or as much as tells its type; may be an error
    record: Record | None  # its fields, if relations ask for them and it can be read


async def conduct(ground: Ground, surveys: Iterable[Survey]) -> list[Question]:
    """All surveys side by side, each step of all of them in one round trip."""
    suspicions: list[Question] = []
    answered: list[tuple[Survey, Any]] = [(survey, None) for survey in surveys]
    while answered:
        asking: list[tuple[Survey, Sequence[Column]]] = []
        for survey, replies in answered:
            try:
                asking.append((survey, survey.send(replies)))
            except StopIteration as end:
                suspicions += end.value
        columns = [column for _, columns in asking for column in columns]
        answers = iter(await ground.ask(columns))
        answered = [(survey, list(islice(answers, len(columns)))) for survey, columns in asking]
    return suspicions
