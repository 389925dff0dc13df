"""Authentication by the key of a site: reader, user, moderator, administrator or owner."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any
from urllib.parse import urlsplit

from msgspec.structs import replace

from townsquare.api import OPERATOR, Auth, Call, Identity, OnProblem, Quota, Scheme
from townsquare.kit.addresses import customer_of
from townsquare.kit.tokens import bearer_token
from townsquare.kit.urls import is_origin, origin_of
from townsquare.problems import Forbidden, Unauthorized
from townsquare.routes import Routes
from townsquare.services.accounts.signin.models import Client
from townsquare.services.threads.models.sites import SiteConfig, SiteRole, Viewer
from townsquare.services.threads.problems import AdminsOnly, BadApiKey, OriginNotAllowed
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.request_limits import Counted, on_site
from townsquare.services.threads.service.sites import digest, has_host

KEY_HEADERS = ("x-api-key", "projectid")
KEY_PARAMETERS = ("site", "project_id")
SECURITY = {
    "type": "apiKey",
    "in": "header",
    "name": "X-API-Key",
    "description": "The key of a site: the public one from its own pages, the secret one from its "
    "back end. Users are signed in besides, by Authorization: Bearer <token>.",
}


class SiteIdentity(Identity, frozen=True):
    """The caller on a site. Equality ignores the settings, which may change while a connection is open."""

    site: SiteConfig | None = None
    owner: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SiteIdentity) and self._same() == other._same()

    def __hash__(self) -> int:
        return hash(self._same())

    def _same(self) -> tuple[str, str, str, str, bool]:
        return self.user_id, self.role, self.session_id, self.scope, self.owner


class SiteAccess:
    """The authentication of the endpoints of a site."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self.reading = Auth(self._scheme(self._reader), who="a site")
        self.writing = Auth(self._scheme(self._writer), who="a site and its user")
        self.administering = Auth(
            self._scheme(self._writer), admits=is_site_admin, who="an administrator of a site"
        )
        self.by_query = Auth(self._scheme(self._asked_by_query), who="a site")

    def _scheme(self, identify: Callable[[Call], Awaitable[Identity | None]]) -> Scheme:
        return Scheme("site_key", SECURITY, identify, count=self._count)

    def _reader(self, call: Call) -> Coroutine[Any, Any, Identity]:
        return self._identify(call, writes=False)

    async def _asked_by_query(self, call: Call) -> Identity:
        """For sockets of ThreadKit's client, which sends its token in the URL."""
        if token := call.query.get("token"):
            call = replace(call, headers={**call.headers, "authorization": f"Bearer {token}"})
        return await self._identify(call, writes=False)

    def _writer(self, call: Call) -> Coroutine[Any, Any, Identity]:
        return self._identify(call, writes=True)

    async def _identify(self, call: Call, *, writes: bool) -> SiteIdentity:
        site = await self._threads.sites.by_key(presented_key(call))
        owner = site.key_type == "secret"
        if not owner:
            require_origin(call, site, writes)
        token = bearer_token(call.headers.get("authorization", ""))
        if token is None:
            role = "admin" if owner else "user"
            identity = SiteIdentity("", role=role, scope=site.site_id, site=site, owner=owner)
        else:
            identity = await self._user(token, site, owner)
        return identity

    def _count(self, call: Call) -> Awaitable[Quota | None] | None:
        """Count a request towards the limits of its site, and in the statistics of the site."""
        identity = call.identity
        assert isinstance(identity, SiteIdentity)
        self._threads.usage.add(identity.scope, "api_requests")
        counted = counted_requests(call.ip, presented_key(call), identity)
        return self._threads.count_request(counted) if counted else None

    async def _user(self, token: str, site: SiteConfig, owner: bool) -> SiteIdentity:
        known = await self._threads.authenticate(token, site.site_id)
        if known is OPERATOR:
            return SiteIdentity("", OPERATOR.user_id, role="admin", scope=site.site_id, site=site, owner=True)
        moderator = False
        if known is None:
            if not site.settings.sso_keys:
                raise Unauthorized("The token is not valid")
            user = self._threads.single_sign_on.read(token, site.site_id, site.settings.sso_keys)
            await self._threads.commenters.save_sso_user(site.site_id, user)
            known, moderator = Identity(user.id, user.name), user.moderator
        role: SiteRole = await self._threads.sites.role_of(site.site_id, known.user_id)
        if role == "user" and moderator:
            role = "moderator"
        return SiteIdentity(
            known.user_id, known.username, role, known.session_id, site.site_id, site=site, owner=owner
        )


