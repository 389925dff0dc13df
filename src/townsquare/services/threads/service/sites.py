"""Sites: create them, find them by a key, change settings, keys and roles."""

import asyncio
import hashlib
import re
import secrets
from contextlib import suppress
from typing import Any, Literal

import msgspec

from townsquare.clock import iso
from townsquare.keyspace import derived_id, mint_id
from townsquare.keyspace.buckets import ALL_BUCKETS
from townsquare.kit.paging import Cursor, Page, PageSize, cut, page_down
from townsquare.kit.text import BadText, visible_name
from townsquare.problems import Conflict
from townsquare.services.threads import keys, problems, records
from townsquare.services.threads.blocked_words import can_match
from townsquare.services.threads.keys.sites import SiteRecord
from townsquare.services.threads.models import sites as models
from townsquare.services.threads.page_urls import normalised_url
from townsquare.services.threads.scripts import ChangeSite, CreateSite, ForgetUserAtSite, SetSiteRole
from townsquare.store.store import Store

FORGOTTEN = 20  # sites in one step of a deletion
MOST_MODERATED = 100  # sites in the list of one moderator
NAME_LENGTH = 100
OWN_DOMAIN = "localhost"  # of sites of this server: its own origin may always use them
API_KEY = re.compile(r"tsq_(pub|sec)_[0-9A-Za-z_-]{1,64}")
ATTEMPTS = 5  # to change a site during other changes
DEFAULTS: dict[str, Any] = msgspec.to_builtins(models.SiteSettings())

KeyType = Literal["public", "secret"]


