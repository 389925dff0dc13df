"""Old-web widgets that a person puts on a page with one line of HTML, without an account."""

from pathlib import Path
from typing import TYPE_CHECKING

from townsquare.service import CommandGroup, Imported, Link, Pages, Service
from townsquare.services.widgets.keys import widgets as keyspace

if TYPE_CHECKING:
    from townsquare.service_resources import Resources
    from townsquare.services.widgets.service import Widgets

FOLDER = Path(__file__).parent


def build(square: "Resources") -> "Widgets":
    from townsquare.services.widgets.service import Widgets

    return Widgets(square.store, square.jobs, square.secret, first_secret=square.former_secrets.first)


SERVICE: "Service[Widgets]" = Service(
    name="widgets",
    keyspace=keyspace,
    build=build,
    endpoints=Imported("townsquare.services.widgets.routes:endpoints"),
    pages=Pages(
        links=[Link("Widgets", "/widgets", "Make a counter, a like button, a ranking or a board")],
        assets=FOLDER / "pages" / "assets",
    ),
    components=FOLDER / "components",
    commands=[
        CommandGroup("show", "", "townsquare.services.widgets.commands:show"),
        CommandGroup("delete", "", "townsquare.services.widgets.commands:delete"),
    ],
    cleanup=Imported("townsquare.services.widgets.commands:clean_up"),
    privacy=None,  # no account is behind a widget
    close=lambda widgets: widgets.close(),
)
