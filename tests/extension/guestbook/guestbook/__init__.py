"""A guest book: people with an account leave a few words."""

from pathlib import Path

from guestbook import routes
from guestbook.keys import guest, guestbook
from guestbook.service import Guestbook
from townsquare import AccountUpdates, CommandGroup, Link, Pages, Privacy, Service
from townsquare.services.accounts.service import Accounts

SERVICE: Service[Guestbook] = Service(
    name="guestbook",
    keyspace=guestbook,
    build=lambda square: Guestbook(square.store, square.service(Accounts)),
    endpoints=routes.endpoints,
    pages=Pages(
        links=[Link("Guest book", "/guestbook", "Read what guests have written")],
        assets=Path(__file__).parent / "pages" / "assets",
    ),
    commands=[
        CommandGroup("guestbook", "Read and write the guest book.", "guestbook.commands:commands"),
    ],
    privacy=Privacy(
        export=lambda guestbook, user: guestbook.entries_of(user.id),
        record=lambda user: guest(user.id),
    ),
    account_updates=AccountUpdates(apply=Guestbook.apply_account_update),
)