class Sites:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def create(
        self,
        name: str,
        domain: str,
        *,
        admin_id: str | None = None,
        settings: models.SiteSettings | None = None,
        site_id: str | None = None,
    ) -> models.NewSite:
        """Create a site with its keys. The secret key is returned only here."""
        public, secret = new_key("pub"), new_key("sec")
        now = self._store.clock.now_ms()
        created_at = iso(now)
        site = models.NewSite(
            id=checked_site(site_id) if site_id else mint_id(secrets.choice(ALL_BUCKETS)),
            name=checked_site_name(name),
            domain=checked_domain(domain),
            api_key_public=public,
            api_key_secret=secret,
            created_at=created_at,
            settings=settings or models.SiteSettings(),
        )
        if admin_id is not None and not keys.USER_ID.matches(admin_id):
            raise problems.CommenterNotFound()
        await self._store.run(
            CreateSite(
                site_id=site.id,
                name=site.name,
                domain=site.domain,
                public=public,
                secret_digest=digest(secret),
                settings=encoded(site.settings),
                admin_id=admin_id,
                created_at=created_at,
                now=now,
            )
        )
        return site

    async def own_site(self, name: str) -> str:
        """The public key of a site of this server. The first call creates the site."""
        site_id = derived_id("threads", f"own site: {name}")
        if await self.find(site_id) is None:
            with suppress(Conflict):
                await self.create(
                    name, OWN_DOMAIN, settings=models.SiteSettings(moderation="post"), site_id=site_id
                )
        return (await self.get(site_id)).api_key_public

    async def get(self, site_id: str) -> models.Site:
        return site_of(await self._record(site_id))

    async def list_all(self, cursor: str | None = None, limit: PageSize = 20) -> Page[models.Site]:
        """All sites, the newest first."""
        found, next = cut(await page_down(self._store, keys.sites(), Cursor.decode(cursor), limit + 1), limit)
        records = await self._store.get_many([keys.site(one.member) for one in found])
        return Page([site_of(record) for record in records if record and not record.deleting], next)

    async def overview(self, cursor: str | None = None, limit: PageSize = 20) -> Page[models.SiteOverview]:
        """All sites with what waits for their moderators, the newest first."""
        found, next = cut(await page_down(self._store, keys.sites(), Cursor.decode(cursor), limit + 1), limit)
        ids = [one.member for one in found]
        lists = [listed(id) for id in ids for listed in (keys.site_modqueue, keys.site_reports)]
        records, lengths = await asyncio.gather(
            self._store.get_many([keys.site(id) for id in ids]),
            self._store.pipeline([("ZCARD", one) for one in lists]),
        )
        rows = zip(records, lengths[::2], lengths[1::2], strict=True)
        return Page(
            [
                models.SiteOverview(site_of(record), waiting, reports)
                for record, waiting, reports in rows
                if record and not record.deleting
            ],
            next,
        )

    async def by_key(self, key: str) -> models.SiteConfig:
        """The site of a key, cached for five minutes."""
        if not API_KEY.fullmatch(key):
            raise problems.BadApiKey()
        hashed = digest(key)
        found = await self._store.read_one(records.SITE_CONFIG, hashed)
        if found is not None:
            return found
        cached = keys.site_by_api_key(hashed)
        kind: KeyType = "public" if key.startswith("tsq_pub_") else "secret"
        index = keys.public_key(key) if kind == "public" else keys.secret_key(hashed)
        site_id = await self._store.get(index)
        record = await self._store.get(keys.site(site_id)) if site_id else None
        if record is None or record.deleting:
            raise problems.BadApiKey()
        found = config_of(record, kind)
        await self._store.call("SET", cached, msgspec.json.encode(found), "EX", keys.APIKEY_SECONDS)
        if await self._store.get(keys.site(record.id)) != record:  # it has changed meanwhile
            await self._store.call("DEL", cached)
        return found

    async def change(
        self,
        site_id: str,
        *,
        name: str | None = None,
        domain: str | None = None,
        settings: models.SiteSettings | None = None,
    ) -> models.Site:
        """Replace the given values. The change applies at once in every process."""
        await self._change(
            site_id,
            name=None if name is None else checked_site_name(name),
            domain=None if domain is None else checked_domain(domain),
            settings=None if settings is None else encoded(settings),
        )
        return await self.get(site_id)

    async def rotate_keys(self, site_id: str, which: KeyType) -> models.NewSite:
        """Replace the public or secret key. The old one is invalid at once."""
        fresh = new_key("pub" if which == "public" else "sec")
        if which == "public":
            await self._change(site_id, public=fresh)
        else:
            await self._change(site_id, secret_digest=digest(fresh))
        site = await self.get(site_id)
        shown = fresh if which == "secret" else ""
        return models.NewSite(**{**msgspec.structs.asdict(site), "api_key_secret": shown})

    async def _change(
        self,
        site_id: str,
        *,
        name: str | None = None,
        domain: str | None = None,
        settings: str | None = None,
        public: str | None = None,
        secret_digest: str | None = None,
    ) -> None:
        for _ in range(ATTEMPTS):
            record = await self._record(site_id)
            try:
                old = await self._store.run(
                    ChangeSite(
                        site_id=site_id,
                        before=record.settings,
                        name=name,
                        domain=domain,
                        settings=settings,
                        public=public,
                        secret_digest=secret_digest,
                    )
                )
            except Conflict:
                continue
            cached = (digest(old.public), old.secret_digest)
            await self._store.pipeline([("DEL", keys.site_by_api_key(one)) for one in cached])
            return
        raise Conflict

    async def set_role(self, site_id: str, user_id: str, role: models.SiteRole) -> bool:
        """Set the role of a user. Returns False if the user had this role already."""
        if not keys.USER_ID.matches(user_id):
            raise problems.CommenterNotFound()
        return await self._store.run(SetSiteRole(site_id=checked_site(site_id), user_id=user_id, role=role))

    async def moderated_by(self, user_id: str) -> list[models.ModeratedSite]:
        """The sites on which an account is administrator or moderator, with what waits there, by name."""
        if not keys.USER_ID.matches(user_id):  # the operator, who has no account
            return []
        found = await self._store.call("SRANDMEMBER", keys.user_sites(user_id), MOST_MODERATED)
        ids = [one.decode() for one in found]
        roles, sites, counts = await asyncio.gather(
            asyncio.gather(*(self.role_of(one, user_id) for one in ids)),
            self._store.get_many([keys.site(one) for one in ids]),
            self._store.pipeline(
                [("ZCARD", key(one)) for one in ids for key in (keys.site_modqueue, keys.site_reports)]
            ),
        )
        moderated = [
            models.ModeratedSite(
                id=site.id,
                name=site.name,
                domain=site.domain,
                api_key_public=site.api_key_public,
                role=role,
                waiting=waiting,
                reports=reports,
            )
            for site, role, waiting, reports in zip(sites, roles, counts[::2], counts[1::2], strict=True)
            if site is not None and not site.deleting and role != "user"
        ]
        return sorted(moderated, key=lambda one: (one.name.casefold(), one.id))

    async def forget_user(self, user_id: str) -> int:
        """Remove an account from the roles and bans of some sites. Returns how many; 0: none is left."""
        key = keys.user_sites(user_id)
        found = [one.decode() for one in await self._store.call("SRANDMEMBER", key, FORGOTTEN)]
        for site_id in found:
            await self._store.run(ForgetUserAtSite(site_id=site_id, user_id=user_id))
        if found:
            await self._store.call("SREM", key, *found)
        return len(found)

    async def role_of(self, site_id: str, user_id: str) -> models.SiteRole:
        """The current role of a user on a site."""
        read = (records.ADMINS(site_id), records.MODERATORS(site_id))
        admins, moderators = await self._store.read(read)
        who = user_id.encode()
        return "admin" if who in admins.ids else "moderator" if who in moderators.ids else "user"

    async def members(self, site_id: str, role: Literal["admin", "moderator"]) -> list[str]:
        """The ids of users with this role."""
        key = keys.site_admins(site_id) if role == "admin" else keys.site_moderators(site_id)
        found = await self._store.call("SMEMBERS", key)  # bounded: appointed by an owner
        return sorted(one.decode() for one in found)

    async def find(self, site_id: str) -> models.SiteConfig | None:
        """A site by its id, with the rights of its secret key."""
        record = await self._store.get(keys.site(checked_site(site_id)))
        return None if record is None or record.deleting else config_of(record, "secret")

    async def _record(self, site_id: str) -> SiteRecord:
        record = await self._store.get(keys.site(checked_site(site_id)))
        if record is None or record.deleting:
            raise problems.SiteNotFound()
        return record


