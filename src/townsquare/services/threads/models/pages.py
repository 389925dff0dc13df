"""Pages of a site, for its administrators."""

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
    """`finished` is false while a job still moves comments."""

    finished: bool


class Moved(msgspec.Struct, kw_only=True):
    """`finished` is false while a job still updates comments."""

    finished: bool
