"""The actions of one widget: each by GET and by POST, under every path that clients know."""

from collections.abc import Callable
from typing import Any, Unpack

from msgspec import UNSET, UnsetType

from townsquare.api import CREATE, OWNER, READ, Call, EndpointOptions, Routes, Run
from townsquare.problems import Invalid, Problem
from townsquare.services.widgets import problems
from townsquare.services.widgets.routes.answers import Gone, Named, Success, failure
from townsquare.services.widgets.routes.inputs import (
    Batch,
    Import,
    Lookup,
    Owned,
    Rotate,
    Which,
    batch_cost,
    document,
)
from townsquare.services.widgets.service.widget import WidgetService
from townsquare.services.widgets.visitors import Visitor

OWNERS = (problems.WidgetNotFound, problems.WrongToken)


class Actions:
    def __init__(self, name: str, service: WidgetService[Any, Any, Any]) -> None:
        self._service = service
        self._routes = Routes(
            f"/widgets/{name}",
            tag="widgets",
            aliases=(f"/api/{name}", f"/{name}"),  # two generations of earlier clients
            limit=READ,
            errors=(problems.WidgetNotFound,),
            open_to_any_origin=True,
            unknown="tell",
            on_problem=failure,
        )
        self.endpoints = self._routes.endpoints

    def add(self, *names: str, **options: Unpack[EndpointOptions]) -> Callable[[Run], Run]:
        """One action, by any of these names."""

        def declared(run: Run) -> Run:
            for name in names:
                for method in ("GET", "POST"):
                    said: EndpointOptions = {**options, "action": name}
                    self._routes.declare(method, "", **said)(run)
            return run

        return declared

    def add_create(self, *errors: type[Problem]) -> Callable[[Run], Run]:
        refusals = (problems.BadUrl, problems.BadToken, problems.WrongToken, problems.WidgetBeingDeleted)
        return self.add("create", limit=CREATE, errors=(*refusals, *errors), creates=True)

    async def id_of(self, given: Which) -> str:
        if given.id:
            return given.id
        if given.url:
            return await self._service.find(given.url)
        raise Invalid("Say which widget: id or url")

    async def set_webhook(self, given: Owned, webhook: str | None) -> tuple[str, str | UnsetType]:
        """The id of the widget and, if a webhook was given, the key that signs what it is told."""
        id = await self.id_of(given)
        key = None if webhook is None else await self._service.set_webhook(id, given.token, webhook)
        return id, key or UNSET

    async def changed(self, call: Call, id: str, webhook_secret: str | UnsetType) -> Success[Any]:
        """The widget as it is after an update."""
        shown = await self._service.get(id, visitor_of(call))
        shown.webhook_secret = webhook_secret
        return Success(shown)

    def add_shared(self, view: Any, export_model: Any) -> None:
        """What every kind of widget can do."""
        service = self._service

        @self.add("lookup", limit=OWNER, errors=(*OWNERS, problems.BadUrl))
        async def lookup(call: Call, given: Lookup) -> Success[Named]:
            """The id of a URL's widget (owner)."""
            return Success(Named(await service.lookup(given.url, given.token)))

        @self.add("batchGet", cost=batch_cost, errors=(problems.BadUrl,), output=Success[dict[str, view]])
        async def batch_get(call: Call, given: Batch) -> Success[dict[str, Any]]:
            """Many widgets at once, under the ids and URLs they were asked for."""
            return Success(await service.get_batch(given.ids, given.urls.split(), visitor_of(call)))

        @self.add("rotateToken", limit=OWNER, errors=(*OWNERS, problems.BadToken))
        async def rotate_token(call: Call, given: Rotate) -> Success[Named]:
            """Replace the owner's token (owner)."""
            id = await self.id_of(given)
            await service.rotate_token(id, given.token, given.new_token)
            return Success(Named(id))

        @self.add("export", limit=OWNER, errors=OWNERS, output=Success[export_model])
        async def export(call: Call, given: Owned) -> Success[Any]:
            """Everything that the widget knows (owner)."""
            return Success(await service.export(await self.id_of(given), given.token))

        @self.add("import", limit=CREATE, errors=(*OWNERS, Invalid), output=Success[view])
        async def import_(call: Call, given: Import) -> Success[Any]:
            """Replace everything that the widget knows by an export (owner)."""
            data = document(given.data, export_model, "data")
            return Success(await service.import_(await self.id_of(given), given.token, data))

        @self.add("delete", limit=OWNER, errors=OWNERS)
        async def delete(call: Call, given: Owned) -> Success[Gone]:
            """Delete the widget with everything of its own (owner)."""
            id = await self.id_of(given)
            await service.delete(id, given.token)
            return Success(Gone(id))


def visitor_of(call: Call) -> Visitor:
    return Visitor(call.ip, call.user_agent)
