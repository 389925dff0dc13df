"""Keys of commenters: profile, comments, votes, notifications, mail."""

from functools import partial
from typing import Annotated

import msgspec

from townsquare.keyspace import Owns, Pairs, Sums, Visibility, about, by_script, sliding
from townsquare.secret_repr import HidesSecrets
from townsquare.services.accounts.keys import user as account
from townsquare.services.threads.keys.common import SEED, TEXTS_SECONDS, USER_HOME, SiteId, UserId, threads

PRIVATE, SYSTEM, SECRET = Visibility.PRIVATE, Visibility.SYSTEM, Visibility.SECRET


class CommenterRecord(HidesSecrets, msgspec.Struct, kw_only=True, frozen=True):
    id: Annotated[str, about("of the account, or derived from site and user of single sign-on", SYSTEM)]
    name: str
    email: Annotated[str | None, about("copied from the account", PRIVATE)] = None
    phone: Annotated[str | None, about("copied from the account", PRIVATE)] = None
    avatar_url: str | None = None
    provider: Annotated[
        str, about("email, phone, google, github, username, anonymous, sso:<site> or import", SYSTEM)
    ]
    provider_id: Annotated[str | None, about("the user's id there", SECRET)] = None
    email_verified: Annotated[bool, about(visibility=PRIVATE)] = False
    phone_verified: Annotated[bool, about(visibility=PRIVATE)] = False
    named: Annotated[bool, about("name and avatar are chosen here, not the account's", PRIVATE)] = False
    karma: Annotated[int, about("upvotes of their comments by others", SYSTEM)] = 0
    global_banned: Annotated[bool, about(visibility=SECRET)] = False
    shadow_banned: Annotated[bool, about("everywhere", SECRET)] = False
    mail_off: Annotated[bool, about("no mail of replies and mentions", PRIVATE)] = False
    notices_off: Annotated[str | None, about("types of notifications that are off", SECRET)] = None
    mail_job: Annotated[str | None, about("the job that sends the next mail", SECRET)] = None
    feed_key: Annotated[str | None, about("secret of the feed of replies", SECRET)] = None
    created_at: Annotated[str, about("ISO 8601", SYSTEM)]
    deleting: Annotated[str | None, about("the job that deletes this user", SECRET)] = None


@threads.hash("user:{user_id}", record=CommenterRecord, home=USER_HOME, cached=True, seed=SEED)
def user(user_id: UserId) -> None:
    """A commenter: a copy of the account, or a user of single sign-on."""


@threads.sorted_set("user:{user_id}:comments", home=USER_HOME)
def user_comments(user_id: UserId) -> None:
    """A user's comments that are not deleted, by creation in ms."""


@threads.list("user:{user_id}:texts", home=USER_HOME, lifetime=sliding(TEXTS_SECONDS))
def user_texts(user_id: UserId) -> None:
    """Fingerprints of the recent texts of a user with their comments, newest first, to detect duplicates."""


@threads.sorted_set("user:{user_id}:public:{site_id}", home=USER_HOME)
def user_public(user_id: UserId, site_id: SiteId) -> None:
    """A user's public comments on one site, by creation in ms."""


@threads.sorted_set("user:{user_id}:hidden:{site_id}", home=USER_HOME)
def user_hidden(user_id: UserId, site_id: SiteId) -> None:
    """A user's hidden comments on one site, by creation in ms."""


@threads.sorted_set("user:{user_id}:upvoted", home=USER_HOME)
def user_upvoted(user_id: UserId) -> None:
    """A user's comments by the upvotes of others; their sum is the user's karma."""


@threads.sorted_set("user:{user_id}:votes", home=USER_HOME, cached=True)
def user_votes(user_id: UserId) -> None:
    """Comments that a user has voted on, 1 for up and -1 for down, so that a deletion finds them."""


@threads.sorted_set("user:{user_id}:reports", home=USER_HOME)
def user_reports(user_id: UserId) -> None:
    """Comments that a user has reported, by time in ms, so that a deletion finds them."""


@threads.sorted_set("user:{user_id}:notifications", home=USER_HOME, seed=SEED)
def user_notifications(user_id: UserId) -> None:
    """The newest notifications as JSON {id, notification_type, comment_id, from_user_id, read, created_at,
    site_id}, by time in ms."""


@threads.counter("user:{user_id}:unread", home=USER_HOME, seed=SEED)
def user_unread(user_id: UserId) -> None:
    """Number of unread notifications."""


@threads.sorted_set("user:{user_id}:upvotes:notified", home=USER_HOME)
def user_upvotes_notified(user_id: UserId) -> None:
    """Comments with a recent notification about upvotes, by time in ms: no other follows soon."""


@threads.channel("user:{user_id}", home=USER_HOME)
def user_channel(user_id: UserId) -> None:
    """Live messages for one user: notification."""


@threads.set("user:{user_id}:blocks", home=USER_HOME, cached=True)
def user_blocks(user_id: UserId) -> None:
    """Users whom this user has blocked."""


@threads.set("user:{user_id}:blockers", home=USER_HOME)
def user_blockers(user_id: UserId) -> None:
    """Users who have blocked this user, so that a deletion finds them."""


@threads.sorted_set("user:{user_id}:mail", home=USER_HOME)
def user_mail(user_id: UserId) -> None:
    """Comments of the next mail to a user, by time in ms."""


@threads.set("user:{user_id}:follows", home=USER_HOME)
def user_follows(user_id: UserId) -> None:
    """Pages that a user follows by mail."""


@threads.set("user:{user_id}:sites", home=USER_HOME)
def user_sites(user_id: UserId) -> None:
    """Sites on which a user has or had a role or a ban, so that a deletion finds them."""


personal = partial(Owns, user, account=account)

threads.relate(
    Owns(user, (user_sites,), members=by_script("forget_user_at_site"), without_owner=True),
    personal((user_comments, user_upvoted, user_notifications, user_unread, user_follows)),
    personal((user_mail, user_upvotes_notified, user_blocks, user_blockers, user_texts)),
    personal((user_votes,), members=by_script("drop_vote")),
    personal((user_reports,), members=by_script("drop_report")),
    Pairs(user_blocks, user_blockers),
    Sums(user, "karma", user_upvoted),
    Sums(user_unread, "", user_notifications, unless="read"),
)
