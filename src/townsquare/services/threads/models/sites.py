"""Sites with their settings and pages, and the viewer of a site."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from townsquare.secret_repr import HidesSecrets

Moderation = Literal["none", "pre", "post"]
Sort = Literal["new", "old", "top", "hot", "controversial"]
SiteRole = Literal["admin", "moderator", "user"]
SignInMethod = Literal["code", "password", "google", "github", "sso", "anonymous"]
ALL_METHODS: tuple[SignInMethod, ...] = ("code", "password", "google", "github", "sso", "anonymous")

Count = Annotated[int, Meta(ge=0, le=1_000_000)]
Word = Annotated[str, Meta(min_length=1, max_length=100)]
Origin = Annotated[str, Meta(min_length=1, max_length=255)]
SsoKey = Annotated[str, Meta(min_length=32, max_length=512, examples=["9f2c1b7e5a" * 4])]


class HoldRules(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Rules that hold a comment for approval; 0 turns a rule off."""

    hold_first: Count = 0  # until this many comments of the author were approved
    hold_days: Count = 0  # while the account is younger than this
    hold_links: bool = False
    hold_images: bool = False
    hold_reports: Count = 3  # after this many reports
    least_seconds: Annotated[int, Meta(ge=0, le=60)] = 2  # between showing the form and sending it


class RateLimits(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Limits per minute; 0 means no limit."""

    key: Count = 6_000
    ip: Count = 300
    user: Count = 120
    comments: Count = 10  # of one account, or of one address for visitors without an account


class Alerts(HidesSecrets, msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Alerts to moderators about new comments in the queue."""

    webhook: Annotated[str, Meta(max_length=2_048)] = ""
    webhook_secret: Annotated[str, Meta(max_length=512)] = ""
    emails: Annotated[tuple[Annotated[str, Meta(max_length=254)], ...], Meta(max_length=20)] = ()
    every_minutes: Annotated[int, Meta(ge=1, le=1_440)] = 10


class Display(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    pageviews: bool = False
    vote_counts: bool = True
    presence: bool = True
    typing: bool = False


class SiteSettings(HidesSecrets, msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """The settings of a site. Only values that differ from these defaults are stored."""

    moderation: Moderation = "post"
    trust: HoldRules = msgspec.field(default_factory=HoldRules)
    auto_approve_verified: bool = False
    require_verified: bool = False  # authors need a confirmed address
    sign_in: tuple[SignInMethod, ...] = ALL_METHODS
    anonymous: bool = True  # visitors without an account may write
    default_sort: Sort = "new"
    hot: Literal["votes", "reddit"] = "votes"
    edit_minutes: Annotated[int, Meta(ge=0, le=525_600)] = 15  # 0: never
    max_depth: Annotated[int, Meta(ge=0, le=100)] = 100
    blocked_words: Annotated[tuple[Word, ...], Meta(max_length=500)] = ()
    max_links: Count = 10  # links and images in one comment; 0: no limit
    close_after_days: Count = 0
    posting_disabled: bool = False
    upvote_notifications: bool = False
    allowed_origins: Annotated[tuple[Origin, ...], Meta(max_length=50)] = ()
    writes_without_origin: bool = False
    sso_keys: Annotated[tuple[SsoKey, ...], Meta(max_length=2)] = ()
    rate_limits: RateLimits = msgspec.field(default_factory=RateLimits)
    alerts: Alerts = msgspec.field(default_factory=Alerts)
    display: Display = msgspec.field(default_factory=Display)
    proof_of_work: bool = True  # for visitors and new accounts, after a few comments
    # external checks; an empty URL turns a check off
    akismet_url: Annotated[str, Meta(max_length=2_048)] = ""  # comment-check of Akismet, or compatible
    akismet_key: Annotated[str, Meta(max_length=512)] = ""
    turnstile_url: Annotated[str, Meta(max_length=2_048)] = (
        ""  # siteverify of Turnstile, hCaptcha or compatible
    )
    turnstile_secret: Annotated[str, Meta(max_length=512)] = ""
    text_check_url: Annotated[str, Meta(max_length=2_048)] = ""  # moderations of OpenAI, or compatible
    text_check_key: Annotated[str, Meta(max_length=512)] = ""
    text_check_model: Annotated[str, Meta(max_length=100)] = ""


class Site(HidesSecrets, msgspec.Struct, kw_only=True, frozen=True):
    """A site, for its owner."""

    id: str
    name: str
    domain: str
    api_key_public: str
    created_at: str
    settings: SiteSettings


class ModeratedSite(msgspec.Struct, kw_only=True, frozen=True):
    """A site, for one of its moderators."""

    id: str
    name: str
    domain: str
    api_key_public: str
    role: SiteRole
    waiting: int  # held comments
    reports: int  # open reports


class SiteOverview(msgspec.Struct, frozen=True):
    """A site and what waits for its moderators, for the operator."""

    site: Site
    waiting: int  # comments in the queue
    reports: int


class NewSite(Site, kw_only=True, frozen=True):
    """A site with its secret key, which is shown only once."""

    api_key_secret: str


class SiteConfig(msgspec.Struct, kw_only=True, frozen=True):
    """The name, domain and settings of a site, found by one of its API keys."""

    site_id: str
    key_type: Literal["public", "secret"]
    name: str
    domain: str
    settings: SiteSettings


class AlertLink(msgspec.Struct, kw_only=True):
    """The comment that a link in a mail to a moderator acts on."""

    site_id: str
    comment_id: str
    email: str


class Viewer(msgspec.Struct, kw_only=True, frozen=True):
    """The caller on a site, with the role there."""

    site_id: str
    user_id: str | None = None  # None: not signed in
    role: SiteRole = "user"
    owner: bool = False  # used the secret key, or is the operator

    @property
    def moderates(self) -> bool:
        return self.owner or self.role in ("admin", "moderator")

    @property
    def administers(self) -> bool:
        return self.owner or self.role == "admin"


class SitePage(msgspec.Struct, kw_only=True):
    """A page that has comments."""

    id: str
    url: str
    key: str
    title: str | None
    comment_count: int
    closed: bool
    created_at: str


class PageJob(msgspec.Struct, kw_only=True):
    """A move or a merge. `finished` is false while a job still changes comments."""

    finished: bool
