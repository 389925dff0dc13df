"""Mail to commenters about replies, mentions and new comments on followed pages.

Mail goes only to confirmed addresses and contains only comments that are public when it is sent. Several
comments are one mail, with an unsubscribe link. Without the setting `public_url` no mail is sent.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from operator import attrgetter
from typing import Any

from townsquare.services.accounts.mails import Mails
from townsquare.services.accounts.models import NOTIFICATION_DEFAULTS, NotificationSettings, UserProfile
from townsquare.services.accounts.problems import UserNotFound
from townsquare.services.accounts.service import Accounts
from townsquare.services.accounts.signin.delivery import OutgoingMessage
from townsquare.services.events import NoticeType
from townsquare.services.threads import keys, scripts
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.mails import REPLIES, MailLinks, MailSubscription, comments_mail
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.problems import PageNotFound, SiteNotFound
from townsquare.services.threads.records import is_public
from townsquare.services.threads.service.commenters import Commenters, flag
from townsquare.services.threads.service.comments import signed_in
from townsquare.services.threads.service.lists import Lists
from townsquare.services.threads.service.reading import Reading
from townsquare.services.threads.service.sites import Sites
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

ABOUT_REPLIES: tuple[NoticeType, ...] = ("reply", "mention")
FOLLOWERS = 200  # of a page, in one step


class Mailing:
    def __init__(
        self,
        store: Store,
        jobs: Jobs,
        accounts: Accounts,
        sites: Sites,
        commenters: Commenters,
        reading: Reading,
        lists: Lists,
        links: MailLinks,
        texts: Mails,
    ) -> None:
        self._store = store
        self._accounts = accounts
        self._sites = sites
        self._commenters = commenters
        self._reading = reading
        self._lists = lists
        self._links = links
        self._texts = texts
        jobs.register(keys.MAIL_USER_JOB, self._mail_user)
        jobs.register(keys.MAIL_FOLLOWERS_JOB, self._mail_followers, rests=True)

    async def follow(self, viewer: Viewer, page_id: str) -> bool:
        """Follow a page by mail. Returns False if the user follows it already."""
        user_id = signed_in(viewer)
        if not keys.PAGE_ID.matches(page_id):
            raise PageNotFound()
        await self._commenters.get(user_id)
        return await self._store.run(
            scripts.FollowPage(user_id=user_id, page_id=page_id, site_id=viewer.site_id)
        )

    async def unfollow(self, viewer: Viewer, page_id: str) -> bool:
        """Unfollow a page. Returns False if the user did not follow it."""
        return await self._store.run(scripts.UnfollowPage(user_id=signed_in(viewer), page_id=page_id))

    async def set_replies(self, viewer: Viewer, wanted: bool) -> None:
        """Turn mail about replies and mentions on or off."""
        user_id = signed_in(viewer)
        await self._commenters.get(user_id)
        await self._set_replies(user_id, wanted)

    async def _set_replies(self, user_id: str, wanted: bool) -> None:
        await self._commenters.save(user_id, {"mail_off": flag(not wanted)})
        channels: NotificationSettings = dict.fromkeys(ABOUT_REPLIES, "mail" if wanted else "app")
        with suppress(UserNotFound):  # a user of single sign-on
            await self._accounts.users.change(user_id, UserProfile(notifications=channels))

    async def unsubscribe(self, token: str) -> None:
        """Do what a link in a mail says. Raises `BadMailLink`."""
        user_id, what = self._links.subscription(token)
        if what == REPLIES:
            await self._set_replies(user_id, False)
        else:
            await self._store.run(scripts.UnfollowPage(user_id=user_id, page_id=what))

    def check_link(self, token: str) -> None:
        """Raises BadMailLink."""
        self._links.subscription(token)

    async def _mail_followers(self, args: dict[str, Any]) -> int:
        page_id, job = args["page_id"], args["job"]
        begun = await self._store.run(scripts.BeginPageMail(page_id=page_id, job=job))
        if not begun.ids:
            return 0
        cursor, followers = await self._store.call(
            "SSCAN", keys.page_followers(page_id), begun.cursor, "COUNT", FOLLOWERS
        )
        queued = [scripts.QueueMails(user_id=one.decode(), ids=begun.ids) for one in followers]
        await asyncio.gather(*map(self._store.run, queued))
        await self._store.run(scripts.EndPageMail(page_id=page_id, job=job, cursor=cursor.decode()))
        return max(len(followers), 1)

    async def _mail_user(self, args: dict[str, Any]) -> int:
        """Send one mail for each site with replies, and one for each followed page."""
        user_id, job = args["user_id"], args["job"]
        kept = await self._store.call("ZRANGE", keys.user_mail(user_id), 0, keys.MAILED - 1)
        ids = [id.decode() for id in kept]
        user = await self._store.get(keys.user(user_id))
        to = await self._address(user) if user and self._links.possible else None
        found = [one for one in await self._reading.records(ids) if one and is_public(one)] if ids else []
        mails = await self._mails(user, to, found) if user and to and found else []
        await self._store.run(scripts.FinishMail(user_id=user_id, job=job, ids=ids))
        for mail in mails:
            self._accounts.send(mail)
        return len(ids)

    async def _address(self, user: CommenterRecord) -> str | None:
        """The confirmed address of a user, if there is one."""
        if user.deleting or user.provider.startswith("sso:"):
            return user.email if user.email_verified and not user.deleting else None
        (account,) = await self._accounts.users.get_many([user.id])
        return account.mail_address if account and account.email_verified and not account.deleting else None

    async def _mails(
        self, user: CommenterRecord, to: str, found: Sequence[CommentRecord]
    ) -> list[OutgoingMessage]:
        receivers = await self._store.pipeline([("HGET", keys.comment(one.id), "notified") for one in found])
        notified = [
            one for one, ids in zip(found, receivers, strict=True) if user.id.encode() in (ids or b"")
        ]
        followed = [one for one in found if one not in notified and one.author_id != user.id]
        mails: list[OutgoingMessage] = []
        if not user.mail_off:
            (account,) = await self._accounts.users.get_many([user.id])
            channels = NOTIFICATION_DEFAULTS | (account.notifications if account else {})
            wanted = [one for one in notified if channels[type_for(user, one)] == "mail"]
            for site_id, of_site in grouped(wanted, "site_id"):
                mails += await self._mail(user, to, REPLIES, site_id, of_site)
        for page_id, of_page in grouped(followed, "page_id"):
            if await self._store.call("SISMEMBER", keys.user_follows(user.id), page_id):
                mails += await self._mail(user, to, page_id, of_page[0].site_id, of_page)
        return mails

    async def _mail(
        self, user: CommenterRecord, to: str, what: str, site_id: str, found: Sequence[CommentRecord]
    ) -> list[OutgoingMessage]:
        """Send one mail, unless the user may not see the comments or has blocked their authors."""
        viewer = Viewer(site_id=site_id, user_id=user.id)
        items = await self._lists.placed(viewer, [one.id for one in found])
        try:
            site = await self._sites.get(site_id)
        except SiteNotFound:
            return []
        if not items:
            return []
        unsubscribe = self._links.unsubscribe(MailSubscription(user.id, what))
        titles = await self._titles(found)
        page = items[0].page_url
        about = f"for you on {site.name}" if what == REPLIES else f"on {titles.get(page) or page}"
        return [comments_mail(self._texts, to, about, items, titles, unsubscribe)]

    async def _titles(self, found: Sequence[CommentRecord]) -> dict[str, str]:
        """The titles of the pages of comments, by URL."""
        pages = {one.page_url: one.page_id for one in found}
        titles = await self._store.pipeline([("HGET", keys.page(id), "title") for id in pages.values()])
        return {url: title.decode() for url, title in zip(pages, titles, strict=True) if title}


def type_for(user: CommenterRecord, record: CommentRecord) -> NoticeType:
    return "mention" if user.id in (record.mentions or "") else "reply"


def grouped(found: Sequence[CommentRecord], field: str) -> list[tuple[str, list[CommentRecord]]]:
    by = attrgetter(field)
    return [(name, list(group)) for name, group in groupby(sorted(found, key=by), by)]
