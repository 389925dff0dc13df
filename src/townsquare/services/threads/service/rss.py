"""RSS 2.0 feeds: new comments of a page or a site, and replies to a user."""

import re
import secrets
from collections.abc import Sequence
from email.utils import format_datetime
from html import escape

from townsquare.clock import from_iso, moment
from townsquare.services.threads import keys
from townsquare.services.threads.models.comments import RecentComment
from townsquare.services.threads.models.notifications import ABOUT_NEW_COMMENTS
from townsquare.services.threads.models.sites import SiteConfig, Viewer
from townsquare.services.threads.page_urls import PageAddress
from townsquare.services.threads.problems import CommenterNotFound
from townsquare.services.threads.service.commenters import Commenters
from townsquare.services.threads.service.comments import signed_in
from townsquare.services.threads.service.lists import Lists
from townsquare.services.threads.service.notifications import Notifications
from townsquare.services.threads.service.sites import Sites
from townsquare.store.store import Store

LENGTH = 50
NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class RssFeeds:
    def __init__(
        self,
        store: Store,
        sites: Sites,
        commenters: Commenters,
        lists: Lists,
        notifications: Notifications,
    ) -> None:
        self._store = store
        self._sites = sites
        self._commenters = commenters
        self._lists = lists
        self._notifications = notifications

    async def of_page(self, site: SiteConfig, page: PageAddress) -> str:
        """The newest public comments of a page, including replies."""
        newest = await self._store.call("ZREVRANGE", keys.page_public(page.id), 0, LENGTH - 1)
        items = await self._lists.placed(Viewer(site_id=site.site_id), [id.decode() for id in newest])
        return rss(f"Comments on {page.url}", page.url, items)

    async def of_site(self, site: SiteConfig) -> str:
        """The newest public comments of a site."""
        newest = await self._lists.recent(Viewer(site_id=site.site_id), limit=LENGTH)
        return rss(f"Comments on {site.name}", f"https://{site.domain}/", newest.items)

    async def new_token(self, viewer: Viewer) -> str:
        """Create the token of the feed of replies to the viewer. The previous token becomes invalid."""
        user_id = signed_in(viewer)
        await self._commenters.get(user_id)
        key = secrets.token_hex(16)
        await self._commenters.save(user_id, {"feed_key": key})
        return f"{user_id}.{viewer.site_id}.{key}"

    async def of_replies(self, token: str) -> str:
        """Replies to a user and mentions on one site, by the secret token."""
        user_id, _, rest = token.partition(".")
        site_id, _, key = rest.partition(".")
        record = await self._store.get(keys.user(user_id)) if keys.USER_ID.matches(user_id) else None
        if record is None or record.deleting or not record.feed_key:
            raise CommenterNotFound()
        if not secrets.compare_digest(record.feed_key.encode(), key.encode()):
            raise CommenterNotFound()
        site = await self._sites.get(site_id)
        listed = await self._notifications.list(Viewer(site_id=site_id, user_id=user_id), limit=LENGTH)
        ids = [one.comment_id for one in listed.items if one.notification_type in ABOUT_NEW_COMMENTS]
        items = await self._lists.placed(Viewer(site_id=site_id), ids)
        return rss(f"Replies to {record.name} on {site.name}", f"https://{site.domain}/", items)


def rss(title: str, link: str, items: Sequence[RecentComment]) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel>'
        f"<title>{plain(title)}</title><link>{text(link)}</link><description>{plain(title)}</description>"
        f"{''.join(map(item, items))}</channel></rss>\n"
    )


def item(one: RecentComment) -> str:
    comment = one.comment
    name = comment.author.name if comment.author else ""
    link = f"{one.page_url}#comment-{comment.id}"
    written = format_datetime(moment(from_iso(comment.created_at)), usegmt=True)
    return (
        f"<item><title>{plain(name)}</title><link>{text(link)}</link>"
        f'<guid isPermaLink="false">{text(comment.id)}</guid><pubDate>{written}</pubDate>'
        f"<description>{text(comment.content_html)}</description></item>"
    )


def plain(value: str) -> str:
    """Escape a title. Some feed readers parse it as HTML, so that angle brackets are replaced."""
    return text(value.replace("<", "‹").replace(">", "›"))


def text(value: str) -> str:
    return escape(NOT_XML.sub("", value))