def require_moderator(viewer: models.Viewer) -> None:
    if not viewer.moderates:
        raise problems.ModeratorsOnly()


def require_admin(viewer: models.Viewer) -> None:
    if not viewer.administers:
        raise problems.AdminsOnly()


def has_host(site: models.SiteConfig, host: str) -> bool:
    """Whether a host is the domain of the site or a subdomain."""
    return host == site.domain or host.endswith(f".{site.domain}")


def new_key(kind: str) -> str:
    return f"tsq_{kind}_{secrets.token_urlsafe(24)}"


def digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def encoded(settings: models.SiteSettings) -> str:
    """The settings as stored: what differs from the defaults, so that a new default applies to every site."""
    given = msgspec.to_builtins(settings)
    try:
        msgspec.convert(given, models.SiteSettings)
    except msgspec.ValidationError as error:  # a caller of the library can construct any settings
        raise problems.BadSettings(str(error)) from None
    for word in settings.blocked_words:
        if not can_match(word):
            raise problems.BadSettings("blocked_words: a word needs a visible character")
    return msgspec.json.encode(differences(given, DEFAULTS)).decode()


def differences(given: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """The values that differ from the defaults, also within groups of settings."""
    return {
        name: differences(value, defaults[name]) if isinstance(value, dict) else value
        for name, value in given.items()
        if value != defaults[name]
    }


def settings_of(record: SiteRecord) -> models.SiteSettings:
    return msgspec.json.decode(record.settings, type=models.SiteSettings)


def site_of(record: SiteRecord) -> models.Site:
    return models.Site(
        id=record.id,
        name=record.name,
        domain=record.domain,
        api_key_public=record.api_key_public,
        created_at=record.created_at,
        settings=settings_of(record),
    )


def config_of(record: SiteRecord, kind: KeyType) -> models.SiteConfig:
    return models.SiteConfig(
        site_id=record.id,
        key_type=kind,
        name=record.name,
        domain=record.domain,
        settings=settings_of(record),
    )


def checked_site(site_id: str) -> str:
    if not keys.SITE_ID.matches(site_id):
        raise problems.SiteNotFound()
    return site_id


def checked_site_name(name: str) -> str:
    try:
        return visible_name(name, NAME_LENGTH)
    except BadText:
        raise problems.BadSite(f"name: use 1 to {NAME_LENGTH} visible characters") from None


def checked_domain(domain: str) -> str:
    """Normalise a host name, with its port unless it is the default. A pasted URL is accepted."""
    named = re.sub(r"^https?://", "", domain.strip(), flags=re.IGNORECASE).removesuffix("/")
    try:
        host = normalised_url(f"https://{named}/", "").removeprefix("https://").removesuffix("/")
    except problems.BadPage:
        host = "/"
    if "/" in host or "?" in host:
        raise problems.BadSite("domain: pass the host name of the site, as in blog.example.org")
    return host
