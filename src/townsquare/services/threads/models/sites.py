"""Sites as their owners set them up, and who acts on one."""

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
    """What is held for approval; 0 switches a rule off."""

    hold_first: Count = 0  # comments of an author, until so many were approved
    hold_days: Count = 0  # while the account is younger
    hold_links: bool = False
    hold_images: bool = False
    hold_reports: Count = 3  # so many people reported it
    least_seconds: Annotated[int, Meta(ge=0, le=60)] = 2  # between seeing the form and sending it


class RateLimits(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Requests in a minute; 0 is no limit."""

    key: Count = 6_000
    ip: Count = 300
    user: Count = 120
    comments: Count = 10  # that one user or address writes


class Alerts(HidesSecrets, msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """How moderators hear of the queue."""

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
    """All that a site's owner decides."""

    moderation: Moderation = "post"
    trust: HoldRules = msgspec.field(default_factory=HoldRules)
    auto_approve_verified: bool = False
    require_verified: bool = False  # an address that was confirmed, to write
    sign_in: tuple[SignInMethod, ...] = ALL_METHODS
    anonymous: bool = True  # may write, with a name of their own
    default_sort: Sort = "new"
    hot: Literal["votes", "reddit"] = "votes"
    edit_minutes: Annotated[int, Meta(ge=0, le=525_600)] = 15  # 0: never
    max_depth: Annotated[int, Meta(ge=0, le=100)] = 100
    blocked_words: Annotated[tuple[Word, ...], Meta(max_length=500)] = ()
    max_links: Count = 10  # links and images of one comment, more are refused; 0: as many as one likes
    close_after_days: Count = 0
    posting_disabled: bool = False
    upvote_notifications: bool = False
    allowed_origins: Annotated[tuple[Origin, ...], Meta(max_length=50)] = ()
    writes_without_origin: bool = False
    sso_keys: Annotated[tuple[SsoKey, ...], Meta(max_length=2)] = ()
    rate_limits: RateLimits = msgspec.field(default_factory=RateLimits)
    alerts: Alerts = msgspec.field(default_factory=Alerts)
    display: Display = msgspec.field(default_factory=Display)
    proof_of_work: bool = True  # asked of anonymous and new authors after a few actions
    # others that are asked what they think of a comment; '' is nobody
    akismet_url: Annotated[str, Meta(max_length=2_048)] = (
        ""  # comment-check of Akismet, or of what speaks alike
    )
    akismet_key: Annotated[str, Meta(max_length=512)] = ""
    turnstile_url: Annotated[str, Meta(max_length=2_048)] = (
        ""  # siteverify of Turnstile, hCaptcha or the like
    )
    turnstile_secret: Annotated[str, Meta(max_length=512)] = ""
    text_check_url: Annotated[str, Meta(max_length=2_048)] = (
        ""  # moderations of OpenAI, or of what speaks alike
    )
    text_check_key: Annotated[str, Meta(max_length=512)] = ""
    text_check_model: Annotated[str, Meta(max_length=100)] = ""


class Site(HidesSecrets, msgspec.Struct, kw_only=True, frozen=True):
    """A site as its owner sees it."""

    id: str
    name: str
    domain: str
    api_key_public: str
    created_at: str
    settings: SiteSettings


class NewSite(Site, kw_only=True, frozen=True):
    """A site with its secret key, which is shown this once."""

    api_key_secret: str


class CachedKey(msgspec.Struct, kw_only=True, frozen=True):
    """`apikey:{key}`: what an API key leads to."""

    site_id: str
    key_type: Literal["public", "secret"]
    name: str
    domain: str
    settings: SiteSettings


class AlertLink(msgspec.Struct, kw_only=True):
    """What a link in a mail to a moderator acts on."""

    site_id: str
    comment_id: str
    email: str


class Viewer(msgspec.Struct, kw_only=True, frozen=True):
    """Who acts on which site, and as what."""

    site_id: str
    user_id: str | None = None  # None: a reader who has not signed in
    role: SiteRole = "user"
    owner: bool = False  # came with the secret key, or is the operator

    @property
    def moderates(self) -> bool:
        return self.owner or self.role in ("admin", "moderator")

    @property
    def administers(self) -> bool:
        return self.owner or self.role == "admin"
