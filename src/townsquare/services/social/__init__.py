"""Profiles, follows, posts, feeds, hashtags, ranking and leaderboards."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from townsquare.service import AccountUpdates, CommandGroup, Imported, Link, Pages, Privacy, Service
from townsquare.services.social import keys

if TYPE_CHECKING:
    from townsquare.keyspace import AnyKey
    from townsquare.service_resources import Resources
    from townsquare.services.accounts.models import User
    from townsquare.services.events import NotificationSource, RequestedName, UserSnapshot
    from townsquare.services.social.service import Social


def build(square: "Resources") -> "Social":
    from townsquare.services.accounts.service import Accounts
    from townsquare.services.events import ImageStore
    from townsquare.services.social.models import Options
    from townsquare.services.social.service import Social

    options = Options(
        own_posts_in_home=square.settings.social_own_posts_in_home,
        sensitive_fields=square.settings.social_sensitive_fields,
    )
    images = next((one for one in square.services.values() if isinstance(one, ImageStore)), None)
    return Social(square.store, square.jobs, options, square.service(Accounts), images)


async def export(social: "Social", account: "User") -> Any:
    return await social.profile_export.export(account.username) if account.username else {}


def profile_of(account: "User") -> "AnyKey | None":
    """The profile of an account, None if it has none."""
    if not account.username or keys.social.service in account.left:
        return None
    return keys.user(account.username)


def notifications(social: "Social") -> "NotificationSource":
    return social.notices


async def apply_update(social: "Social", before: "UserSnapshot | None", after: "UserSnapshot | None") -> int:
    return await social.account_profile.apply(before, after)


async def check_name(social: "Social", wanted: "RequestedName") -> None:
    await social.account_profile.check_name(wanted)


SERVICE: "Service[Social]" = Service(
    name="social",
    keyspace=keys.social,
    build=build,
    endpoints=Imported("townsquare.services.social.routes:endpoints"),
    pages=Pages(
        links=[Link("Social", "/social", "Read and write posts, follow people")],
        assets=Path(__file__).parent / "pages" / "assets",
    ),
    commands=[
        CommandGroup(
            "social",
            "Load, rename and delete people of the community.",
            "townsquare.services.social.commands:commands",
        )
    ],
    privacy=Privacy(export=export, record=profile_of),
    notifications=notifications,
    account_updates=AccountUpdates(
        apply=apply_update,
        check_name=check_name,
    ),
)
