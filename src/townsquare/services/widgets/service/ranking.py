"""The ranking: one entry per name, the best score counts."""

from collections.abc import Sequence
from functools import partial
from math import isfinite

import msgspec

from townsquare.clock import day_of, from_iso, iso
from townsquare.problems import Invalid
from townsquare.services.widgets import models, scripts
from townsquare.services.widgets.ids import Visitor
from townsquare.services.widgets.keys import RANKING
from townsquare.services.widgets.service.widget import Dependencies, WidgetService, checked_id, existing
from townsquare.services.widgets.texts import line, lines

NAME_LENGTH, DISPLAY_LENGTH, TITLE_LENGTH, DESCRIPTION_LENGTH = 50, 100, 100, 500


class RankingService(WidgetService[models.RankingRecord, models.Standings, models.RankingExport]):
    most_at_once = 100  # each shows its best entries

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(RANKING, dependencies)

    async def create(
        self,
        url: str,
        token: str,
        *,
        title: str = "",
        description: str = "",
        max_entries: int = models.DEFAULT_ENTRIES,
        sort_order: models.SortOrder = "desc",
        webhook: str = "",
    ) -> models.Standings:
        """Create the ranking of a URL, or return the existing one to its owner."""
        checked_size(max_entries)
        meta = checked_meta(title, description)
        record_of = partial(models.RankingRecord, max_entries=max_entries, sort_order=sort_order)
        return await self._make(url, token, record_of, meta, webhook)

    async def submit(
        self, id: str, visitor: Visitor, name: str, score: float, *, display_score: str | None = None
    ) -> models.Standings:
        """Submit a score; `accepted` says whether it is better than the stored one."""
        checked_id(id)
        now = self._store.clock.now_ms()
        shown = await self._store.run(
            scripts.SubmitScore(
                id=id,
                visitor=visitor.hash(day_of(now), self._secret),
                name=checked_entry_name(name),
                score=checked_score(score),
                display=checked_display(display_score),
                now=now,
                stamp=iso(now),
                limit=models.DEFAULT_LIMIT,
            )
        )
        view = standings(id, shown)
        view.accepted, view.rank = shown.accepted, shown.rank or None
        if shown.accepted:
            self._send_webhook("submitted", view, shown.webhook)
        return view

    async def get_many(
        self, ids: Sequence[str], visitor: Visitor | None = None, *, limit: int = models.DEFAULT_LIMIT
    ) -> list[models.Standings | None]:
        if not 1 <= limit <= models.MOST_ENTRIES:
            raise Invalid(f"The limit is between 1 and {models.MOST_ENTRIES:,}")
        shown = await self._shown_many([scripts.ShowRanking(id=checked_id(id), limit=limit) for id in ids])
        return [standings(id, one) if one else None for id, one in zip(ids, shown, strict=True)]

    async def top(self, id: str, limit: int) -> models.Standings:
        """The best entries, at most `limit`."""
        (found,) = await self.get_many([id], limit=limit)
        return existing(found)

    async def set_score(
        self, id: str, token: str, name: str, score: float, *, display_score: str | None = None
    ) -> models.Standings:
        """Set the score of a name, even to a worse one (for the owner)."""
        name, score, display = checked_entry_name(name), checked_score(score), checked_display(display_score)
        owner = await self.verify_owner(id, token)
        stamp = iso(self._store.clock.now_ms())
        await self._store.run(
            scripts.SetScore(id=id, owner=owner, name=name, score=score, display=display, stamp=stamp)
        )
        return await self.get(id)

    async def update(
        self,
        id: str,
        token: str,
        *,
        title: str | None = None,
        description: str | None = None,
        max_entries: int | None = None,
        sort_order: models.SortOrder | None = None,
    ) -> models.Standings:
        """Change the settings (for the owner). A smaller `max_entries` drops the last places."""
        changes = self.check_settings(title=title, description=description, max_entries=max_entries)
        owner = await self.verify_owner(id, token)
        await self._store.run(
            scripts.ChangeRanking(
                id=id, owner=owner, max_entries=max_entries, sort_order=sort_order, meta=changes
            )
        )
        return await self.get(id)

    def check_settings(
        self,
        *,
        title: str | None = None,
        description: str | None = None,
        max_entries: int | None = None,
        sort_order: models.SortOrder | None = None,
    ) -> dict[str, str]:
        """Refuse invalid settings; returns the text settings as they are stored."""
        if max_entries is not None:
            checked_size(max_entries)
        given = {"title": title, "description": description}
        meta = msgspec.structs.asdict(checked_meta(title or "", description or ""))
        return {name: text for name, text in meta.items() if given[name] is not None}

    async def remove(self, id: str, token: str, name: str) -> models.Standings:
        """Remove an entry (for the owner)."""
        name = checked_entry_name(name)
        return await self._change(id, token, lambda owner: scripts.RemoveEntry(id=id, owner=owner, name=name))

    async def clear(self, id: str, token: str) -> models.Standings:
        """Remove all entries (for the owner)."""
        return await self._change(
            id, token, lambda owner: scripts.ChangeRanking(id=id, owner=owner, meta={}, entries="[]")
        )

    async def export(self, id: str, token: str) -> models.RankingExport:
        await self.verify_owner(id, token)
        record = await self._record(id)
        shown = await self.top(id, models.MOST_ENTRIES)
        return models.RankingExport(
            url=record.url,
            created=record.created,
            title=shown.title,
            description=shown.description,
            max_entries=shown.max_entries,
            sort_order=shown.sort_order,
            entries=[
                models.ExportedEntry(entry.name, entry.score, entry.display_score, entry.created_at)
                for entry in shown.entries
            ],
        )

    async def import_(self, id: str, token: str, given: models.RankingExport) -> models.Standings:
        checked_size(given.max_entries)
        now = iso(self._store.clock.now_ms())
        entries = [checked_entry(entry, now) for entry in given.entries]
        if len({entry.name for entry in entries}) != len(entries) or len(entries) > models.MOST_ENTRIES:
            raise Invalid(f"A ranking has at most {models.MOST_ENTRIES:,} entries, each name once")
        meta = msgspec.structs.asdict(checked_meta(given.title, given.description))
        texts = [{**msgspec.to_builtins(entry), "score": repr(entry.score)} for entry in entries]
        return await self._change(
            id,
            token,
            lambda owner: scripts.ChangeRanking(
                id=id,
                owner=owner,
                max_entries=given.max_entries,
                sort_order=given.sort_order,
                meta=meta,
                entries=msgspec.json.encode(texts).decode(),
                last_submit=max((entry.created_at or now for entry in entries), default=None),
            ),
        )


