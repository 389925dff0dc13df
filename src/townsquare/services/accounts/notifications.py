"""The notification centre: the notifications of all services as one list, with one counter, and their mail.

Each service keeps its own notifications and counts them exactly. The list is merged when it is read.
"""

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from townsquare.keyspace import DAY
from townsquare.kit.paging import Cursor, PageSize, set_members
from townsquare.kit.templates import fill
from townsquare.services.accounts import keys
from townsquare.services.accounts.mails import MailItem, MailLinks, Mails, MailSubscription
from townsquare.services.accounts.models import NOTIFICATION_DEFAULTS, NotificationChannel, User, UserProfile
from townsquare.services.accounts.problems import BadNotification
from townsquare.services.accounts.signin.delivery import OutgoingMessage
from townsquare.services.accounts.users import Users
from townsquare.services.events import Notice, NotificationSource
from townsquare.store.store import Store

MOST_IDS = 100
MOST_MAILED = 50
MAIL_MS, DIGEST_MS = 5 * 60_000, DAY * 1000
MAIL_SECONDS = 60.0  # how often mail that is due is looked for
UNSUBSCRIBE = "/accounts/mail/unsubscribe"


class NotificationList(msgspec.Struct):
    """The newest first. `next` is the cursor of the next page, null at the end."""

    items: list[Notice]
    next: str | None
    unread: int


class AccountNotifications:
    def __init__(
        self,
        store: Store,
        users: Users,
        mails: Mails,
        links: MailLinks,
        send: Callable[[OutgoingMessage], None],
    ) -> None:
        self._store = store
        self._users = users
        self._mails = mails
        self._links = links
        self._send = send
        self._sources: dict[str, NotificationSource] = {}

    def register(self, service: str, source: NotificationSource) -> None:
        self._sources[service] = source

    async def list(self, id: str, cursor: str | None = None, limit: PageSize = 20) -> NotificationList:
        """The notifications of a user in all services."""
        user, after = await self._users.get(id), Cursor.decode(cursor)
        lists = await asyncio.gather(
            *(source.list(user, below(name, after), limit + 1) for name, source in self._sources.items())
        )
        every = [
            (Cursor(one.created_at, f"{name}:{one.id}"), one)
            for name, found in zip(self._sources, lists, strict=True)
            for one in found
        ]
        every.sort(key=lambda pair: pair[0], reverse=True)
        shown = every[:limit]
        for place, one in shown:
            one.id = place.member
        following = shown[-1][0].encode() if len(every) > limit else None
        return NotificationList([one for _, one in shown], following, await self._unread(user))

    async def unread(self, id: str) -> int:
        """The number of unread notifications of a user."""
        return await self._unread(await self._users.get(id))

    async def _unread(self, user: User) -> int:
        return sum(await asyncio.gather(*(source.unread(user) for source in self._sources.values())))

    async def read(self, id: str, ids: Sequence[str] = (), *, all: bool = False) -> int:
        """Mark these as read, or all. Returns the number of unread ones that are left."""
        if bool(ids) == all or len(ids) > MOST_IDS:
            raise BadNotification()
        user = await self._users.get(id)
        for name, source in self._sources.items():
            own = [one.partition(":")[2] for one in ids if one.startswith(f"{name}:")]
            if all or own:
                await source.read(user, own)
        return await self._unread(user)

    async def mail(self) -> None:
        """Mail what is due: at once every five minutes, digests once a day."""
        if self._links.possible:
            await self._mail_kind("mail", ("mail",), MAIL_MS)
            await self._mail_kind("digest", ("mail", "digest"), DIGEST_MS)

    async def _mail_kind(self, kind: NotificationChannel, chosen: Sequence[str], wait: int) -> None:
        now, key = self._store.clock.now_ms(), keys.notifications_sent(kind)
        sent = int(await self._store.get(key) or 0)
        if now - sent < wait:
            return
        await self._store.call("SET", key, now)
        if not sent:  # what happened before the first run is not news
            return
        for value in chosen:
            async for ids in set_members(self._store, keys.users_by("mailed", value)):
                for user in await self._users.get_many(ids):
                    if user and user.mail_address and user.email_verified and not user.deleting:
                        await self._mail_user(user, kind, sent, now)

    async def _mail_user(self, user: User, kind: NotificationChannel, since: int, until: int) -> None:
        channels = NOTIFICATION_DEFAULTS | user.notifications
        news = [
            one
            for one in (await self.list(user.id, limit=MOST_MAILED)).items
            if not one.read
            and since < one.created_at <= until
            and channels[one.type] == kind
            and not (kind == "mail" and is_mailed_by_threads(one))
        ]
        if not news:
            return
        count = "1 notification" if len(news) == 1 else f"{len(news)} notifications"
        unsubscribe = self._links.unsubscribe(MailSubscription(user.id, kind))
        kind_of_mail = "digest" if kind == "digest" else "notifications"
        items = [
            mail_item(one, self._links.to(one.url) if one.url.startswith("/") else one.url) for one in news
        ]
        self._send(
            self._mails.message(
                kind_of_mail, str(user.mail_address), items, unsubscribe=unsubscribe, count=count
            )
        )

    def check_link(self, token: str) -> None:
        """Raises BadMailLink."""
        self._links.subscription(token)

    async def unsubscribe(self, token: str) -> None:
        """Keep the notifications of a mail in the app only. Raises BadMailLink."""
        id, kind = self._links.subscription(token)
        user = await self._users.get(id)
        changed = {name: "app" for name, channel in user.notifications.items() if channel == kind}
        if changed:
            await self._users.change(id, msgspec.convert({"notifications": changed}, UserProfile))


def is_mailed_by_threads(one: Notice) -> bool:
    """Replies and mentions in comments are mailed with their text by the threads service."""
    return one.id.startswith("threads:") and one.type in ("reply", "mention")


def mail_item(one: Notice, url: str) -> MailItem:
    html = fill(
        '<p><a href="$url"><b>$text</b></a></p><p>$excerpt</p>', url=url, text=one.text, excerpt=one.excerpt
    )
    return MailItem(html, "\n".join(filter(None, (one.text, one.excerpt, url))))


def below(service: str, after: Cursor | None) -> Cursor | None:
    """The cursor of one service: `after` orders notifications of one moment by service, then by id."""
    if after is None:
        return None
    name, _, id = after.member.partition(":")
    if service == name:
        return Cursor(after.score, id)
    return Cursor(after.score, "\U0010ffff" if service < name else "")
