"""`/widgets/ranking`."""

from typing import Annotated

import msgspec
from msgspec import Meta

from townsquare.api import OWNER, WRITE, AnyEndpoint, Call, Content
from townsquare.problems import Invalid
from townsquare.services.widgets.drawing import draw_ranking
from townsquare.services.widgets.models.ranking import (
    DEFAULT_ENTRIES,
    DEFAULT_LIMIT,
    MOST_ENTRIES,
    RankingExport,
    SortOrder,
    Standings,
)
from townsquare.services.widgets.problems import BadWebhook, Cooldown, EntryNotFound, WidgetNotFound
from townsquare.services.widgets.routes.actions import OWNERS, Actions, visitor_of
from townsquare.services.widgets.routes.answers import Success, svg, text
from townsquare.services.widgets.routes.inputs import Look, Owned, Token, Webhook, Which
from townsquare.services.widgets.service.ranking import RankingService

Name = Annotated[str, Meta(description="1 to 50 characters")]
DisplayScore = Annotated[str, Meta(description="what to show instead of the number, at most 100 characters")]


class CreateRanking(msgspec.Struct, rename="camel"):
    url: str
    token: Token
    title: str = ""
    description: str = ""
    max_entries: int = DEFAULT_ENTRIES
    sort_order: SortOrder = "desc"


class Submit(Which, rename="camel", kw_only=True):
    name: Name
    score: float
    display_score: DisplayScore | None = None


class ReadRanking(Look, kw_only=True):
    limit: Annotated[int, Meta(ge=1, le=MOST_ENTRIES)] = DEFAULT_LIMIT


class UpdateRanking(Owned, rename="camel", kw_only=True):
    name: Name | None = None
    score: float | None = None
    display_score: DisplayScore | None = None
    title: str | None = None
    description: str | None = None
    max_entries: int | None = None
    sort_order: SortOrder | None = None
    webhook: Webhook | None = None


class Remove(Owned, kw_only=True):
    name: Name


def ranking_endpoints(ranking: RankingService) -> list[AnyEndpoint]:
    actions = Actions("ranking", ranking)

    @actions.add_create(Invalid)
    async def create(call: Call, given: CreateRanking) -> Success[Standings]:
        """Make the ranking of a URL, or with its token find it."""
        made = await ranking.create(
            given.url,
            given.token,
            title=given.title,
            description=given.description,
            max_entries=given.max_entries,
            sort_order=given.sort_order,
        )
        return Success(made)

    @actions.add("submit", limit=WRITE, errors=(WidgetNotFound, Cooldown, Invalid), creates=True)
    async def submit(call: Call, given: Submit) -> Success[Standings]:
        """Enter a score; `accepted` says whether it got a place."""
        shown = await ranking.submit(
            await actions.id_of(given),
            visitor_of(call),
            given.name,
            given.score,
            display_score=given.display_score,
        )
        return Success(shown)

    @actions.add("get", "display")
    async def get(call: Call, given: ReadRanking) -> Success[Standings] | Content:
        """The best entries."""
        return show(await ranking.top(await actions.id_of(given), given.limit), given)

    @actions.add("update", limit=OWNER, errors=(*OWNERS, EntryNotFound, Invalid, BadWebhook))
    async def update(call: Call, given: UpdateRanking) -> Success[Standings]:
        """Change one score (with name and score), or the settings (owner)."""
        id, secret = await actions.set_webhook(given, given.webhook)
        if given.name is not None:
            if given.score is None:
                raise Invalid("Give the score with the name")
            await ranking.set_score(
                id, given.token, given.name, given.score, display_score=given.display_score
            )
        names = ("title", "description", "max_entries", "sort_order")
        changes = {name: value for name in names if (value := getattr(given, name)) is not None}
        if changes:
            await ranking.update(id, given.token, **changes)
        return await actions.changed(call, id, secret)

    @actions.add("remove", limit=OWNER, errors=(*OWNERS, EntryNotFound))
    async def remove(call: Call, given: Remove) -> Success[Standings]:
        """Take a name out (owner)."""
        return Success(await ranking.remove(await actions.id_of(given), given.token, given.name))

    @actions.add("clear", limit=OWNER, errors=OWNERS)
    async def clear(call: Call, given: Owned) -> Success[Standings]:
        """Take everybody out (owner)."""
        return Success(await ranking.clear(await actions.id_of(given), given.token))

    actions.add_shared(Standings, RankingExport)
    return actions.endpoints


def show(standings: Standings, look: ReadRanking) -> Success[Standings] | Content:
    if look.format == "json":
        return Success(standings)
    if look.format == "text":
        rows = (f"{one.rank}. {one.name} {one.display_score or one.score}\n" for one in standings.entries)
        return text("".join(rows))
    return svg(draw_ranking(standings.title, standings.entries, look.theme))
