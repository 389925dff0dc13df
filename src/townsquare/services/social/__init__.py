"""Profiles, follows, posts, feeds, hashtags, ranking and leaderboards."""

from pathlib import Path

from townsquare.keyspace import AnyKey
from townsquare.service import AccountUpdates, Link, Pages, Privacy, Service
from townsquare.service_resources import Resources
from townsquare.services.accounts.models import User
from townsquare.services.accounts.service import Accounts
from townsquare.services.social import keys, routes
from townsquare.services.social.account_profiles import SERVICE_NAME, ProfileAccounts, export
from townsquare.services.social.commands import commands
from townsquare.services.social.models import Options
from townsquare.services.social.service import Social


def build(square: Resources) -> Social:
    options = Options(
        own_posts_in_home=square.settings.social_own_posts_in_home,
        sensitive_fields=square.settings.social_sensitive_fields,
    )
    social = Social(square.store, square.jobs, options)
    social.link_accounts(ProfileAccounts(social, square.service(Accounts)))
    return social


def profile_of(account: User) -> AnyKey | None:
    """The record that stands for an account here."""
    return keys.user(account.username) if account.username and SERVICE_NAME not in account.left else None


SERVICE: Service[Social] = Service(
    name="social",
    keyspace=keys.social,
    build=build,
    endpoints=routes.endpoints,
    pages=Pages(
        links=[Link("Social", "/social", "Read and write posts, follow people")],
        assets=Path(__file__).parent / "pages" / "assets",
    ),
    commands=[commands],
    privacy=Privacy(export=export, record=profile_of),
    account_updates=AccountUpdates(
        apply=lambda social, before, after: social.account_profile.apply(before, after),
        check_name=lambda social, wanted: social.account_profile.check_name(wanted),
    ),
)
