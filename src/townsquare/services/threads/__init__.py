"""Comments on any page of any site: threads, votes, moderation, single sign-on."""

from townsquare.service import AccountUpdates, Privacy, Service
from townsquare.services.accounts.service import Accounts
from townsquare.services.threads import keys, routes
from townsquare.services.threads.commands import site_commands
from townsquare.services.threads.service import Threads

SERVICE: Service[Threads] = Service(
    name="threads",
    keyspace=keys.threads,
    build=lambda square: Threads(square, square.service(Accounts)),
    endpoints=routes.endpoints,
    sockets=routes.sockets,
    commands=[site_commands],
    privacy=Privacy(
        export=lambda threads, account: threads.commenters.export(account.id),
        record=lambda account: keys.user(account.id),
        remains="the places of comments that have replies, without name or text",
    ),
    account_updates=AccountUpdates(
        apply=lambda threads, before, after: threads.commenters.apply_account_update(before, after)
    ),
    close=lambda threads: threads.close(),
)
