"""The bulletin board: short messages, the newest first, each of which its author can edit."""

import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import msgspec

from townsquare.clock import day_of, iso
from townsquare.problems import Invalid
from townsquare.services.widgets import models, scripts
from townsquare.services.widgets.ids import NOBODY, Visitor
from townsquare.services.widgets.keys import BBS, bbs_edits, bbs_messages
from townsquare.services.widgets.problems import BoardChanged, MessageNotFound
from townsquare.services.widgets.service import board_rules
from townsquare.services.widgets.service.board_views import board, read_message, read_record, shown_message
from townsquare.services.widgets.service.widget import Dependencies, WidgetService, checked_id, existing

T = TypeVar("T")

TRIES = 20  # of a change whose board changes at the same moment
LAST_PAGE = models.MOST_MESSAGES


class BbsService(WidgetService[models.BoardRecord, models.Board, models.BoardExport]):
    most_at_once = 10  # each shows a page of messages

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(BBS, dependencies)

    async def create(
        self,
        url: str,
        token: str,
        *,
        title: str = "",
        max_messages: int = models.DEFAULT_MESSAGES,
        messages_per_page: int = models.DEFAULT_PER_PAGE,
        icons: Sequence[str] = (),
        selects: Sequence[models.Select] = (),
        blocked_words: Sequence[str] = (),
        urls: models.UrlRule = "allow",
        edit_by_user_hash: bool = True,
        webhook: str = "",
    ) -> models.Board:
        """Create the board of a URL, or return the existing one to its owner."""
        settings = board_rules.checked_settings(
            models.BoardSettings(
                title=title,
                max_messages=max_messages,
                messages_per_page=messages_per_page,
                icons=list(icons),
                selects=list(selects),
                blocked_words=list(blocked_words),
                urls=urls,
                edit_by_user_hash=edit_by_user_hash,
            )
        )
        record_of = partial(models.BoardRecord, settings=settings)
        return await self._make(url, token, record_of, webhook=webhook)

    async def post(
        self,
        id: str,
        visitor: Visitor,
        message: str,
        *,
        author: str = "",
        icon: str = "",
        selects: Mapping[str, str] | None = None,
        language: str = "",
    ) -> models.Board:
        """Add a message. The result has the edit token of its author."""
        now = self._store.clock.now_ms()
        user_hash = self._hash(visitor)
        written = models.Message(
            id=secrets.token_hex(8),
            timestamp=iso(now),
            author=author.strip() or board_rules.NAMELESS.get(language, "Anonymous"),
            message=message,
            user_hash=user_hash,
            icon=icon,
            selects=dict(selects or {}),
        )

        async def attempt() -> scripts.ShownBoard:
            record = await self._record(id)
            board_rules.require_choices(written.selects, record.settings)
            return await self._store.run(
                scripts.PostMessage(
                    id=id,
                    visitor=user_hash,
                    message_id=written.id,
                    message=as_text(board_rules.fit(written, record.settings)),
                    edit=hashed(self._edit_token(id, written.id)),
                    revision=record.revision,
                    now=now,
                    stamp=written.timestamp,
                )
            )

        shown = await self._until_unchanged(attempt)
        view, webhook = board(shown, user_hash)
        self._send_webhook("posted", view, webhook)
        return self._for_author(view, written.id)

    async def posted(self, id: str, visitor: Visitor, message_id: str) -> models.Board:
        """The board as the author of this message sees it after `post`."""
        return self._for_author(await self.get(id, visitor), message_id)

    def _for_author(self, view: models.Board, message_id: str) -> models.Board:
        view.message_id, view.edit_token = message_id, self._edit_token(view.id, message_id)
        return view

    def _edit_token(self, id: str, message_id: str) -> str:
        """Derived, so that the response to a retry has the same one."""
        text = f"edit token\n{id}\n{message_id}"
        return hmac.new(self._secret.encode(), text.encode(), hashlib.sha256).hexdigest()[:32]

    async def get_many(
        self,
        ids: Sequence[str],
        visitor: Visitor | None = None,
        *,
        page: int = 1,
        limit: int | None = None,
        oldest_first: bool = False,
    ) -> list[models.Board | None]:
        if page < 1:
            raise Invalid("Pages are counted from 1")
        if limit is not None and not 1 <= limit <= models.MOST_MESSAGES:
            raise Invalid(f"The limit is between 1 and {models.MOST_MESSAGES:,}")
        user_hash = self._hash(visitor)
        page = min(page, LAST_PAGE)
        calls = [
            scripts.ShowBoard(id=checked_id(id), page=page, per=limit, oldest_first=oldest_first)
            for id in ids
        ]
        return [board(one, user_hash, limit)[0] if one else None for one in await self._shown_many(calls)]

    async def page(
        self,
        id: str,
        page: int,
        visitor: Visitor | None = None,
        *,
        limit: int | None = None,
        oldest_first: bool = False,
    ) -> models.Board:
        """A page of `limit` messages, or as many as the settings say; the last one if `page` is too high."""
        (found,) = await self.get_many([id], visitor, page=page, limit=limit, oldest_first=oldest_first)
        return existing(found)

    async def settings(self, id: str) -> models.BoardSettings:
        return (await self._record(id)).settings

    async def message(self, id: str, message_id: str) -> models.Message:
        return read_message((await self._find(id, message_id)).message)

    async def edit_message(
        self,
        id: str,
        message_id: str,
        message: str,
        *,
        author: str | None = None,
        icon: str | None = None,
        selects: Mapping[str, str] | None = None,
        choose: Mapping[str, str] | None = None,
        edit_token: str = "",
        token: str = "",
        visitor: Visitor | None = None,
    ) -> models.ShownMessage:
        """Rewrite one message where it stands, as the owner (token) or as its author: by the edit token, or,
        where the board allows it, as the visitor who wrote it today. `selects` replaces all choices, `choose`
        changes single ones. Choices that are not given stay, even if the board no longer offers them."""
        authority = await self._authority(id, edit_token, token, visitor)

        async def attempt() -> models.ShownMessage:
            found = await self._find(id, message_id)
            record, before = read_record(found.record), read_message(found.message)
            given = msgspec.structs.replace(
                before,
                message=message,
                author=before.author if author is None else author.strip() or before.author,
                icon=icon or "",
                selects={**(selects or {}), **(choose or {})},
            )
            after = board_rules.fit(given, record.settings)
            if icon is None:
                after.icon = before.icon
            if selects is None:
                others = (label for label in before.selects if label not in given.selects)
                after.selects = {label: before.selects[label] for label in others} | after.selects
            if selects is not None or choose:
                board_rules.require_choices(after.selects, record.settings)
            await self._store.run(
                scripts.EditMessage(
                    id=id,
                    before=found.message,
                    after=as_text(after),
                    revision=record.revision,
                    **authority,
                )
            )
            return shown_message(after, record.settings)

        shown = await self._until_unchanged(attempt)
        await self._send_current_webhook("edited", id)
        return shown

    async def delete_message(
        self,
        id: str,
        message_id: str,
        *,
        edit_token: str = "",
        token: str = "",
        visitor: Visitor | None = None,
    ) -> None:
        """Remove one message, with the same authority as an edit."""
        authority = await self._authority(id, edit_token, token, visitor)
        checked_message_id(message_id)
        await self._store.run(scripts.DeleteMessage(id=id, message_id=message_id, **authority))
        await self._send_current_webhook("removed", id)

    async def clear(self, id: str, token: str) -> models.Board:
        """Remove all messages (for the owner)."""
        return await self._change(
            id, token, lambda owner: scripts.ChangeBoard(id=id, owner=owner, messages="[]")
        )

    async def update(
        self,
        id: str,
        token: str,
        *,
        title: str | None = None,
        max_messages: int | None = None,
        messages_per_page: int | None = None,
        icons: list[str] | None = None,
        selects: list[models.Select] | None = None,
        blocked_words: list[str] | None = None,
        urls: models.UrlRule | None = None,
        edit_by_user_hash: bool | None = None,
    ) -> models.Board:
        """Change settings (for the owner)."""
        given = {
            "title": title,
            "max_messages": max_messages,
            "messages_per_page": messages_per_page,
            "icons": icons,
            "selects": selects,
            "blocked_words": blocked_words,
            "urls": urls,
            "edit_by_user_hash": edit_by_user_hash,
        }
        changes = {name: value for name, value in given.items() if value is not None}
        return await self.update_by(id, token, lambda settings: changes)

    async def update_by(
        self, id: str, token: str, changes_of: Callable[[models.BoardSettings], Mapping[str, Any]]
    ) -> models.Board:
        """Change settings as a function of the current ones (for the owner)."""
        owner = await self.verify_owner(id, token)

        async def attempt() -> None:
            record = await self._record(id)
            changes = changes_of(record.settings)
            settings = board_rules.checked_settings(msgspec.structs.replace(record.settings, **changes))
            await self._store.run(
                scripts.ChangeBoard(id=id, owner=owner, settings=as_text(settings), revision=record.revision)
            )

        await self._until_unchanged(attempt)
        return await self.get(id)

    async def export(self, id: str, token: str) -> models.BoardExport:
        await self.verify_owner(id, token)
        record = await self._record(id)
        texts = await self._store.call("LRANGE", bbs_messages(id), 0, models.MOST_MESSAGES - 1)
        return models.BoardExport(
            url=record.url,
            created=record.created,
            settings=record.settings,
            messages=[read_message(text) for text in texts],
        )

    async def import_(self, id: str, token: str, given: models.BoardExport) -> models.Board:
        owner = await self.verify_owner(id, token)
        record = await self._record(id)
        settings = board_rules.checked_settings(given.settings) if given.settings else record.settings
        messages = [board_rules.imported(message, settings) for message in given.messages]
        if len(messages) > models.MOST_MESSAGES or len({message.id for message in messages}) != len(messages):
            raise Invalid(f"A board has at most {models.MOST_MESSAGES:,} messages, each id once")
        await self._store.run(
            scripts.ChangeBoard(
                id=id,
                owner=owner,
                settings=as_text(settings) if given.settings else None,
                messages=as_text([as_text(message) for message in messages]),
                last_message=max((message.timestamp for message in messages), default=None),
            )
        )
        return await self.get(id)

    async def is_edit_token(self, id: str, message_id: str, edit_token: str) -> bool:
        """Whether this token is that of the message's author."""
        kept = await self._store.call("HGET", bbs_edits(checked_id(id)), checked_message_id(message_id))
        return kept is not None and hmac.compare_digest(kept, hashed(edit_token).encode())

    def _hash(self, visitor: Visitor | None) -> str:
        return visitor.hash(day_of(self._store.clock.now_ms()), self._secret) if visitor else NOBODY

    async def _find(self, id: str, message_id: str) -> Any:
        return await self._store.run(
            scripts.FindMessage(id=checked_id(id), message_id=checked_message_id(message_id))
        )

    async def _authority(
        self, id: str, edit_token: str, token: str, visitor: Visitor | None
    ) -> dict[str, str | None]:
        """The proof for changing a message: the hash of the owner token, edit token or visitor."""
        if token:
            return {"edit": None, "owner": await self.verify_owner(id, token), "visitor": None}
        checked_id(id)
        if edit_token or visitor is None:
            return {"edit": hashed(edit_token), "owner": None, "visitor": None}
        return {"edit": None, "owner": None, "visitor": self._hash(visitor)}

    async def _until_unchanged(self, attempt: Callable[[], Awaitable[T]]) -> T:
        for _ in range(TRIES - 1):
            try:
                return await attempt()
            except BoardChanged:
                continue
        return await attempt()

    async def _send_current_webhook(self, event: str, id: str) -> None:
        record = await self._record(id)
        if record.webhook:
            self._send_webhook(event, await self.get(id), record.webhook)


def hashed(edit_token: str) -> str:
    """Edit tokens are random: one round of SHA-256 is enough."""
    return hashlib.sha256(edit_token.encode("utf-8", "surrogatepass")).hexdigest()


def checked_message_id(message_id: str) -> str:
    if not board_rules.MESSAGE_ID.fullmatch(message_id):
        raise MessageNotFound()
    return message_id


def as_text(value: Any) -> str:
    return msgspec.json.encode(value).decode()
