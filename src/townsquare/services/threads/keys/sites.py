"""Sites: their settings and keys, who has a role on them, what their moderators look through."""

from typing import Annotated

import msgspec

from townsquare.clock import from_iso
from townsquare.keyspace import (
    Indexes,
    Matching,
    Orders,
    Owns,
    Record,
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
    threads,
)
from townsquare.services.threads.models.imports import ImportState
from townsquare.services.threads.models.sites import AlertLink, CachedKey

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


@threads.string("key:public:{key}", home="key:{key}")
def public_key(key: PublicKey) -> None:
    """The site that has this public key."""


@threads.string("key:secret:{digest}", home="key:{digest}")
def secret_key(digest: KeyDigest) -> None:
    """The site whose secret key has this SHA-256."""


@threads.json(
    CachedKey,
    "apikey:{key}",
    home="apikey:{key}",
    lifetime=fixed(APIKEY_SECONDS),
    role=Role.CACHE,
    cached=True,
    seed=SEED,
)
def cached_key(key: KeyDigest) -> None:
    """What a key leads to, by its SHA-256; dropped when the settings of its site change."""


@threads.counter(
    "actions:{site_id}:{who}",
    home="actions:{site_id}:{who}",
    lifetime=sliding(ACTIONS_SECONDS),
    role=Role.CACHE,
)
def recent_actions(site_id: SiteId, who: str) -> None:
    """What an address has written as somebody whom nobody knows, in the last minutes."""


@threads.string("proof:{nonce}", home="proof:{nonce}", lifetime=fixed(ACTIONS_SECONDS), role=Role.CACHE)
def solved_challenge(nonce: str) -> None:
    """A proof of work that was used: it counts once."""


@threads.set("site:{site_id}:admins", home=SITE_HOME, cached=True, seed=SEED)
def site_admins(site_id: SiteId) -> None:
    """Users who may do everything on a site."""


@threads.set("site:{site_id}:moderators", home=SITE_HOME, cached=True, seed=SEED)
def site_moderators(site_id: SiteId) -> None:
    """Users who may moderate a site."""


@threads.set("site:{site_id}:blocked", home=SITE_HOME, seed=SEED)
def site_blocked(site_id: SiteId) -> None:
    """Users who may not write on a site."""


@threads.sorted_set("site:{site_id}:blocked:until", home=SITE_HOME)
def site_blocked_until(site_id: SiteId) -> None:
    """When the bans of a site end, in ms, of those that end."""


@threads.set("site:{site_id}:shadowbanned", home=SITE_HOME, seed=SEED)
def site_shadowbanned(site_id: SiteId) -> None:
    """Users whose comments only they see, and do not know it."""


@threads.hash("site:{site_id}:bans:open", custom=SECRET, home=SITE_HOME)
def site_open_bans(site_id: SiteId) -> None:
    """Bans that are being carried to the user's comments, while the job for it is open: user id → JSON
    {job, remove, reached, mark}."""


@threads.sorted_set("site:{site_id}:modqueue", home=SITE_HOME, seed=SEED)
def site_modqueue(site_id: SiteId) -> None:
    """Comments that wait for a moderator, by creation in ms."""


@threads.sorted_set("site:{site_id}:reports", home=SITE_HOME, seed=SEED)
def site_reports(site_id: SiteId) -> None:
    """Reports of comments, as JSON {comment_id, reporter_id, reason, details, created_at}, by time in ms."""


@threads.sorted_set("site:{site_id}:alerts:new", home=SITE_HOME)
def site_alerts_new(site_id: SiteId) -> None:
    """Comments in the queue that moderators have not heard of, by creation in ms."""


@threads.hash("site:{site_id}:alerts", custom=SYSTEM, home=SITE_HOME)
def site_alerts(site_id: SiteId) -> None:
    """When moderators heard of the queue (sent_at, in ms), and the job by which they will (job)."""


@threads.json(AlertLink, "alert:{digest}", home="alert:{digest}", lifetime=fixed(ALERT_LINK_SECONDS))
def alert_link(digest: KeyDigest) -> None:
    """What a link in a mail to a moderator acts on, by the SHA-256 of its token; gone when it was used."""


@threads.sorted_set("site:{site_id}:log", home=SITE_HOME)
def site_log(site_id: SiteId) -> None:
    """What moderators did, as JSON {id, action, moderator_id, target, details, created_at}, by time in ms."""


@threads.sorted_set("site:{site_id}:comments", home=SITE_HOME)
def site_comments(site_id: SiteId) -> None:
    """Every comment of a site that everybody sees, by creation in ms: the newest ones, and feeds."""


@threads.sorted_set("site:{site_id}:pages", home=SITE_HOME)
def site_pages(site_id: SiteId) -> None:
    """Pages of a site by the time of their first comment in ms."""


@threads.hash("site:{site_id}:moves", custom=SYSTEM, home=SITE_HOME)
def site_moves(site_id: SiteId) -> None:
    """Moves of many pages that are under way: job → how far it is."""


@threads.json(ImportState, "site:{site_id}:import", home=SITE_HOME, lifetime=sliding(IMPORT_KEPT_SECONDS))
def site_import(site_id: SiteId) -> None:
    """The last file that was sent to be imported: how far it is, and what became of it."""


@threads.hash(
    "site:{site_id}:usage:{month}",
    custom=SYSTEM,
    home=SITE_HOME,
    lifetime=fixed(USAGE_SECONDS),
    seed=SEED,
)
def site_usage(site_id: SiteId, month: Month) -> None:
    """A site's comments, pageviews, api_requests and websocket_connections of one month."""


@threads.hyperloglog(
    "site:{site_id}:visitors:{month}", home=SITE_HOME, lifetime=fixed(USAGE_SECONDS), seed=SEED
)
def site_visitors(site_id: SiteId, month: Month) -> None:
    """About how many visitors a site had in one month."""


@threads.sorted_set("sites", home="sites")
def sites() -> None:
    """All sites by creation in ms."""


def creation(record: Record) -> int:
    return from_iso(record["created_at"])


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
