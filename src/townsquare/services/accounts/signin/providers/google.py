"""Google, or any OpenID issuer: an ID token checked against the keys that the issuer publishes."""

import asyncio
import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import msgspec

from townsquare.clock import Clock
from townsquare.kit import jwt
from townsquare.services.accounts.problems import ProviderAway, ProviderRefused
from townsquare.services.accounts.signin.models import IdToken, ProviderRedirect
from townsquare.services.accounts.signin.providers.provider import (
    ConfirmedPerson,
    Provider,
    read,
    send_request,
)
from townsquare.services.accounts.signin.tokens.access import key_id
from townsquare.store.store import Store

if TYPE_CHECKING:
    import httpx
    from jwt import PyJWK

ALGORITHM = "RS256"
CLOCK_SKEW = 60  # seconds between the issuer's clock and ours
FRESH_FOR = (60, 86_400)  # seconds: bounds for the max-age of Cache-Control
STALE_FOR = 86_400  # keys that we cannot renew are believed for this long
ASK_AGAIN_AFTER = 10  # seconds between two looks for a key that is not published
MAX_AGE = re.compile(r"max-age=(\d{1,9})")


class Discovery(msgspec.Struct):
    issuer: str
    authorization_endpoint: str
    jwks_uri: str


class IdClaims(msgspec.Struct):
    sub: str
    nonce: str
    aud: str | list[str]
    email: str | None = None
    email_verified: bool | str = False
    name: str = ""
    picture: str | None = None


class PublishedKeys:
    """The issuer's keys, fetched when first needed, when they are old, and when an unknown one signs."""

    def __init__(self, issuer: str, clock: Clock, client: "Callable[[], httpx.AsyncClient]") -> None:
        self._issuer = issuer
        self._clock = clock
        self._client = client
        self._keys: dict[str, PyJWK] = {}
        self._discovery: Discovery | None = None
        self._fresh_until = 0
        self._stale_until = 0
        self._asked_at = -ASK_AGAIN_AFTER
        self._asking = asyncio.Lock()

    async def discovery(self) -> Discovery:
        async with self._asking:
            if self._discovery is None or self._now >= self._fresh_until:
                await self._renew()
            if self._discovery is None:
                raise ProviderAway()
            return self._discovery

    async def find(self, kid: str) -> "PyJWK":
        if self._now >= self._fresh_until or kid not in self._keys:
            async with self._asking:
                if self._now >= self._fresh_until or self._may_be_new(kid):
                    await self._renew()
        try:
            return self._keys[kid]
        except KeyError:
            raise ProviderRefused("The token is signed with a key that the issuer does not publish") from None

    def _may_be_new(self, kid: str) -> bool:
        return kid not in self._keys and self._now - self._asked_at >= ASK_AGAIN_AFTER

    @property
    def _now(self) -> int:
        return self._clock.now_ms() // 1000

    async def _renew(self) -> None:
        """Fetch again; if that fails and the old ones are not too old, they stay."""
        self._asked_at = self._now
        try:
            await self._fetch()
        except (ProviderAway, ProviderRefused):
            if self._now >= self._stale_until:
                self._keys = {}
                raise ProviderAway() from None
            self._fresh_until = self._now + ASK_AGAIN_AFTER

    async def _fetch(self) -> None:
        from jwt import PyJWKSet, PyJWTError

        url = f"{self._issuer}/.well-known/openid-configuration"
        discovery = read(await send_request(self._client(), "GET", url), Discovery)
        if discovery.issuer.rstrip("/") != self._issuer:
            raise ProviderRefused("The issuer calls itself something else")
        reply = await send_request(self._client(), "GET", discovery.jwks_uri)
        try:
            keys = PyJWKSet.from_dict(read(reply, dict))
        except (PyJWTError, AttributeError, TypeError, ValueError):
            raise ProviderRefused("The issuer's keys cannot be read") from None
        self._discovery = discovery
        self._keys = {key.key_id: key for key in keys.keys if key.key_id}
        age = MAX_AGE.search(reply.headers.get("cache-control", ""))
        self._fresh_until = self._now + min(max(int(age[1]) if age else 0, FRESH_FOR[0]), FRESH_FOR[1])
        self._stale_until = self._now + STALE_FOR


class Google(Provider[IdToken]):
    name = "google"

    def __init__(self, issuer: str, client_id: str, store: Store) -> None:
        super().__init__(store, offered=bool(client_id))
        self._issuer = issuer.rstrip("/")
        self._client_id = client_id
        self._clock = store.clock
        self._keys = PublishedKeys(self._issuer, store.clock, lambda: self._client)

    async def start(self, redirect_uri: str) -> ProviderRedirect:
        """The URL for the browser, with the single-use nonce that the ID token must contain."""
        discovery = await self._keys.discovery()
        nonce = await self._begin(redirect_uri)
        asked = {
            "client_id": self._client_id,
            "redirect_uri": redirect_uri,
            "response_type": "id_token",
            "scope": "openid email profile",
            "nonce": nonce,
            "state": nonce,
        }
        joint = "&" if "?" in discovery.authorization_endpoint else "?"
        return ProviderRedirect(f"{discovery.authorization_endpoint}{joint}{urlencode(asked)}", nonce, nonce)

    async def confirm(self, proof: IdToken) -> ConfirmedPerson:
        """The person of an ID token, whose signature, issuer, audience, times and nonce are verified."""
        claims = await self._verified(proof.id_token)
        await self._end(claims.nonce)
        return ConfirmedPerson(
            provider=self.name,
            id=claims.sub,
            email=claims.email,
            email_verified=claims.email_verified in (True, "true"),
            name=claims.name,
            avatar=claims.picture,
        )

    async def _verified(self, token: str) -> IdClaims:
        key = await self._keys.find(key_id(token))
        try:
            found = jwt.verified(token, key, ALGORITHM)
            jwt.check_claims(
                found,
                now=self._clock.now_ms() // 1000,
                leeway=CLOCK_SKEW,
                required=("exp", "iat", "sub", "nonce"),
                issuers=(self._issuer, self._issuer.removeprefix("https://")),
            )
            claims = msgspec.convert(found, IdClaims)
        except (jwt.BadToken, msgspec.ValidationError):
            raise ProviderRefused() from None
        if claims.aud not in (self._client_id, [self._client_id]):
            raise ProviderRefused()
        return claims
