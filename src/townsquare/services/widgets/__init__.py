"""Old-web widgets that a person puts on a page with one line of HTML, without an account."""

from pathlib import Path
from typing import TYPE_CHECKING

from townsquare.service import CommandGroup, Example, Imported, Link, Pages, Service
from townsquare.services.widgets.keys import widgets as keyspace

if TYPE_CHECKING:
    from townsquare.service_resources import Resources
    from townsquare.services.widgets.service import Widgets

FOLDER = Path(__file__).parent


def build(square: "Resources") -> "Widgets":
    from townsquare.services.widgets.service import Widgets

    return Widgets(square.store, square.jobs, square.secret, first_secret=square.former_secrets.first)


def _example(name: str, title: str, element: str) -> Example:
    script = f'<script type="module" src="{{base}}/components/{name}.js"></script>'
    return Example(name, title, f"{script}\n{element}", "/widgets/assets/example.js")


SERVICE: "Service[Widgets]" = Service(
    name="widgets",
    keyspace=keyspace,
    build=build,
    endpoints=Imported("townsquare.services.widgets.routes:endpoints"),
    pages=Pages(
        links=[
            Link(
                "Widgets",
                "/widgets",
                "Make a counter, a like button, a ranking or a board",
                action="Make a widget",
                examples=[
                    _example("counter", "Counter", '<ts-counter id="…" theme="retro"></ts-counter>'),
                    _example("like", "Like button", '<ts-like id="…"></ts-like>'),
                ],
            )
        ],
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
