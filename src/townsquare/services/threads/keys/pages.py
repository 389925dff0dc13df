"""Keys of pages: comments in every order, live messages, followers, views."""

from datetime import date
from typing import Annotated

import msgspec

from townsquare.keyspace import (
    BY_SERVICE,
    DAY,
    HOUR,
    MINUTE,
    Counts,
    Matching,
    Orders,
    Owns,
    Pairs,
    Role,
    Visibility,
    about,
    fixed,
    sliding,
)
from townsquare.services.threads.keys.common import (
    EVENTS_SECONDS,
    PAGE_HOME,
    SEED,
    VIEW_SECONDS,
    PageId,
    UserId,
    creation,
    threads,
)
from townsquare.services.threads.keys.sites import site_pages
from townsquare.services.threads.keys.users import user_follows

SYSTEM, SECRET = Visibility.SYSTEM, Visibility.SECRET


class PageRecord(msgspec.Struct, kw_only=True):
    id: Annotated[str, about("UUID; its last three digits are the bucket", SYSTEM)]
    site_id: Annotated[str, about(visibility=SYSTEM)]
    url: Annotated[str, about("as in its first comment", SYSTEM)]
    key: Annotated[str, about("the page_key, or the normalised URL", SYSTEM)]
    title: str | None = None
    post_id: Annotated[str | None, about("the post of the community whose comments these are", SYSTEM)] = None
    comment_count: Annotated[int, about("comments that everybody sees", SYSTEM)] = 0
    closed: Annotated[bool, about("true, or absent", SYSTEM)] = False
    moving: Annotated[str | None, about("the job that updates the URL in its comments", SECRET)] = None
    moved_to: Annotated[str | None, about("progress of that job", SECRET)] = None
    merging: Annotated[str | None, about("the job that moves its comments to another page", SECRET)] = None
    receives: Annotated[str | None, about("the job that moves comments of another page here", SECRET)] = None
    created_at: Annotated[str, about("ISO 8601", SYSTEM)]
    deleting: Annotated[str | None, about("the job that deletes this page", SECRET)] = None


@threads.hash("page:{page_id}", record=PageRecord, home=PAGE_HOME, cached=True)
def page(page_id: PageId) -> None:
    """A page that has comments."""


@threads.string("page:{page_id}:moved_to", home=PAGE_HOME)
def page_moved(page_id: PageId) -> None:
    """The page that this id redirects to, after a move or a merge."""


@threads.sorted_set("page:{page_id}:comments:new", home=PAGE_HOME, cached=True, seed=SEED)
def page_new(page_id: PageId) -> None:
    """Listed root comments by creation in ms."""


@threads.sorted_set("page:{page_id}:comments:top", home=PAGE_HOME, cached=True, seed=SEED)
def page_top(page_id: PageId) -> None:
    """Listed root comments by upvotes - downvotes."""


@threads.sorted_set("page:{page_id}:comments:hot", home=PAGE_HOME, cached=True, seed=SEED)
def page_hot(page_id: PageId) -> None:
    """Listed root comments by sign(v) * log10(max(|v|, 1)) + log10(seconds) / 45000."""


@threads.sorted_set("page:{page_id}:comments:hot_decaying", home=PAGE_HOME, cached=True)
def page_hot_decaying(page_id: PageId) -> None:
    """Listed root comments by the same with seconds / 45000, for sites with `hot: reddit`."""


@threads.sorted_set("page:{page_id}:comments:controversial", home=PAGE_HOME, cached=True)
def page_controversial(page_id: PageId) -> None:
    """Listed root comments by controversy: many votes of both kinds."""


@threads.sorted_set("page:{page_id}:comments:public", home=PAGE_HOME)
def page_public(page_id: PageId) -> None:
    """Public comments, including replies, by creation in ms."""


@threads.sorted_set("page:{page_id}:comments:all", home=PAGE_HOME)
def page_all(page_id: PageId) -> None:
    """All comments, including deleted ones, by creation in ms."""


@threads.sorted_set("page:{page_id}:hidden", home=PAGE_HOME, cached=True)
def page_hidden(page_id: PageId) -> None:
    """Hidden comments, which only their authors and moderators see, by creation in ms."""


@threads.sorted_set("page:{page_id}:hidden:{user_id}", home=PAGE_HOME, cached=True)
def page_hidden_of(page_id: PageId, user_id: UserId) -> None:
    """Hidden comments of one author, by creation in ms."""


