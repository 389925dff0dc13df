"""What has happened on a page, for those who look at it: read after an event, with the comments as they are.

Only what is public is ever written down as an event; when a comment is loaded it is looked at again, since it
may be hidden by now.
"""

import re
from collections.abc import Sequence
from typing import Literal, cast

import msgspec

from townsquare.services.threads.models.comments import Comment
from townsquare.services.threads.models.live import EVENT_ID, EventType, LiveEvent, PageEvents
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.scripts.live import ReadEvents
from townsquare.services.threads.service.reading import Reading
from townsquare.store.store import Store

WITH_COMMENT = ("new_comment", "edit_comment")
EVENT = re.compile(EVENT_ID)


class KeptEvent(msgspec.Struct):
    """An event as the page's scripts write it."""

    type: EventType | Literal["reload"]
    comment_id: str
    upvotes: int | None = None
    downvotes: int | None = None
    pinned: bool | None = None
    pinned_at: int | None = None


class FoundEvents(PageEvents, kw_only=True):
    """With authors who must not hear that their comment is gone: a shadow ban hid it from the others."""

    not_to: dict[str, str] = msgspec.field(default_factory=dict)  # users by comment

    def kept_from(self, event: LiveEvent) -> str:
        """The user who must not hear of an event; '' is nobody."""
        return self.not_to.get(event.comment_id, "") if event.type == "delete_comment" else ""


class EventReader:
    def __init__(self, store: Store, reading: Reading) -> None:
        self._store = store
        self._reading = reading

    async def newest(self, page_id: str) -> str:
        """The id of the newest event."""
        _, newest, _ = await self._store.run(ReadEvents(page_id=page_id, after=None))
        return str(newest.decode())

    async def read(self, site_id: str, page_id: str, after: str) -> FoundEvents:
        """What came after an event. Where that is not known any more, nothing but to reload."""
        if not EVENT.fullmatch(after):
            return FoundEvents(page_id=page_id, events=[], last=await self.newest(page_id), reload=True)
        complete, newest, entries = await self._store.run(ReadEvents(page_id=page_id, after=after))
        if not complete:
            return FoundEvents(page_id=page_id, events=[], last=newest.decode(), reload=True)
        kept = [
            (id.decode(), msgspec.json.decode(message, type=KeptEvent, strict=False))
            for id, message in entries
        ]
        if any(event.type == "reload" for _, event in kept):  # the page was merged
            return FoundEvents(page_id=page_id, events=[], last=newest.decode(), reload=True)
        comments = await self._public_comments(
            site_id, [event.comment_id for _, event in kept if event.type in WITH_COMMENT]
        )
        ended = [event.comment_id for _, event in kept if event.type == "delete_comment"]
        return FoundEvents(
            page_id=page_id,
            events=[
                shown(page_id, id, event, comments.get(event.comment_id))
                for id, event in kept
                if event.type not in WITH_COMMENT or event.comment_id in comments
            ],
            last=newest.decode(),
            not_to=await self._shadowed_authors(ended),
        )

    async def _public_comments(self, site_id: str, ids: Sequence[str]) -> dict[str, Comment]:
        """Those that somebody who has not signed in may read."""
        found = await self._reading.comments(Viewer(site_id=site_id), list(dict.fromkeys(ids)))
        return {comment.id: comment for comment in found}

    async def _shadowed_authors(self, ids: Sequence[str]) -> dict[str, str]:
        found = await self._reading.records(ids) if ids else []
        return {one.id: one.author_id for one in found if one and one.shadow and one.author_id}


def shown(page_id: str, id: str, event: KeptEvent, comment: Comment | None) -> LiveEvent:
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


def place_of(event: str) -> tuple[int, int]:
    """To put ids of events in their order."""
    ms, _, number = event.partition("-")
    return int(ms), int(number)
