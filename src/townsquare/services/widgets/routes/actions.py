"""The actions of one widget: each by GET and by POST, under every path and name of earlier clients."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Annotated, Any, Unpack

from msgspec import UNSET, UnsetType

from townsquare.api import CREATE, OWNER, READ, Call, Content
from townsquare.problems import Invalid, Problem
from townsquare.routes import EndpointOptions, Routes, Run
from townsquare.services.widgets import problems
from townsquare.services.widgets.drawing import THEMES
from townsquare.services.widgets.ids import Visitor
from townsquare.services.widgets.models import OwnerSettings, WidgetView
from townsquare.services.widgets.routes import inputs, responses
from townsquare.services.widgets.service.widget import WidgetService

WIDGET = {"id": "example-100680ad", "ids": ["example-100680ad"], "token": "a-secret-of-mine"}
OWNERS = (problems.WidgetNotFound, problems.WrongToken)
PICTURES = ("image", "svg")
STAYS = "the widget exists already, and stays as it is"
OUR_PREFIX = "/widgets/"


class Actions:
    """`pictures` are the actions whose default format is a picture; `for_earlier_clients` converts the
    `data` of a response for the pages of earlier clients."""

    def __init__(
        self,
        name: str,
        service: WidgetService[Any, Any, Any],
        *,
        pictures: tuple[str, ...] = (),
        for_earlier_clients: Callable[[Any], Any] | None = None,
    ) -> None:
        self._name = name
        self._service = service
        self._pictures = pictures
        self._for_earlier_clients = for_earlier_clients
        self._routes = Routes(
            f"{OUR_PREFIX}{name}",
            tag="widgets",
            other_prefixes=(f"/api/{name}", f"/{name}"),  # two generations of earlier clients
            limit=READ,
            errors=(problems.WidgetNotFound,),
            open_to_any_origin=True,
            unknown="warn",
            on_problem=self._failure,
            adapt=self._adapt,
            example=WIDGET,
        )
        self.endpoints = self._routes.endpoints

    def add(self, *names: str, **options: Unpack[EndpointOptions]) -> Callable[[Run], Run]:
        """One action, by any of these names."""

        def declared(run: Run) -> Run:
            for name in names:
                for method in ("GET", "POST"):  # clients of the old web write by GET too
                    merged: EndpointOptions = {**options, "action": name}
                    self._routes.declare(method, "", **merged)(run)
            return run

        return declared

    def add_create(self, view: type[WidgetView], *errors: type[Problem]) -> Callable[[Run], Run]:
        """`create`, which returns a new widget, or the existing one to its owner."""
        refusals = (problems.BadUrl, problems.BadToken, problems.WrongToken, problems.WidgetBeingDeleted)
        model = responses.flat_model(view)

        async def created(call: Call, given: inputs.Creation, id: str) -> Any:
            view = await self._service.created(id, given.webhook or "")
            return responses.flat(model, self._adapted(call, responses.Success(view)))

        def declared(run: Run) -> Run:
            @self.add(
                "create",
                limit=CREATE,
                errors=(*refusals, problems.BadWebhook, *errors),
                replay=created,
                output=model,
            )
            @wraps(run)
            async def create(call: Call, given: inputs.Creation) -> Any:
                made = self._adapted(call, await run(call, given))
                if made.data.existed is True:
                    for name in [*inputs.settings_of(given), *(["webhook"] if given.webhook else [])]:
                        responses.unused(call, encoded_name(given, name), STAYS)
                return responses.flat(model, made)

            return run

        return declared

    async def id_of(self, call: Call, given: inputs.NamesWidget) -> str:
        if given.id:
            if given.url:
                responses.unused(call, "url", "the id says which widget")
            return given.id
        if given.url:
            return await self._service.find(given.url)
        raise Invalid("Give the id or the url of the widget")

    def format_of(self, call: Call, given: inputs.DisplayOptions, usual: str = "json") -> str:
        """The format of the response: as requested, or a picture if the client accepts only pictures."""
        if given.format:
            return "image" if given.format in PICTURES else given.format
        return "image" if takes_pictures(call) else usual

    async def add_owner_settings(self, given: inputs.ShowsToken, view: Any) -> None:
        """Add the owner's settings if the request has the owner token."""
        if not given.token:
            return
        webhook = await self._service.webhook_of(view.id, given.token)
        if view.settings is UNSET:
            view.settings = OwnerSettings()
        view.settings.webhook_url = webhook

    async def finish_update(
        self, call: Call, id: str, token: str, webhook: str | None, *, verified: bool
    ) -> responses.Success[Any]:
        """Set the webhook if one is given, and return the widget. `verified`: the token is checked."""
        secret: str | UnsetType = UNSET
        if webhook is not None:
            secret = await self._service.set_webhook(id, token, webhook) or UNSET
        elif not verified:
            await self._service.verify_owner(id, token)
        shown = await self._service.get(id, visitor_of(call))
        shown.webhook_secret = secret
        return responses.Success(shown)

    async def update(
        self, call: Call, given: Any, change: Callable[..., Awaitable[Any]]
    ) -> responses.Success[Any]:
        """Change the given settings by a method of the service, then the webhook (owner)."""
        self._service.check_webhook(given.webhook)
        id = await self.id_of(call, given)
        if changes := inputs.settings_of(given):
            await change(id, given.token, **changes)
        return await self.finish_update(call, id, given.token, given.webhook, verified=bool(changes))

    def add_shared(self, view: Any, export_model: Any) -> None:
        """Actions of every kind of widget."""
        service = self._service

        @self.add("lookup", limit=OWNER, errors=(*OWNERS, problems.BadUrl))
        async def lookup(call: Call, given: inputs.Lookup) -> responses.Success[responses.Named]:
            """The id of a URL's widget (owner)."""
            return responses.Success(responses.Named(await service.lookup(given.url, given.token)))

        @self.add(
            "batchGet",
            reads=True,
            cost=inputs.batch_cost,
            errors=(problems.BadUrl,),
            output=responses.Success[dict[str, view]],
        )
        async def batch_get(call: Call, given: inputs.Batch) -> responses.Success[dict[str, Any]]:
            """Many widgets, under the requested ids and URLs."""
            found = await service.get_batch(given.ids, given.urls.split(), visitor_of(call))
            for name, asked in (("ids", given.ids), ("urls", given.urls.split())):
                if missing := [one for one in asked if one not in found]:
                    responses.unused(call, name, f"there is no widget of {', '.join(missing[:3])}"[:150])
            blanks = service.blanks([one for one in given.ids if one not in found])
            return responses.Success({**blanks, **found})

        @self.add("rotateToken", limit=OWNER, errors=(*OWNERS, problems.BadToken))
        async def rotate_token(call: Call, given: inputs.Rotate) -> responses.Success[responses.Named]:
            """Replace the owner's token (owner)."""
            id = await self.id_of(call, given)
            await service.rotate_token(id, given.token, given.new_token)
            return responses.Success(responses.Named(id))

        @self.add("export", limit=OWNER, errors=OWNERS, output=responses.Success[export_model])
        async def export(call: Call, given: inputs.Owned) -> responses.Success[Any]:
            """All data of the widget (owner)."""
            return responses.Success(await service.export(await self.id_of(call, given), given.token))

        exported = {"total": 100} if hasattr(export_model, "total") else {"service": self._name}

        @self.add(
            "import",
            limit=CREATE,
            errors=(*OWNERS, Invalid),
            output=responses.Success[view],
            example={**WIDGET, "data": exported},
        )
        async def import_(call: Call, given: inputs.Import) -> responses.Success[Any]:
            """Replace all data of the widget by an export (owner)."""
            data = inputs.document(given.data, export_model, "data")
            return responses.Success(await service.import_(await self.id_of(call, given), given.token, data))

        @self.add("delete", limit=OWNER, errors=OWNERS)
        async def delete(call: Call, given: inputs.Owned) -> responses.Success[responses.Gone]:
            """Delete the widget and all its data (owner)."""
            id = await self.id_of(call, given)
            await service.delete(id, given.token)
            return responses.Success(responses.Gone(id))

    def _adapt(self, answer: Any, call: Call) -> Any:
        if self._for_earlier_clients is not None:
            answer = self._adapted(call, answer)
        return responses.add_warnings(answer, call) if call.unknown else answer

    def _adapted(self, call: Call, answer: Any) -> Any:
        if self._for_earlier_clients and isinstance(answer, responses.Success) and is_earlier_client(call):
            answer.data = self._for_earlier_clients(answer.data)
        return answer

    def _failure(self, problem: Problem, call: Call) -> Annotated[Content, "image/svg+xml"]:
        asked = call.query.get("format")
        usual = call.query.get("action") in self._pictures or takes_pictures(call)
        return responses.failure(problem, call, picture=asked in PICTURES if asked else usual)


def visitor_of(call: Call) -> Visitor:
    return Visitor(call.ip, call.user_agent)


def takes_pictures(call: Call) -> bool:
    """Whether an <img> sent the request."""
    return call.headers.get("accept", "").startswith("image/")


def is_earlier_client(call: Call) -> bool:
    return not call.route.startswith(OUR_PREFIX)


def warn_if_given(call: Call, given: inputs.DisplayOptions, format: str, *names: str) -> None:
    """Warn about parameters that have no effect in this format."""
    for name in names:
        if getattr(given, name) is not None:
            responses.unused(call, name, f"an answer in {format} has none")


def known_theme(call: Call, given: inputs.DisplayOptions, *others: str) -> str:
    theme = given.theme or ""
    if theme and theme not in THEMES and theme not in others:
        responses.unused(call, "theme", "there is no such theme; light is drawn")
    return theme


def encoded_name(given: Any, name: str) -> str:
    return str(given.__struct_encode_fields__[given.__struct_fields__.index(name)])