@threads.sorted_set("page:{page_id}:pinned", home=PAGE_HOME, cached=True)
def page_pinned(page_id: PageId) -> None:
    """Pinned comments by the time of the pin in ms."""


@threads.set("page:{page_id}:followers", home=PAGE_HOME)
def page_followers(page_id: PageId) -> None:
    """Users who get mail about new comments."""


@threads.sorted_set("page:{page_id}:mail", home=PAGE_HOME)
def page_mail(page_id: PageId) -> None:
    """Comments of the next mail to the followers of a page, by time in ms."""


@threads.hash("page:{page_id}:mailing", custom=SYSTEM, home=PAGE_HOME)
def page_mailing(page_id: PageId) -> None:
    """Progress of the job that queues mail to the followers of a page: job, cursor, ids as JSON."""


@threads.stream("page:{page_id}:events", home=PAGE_HOME, lifetime=sliding(EVENTS_SECONDS))
def page_events(page_id: PageId) -> None:
    """The newest live messages, for clients that come back."""


@threads.channel("page:{page_id}", home=PAGE_HOME, seed=SEED)
def page_channel(page_id: PageId) -> None:
    """Live messages of a page: new_comment, edit_comment, delete_comment, vote_update, pin_update."""


@threads.sorted_set("page:{page_id}:typing", home=PAGE_HOME, seed=SEED)
def page_typing(page_id: PageId) -> None:
    """Users who are typing, by the time of their last signal in ms; a signal is valid for five seconds."""


@threads.set("page:{page_id}:presence", home=PAGE_HOME, seed=SEED)
def page_presence(page_id: PageId) -> None:
    """Users who have a page open."""


@threads.sorted_set("page:{page_id}:presence:seen", home=PAGE_HOME)
def page_presence_seen(page_id: PageId) -> None:
    """Server processes with viewers of a page, by the time of their last announcement in ms."""


@threads.counter("page:{page_id}:views", home=PAGE_HOME, seed=SEED)
def page_views(page_id: PageId) -> None:
    """All views. Primary: the counts of the days expire."""


@threads.counter("page:{page_id}:views:{day}", home=PAGE_HOME, lifetime=fixed(90 * DAY), seed=SEED)
def page_views_daily(page_id: PageId, day: date) -> None:
    """Views of one day (UTC)."""


@threads.string("page:{page_id}:viewed:{visitor}", home=PAGE_HOME, lifetime=fixed(VIEW_SECONDS))
def page_viewed(page_id: PageId, visitor: str) -> None:
    """A visitor who was counted recently and does not count again."""


threads.relate(
    Owns(
        page,
        (
            page_new,
            page_top,
            page_hot,
            page_hot_decaying,
            page_controversial,
            page_public,
            page_all,
            page_hidden,
            page_pinned,
            page_followers,
            page_mail,
            page_mailing,
        ),
    ),
    Owns(page, (page_events, page_typing, page_presence, page_presence_seen, page_views), without_owner=True),
    Owns(page, (page_moved,), without_owner=True),
    Counts(page, "comment_count", page_public),
    Orders(
        site_pages,
        page,
        member="page_id",
        score=creation,
        params={"site_id": "site_id"},
        with_owner=BY_SERVICE,
    ),
    Pairs(user_follows, page_followers),
)


ProcessId = Annotated[str, Matching(r"[0-9a-f]{16}")]
Counted = Annotated[str, Matching("key|ip|user|comments")]


@threads.set("page:{page_id}:presence:by:{process}", home=PAGE_HOME, lifetime=sliding(HOUR))
def page_presence_of(page_id: PageId, process: ProcessId) -> None:
    """Users that one server process has on a page."""


@threads.sorted_set("presence:pages", home="presence:pages")
def presence_pages() -> None:
    """Pages with users, by the last announcement of a process in ms; a crashed process announces nothing."""


@threads.counter(
    "ratelimit:{type}:{id}:{time_bucket}",
    home="ratelimit:{id}",
    lifetime=fixed(MINUTE),
    role=Role.CACHE,
    seed=SEED,
)
def ratelimit(type: Counted, id: str, time_bucket: int) -> None:
    """Requests in one minute (seconds / 60) by key, address or user, and comments by author or address.

    The id of an address or a user starts with the site: `<site id>.192.168.1.1`.
    """
