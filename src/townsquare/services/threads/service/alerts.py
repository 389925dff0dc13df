"""Alerts to moderators about the queue: a signed webhook, and mail with links to approve, reject or delete.

An alert contains all comments since the last one. The site sets the minimum time between alerts.
"""

import asyncio
import hashlib
import secrets
from collections.abc import Sequence
from typing import Any

import msgspec

from townsquare.keyspace import Key
from townsquare.kit.outgoing import HttpPost, HttpSender, SendQueue, Sleep, signature
from townsquare.services.accounts.mails import Mails
from townsquare.services.accounts.service import Accounts
from townsquare.services.threads import keys
from townsquare.services.threads.mails import AlertItem, MailLinks, alert_mail
from townsquare.services.threads.models.comments import Comment
from townsquare.services.threads.models.moderation import QueuedComment
from townsquare.services.threads.models.sites import AlertLink, Alerts, Site, Viewer
from townsquare.services.threads.problems import BadMailLink, CommentNotFound, SiteNotFound
from townsquare.services.threads.scripts import FinishAlert
from townsquare.services.threads.service.comments import Comments
from townsquare.services.threads.service.moderation import CommentModeration
from townsquare.services.threads.service.reading import Reading
from townsquare.services.threads.service.sites import Sites
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

TRY_SECONDS = 5.0
PAUSES = (1.0, 10.0, 60.0, 300.0)  # seconds before each retry
TOKEN_BYTES = 24


class ModeratorAlerts:
    def __init__(
        self,
        store: Store,
        jobs: Jobs,
        accounts: Accounts,
        sites: Sites,
        reading: Reading,
        moderation: CommentModeration,
        comments: Comments,
        links: MailLinks,
        texts: Mails,
        *,
        sender: HttpSender | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._store = store
        self._accounts = accounts
        self._sites = sites
        self._reading = reading
        self._moderation = moderation
        self._comments = comments
        self._links = links
        self._texts = texts
        self._queue = SendQueue((sender or HttpSender(seconds=TRY_SECONDS)).send, pauses=PAUSES, sleep=sleep)
        jobs.register(keys.ALERT_JOB, self._step)

    async def settled(self) -> None:
        """Wait until all webhooks are sent."""
        await self._queue.settled()

    def close(self) -> None:
        self._queue.cancel()

    async def _step(self, args: dict[str, Any]) -> int:
        site_id, job = args["site_id"], args["job"]
        try:
            site: Site | None = await self._sites.get(site_id)
        except SiteNotFound:
            site = None
        alerts = site.settings.alerts if site else Alerts()
        kept = await self._store.call("ZRANGE", keys.site_alerts_new(site_id), 0, keys.MAILED - 1)
        ids = [id.decode() for id in kept]
        waiting = await self._moderation.waiting(Viewer(site_id=site_id, owner=True), ids)
        await self._store.run(FinishAlert(site_id=site_id, job=job, ids=ids, minutes=alerts.every_minutes))
        if site and waiting:
            if alerts.webhook:
                self._post(site, alerts, waiting)
            for email in alerts.emails if self._links.possible else ():
                await self._mail(site, email, waiting)
        return len(ids)

    def _post(self, site: Site, alerts: Alerts, waiting: Sequence[QueuedComment]) -> None:
        body = msgspec.json.encode({"event": "moderation_queue", "site_id": site.id, "comments": waiting})
        sent_at = str(self._store.clock.now_ms() // 1000)
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Townsquare",
            "X-Townsquare-Event": "moderation_queue",
            "X-Townsquare-Timestamp": sent_at,
            "X-Townsquare-Signature": f"sha256={signature(alerts.webhook_secret.encode(), sent_at, body)}",
        }
        self._queue.put(
            HttpPost(alerts.webhook, headers, body), receiver=alerts.webhook, about=f"alert of {site.id}"
        )

    async def _mail(self, site: Site, email: str, waiting: Sequence[QueuedComment]) -> None:
        items = []
        for one in waiting:
            token = secrets.token_urlsafe(TOKEN_BYTES)
            link = AlertLink(site_id=site.id, comment_id=one.comment.id, email=email)
            await self._store.call(
                "SET", link_key(token), msgspec.json.encode(link), "EX", keys.ALERT_LINK_SECONDS
            )
            items.append(AlertItem(one, self._links.to("/threads/moderate", token=token)))
        self._accounts.send(alert_mail(self._texts, email, site.name, items))

    async def linked(self, token: str) -> tuple[Site, Comment]:
        """The comment of a link, for the page that asks for confirmation. Raises `BadMailLink`."""
        link = await self._store.get(link_key(token))
        if link is None:
            raise BadMailLink()
        site = await self._site_of(link)
        found = await self._reading.comments(Viewer(site_id=site.id, owner=True), [link.comment_id])
        if not found:
            raise BadMailLink()
        return site, found[0]

    async def act(self, token: str, action: str) -> None:
        """Approve, reject or delete the comment of a link, once. Raises `BadMailLink`."""
        text = await self._store.call("GETDEL", link_key(token))
        if text is None:
            raise BadMailLink()
        link = msgspec.json.decode(text, type=AlertLink)
        site = await self._site_of(link)
        viewer = Viewer(site_id=site.id, owner=True)
        try:
            if action == "approve":
                await self._moderation.approve(viewer, link.comment_id, details=f"by mail to {link.email}")
            elif action == "reject":
                await self._moderation.reject(viewer, link.comment_id, details=f"by mail to {link.email}")
            else:
                await self._comments.delete(viewer, link.comment_id, as_moderator=True)
        except CommentNotFound:
            raise BadMailLink() from None

    async def _site_of(self, link: AlertLink) -> Site:
        """The site, if it still sends alerts to the address of the link."""
        try:
            site = await self._sites.get(link.site_id)
        except SiteNotFound:
            raise BadMailLink() from None
        if link.email not in site.settings.alerts.emails:
            raise BadMailLink()
        return site


def link_key(token: str) -> Key[AlertLink]:
    return keys.alert_link(hashlib.sha256(token.encode()).hexdigest())
