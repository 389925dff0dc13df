"""The actions of one widget: each by GET and by POST, under every path that clients know."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from townsquare.api import CREATE, OWNER, READ, AnyEndpoint, Call, Endpoint, Limit
from townsquare.problems import Invalid, Problem
from townsquare.services.widgets.problems import BadToken, BadUrl, WidgetNotFound, WrongToken
from townsquare.services.widgets.routes.answers import Gone, Named, Success, failure
from townsquare.services.widgets.routes.inputs import Batch, Import, Lookup, Owned, Rotate, Which, document
from townsquare.services.widgets.service.widget import WidgetService
from townsquare.services.widgets.visitors import Visitor

I = TypeVar("I", bound=msgspec.Struct)  # noqa: E741 - the input struct

OWNERS = (WidgetNotFound, WrongToken)


class Actions:
    def __init__(self, name: str, service: WidgetService[Any, Any, Any]) -> None:
        self._path = f"/widgets/{name}"
        self._aliases = (f"/api/{name}", f"/{name}")  # two generations of earlier clients
        self._service = service
        self.endpoints: list[AnyEndpoint] = []

    def add(
        self,
        *names: str,
        run: Callable[[Call, I], Awaitable[object]],
        input: type[I],
        output: Any,
        limit: Limit = READ,
        errors: tuple[type[Problem], ...] = (WidgetNotFound,),
        creates: bool = False,
    ) -> None:
        """One action, by any of these names."""
        self.endpoints += [
            Endpoint(
                method=method,
                path=self._path,
                aliases=self._aliases,
                action=name,
                run=run,
                input=input,
                output=Success[output],
                tag="widgets",
                limit=limit,
                errors=errors,
                creates=creates,
                open_to_any_origin=True,
                on_problem=failure,
            )
            for name in names
            for method in ("GET", "POST")
        ]

    async def id_of(self, given: Which) -> str:
        if given.id:
            return given.id
        if given.url:
            return await self._service.find(given.url)
        raise Invalid("Say which widget: id or url")

    def add_shared(self, view: Any, export_model: type[msgspec.Struct]) -> None:
        """What every kind of widget can do."""
        service = self._service

        async def lookup(call: Call, given: Lookup) -> Success[Named]:
            """The id of a URL's widget (owner)."""
            return Success(Named(await service.lookup(given.url, given.token)))

        async def batch_get(call: Call, given: Batch) -> Success[dict[str, Any]]:
            """Many widgets at once, under the ids and URLs they were asked for."""
            return Success(await service.get_batch(given.ids, given.urls.split(), visitor_of(call)))

        async def rotate_token(call: Call, given: Rotate) -> Success[Named]:
            """Replace the owner's token (owner)."""
            id = await self.id_of(given)
            await service.rotate_token(id, given.token, given.new_token)
            return Success(Named(id))

        async def export(call: Call, given: Owned) -> Success[Any]:
            """Everything that the widget knows (owner)."""
            return Success(await service.export(await self.id_of(given), given.token))

        async def import_(call: Call, given: Import) -> Success[Any]:
            """Replace everything that the widget knows by an export (owner)."""
            data = document(given.data, export_model, "data")
            return Success(await service.import_(await self.id_of(given), given.token, data))

        async def delete(call: Call, given: Owned) -> Success[Gone]:
            """Delete the widget with everything of its own (owner)."""
            id = await self.id_of(given)
            await service.delete(id, given.token)
            return Success(Gone(id))

        self.add(
            "lookup",
            run=lookup,
            input=Lookup,
            output=Named,
            limit=OWNER,
            errors=(*OWNERS, BadUrl),
        )
        self.add("batchGet", run=batch_get, input=Batch, output=dict[str, view], errors=(BadUrl,))
        self.add(
            "rotateToken",
            run=rotate_token,
            input=Rotate,
            output=Named,
            limit=OWNER,
            errors=(*OWNERS, BadToken),
        )
        self.add("export", run=export, input=Owned, output=export_model, limit=OWNER, errors=OWNERS)
        self.add("import", run=import_, input=Import, output=view, limit=CREATE, errors=(*OWNERS, Invalid))
        self.add("delete", run=delete, input=Owned, output=Gone, limit=OWNER, errors=OWNERS)


def visitor_of(call: Call) -> Visitor:
    return Visitor(call.ip, call.user_agent)