def site_routes(
    access: SiteAccess, prefix: str, on_problem: OnProblem | None = None
) -> tuple[Routes, Routes]:
    """Routes that read and routes that write, for any page that has the key of a site."""
    reads, writes = (
        Routes(prefix, tag="threads", auth=auth, open_to_any_origin=True, on_problem=on_problem)
        for auth in (access.reading, access.writing)
    )
    return reads, writes


def counted_requests(ip: str, key: str, identity: SiteIdentity) -> list[Counted]:
    """The counters of a request. The secret key has only its own: a back end speaks for many users."""
    if identity.site is None:
        return []
    limits, user_id = identity.site.settings.rate_limits, identity.user_id
    if identity.site.key_type == "secret":
        return [Counted("key", digest(key), limits.key)] if limits.key else []
    counted = []
    if limits.key:
        counted.append(Counted("key", key, limits.key))
    if limits.ip and ip:
        counted.append(Counted("ip", on_site(identity.scope, customer_of(ip)), limits.ip))
    if limits.user and user_id:
        counted.append(Counted("user", on_site(identity.scope, user_id), limits.user))
    return counted


def presented_key(call: Call) -> str:
    for name in KEY_HEADERS:
        if key := call.headers.get(name, ""):
            return key
    for name in KEY_PARAMETERS:
        if key := call.query.get(name, ""):
            return key_from_url(key)
    raise BadApiKey("Send the key of the site in X-API-Key")


def key_from_url(key: str) -> str:
    """Raise if a URL, which browsers and proxies record, contains a secret key."""
    if key.startswith("tsq_sec_"):
        raise BadApiKey("A secret key is not accepted in a URL. Send it in X-API-Key, and rotate this one.")
    return key


def require_origin(call: Call, site: SiteConfig, writes: bool) -> None:
    """Raise if a public key is used from another origin, or without an origin to write."""
    if not call.origin:
        if writes and not site.settings.writes_without_origin:
            raise OriginNotAllowed("A request without an origin is not allowed to write with a public key")
        return
    if not is_allowed(call.origin, site) and call.origin != origin_of(call.base_url):
        raise not_allowed(call.origin)


def require_allowed(origin: str, site: SiteConfig) -> None:
    if not is_allowed(origin, site):
        raise not_allowed(origin)


def not_allowed(origin: str) -> Forbidden:
    return OriginNotAllowed(f"The origin {origin[:200]} is not allowed")


def is_allowed(origin: str, site: SiteConfig) -> bool:
    if origin == f"https://{site.domain}" or origin in site.settings.allowed_origins:
        return True
    if not is_origin(origin):
        return False
    host = urlsplit(origin).netloc.lower()
    return has_host(site, host) or host in site.settings.allowed_origins


def is_site_admin(identity: Identity) -> None:
    if identity.role != "admin":
        raise AdminsOnly()


def client_of(call: Call) -> Client:
    """The client that signs in, for a session that is valid on this site only."""
    return Client(call.ip, call.user_agent, scope=site_of(call).site_id)


def site_of(call: Call) -> SiteConfig:
    identity = call.identity
    if not isinstance(identity, SiteIdentity) or identity.site is None:
        raise BadApiKey()
    return identity.site


def viewer_of(call: Call) -> Viewer:
    identity = call.identity
    if not isinstance(identity, SiteIdentity):
        raise BadApiKey()
    role: SiteRole = identity.role if identity.role in ("admin", "moderator") else "user"  # type: ignore[assignment]
    return Viewer(site_id=identity.scope, user_id=identity.user_id or None, role=role, owner=identity.owner)
