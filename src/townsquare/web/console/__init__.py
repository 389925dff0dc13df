"""The console for admins, at /console.

A page is a frame without data, which everyone may read. Its script requests the view of the page, rendered
HTML, with the access token of the admin: a browser does not send that token by itself, so another site cannot
act as the admin. Every view and every action is for admins only, and every action is in the audit log.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from townsquare.api import AnyEndpoint, Auth, Call, HtmlPage, Nothing
from townsquare.kit.files import REVALIDATED, Assets
from townsquare.kit.templates import NOTHING, Markup, Templates, fill, joined
from townsquare.routes import Routes
from townsquare.services.accounts.first_admin import PAGE as FIRST_ADMIN_PAGE
from townsquare.square import Square
from townsquare.web.console import community_views, data_views, views
from townsquare.web.console.actions import action_routes
from townsquare.web.console.context import ConsoleContext
from townsquare.web.console.overview import overview
from townsquare.web.metrics import Metrics

FOLDER = Path(__file__).parent / "pages"
ASSETS = Assets("/console/assets", FOLDER / "assets", REVALIDATED)
templates = Templates(FOLDER)


class RenderedView(msgspec.Struct):
    """The content of a page, as HTML."""

    html: str


class Room(NamedTuple):
    """A page of the console. `listed` is False for a page that another one links to."""

    path: str  # below /console
    title: str
    input: type[Any]
    render: Callable[..., Awaitable[Markup]]
    listed: bool = True
    service: str = ""  # without which there is no such page

    @property
    def view(self) -> str:
        return self.path.strip("/") or "overview"


ROOMS = [
    Room("", "Overview", Nothing, overview),
    Room("/users", "Users", views.UserQuery, views.users),
    Room("/user", "User", views.ShownUser, views.user, listed=False),
    Room("/user/deletion", "Deletion", views.ShownUser, views.deletion, listed=False),
    Room("/sites", "Sites", community_views.SiteQuery, community_views.sites, service="threads"),
    Room(
        "/moderation", "Moderation", community_views.SiteQuery, community_views.moderation, service="threads"
    ),
    Room("/widgets", "Widgets", community_views.WidgetQuery, community_views.widgets, service="widgets"),
    Room("/jobs", "Jobs", Nothing, views.jobs),
    Room("/keys", "Keys", data_views.KeyQuery, data_views.keys),
    Room("/integrity", "Integrity", Nothing, data_views.integrity),
    Room("/doctor", "Doctor", Nothing, views.doctor),
    Room("/backups", "Backups", Nothing, views.backups),
    Room("/settings", "Settings", Nothing, views.settings),
    Room("/audit", "Audit log", views.PageQuery, views.audit),
]


def console_endpoints(square: Square, metrics: Metrics) -> list[AnyEndpoint]:
    enabled = {service.name for service, _ in square.enabled}
    rooms = [room for room in ROOMS if not room.service or room.service in enabled]
    pages = Routes("/console", tag="console")
    admin = Routes("/console", tag="console", auth=Auth.ADMIN, documented=False, unknown="ignore")
    for room in rooms:
        _add(pages, admin, room, rooms, square, metrics)

    @pages.page(FIRST_ADMIN_PAGE.removeprefix("/console"))
    async def first_admin(call: Call, given: Nothing) -> HtmlPage:
        return HtmlPage(
            title="The first admin",
            body=templates.fill("first_admin.html"),
            scripts=("/console/assets/first_admin.js",),
            headers={"Referrer-Policy": "no-referrer"},
            listed=False,
        )

    return [*pages.endpoints, *admin.endpoints, *action_routes(square, metrics, enabled).endpoints]


def _add(
    pages: Routes, admin: Routes, room: Room, rooms: list[Room], square: Square, metrics: Metrics
) -> None:
    body = templates.fill(
        "frame.html",
        title=room.title,
        view=room.view,
        rooms=joined(
            fill(
                '<a href="/console$path"$current>$title</a>',
                path=one.path,
                current=Markup(' aria-current="page"') if one is room else NOTHING,
                title=one.title,
            )
            for one in rooms
            if one.listed
        ),
    )

    async def frame(call: Call, given: Nothing) -> HtmlPage:
        return HtmlPage(
            title=f"{room.title} · Console",
            body=body,
            styles=("/console/assets/console.css",),
            scripts=("/console/assets/console.js",),
            listed=False,
        )

    async def view(call: Call, given: Any) -> RenderedView:
        return RenderedView(await room.render(ConsoleContext(square, metrics, call), given))

    view.__annotations__["given"] = room.input
    pages.page(room.path)(frame)
    admin.get(f"/views/{room.view}")(view)
