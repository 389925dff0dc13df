"""Keys of sites: settings, API keys, roles, bans, moderation, usage."""

from typing import Annotated

import msgspec

from townsquare.keyspace import (
    Indexes,
    Matching,
    Orders,
    Owns,
    Role,
    Visibility,
    about,
    fixed,
    sliding,
)
from townsquare.secret_repr import HidesSecrets
from townsquare.services.threads.keys.common import (
    ACTIONS_SECONDS,
    ALERT_LINK_SECONDS,
    APIKEY_SECONDS,
    IMPORT_KEPT_SECONDS,
    SEED,
    SITE_HOME,
    USAGE_SECONDS,
    Month,
    SiteId,
    creation,
    threads,
)
from townsquare.services.threads.models.imports import ImportState
from townsquare.services.threads.models.sites import AlertLink, SiteConfig

SYSTEM, SECRET = Visibility.SYSTEM, Visibility.SECRET
KeyDigest = Annotated[str, Matching(r"[0-9a-f]{64}")]
PublicKey = Annotated[str, Matching(r"tsq_pub_[0-9A-Za-z_-]{1,64}")]


class SiteRecord(HidesSecrets, msgspec.Struct, kw_only=True, frozen=True):
    id: Annotated[str, about("UUID", SYSTEM)]
    name: str
    domain: Annotated[str, about("host name; a public key works there and on its subdomains", SYSTEM)]
    api_key_public: Annotated[str, about(visibility=SYSTEM)]
    api_key_secret: Annotated[str, about("SHA-256 of the secret key, which was shown once", SECRET)]
    settings: Annotated[str, about("JSON of the settings that differ from the defaults", SECRET)]
    created_at: Annotated[str, about("ISO 8601", SYSTEM)]
    deleting: Annotated[str | None, about("the job that deletes this site", SECRET)] = None


@threads.hash("site:{site_id}:config", record=SiteRecord, home=SITE_HOME, cached=True, seed=SEED)
def site(site_id: SiteId) -> None:
    """A site: name, domain, keys and settings."""


threads.migrate(
    site,
    summary="Store only the settings of a site that differ from the defaults",
    source="townsquare.services.threads.migrations:shorten_settings",
)


@threads.string("key:public:{key}", home="key:{key}")
def public_key(key: PublicKey) -> None:
    """The site that has this public key."""


@threads.string("key:secret:{digest}", home="key:{digest}")
def secret_key(digest: KeyDigest) -> None:
    """The site whose secret key has this SHA-256."""


@threads.json(
    SiteConfig,
    "apikey:{key}",
    home="apikey:{key}",
    lifetime=fixed(APIKEY_SECONDS),
    role=Role.CACHE,
    cached=True,
    seed=SEED,
)
def site_by_api_key(key: KeyDigest) -> None:
    """The site of an API key, by the SHA-256 of the key. Deleted when the settings of the site change."""


@threads.counter(
    "actions:{site_id}:{who}",
    home="actions:{site_id}:{who}",
    lifetime=sliding(ACTIONS_SECONDS),
    role=Role.CACHE,
)
def recent_actions(site_id: SiteId, who: str) -> None:
    """Number of recent comments by unknown authors from one address."""


@threads.string("proof:{nonce}", home="proof:{nonce}", lifetime=fixed(ACTIONS_SECONDS), role=Role.CACHE)
def solved_challenge(nonce: str) -> None:
    """A proof of work that was used: each is valid once."""


@threads.set("site:{site_id}:admins", home=SITE_HOME, cached=True, seed=SEED)
def site_admins(site_id: SiteId) -> None:
    """Administrators of a site."""


@threads.set("site:{site_id}:moderators", home=SITE_HOME, cached=True, seed=SEED)
def site_moderators(site_id: SiteId) -> None:
    """Moderators of a site."""


@threads.set("site:{site_id}:blocked", home=SITE_HOME, seed=SEED)
def site_blocked(site_id: SiteId) -> None:
    """Users who are banned on a site."""


@threads.sorted_set("site:{site_id}:blocked:until", home=SITE_HOME)
def site_blocked_until(site_id: SiteId) -> None:
    """The end of each temporary ban of a site, in ms."""


