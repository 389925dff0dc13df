"""Live messages, and the newest events of a page as messages."""

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

    def __init__(self) -> None:
        self.start = ""
        self._messages: list[LiveMessage] = []
        self._bytes = 0

    def restart(self, start: str, messages: Iterable[LiveMessage] = ()) -> None:
        self.start, self._messages = start, list(messages)
        self._bytes = sum(len(one.body) for one in self._messages)

    def add(self, message: LiveMessage, event: LiveEvent) -> None:
        """Append a message. Earlier messages then show an edited comment as it is now, and no deleted one."""
        if message.type in ("edit_comment", "delete_comment") and not message.only_to:
            self._messages = list(filter(None, (updated(one, message, event) for one in self._messages)))
            self._bytes = sum(len(one.body) for one in self._messages)
        self._messages.append(message)
        self._bytes += len(message.body)

    def trim(self, most_bytes: int) -> None:
        dropped = 0
        while self._bytes > most_bytes:
            self._bytes -= len(self._messages[dropped].body)
            dropped += 1
        if dropped:
            self.start = self._messages[dropped - 1].event
            del self._messages[:dropped]

    def after(self, event: str) -> list[LiveMessage] | None:
        """The messages after an event; None if they may not be complete."""
        if event_position(event) < event_position(self.start):
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


def updated(earlier: LiveMessage, change: LiveMessage, event: LiveEvent) -> LiveMessage | None:
    """An earlier message with a comment, after an edit or the deletion of that comment."""
    if earlier.comment_id != change.comment_id or earlier.type not in ("new_comment", "edit_comment"):
        return earlier
    if event.comment is None:
        return None
    now = msgspec.structs.replace(event, type=earlier.type, event=earlier.event)
    return earlier._replace(body=msgspec.json.encode(now).decode())
