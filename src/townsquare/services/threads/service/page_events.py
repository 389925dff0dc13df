"""The events of a page, read from its stream, with the comments as they are now.

Scripts store events of public comments only. The reader checks each comment again: it may be hidden now.
"""

import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, cast

import msgspec

from townsquare.services.threads import keys
from townsquare.services.threads.models.comments import Comment
from townsquare.services.threads.models.live import EVENT_ID, EventType, LiveEvent, PageEvents
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.scripts import ReadEvents
from townsquare.services.threads.service.reading import Reading
from townsquare.store.store import Store

WITH_COMMENT = ("new_comment", "edit_comment")
EVENT = re.compile(EVENT_ID)


class LiveMessage(NamedTuple):
    """A message that is encoded once for all watchers."""

    type: str
    event: str  # '' if clients cannot continue from it
    body: str  # JSON
    comment_id: str = ""
    author_id: str = ""  # of the comment in it
    not_to: str = ""  # a user who does not get it
    only_to: str = ""  # the only user who gets it; '' means everybody


def message(type: str, body: Any, event: str = "") -> LiveMessage:
    return LiveMessage(type, event, msgspec.json.encode(body).decode())


class StoredEvent(msgspec.Struct):
    """An event as the scripts of the page store it."""

    type: EventType | Literal["reload"]
    comment_id: str
    upvotes: int | None = None
    downvotes: int | None = None
    pinned: bool | None = None
    pinned_at: int | None = None
    only_to: str = ""  # the only user who gets it; '' means everybody


class FoundEvents(PageEvents, kw_only=True):
    """Events with their recipients, so that users do not notice that they are shadow-banned.

    Their comments are sent only to themselves, and the deletion for others is not sent to them.
    """

    start: str = ""  # the stream has all events after this one
    not_to: dict[str, str] = msgspec.field(default_factory=dict)  # users by comment
    only_to: dict[str, str] = msgspec.field(default_factory=dict)  # users by event

    def kept_from(self, event: LiveEvent) -> str:
        """The user who does not get an event; '' means nobody."""
        if event.type != "delete_comment" or event.event in self.only_to:
            return ""
        return self.not_to.get(event.comment_id, "")

    def is_for(self, event: LiveEvent, user_id: str | None) -> bool:
        only = self.only_to.get(event.event, "")
        return only == user_id if only else self.kept_from(event) != user_id

    def messages(self) -> list[LiveMessage]:
        return [
            LiveMessage(
                one.type,
                one.event,
                msgspec.json.encode(one).decode(),
                one.comment_id,
                one.author_id,
                self.kept_from(one),
                self.only_to.get(one.event, ""),
            )
            for one in self.events
        ]


class EventReader:
    def __init__(self, store: Store, reading: Reading) -> None:
        self._store = store
        self._reading = reading

    async def newest(self, page_id: str) -> str:
        """The id of the newest event."""
        _, newest, _ = await self._store.run(ReadEvents(page_id=page_id, after=None))
        return str(newest.decode())

    async def site_of(self, page_id: str) -> str | None:
        """The site of a page; None if the page has no comment yet."""
        site_id = await self._store.call("HGET", keys.page(page_id), "site_id")
        return site_id and str(site_id.decode())

    async def read(self, site_id: str, page_id: str, after: str | None) -> FoundEvents:
        """The events after an event, or all. If the stream does not reach back that far: `reload`."""
        if after is not None and not EVENT.fullmatch(after):
            return FoundEvents(page_id=page_id, events=[], last=await self.newest(page_id), reload=True)
        start, newest, entries = await self._store.run(ReadEvents(page_id=page_id, after=after or "0-0"))
        found = FoundEvents(page_id=page_id, events=[], last=newest.decode(), start=start.decode())
        if after is not None and not event_position(found.start) <= event_position(after) <= event_position(
            found.last
        ):
            found.reload = True
            return found
        stored = [
            (id.decode(), msgspec.json.decode(message, type=StoredEvent, strict=False))
            for id, message in entries
        ]
        if merges := [number for number, (_, event) in enumerate(stored) if event.type == "reload"]:
            found.start = stored[merges[-1]][0]  # the page was merged
            found.reload = after is not None
            stored = [] if found.reload else stored[merges[-1] + 1 :]
        comments = await self._comments(
            site_id, [(event.comment_id, event.only_to) for _, event in stored if event.type in WITH_COMMENT]
        )
        found.events = [
            live_event(page_id, id, event, comments.get((event.comment_id, event.only_to)))
            for id, event in stored
            if event.type not in WITH_COMMENT or (event.comment_id, event.only_to) in comments
        ]
        found.only_to = {id: event.only_to for id, event in stored if event.only_to}
        found.not_to = await self._shadowed_authors(
            [event.comment_id for _, event in stored if event.type == "delete_comment"]
        )
        return found

    async def _comments(
        self, site_id: str, wanted: Sequence[tuple[str, str]]
    ) -> dict[tuple[str, str], Comment]:
        """The comments that everybody may read, or the only recipient of the event."""
        found = {}
        for user_id in dict.fromkeys(user_id for _, user_id in wanted):
            ids = list(dict.fromkeys(id for id, only_to in wanted if only_to == user_id))
            viewer = Viewer(site_id=site_id, user_id=user_id or None)
            for comment in await self._reading.comments(viewer, ids):
                if comment.status != "deleted":  # the placeholder of a hidden comment with replies
                    comment.my_vote = None
                    found[comment.id, user_id] = comment
        return found

    async def _shadowed_authors(self, ids: Sequence[str]) -> dict[str, str]:
        found = await self._reading.records(ids) if ids else []
        return {one.id: one.author_id for one in found if one and one.shadow and one.author_id}


def live_event(page_id: str, id: str, event: StoredEvent, comment: Comment | None) -> LiveEvent:
    return LiveEvent(
        type=cast(EventType, event.type),
        page_id=page_id,
        event=id,
        comment_id=event.comment_id,
        comment=comment if event.type in WITH_COMMENT else None,
        upvotes=event.upvotes,
        downvotes=event.downvotes,
        pinned=event.pinned,
        pinned_at=event.pinned_at,
    )


def event_position(event: str) -> tuple[int, int]:
    """The sort key of an event id."""
    ms, _, number = event.partition("-")
    return int(ms), int(number)