@threads.set("site:{site_id}:shadowbanned", home=SITE_HOME, seed=SEED)
def site_shadowbanned(site_id: SiteId) -> None:
    """Users who are shadow-banned on a site: only they and moderators see their comments."""


@threads.hash("site:{site_id}:bans:open", custom=SECRET, home=SITE_HOME)
def site_open_bans(site_id: SiteId) -> None:
    """Bans that a job is applying to the user's comments: user id → JSON {job, remove, reached, mark}."""


@threads.sorted_set("site:{site_id}:modqueue", home=SITE_HOME, seed=SEED)
def site_modqueue(site_id: SiteId) -> None:
    """Comments that are held for a moderator, by creation in ms."""


@threads.sorted_set("site:{site_id}:reports", home=SITE_HOME, seed=SEED)
def site_reports(site_id: SiteId) -> None:
    """Reports of comments, as JSON {comment_id, reporter_id, reason, details, created_at}, by time in ms."""


@threads.sorted_set("site:{site_id}:alerts:new", home=SITE_HOME)
def site_alerts_new(site_id: SiteId) -> None:
    """Comments in the queue that no alert has contained yet, by creation in ms."""


@threads.hash("site:{site_id}:alerts", custom=SYSTEM, home=SITE_HOME)
def site_alerts(site_id: SiteId) -> None:
    """The time of the last alert to moderators (sent_at, in ms), and the job of the next one (job)."""


@threads.json(AlertLink, "alert:{digest}", home="alert:{digest}", lifetime=fixed(ALERT_LINK_SECONDS))
def alert_link(digest: KeyDigest) -> None:
    """The comment of a link in a mail to a moderator, by the SHA-256 of its token. Deleted after use."""


@threads.sorted_set("site:{site_id}:log", home=SITE_HOME)
def site_log(site_id: SiteId) -> None:
    """Actions of moderators: JSON {id, action, moderator_id, target, details, created_at}, by time in ms."""


@threads.sorted_set("site:{site_id}:comments", home=SITE_HOME)
def site_comments(site_id: SiteId) -> None:
    """Public comments of a site by creation in ms, for lists and feeds of new comments."""


@threads.sorted_set("site:{site_id}:pages", home=SITE_HOME)
def site_pages(site_id: SiteId) -> None:
    """Pages of a site by the time of their first comment in ms."""


@threads.hash("site:{site_id}:moves", custom=SYSTEM, home=SITE_HOME)
def site_moves(site_id: SiteId) -> None:
    """Running jobs that move pages: job → progress."""


@threads.json(ImportState, "site:{site_id}:import", home=SITE_HOME, lifetime=sliding(IMPORT_KEPT_SECONDS))
def site_import(site_id: SiteId) -> None:
    """The state of the last import into a site."""


@threads.hash(
    "site:{site_id}:usage:{month}",
    custom=SYSTEM,
    home=SITE_HOME,
    lifetime=fixed(USAGE_SECONDS),
    seed=SEED,
)
def site_usage(site_id: SiteId, month: Month) -> None:
    """The comments, pageviews, api_requests and websocket_connections of a site in one month."""


@threads.hyperloglog(
    "site:{site_id}:visitors:{month}", home=SITE_HOME, lifetime=fixed(USAGE_SECONDS), seed=SEED
)
def site_visitors(site_id: SiteId, month: Month) -> None:
    """Approximate number of visitors of a site in one month."""


@threads.sorted_set("sites", home="sites")
def sites() -> None:
    """All sites by creation in ms."""


threads.relate(
    Owns(
        site,
        (
            site_admins,
            site_moderators,
            site_blocked,
            site_blocked_until,
            site_shadowbanned,
            site_open_bans,
            site_modqueue,
            site_reports,
            site_log,
            site_moves,
            site_alerts,
            site_alerts_new,
            site_comments,
            site_pages,
            site_import,
        ),
    ),
    Indexes(public_key, site, owner="site_id", params={"key": "api_key_public"}),
    Indexes(secret_key, site, owner="site_id", params={"digest": "api_key_secret"}),
    Orders(sites, site, member="site_id", score=creation),
)
