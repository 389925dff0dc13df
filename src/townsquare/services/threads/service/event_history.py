"""Live messages, and the newest events of a page as messages."""

import sys
from bisect import bisect_right
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from townsquare.services.threads.models.live import LiveEvent
from townsquare.services.threads.service.page_events import FoundEvents, event_position


class LiveMessage(NamedTuple):
    """A message that is encoded once for all watchers."""

    type: str
    event: str  # '' if clients cannot continue from it
    body: str  # JSON
    comment_id: str = ""
    author_id: str = ""  # of the comment in it
    not_to: str = ""  # a user who does not get it
    only_to: str = ""  # the only user who gets it; '' means everybody


class EventHistory:
    """The newest events of a page as messages, without gaps since `start`."""

    def __init__(self, start: str, messages: Iterable[LiveMessage]) -> None:
        self._start, self._messages = start, list(messages)
        self._bytes = sum(sys.getsizeof(one.body) for one in self._messages)

    def add(self, message: LiveMessage) -> None:
        self._messages.append(message)
        self._bytes += sys.getsizeof(message.body)

    def trim(self, most_bytes: int) -> None:
        dropped = 0
        while self._bytes > most_bytes:
            self._bytes -= sys.getsizeof(self._messages[dropped].body)
            dropped += 1
        if dropped:
            self._start = self._messages[dropped - 1].event
            del self._messages[:dropped]

    def after(self, event: str) -> list[LiveMessage] | None:
        """The messages after an event; None if they may not be complete."""
        if event_position(event) < event_position(self._start):
            return None
        return self._messages[
            bisect_right(self._messages, event_position(event), key=lambda one: event_position(one.event)) :
        ]


def message(type: str, body: Any, event: str = "") -> LiveMessage:
    return LiveMessage(type, event, msgspec.json.encode(body).decode())


def event_message(found: FoundEvents, event: LiveEvent) -> LiveMessage:
    author = event.comment and event.comment.author
    return LiveMessage(
        event.type,
        event.event,
        msgspec.json.encode(event).decode(),
        event.comment_id,
        author.id if author else "",
        found.kept_from(event),
        found.only_to.get(event.event, ""),
    )
