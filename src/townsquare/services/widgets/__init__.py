"""Old-web widgets that a person puts on a page with one line of HTML, without an account."""

from pathlib import Path

from townsquare.service import Link, Pages, Service
from townsquare.services.widgets import commands, routes
from townsquare.services.widgets.keys import widgets as keyspace
from townsquare.services.widgets.service import Widgets

FOLDER = Path(__file__).parent

SERVICE: Service[Widgets] = Service(
    name="widgets",
    keyspace=keyspace,
    build=lambda square: Widgets(square.store, square.jobs, square.secret),
    endpoints=routes.endpoints,
    pages=Pages(
        links=[Link("Widgets", "/widgets", "Make a counter, a like button, a ranking or a board")],
        assets=FOLDER / "pages" / "assets",
    ),
    components=FOLDER / "components",
    commands=[commands.show, commands.delete],
    cleanup=commands.clean_up,
    privacy=None,  # no account is behind a widget
    close=Widgets.close,
)
