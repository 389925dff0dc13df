"""The export of a commenter: all data of a user, without secrets."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import msgspec

from townsquare.keyspace import AnyKey, Visibility
from townsquare.kit.paging import Cursor, page_down
from townsquare.services.threads import keys
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.store.store import Store

SHARE = 200  # list entries per read
EXPORTED = (
    *("id", "page_url", "parent_id", "content", "status"),
    *("upvotes", "downvotes", "created_at", "updated_at"),
)


class CommenterExport:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def read(self, user_id: str) -> dict[str, Any]:
        """The user with comments, votes, reports, blocks, follows and notifications."""
        record = await self._store.get(keys.user(user_id))
        if record is None:
            return {}
        secret = keys.user.kind.visible_fields(Visibility.SECRET)
        known: dict[str, Any] = msgspec.to_builtins(record)
        lists = {
            "comments": [
                one
                async for share in self._shares(keys.user_comments(user_id))
                for one in await self._comments(share)
            ],
            "votes": [
                {"comment_id": one.member, "direction": "up" if one.score > 0 else "down"}
                async for share in self._shares(keys.user_votes(user_id))
                for one in share
            ],
            "reports": [
                one
                async for share in self._shares(keys.user_reports(user_id))
                for one in await self._reports(user_id, share)
            ],
        }
        blocks, follows, notifications = await self._store.pipeline(
            [
                ("SMEMBERS", keys.user_blocks(user_id)),  # bounded: the limit on blocks
                ("SMEMBERS", keys.user_follows(user_id)),  # bounded: the limit on follows
                ("ZREVRANGE", keys.user_notifications(user_id), 0, keys.NOTIFICATIONS_KEPT - 1),
            ]
        )
        pages = await self._store.get_many([keys.page(one.decode()) for one in sorted(follows)])
        return {
            "user": {name: value for name, value in known.items() if name not in secret},
            **lists,
            "blocks": sorted(one.decode() for one in blocks),
            "follows": [page.url for page in pages if page],
            "notifications": [msgspec.json.decode(one) for one in notifications],
        }

    async def _shares(self, key: AnyKey) -> AsyncIterator[list[Cursor]]:
        after: Cursor | None = None
        while found := await page_down(self._store, key, after, SHARE):
            yield found
            after = found[-1]

    async def _comments(self, share: Sequence[Cursor]) -> list[dict[str, Any]]:
        found = await self._store.get_many([keys.comment(one.member) for one in share])
        edits = await self._store.pipeline(
            [("LRANGE", keys.comment_edits(one.member), 0, keys.EDITS_KEPT - 1) for one in share]
        )
        return [exported(one, before) for one, before in zip(found, edits, strict=True) if one]

    async def _reports(self, user_id: str, share: Sequence[Cursor]) -> list[dict[str, Any]]:
        found = await self._store.pipeline(
            [("HGET", keys.comment_reports(one.member), user_id) for one in share]
        )
        return [msgspec.json.decode(one) for one in found if one]


def exported(comment: CommentRecord, edits: Sequence[bytes]) -> dict[str, Any]:
    shown = {name: getattr(comment, name) for name in EXPORTED}
    return {**shown, "earlier": [msgspec.json.decode(one) for one in edits]}
