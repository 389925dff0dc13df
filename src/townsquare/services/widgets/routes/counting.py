"""Additional actions of widgets with a total: create many at once, and sum totals."""

from typing import Any

from townsquare.api import CREATE, Call
from townsquare.problems import Invalid
from townsquare.services.widgets.problems import BadToken, BadUrl, WidgetBeingDeleted
from townsquare.services.widgets.routes.actions import Actions
from townsquare.services.widgets.routes.inputs import CreateMany, NewWidget, Prefix, document
from townsquare.services.widgets.routes.responses import CreatedMany, Sum, unused
from townsquare.services.widgets.service.daily import DailyWidgetService


def add_counting(actions: Actions, service: DailyWidgetService[Any, Any, Any]) -> None:
    @actions.add("sumByPrefix", reads=True, errors=(Invalid,))
    async def sum_by_prefix(call: Call, given: Prefix) -> Sum:
        """The totals of all widgets whose id begins so."""
        return Sum(await service.sum_by_prefix(given.prefix))

    @actions.add("batchCreate", limit=CREATE, errors=(BadUrl, BadToken, WidgetBeingDeleted, Invalid))
    async def batch_create(call: Call, given: CreateMany) -> CreatedMany:
        """Make the widgets of many URLs; those that have one are skipped."""
        items = document(given.items, list[NewWidget], "items")
        made = await service.create_many([item.url for item in items], given.token)
        for item, one in zip(items, made, strict=True):
            if item.id not in ("", one.id):
                unused(call, "items", f"the id of {item.url[:100]} is {one.id}, which follows from its URL")
        created = sum(one.outcome == "made" for one in made)
        ids = {item.url: one.id for item, one in zip(items, made, strict=True)}
        return CreatedMany(created, len(made) - created, ids)
