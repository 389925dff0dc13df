"""The like button: on or off per visitor and day."""

from collections.abc import Sequence
from datetime import date
from functools import cache, partial

from townsquare.clock import iso
from townsquare.problems import Invalid
from townsquare.services.widgets.days import checked_timezone
from townsquare.services.widgets.ids import NOBODY, Visitor
from townsquare.services.widgets.keys import LIKE
from townsquare.services.widgets.models import DEFAULT_ICON, LikeExport, LikeRecord, Likes
from townsquare.services.widgets.scripts import SetLike, ShowLike, ShownLikes, ToggleLike
from townsquare.services.widgets.service.counter import checked_total
from townsquare.services.widgets.service.daily import DailyWidgetService
from townsquare.services.widgets.service.widget import Dependencies, checked_id
from townsquare.services.widgets.texts import line

ICON_LENGTH = 16


class LikeService(DailyWidgetService[LikeRecord, Likes, LikeExport]):
    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(LIKE, LikeRecord, dependencies)

    async def create(
        self, url: str, token: str, *, icon: str = DEFAULT_ICON, timezone: str = "UTC", webhook: str = ""
    ) -> Likes:
        """Create the like button of a URL, or return the existing one to its owner."""
        checked_timezone(timezone)
        checked_icon(icon)
        return await self._make(
            url, token, partial(LikeRecord, timezone=timezone, icon=icon), webhook=webhook
        )

    async def toggle(self, id: str, visitor: Visitor) -> Likes:
        """Like, or remove today's like."""
        shown = await self._run_today(
            checked_id(id),
            lambda today, now: ToggleLike(
                id=id,
                visitor=visitor.hash(today.today, self._secret),
                timezone=today.timezone,
                now=iso(now),
                ttl=today.ttl_ms(now),
            ),
        )
        view = likes(id, shown)
        self._send_webhook("liked" if view.liked else "unliked", view, shown.webhook)
        return view

    async def get(self, id: str, visitor: Visitor | None = None) -> Likes:
        shown = await self._run_today(
            checked_id(id),
            lambda today, _: ShowLike(id=id, visitor=self._hash_on(today.today, visitor)),
        )
        return likes(id, shown)

    async def get_many(self, ids: Sequence[str], visitor: Visitor | None = None) -> list[Likes | None]:
        hash_on = cache(partial(self._hash_on, visitor=visitor))  # many buttons, few days
        shown = await self._show_today(ids, lambda id, today: ShowLike(id=id, visitor=hash_on(today.today)))
        return [likes(id, one) if one else None for id, one in shown]

    def _hash_on(self, day: date, visitor: Visitor | None) -> str:
        return visitor.hash(day, self._secret) if visitor else NOBODY

    def blanks(self, ids: list[str]) -> dict[str, Likes]:
        return {
            id: Likes(
                id=id, url="", total=0, liked=False, user_liked=False, icon=DEFAULT_ICON, last_like=None
            )
            for id in ids
        }

    async def set(self, id: str, token: str, total: int) -> Likes:
        return await self._set(id, token, checked_total(total), None)

    async def update(
        self, id: str, token: str, *, icon: str | None = None, total: int | None = None
    ) -> Likes:
        """Choose another icon, or set the total (for its owner)."""
        if icon is not None:
            checked_icon(icon)
        if total is not None:
            checked_total(total)
        return await self._set(id, token, total, icon)

    async def _set(self, id: str, token: str, total: int | None, icon: str | None) -> Likes:
        return await self._change(
            id, token, lambda owner: SetLike(id=id, owner=owner, total=total, icon=icon)
        )

    async def export(self, id: str, token: str) -> LikeExport:
        await self.verify_owner(id, token)
        record = await self._record(id)
        return LikeExport(
            url=record.url,
            created=record.created,
            timezone=record.timezone,
            total=record.total_likes,
            icon=record.icon,
        )

    async def import_(self, id: str, token: str, given: LikeExport) -> Likes:
        return await self._set(id, token, checked_total(given.total), checked_icon(given.icon))


def checked_icon(icon: str) -> str:
    if line(icon, ICON_LENGTH, "The icon") != icon or not icon:
        raise Invalid(f"An icon is a name or an emoji of at most {ICON_LENGTH} characters")
    return icon


def likes(id: str, shown: ShownLikes) -> Likes:
    return Likes(
        id=id,
        url=shown.url,
        total=shown.total,
        liked=shown.liked,
        user_liked=shown.liked,
        icon=shown.icon,
        last_like=shown.last_like,
    )