def checked_size(max_entries: int) -> int:
    if not 1 <= max_entries <= models.MOST_ENTRIES:
        raise Invalid(f"A ranking keeps 1 to {models.MOST_ENTRIES:,} entries")
    return max_entries


def checked_entry_name(name: str) -> str:
    name = line(name, NAME_LENGTH, "A name")
    if not name:
        raise Invalid("A name is needed")
    return name


def checked_score(score: float) -> float:
    if not isfinite(score):
        raise Invalid("A score is a finite number")
    return score + 0.0  # -0.0 is 0.0


def checked_display(display_score: str | None) -> str | None:
    return line(display_score or "", DISPLAY_LENGTH, "The displayed score") or None


def checked_meta(title: str, description: str) -> models.RankingMeta:
    return models.RankingMeta(
        line(title, TITLE_LENGTH, "The title"), lines(description, DESCRIPTION_LENGTH, "The description")
    )


def checked_entry(entry: models.ExportedEntry, now: str) -> models.ExportedEntry:
    try:
        created = iso(from_iso(entry.created_at)) if entry.created_at else now
    except (ValueError, OverflowError, OSError):
        raise Invalid("createdAt is a time in ISO 8601") from None
    return models.ExportedEntry(
        checked_entry_name(entry.name),
        checked_score(entry.score),
        checked_display(entry.display_score),
        created,
    )


def standings(id: str, shown: scripts.ShownRanking) -> models.Standings:
    meta = msgspec.json.decode(shown.meta or "{}", type=models.RankingMeta)
    order: models.SortOrder = "asc" if shown.sort_order == "asc" else "desc"
    return models.Standings(
        id=id,
        url=shown.url,
        title=meta.title,
        description=meta.description,
        sort_order=order,
        max_entries=shown.max_entries,
        total_entries=shown.total_entries,
        entries=[entry(rank, *row) for rank, row in enumerate(shown.rows, 1)],
        settings=models.RankingSettings(title=meta.title, max_entries=shown.max_entries, sort_order=order),
        last_submit=shown.last_submit,
    )


def entry(rank: int, name: str, score: float, text: str | None) -> models.RankingEntry:
    note = msgspec.json.decode(text, type=models.EntryNote) if text else None
    whole = score.is_integer() and abs(score) < 2**53
    return models.RankingEntry(
        rank=rank,
        name=name,
        score=int(score) if whole else score,
        display_score=note.display_score if note else None,
        created_at=note.created_at if note else None,
    )
