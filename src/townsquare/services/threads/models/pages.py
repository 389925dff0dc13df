"""Pages as those who run a site see them."""

import msgspec


class SitePage(msgspec.Struct, kw_only=True):
    """A page that has comments."""

    id: str
    url: str
    key: str
    title: str | None
    comment_count: int
    closed: bool
    created_at: str


class Merged(msgspec.Struct, kw_only=True):
    """`finished`: all comments are on the other page already; else a job goes on with it."""

    finished: bool


class Moved(msgspec.Struct, kw_only=True):
    """`finished`: all comments know the new address already; else a job goes on with it."""

    finished: bool
