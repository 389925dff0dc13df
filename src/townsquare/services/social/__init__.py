"""Profiles, follows, posts, feeds, hashtags, ranking and leaderboards."""

from pathlib import Path

from townsquare.resources import Resources
from townsquare.service import Link, Pages, Privacy, Service
from townsquare.services.social import keys, routes
from townsquare.services.social.account_profiles import export, follow_accounts
from townsquare.services.social.commands import commands
from townsquare.services.social.models import Options
from townsquare.services.social.service import Social


def build(square: Resources) -> Social:
    options = Options(
        own_posts_in_home=square.settings.social_own_posts_in_home,
        sensitive_fields=square.settings.social_sensitive_fields,
    )
    return Social(square.store, square.jobs, options)


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
    privacy=Privacy(export=export, record=lambda user: keys.user(user.username) if user.username else None),
    follow_accounts=follow_accounts,
)
