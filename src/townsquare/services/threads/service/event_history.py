"""The newest events of a page in memory, as messages."""

import sys
from bisect import bisect_right
from collections.abc import Iterable

from townsquare.services.threads.service.page_events import LiveMessage, event_position


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
