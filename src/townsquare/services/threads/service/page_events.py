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
    only_to: str = ""  # the user who may hear of it; '' is everybody


class FoundEvents(PageEvents, kw_only=True):
    """With who of them may hear of what: of a shadow ban its user notices nothing.

    Authors must not hear that their comment is gone for the others; of what they write only they hear.
    """

    not_to: dict[str, str] = msgspec.field(default_factory=dict)  # users by comment
    only_to: dict[str, str] = msgspec.field(default_factory=dict)  # users by event

    def kept_from(self, event: LiveEvent) -> str:
        """The user who must not hear of an event; '' is nobody."""
        if event.type != "delete_comment" or event.event in self.only_to:
            return ""
        return self.not_to.get(event.comment_id, "")

    def is_for(self, event: LiveEvent, user_id: str | None) -> bool:
        only = self.only_to.get(event.event, "")
        return only == user_id if only else self.kept_from(event) != user_id


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
        comments = await self._comments(
            site_id, [(event.comment_id, event.only_to) for _, event in kept if event.type in WITH_COMMENT]
        )
        ended = [event.comment_id for _, event in kept if event.type == "delete_comment"]
        return FoundEvents(
            page_id=page_id,
            events=[
                shown(page_id, id, event, comments.get((event.comment_id, event.only_to)))
                for id, event in kept
                if event.type not in WITH_COMMENT or (event.comment_id, event.only_to) in comments
            ],
            last=newest.decode(),
            not_to=await self._shadowed_authors(ended),
            only_to={id: event.only_to for id, event in kept if event.only_to},
        )

    async def _comments(
        self, site_id: str, asked: Sequence[tuple[str, str]]
    ) -> dict[tuple[str, str], Comment]:
        """Those that somebody who has not signed in may read, or that the one user may who is told."""
        found = {}
        for user_id in dict.fromkeys(user_id for _, user_id in asked):
            ids = list(dict.fromkeys(id for id, only_to in asked if only_to == user_id))
            viewer = Viewer(site_id=site_id, user_id=user_id or None)
            for comment in await self._reading.comments(viewer, ids):
                comment.my_vote = None
                found[comment.id, user_id] = comment
        return found

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
