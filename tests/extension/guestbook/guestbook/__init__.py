"""A guest book: people with an account leave a few words."""

from pathlib import Path

from guestbook import routes
from guestbook.commands import commands
from guestbook.keys import guest, guestbook
from guestbook.service import Guestbook
from townsquare import Link, Pages, Privacy, Service

SERVICE: Service[Guestbook] = Service(
    name="guestbook",
    keyspace=guestbook,
    build=lambda square: Guestbook(square.store),
    endpoints=routes.endpoints,
    pages=Pages(
        links=[Link("Guest book", "/guestbook", "Read what guests have written")],
        assets=Path(__file__).parent / "pages" / "assets",
    ),
    commands=[commands],
    privacy=Privacy(
        export=lambda guestbook, user: guestbook.entries_of(user.id),
        record=lambda user: guest(user.id),
    ),
)
