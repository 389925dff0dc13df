"""Access tokens: JWTs of fifteen minutes, signed with keys that live in the store and change by themselves.

A verified token is remembered until it expires, so that its signature is checked once and not on every
request. Whether its session still lives is not remembered: `Sessions.check` is asked each time.
"""

import hashlib
import secrets
from collections import OrderedDict
from typing import Any

import msgspec
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import Key, OctKey

from townsquare.clock import iso
from townsquare.keyspace import DAY
from townsquare.services.accounts.signin.models import ACCESS_SECONDS, SigningKeys
from townsquare.services.accounts.signin.scripts import RotateSigningKeys
from townsquare.services.accounts.signin.tokens.outside_issuer import OutsideIssuer
from townsquare.services.accounts.signin.tokens.unverified import issuer, key_id
from townsquare.store.store import Store

ALGORITHM = "HS256"
KEY_SECONDS = 30 * DAY  # a key signs for this long
LOOK_AGAIN_AFTER = 60  # seconds: how late a process may learn that another one changed the keys
ASK_AGAIN_AFTER = 1  # seconds between two looks for a `kid` that we do not know
CLOCK_SKEW = 5
REMEMBERED = 20_000
LONGEST_TOKEN = 8_192


class TokenClaims(msgspec.Struct, frozen=True):
    """What a verified token says."""

    sub: str
    exp: int
    sid: str = ""
    username: str = ""
    role: str = ""
    outside: bool = False


class AccessTokens:
    def __init__(
        self, store: Store, issuer: str, audience: str, outside: OutsideIssuer | None = None
    ) -> None:
        self._store = store
        self._issuer = issuer
        self._audience = audience
        self._outside = outside
        self._keys: dict[str, OctKey] = {}
        self._signing = ""
        self._looked_at = -LOOK_AGAIN_AFTER
        self._verified: OrderedDict[bytes, TokenClaims] = OrderedDict()

    @property
    def _now(self) -> int:
        return self._store.clock.now_ms() // 1000

    async def issue(self, user_id: str, session_id: str, username: str, role: str) -> str:
        if self._now - self._looked_at >= LOOK_AGAIN_AFTER:
            await self._rotate_keys()
        claims = {
            "iss": self._issuer,
            "aud": self._audience,
            "sub": user_id,
            "sid": session_id,
            "username": username,
            "role": role,
            "iat": self._now,
            "exp": self._now + ACCESS_SECONDS,
        }
        header = {"alg": ALGORITHM, "kid": self._signing, "typ": "JWT"}
        return jwt.encode(header, claims, self._keys[self._signing], algorithms=[ALGORITHM])

    async def read(self, token: str) -> TokenClaims | None:
        """What the token says, if it is ours (or of the outside issuer) and has not expired."""
        if len(token) > LONGEST_TOKEN or token.count(".") != 2:
            return None
        name = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
        known = self._verified.get(name)
        if known is None:
            known = await self._verify(token)
            if known is None:
                return None
            self._verified[name] = known
            if len(self._verified) > REMEMBERED:
                self._verified.popitem(last=False)
        if known.exp <= self._now:
            self._verified.pop(name, None)
            return None
        return known

    async def rotate(self) -> None:
        """Sign with a new key from now on; tokens signed with the old one stay valid until they expire."""
        await self._rotate_keys()
        await self._rotate_keys(replaces=self._signing)

    async def _verify(self, token: str) -> TokenClaims | None:
        outside = self._outside
        if outside is not None and issuer(token) == outside.issuer:
            claims = self._check(token, outside.key, outside.algorithm, outside.issuer, outside.audience)
            return _outside_claims(claims) if claims else None
        key = await self._key(key_id(token))
        if key is None:
            return None
        claims = self._check(token, key, ALGORITHM, self._issuer, self._audience)
        return _own_claims(claims) if claims else None

    def _check(
        self, token: str, key: Key, algorithm: str, issuer: str, audience: str
    ) -> dict[str, Any] | None:
        rules = jwt.JWTClaimsRegistry(
            now=self._now,
            leeway=CLOCK_SKEW,
            iss={"essential": True, "value": issuer},
            aud={"essential": True, "value": audience},
            sub={"essential": True},
            exp={"essential": True},
        )
        try:
            found = jwt.decode(token, key, algorithms=[algorithm])
            rules.validate(found.claims)
        except (JoseError, ValueError, TypeError, RecursionError):
            return None
        return found.claims

    async def _key(self, kid: str) -> OctKey | None:
        if kid not in self._keys and self._now - self._looked_at >= ASK_AGAIN_AFTER:
            await self._rotate_keys()
        return self._keys.get(kid)

    async def _rotate_keys(self, replaces: str | None = None) -> None:
        """Read the keys, and put a new one in front if it is time: one round trip, whoever comes first."""
        now = self._store.clock.now_ms()
        self._looked_at = now // 1000
        text = await self._store.run(
            RotateSigningKeys(
                kid=secrets.token_hex(8),
                secret=secrets.token_hex(32),
                now_iso=iso(now),
                renew_before=iso(now - KEY_SECONDS * 1000),
                replaces=replaces,
                drop_before=iso(now - 2 * ACCESS_SECONDS * 1000),
            )
        )
        found = msgspec.json.decode(text, type=SigningKeys).keys
        self._keys = {one.kid: OctKey.import_key(one.key) for one in found}
        self._signing = found[0].kid


def _own_claims(claims: dict[str, Any]) -> TokenClaims | None:
    try:
        return msgspec.convert(claims, TokenClaims)
    except msgspec.ValidationError:
        return None


def _outside_claims(claims: dict[str, Any]) -> TokenClaims | None:
    """Only who it is. What they may do here is ours to say."""
    name = claims.get("username") or claims.get("preferred_username") or claims["sub"]
    return _own_claims({"sub": claims["sub"], "exp": claims["exp"], "username": name, "outside": True})
