"""Questions about the keyspace, each a small generator: it yields what it needs to read and gets the replies.

So one question can be asked in three ways without knowing it: in bulk with thousands of others, again at
one moment to confirm what it found, and again after a repair.
"""

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any, Protocol

from townsquare.integrity.findings import Fault
from townsquare.integrity.reads import Read
from townsquare.integrity.records import Unreadable
from townsquare.store.wire.connection import ReplyError

Inquiry = Generator[Sequence[Read], Sequence[Any], Fault | None]


class Question(Protocol):
    def ask(self) -> Inquiry: ...


class Conversation:
    """One question being asked. Damaged values end it without a fault: other questions report those."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.fault: Fault | None = None
        self.done = False
        self._inquiry = question.ask()
        self.wants: Sequence[Read] = self._next(None)

    def answer(self, replies: Mapping[Read, Any]) -> None:
        answers = [replies[read] for read in self.wants]
        self.wants = () if any(isinstance(one, ReplyError) for one in answers) else self._next(answers)
        self.done = not self.wants

    def _next(self, answers: Sequence[Any] | None) -> Sequence[Read]:
        try:
            return self._inquiry.send(answers)  # type: ignore[arg-type]
        except StopIteration as end:
            self.fault = end.value
        except Unreadable:
            pass
        self.done = True
        return ()


def replay(question: Question, known: Mapping[Read, Any]) -> tuple[Fault | None, list[Read]]:
    """Ask with what is known already: the fault, and what would have to be read besides."""
    conversation = Conversation(question)
    while not conversation.done:
        unknown = [read for read in conversation.wants if read not in known]
        if unknown:
            return None, unknown
        conversation.answer(known)
    return conversation.fault, []


def unique(reads: Iterable[Read]) -> list[Read]:
    return list(dict.fromkeys(reads))
