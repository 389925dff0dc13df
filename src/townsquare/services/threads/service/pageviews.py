"""Views of pages, in total and per day. A visitor counts once in half an hour."""

import hashlib
from datetime import timedelta
from typing import Annotated

from msgspec import Meta

from townsquare.clock import day_of
from townsquare.kit.addresses import customer_of
from townsquare.services.threads import keys
from townsquare.services.threads.models.live import PageviewCounted, Pageviews
from townsquare.services.threads.models.sites import SiteConfig
from townsquare.services.threads.scripts.live import CountView
from townsquare.services.threads.service.comments import PageAddress
from townsquare.services.threads.service.usage import Usage, month_of
from townsquare.store.store import Store

Days = Annotated[int, Meta(ge=1, le=90)]


class PageviewCounts:
    def __init__(self, store: Store, usage: Usage, secret: str) -> None:
        self._store = store
        self._usage = usage
        self._secret = secret

    async def count(
        self, site: SiteConfig, page: PageAddress, *, ip: str, user_agent: str = ""
    ) -> PageviewCounted:
        """Count a view of a page. The visitor's identity is not stored."""
        now = self._store.clock.now_ms()
        visitor = self._visitor(site.site_id, ip, user_agent, month_of(now))
        done = await self._store.run(CountView(page_id=page.id, visitor=visitor, day=day_of(now).isoformat()))
        if done.counted:
            self._usage.add(site.site_id, "pageviews")
            self._usage.add_visitor(site.site_id, visitor)
        return PageviewCounted(
            counted=done.counted, total=done.total if site.settings.display.pageviews else None
        )

    async def read(self, page: PageAddress, days: Days = 30) -> Pageviews:
        """The total, and the views of each recent day."""
        today = day_of(self._store.clock.now_ms())
        asked = [today - timedelta(days=ago) for ago in range(days)]
        total, *counts = await self._store.pipeline(
            [
                ("GET", keys.page_views(page.id)),
                *(("GET", keys.page_views_daily(page.id, day)) for day in asked),
            ]
        )
        per_day = zip(asked, counts, strict=True)
        return Pageviews(
            page_id=page.id,
            total=int(total or 0),
            days={day.isoformat(): int(count) for day, count in per_day if count},
        )

    def _visitor(self, site_id: str, ip: str, user_agent: str, month: str) -> str:
        """A hash of the visitor: of browser, address, site and month."""
        source = "\n".join((customer_of(ip), user_agent, site_id, month, self._secret))
        return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:16]
