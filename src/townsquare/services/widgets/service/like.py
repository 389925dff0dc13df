"""The like button: on or off per visitor and day."""

from collections.abc import Sequence

from townsquare.clock import day_of, iso
from townsquare.problems import Invalid
from townsquare.services.widgets.days import calendar, checked_timezone
from townsquare.services.widgets.keys import LIKE
from townsquare.services.widgets.models.like import DEFAULT_ICON, LikeExport, LikeRecord, Likes
from townsquare.services.widgets.scripts import SetLike, ShowLike, ShownLikes, ToggleLike
from townsquare.services.widgets.service.counter import checked_total
from townsquare.services.widgets.service.timezones import KnownTimezones
from townsquare.services.widgets.service.widget import Dependencies, WidgetService, checked_id
from townsquare.services.widgets.texts import line
from townsquare.services.widgets.visitors import NOBODY, Visitor

ICON_LENGTH = 16


class LikeService(WidgetService[LikeRecord, Likes, LikeExport]):
    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(LIKE, dependencies)
        self._timezones = KnownTimezones()

    async def create(self, url: str, token: str, *, icon: str = DEFAULT_ICON, timezone: str = "UTC") -> Likes:
        """The like button of this URL: a new one, or for its owner the one there is."""
        checked_timezone(timezone)
        checked_icon(icon)

        def record(id: str, owner: str, created: str) -> LikeRecord:
            return LikeRecord(
                service=self.kind, id=id, url=url, created=created, owner=owner, timezone=timezone, icon=icon
            )

        return await self.get(await self._make(url, token, record))

    async def toggle(self, id: str, visitor: Visitor) -> Likes:
        """Like it, or take the like of today back."""
        checked_id(id)
        now = self._store.clock.now_ms()
        for _ in range(2):  # a button in another time zone than we believed tells us, and toggles then
            today = calendar(now, self._timezones.of(id))
            shown = await self._store.run(
                ToggleLike(
                    id=id,
                    visitor=visitor.hash(today.today, self._secret),
                    timezone=today.timezone,
                    now=iso(now),
                    ttl=today.ttl_ms(now),
                )
            )
            if not self._timezones.learn(id, shown.timezone):
                break
        view = likes(id, shown)
        self._tell("liked" if view.liked else "unliked", view, shown.webhook)
        return view

    async def get_many(self, ids: Sequence[str], visitor: Visitor | None = None) -> list[Likes | None]:
        now = self._store.clock.now_ms()
        for _ in range(2):  # those in another time zone than we believed are asked again
            hashes = {zone: self._hash(visitor, now, zone) for zone in {self._timezones.of(id) for id in ids}}
            calls = [ShowLike(id=checked_id(id), visitor=hashes[self._timezones.of(id)]) for id in ids]
            answers = await self._shown_many(calls)
            shown = list(zip(ids, answers, strict=True))
            news = [id for id, one in shown if one and self._timezones.learn(id, one.timezone)]
            if not news:
                break
        return [likes(id, one) if one else None for id, one in shown]

    def _hash(self, visitor: Visitor | None, now: int, zone: str) -> str:
        return visitor.hash(day_of(now, zone), self._secret) if visitor else NOBODY

    async def set(self, id: str, token: str, total: int) -> Likes:
        """Set the total (for its owner)."""
        return await self._change(id, token, checked_total(total), None)

    async def update(self, id: str, token: str, *, icon: str) -> Likes:
        """Choose another icon (for its owner)."""
        return await self._change(id, token, None, checked_icon(icon))

    async def _change(self, id: str, token: str, total: int | None, icon: str | None) -> Likes:
        owner = await self._verified_owner(id, token)
        await self._store.run(SetLike(id=id, owner=owner, total=total, icon=icon))
        return await self.get(id)

    async def export(self, id: str, token: str) -> LikeExport:
        await self._verified_owner(id, token)
        record = await self._record(id)
        return LikeExport(
            url=record.url,
            created=record.created,
            timezone=record.timezone,
            total=record.total_likes,
            icon=record.icon,
        )

    async def import_(self, id: str, token: str, given: LikeExport) -> Likes:
        return await self._change(id, token, checked_total(given.total), checked_icon(given.icon))


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
