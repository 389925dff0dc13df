"""`/widgets/ranking`."""

from html import escape
from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import replace

from townsquare.api import OWNER, WRITE, AnyEndpoint, Call, Content
from townsquare.kit.field_aliases import field_aliases
from townsquare.problems import Invalid
from townsquare.services.widgets import models
from townsquare.services.widgets.drawing import draw_ranking
from townsquare.services.widgets.problems import BadWebhook, Cooldown, EntryNotFound, WidgetNotFound
from townsquare.services.widgets.routes import inputs
from townsquare.services.widgets.routes.actions import OWNERS, Actions, known_theme, visitor_of, warn_if_given
from townsquare.services.widgets.routes.responses import Success, svg, text, unused
from townsquare.services.widgets.service.ranking import RankingService

Name = Annotated[str, Meta(description="1 to 50 characters")]
DisplayScore = Annotated[str, Meta(description="what to show instead of the number, at most 100 characters")]
MaxEntries = Annotated[int | None, field_aliases("max")]


class CreateRanking(inputs.Creation, rename="camel", kw_only=True):
    title: str | None = None
    description: str | None = None
    max_entries: MaxEntries = None
    sort_order: models.SortOrder | None = None


class Submit(inputs.WidgetReference, rename="camel", kw_only=True):
    name: Name
    score: float
    display_score: DisplayScore | None = None


class GetRanking(inputs.DisplayOptions, kw_only=True):
    token: inputs.OwnersView = ""
    limit: Annotated[int, Meta(ge=1, le=models.MOST_ENTRIES)] = models.DEFAULT_LIMIT


class UpdateRanking(inputs.Owned, rename="camel", kw_only=True):
    name: Name | None = None
    score: float | None = None
    display_score: DisplayScore | None = None
    title: str | None = None
    description: str | None = None
    max_entries: MaxEntries = None
    sort_order: models.SortOrder | None = None
    webhook: inputs.Webhook = None


class Remove(inputs.Owned, kw_only=True):
    name: Name


def ranking_endpoints(ranking: RankingService) -> list[AnyEndpoint]:
    actions = Actions("ranking", ranking, for_earlier_clients=with_escaped_scores)

    @actions.add_create(models.Standings, Invalid)
    async def create(call: Call, given: CreateRanking) -> Success[models.Standings]:
        """Make the ranking of a URL, or with its token find it."""
        return Success(await ranking.create(given.url, given.token, **inputs.creation_of(given)))

    async def submitted(call: Call, given: Submit, outcome: str) -> Success[models.Standings]:
        view = await ranking.get(await actions.id_of(call, given))
        accepted, rank = map(int, outcome.split())
        return Success(replace(view, accepted=bool(accepted), rank=rank or None))

    @actions.add("submit", limit=WRITE, errors=(WidgetNotFound, Cooldown, Invalid), replay=submitted)
    async def submit(call: Call, given: Submit) -> Success[models.Standings]:
        """Enter a score; `accepted` says whether it got a place."""
        shown = await ranking.submit(
            await actions.id_of(call, given),
            visitor_of(call),
            given.name,
            given.score,
            display_score=given.display_score,
        )
        return Success(shown)

    @actions.add("get", "display", reads=True, cost=inputs.owners_cost)
    async def get(call: Call, given: GetRanking) -> Success[models.Standings] | Content:
        """The best entries."""
        standings = await ranking.top(await actions.id_of(call, given), given.limit)
        await actions.add_owner_settings(given, standings)
        return show(call, standings, given, actions.format_of(call, given))

    @actions.add(
        "update", "updateSettings", limit=OWNER, errors=(*OWNERS, EntryNotFound, Invalid, BadWebhook)
    )
    async def update(call: Call, given: UpdateRanking) -> Success[models.Standings]:
        """Change one score (with name and score), or the settings (owner)."""
        if (given.name is None) != (given.score is None) or (given.name is None and given.display_score):
            raise Invalid("Name and score are given together, displayScore with them")
        changes = inputs.settings_of(given, "name", "score", "display_score")
        ranking.check_webhook(given.webhook)
        ranking.check_settings(**changes)
        id = await actions.id_of(call, given)
        if given.name is not None and given.score is not None:
            await ranking.set_score(
                id, given.token, given.name, given.score, display_score=given.display_score
            )
        if changes:
            await ranking.update(id, given.token, **changes)
        verified = bool(changes) or given.name is not None
        return await actions.finish_update(call, id, given.token, given.webhook, verified=verified)

    @actions.add("remove", limit=OWNER, errors=OWNERS)
    async def remove(call: Call, given: Remove) -> Success[models.Standings]:
        """Take a name out (owner)."""
        id = await actions.id_of(call, given)
        try:
            return Success(await ranking.remove(id, given.token, given.name))
        except EntryNotFound:
            unused(call, "name", "nobody of this name is in the ranking")
            return Success(await ranking.get(id))

    @actions.add("clear", limit=OWNER, errors=OWNERS)
    async def clear(call: Call, given: inputs.Owned) -> Success[models.Standings]:
        """Take everybody out (owner)."""
        return Success(await ranking.clear(await actions.id_of(call, given), given.token))

    actions.add_shared(models.Standings, models.RankingExport)
    return actions.endpoints


def show(
    call: Call, standings: models.Standings, options: GetRanking, format: str
) -> Success[models.Standings] | Content:
    if format == "json":
        warn_if_given(call, options, format, "theme")
        return Success(standings)
    if format == "text":
        warn_if_given(call, options, format, "theme")
        rows = (f"{one.rank}. {one.name} {one.display_score or one.score}\n" for one in standings.entries)
        return text("".join(rows))
    return svg(draw_ranking(standings.title, standings.entries, known_theme(call, options)))


def with_escaped_scores(data: Any) -> Any:
    """Earlier clients write `displayScore` into their HTML as it comes."""
    if isinstance(data, dict):
        return {name: with_escaped_scores(one) for name, one in data.items()}
    if isinstance(data, models.Standings):
        return replace(data, entries=[with_escaped_score(entry) for entry in data.entries])
    return data


def with_escaped_score(entry: models.RankingEntry) -> models.RankingEntry:
    return replace(entry, display_score=escape(entry.display_score)) if entry.display_score else entry
