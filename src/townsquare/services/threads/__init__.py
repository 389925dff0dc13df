"""Comments on any page of any site: threads, votes, moderation, single sign-on."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from townsquare.service import AccountUpdates, CommandGroup, Example, Imported, Link, Pages, Privacy, Service
from townsquare.services.threads import keys

if TYPE_CHECKING:
    from townsquare.service_resources import Resources
    from townsquare.services.accounts.models import User
    from townsquare.services.events import NotificationSource, UserSnapshot
    from townsquare.services.threads.service import Threads

FOLDER = Path(__file__).parent
EXAMPLE = (
    '<script type="module" src="{base}/components/comments.js"></script>\n'
    '<ts-comments site="tsq_pub_…"></ts-comments>'
)


def build(square: "Resources") -> "Threads":
    from townsquare.services.accounts.service import Accounts
    from townsquare.services.events import CommentedPosts, ImageStore
    from townsquare.services.threads.service import Threads

    parts = (getattr(one, "posts", None) for one in square.services.values())
    posts = next((part for part in parts if isinstance(part, CommentedPosts)), None)
    images = next((one for one in square.services.values() if isinstance(one, ImageStore)), None)
    return Threads(square, square.service(Accounts), posts, images)


async def export(threads: "Threads", account: "User") -> Any:
    return await threads.export_user(account.id)


async def forget(threads: "Threads", account: "User") -> int:
    """Of an account that never commented."""
    return await threads.sites.forget_user(account.id)


def notifications(threads: "Threads") -> "NotificationSource":
    return threads.account_notifications


async def apply_update(
    threads: "Threads", before: "UserSnapshot | None", after: "UserSnapshot | None"
) -> int:
    return await threads.commenters.apply_account_update(before, after)


SERVICE: "Service[Threads]" = Service(
    name="threads",
    keyspace=keys.threads,
    build=build,
    endpoints=Imported("townsquare.services.threads.routes:endpoints"),
    sockets=Imported("townsquare.services.threads.routes:sockets"),
    pages=Pages(
        links=[
            Link(
                "Comments",
                "/threads",
                "Threads, votes and moderation for any page of any site",
                action="Add comments to your site",
                examples=[Example("comments", "Comments", EXAMPLE, "/threads/assets/example.js")],
            ),
            Link("Moderation", "/threads/moderation", "Held comments and reports of your sites"),
        ],
        assets=FOLDER / "pages" / "assets",
    ),
    components=FOLDER / "components",
    commands=[
        CommandGroup(
            "site",
            "Create sites for comments, change their settings and roles.",
            "townsquare.services.threads.commands.sites:site_commands",
        ),
        CommandGroup(
            "comments",
            "Import comments from other systems, export them to a file.",
            "townsquare.services.threads.commands.comments:comment_commands",
        ),
    ],
    privacy=Privacy(
        export=export,
        record=lambda account: keys.user(account.id),
        delete=forget,
        remains="the places of comments that have replies, without name or text",
    ),
    notifications=notifications,
    account_updates=AccountUpdates(apply=apply_update),
    close=lambda threads: threads.close(),
)
