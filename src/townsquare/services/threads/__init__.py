"""Comments on any page of any site: threads, votes, moderation, single sign-on."""

from pathlib import Path

from townsquare.service import AccountUpdates, Link, Pages, Privacy, Service
from townsquare.service_resources import Resources
from townsquare.services.accounts.service import Accounts
from townsquare.services.events import CommentedPosts
from townsquare.services.threads import keys, routes
from townsquare.services.threads.commands.comments import comment_commands
from townsquare.services.threads.commands.sites import site_commands
from townsquare.services.threads.pages import FOLDER
from townsquare.services.threads.service import Threads


def build(square: Resources) -> Threads:
    parts = (getattr(one, "posts", None) for one in square.services.values())
    posts = next((part for part in parts if isinstance(part, CommentedPosts)), None)
    return Threads(square, square.service(Accounts), posts)


SERVICE: Service[Threads] = Service(
    name="threads",
    keyspace=keys.threads,
    build=build,
    endpoints=routes.endpoints,
    sockets=routes.sockets,
    pages=Pages(
        links=[
            Link("Comments", "/threads", "Comments for any page of any site"),
            Link("Moderation", "/threads/moderation", "What waits for moderators, and what was reported"),
        ],
        assets=FOLDER / "assets",
    ),
    components=Path(__file__).parent / "components",
    commands=[site_commands, comment_commands],
    privacy=Privacy(
        export=lambda threads, account: threads.export_user(account.id),
        record=lambda account: keys.user(account.id),
        delete=lambda threads, account: threads.sites.forget_user(account.id),  # who never commented
        remains="the places of comments that have replies, without name or text",
    ),
    account_updates=AccountUpdates(
        apply=lambda threads, before, after: threads.commenters.apply_account_update(before, after)
    ),
    close=lambda threads: threads.close(),
)
