"""Access tokens: JWTs of fifteen minutes, signed with keys in the store that rotate automatically.

A verified token is cached until it expires, so its signature is checked once. The session is checked on every
request (`Sessions.check`).
"""

import asyncio
import base64
import binascii
import hashlib
import secrets
from collections import OrderedDict
from contextvars import Context
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from townsquare.api import Identity
from townsquare.clock import iso
from townsquare.keyspace import DAY
from townsquare.kit import jwt
from townsquare.kit.tokens import LONGEST_TOKEN
from townsquare.kit.usernames import is_username
from townsquare.logger import get_logger
from townsquare.services.accounts.ids import SESSION_ID, USER_ID
from townsquare.services.accounts.models import UserRole
from townsquare.services.accounts.scripts import RotateSigningKeys
from townsquare.services.accounts.signin.models import ACCESS_SECONDS, SigningKeys
from townsquare.store.store import Store

if TYPE_CHECKING:
    from jwt import PyJWK

    from townsquare.services.accounts.signin.tokens.outside_issuer import OutsideIssuer

KEY_SECONDS = 30 * DAY  # lifetime of a signing key
LOOK_AGAIN_AFTER = 60  # seconds until a process reads the keys again
ASK_AGAIN_AFTER = 1  # seconds between two reads for an unknown `kid`
CLOCK_SKEW = 5
LONGEST_SUBJECT = 255  # the limit of OpenID Connect
LONGEST_REASON = 200

log = get_logger()
REMEMBERED = 20_000  # tokens; the oldest are evicted first
LONGEST_NAME = 512  # characters of a token that is cached under itself: a digest takes three times as long
Claims = TypeVar("Claims")


class TokenClaims(msgspec.Struct, frozen=True, dict=True):
    """The claims of a verified token."""

    sub: str
    exp: int
    sid: str = ""
    username: str = ""
    role: str = ""
    scope: str = ""  # the site of the token; '' for the whole account
    iat: int = 0
    outside: str = ""  # the outside issuer, if any
    named_by_subject: bool = False  # the token has no username

    @cached_property
    def identity(self) -> Identity:
        return Identity(self.sub, self.username, self.role, self.sid)


class AccessTokens:
    def __init__(
        self, store: Store, issuer: str, audience: str, outside: "OutsideIssuer | None" = None
    ) -> None:
        self._store = store
        self._issuer = issuer
        self._audience = audience
        self._outside = outside
        self._keys: dict[str, str] = {}
        self._signing = ""
        self._looked_at = -LOOK_AGAIN_AFTER  # when the keys were read
        self._look: asyncio.Task[None] | None = None  # the read in progress
        self._verified = VerifiedTokens[TokenClaims]()

    @property
    def _now(self) -> int:
        return self._store.clock.now_ms() // 1000

    async def issue(self, user_id: str, session_id: str, username: str, role: str, scope: str = "") -> str:
        if self._now - self._looked_at >= LOOK_AGAIN_AFTER:
            await self._look_at_keys()
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
        if scope:
            claims |= {"scope": scope, "role": UserRole.USER}
        return jwt.signed(claims, self._keys[self._signing], self._signing)

    def verified(self, token: str) -> TokenClaims | None:
        """The claims of a token that was verified before."""
        return self._verified.get(token, self._now)

    async def read(self, token: str) -> TokenClaims | None:
        """The claims of a valid token of ours or of the outside issuer."""
        if len(token) > LONGEST_TOKEN or token.count(".") != 2:
            return None
        claims = self.verified(token) or await self._verify(token)
        if claims is None or claims.exp <= self._now:
            return None
        self._verified.keep(token, claims, until=claims.exp)
        return claims

    async def rotate(self) -> None:
        """Sign with a new key; tokens of the old key stay valid until they expire."""
        await self._look_at_keys()
        await self._rotate_keys(replaces=self._signing)

    async def _verify(self, token: str) -> TokenClaims | None:
        outside = self._outside
        if outside is not None and issuer(token) == outside.issuer:
            return self._verify_outside(token, outside)
        key = await self._key(key_id(token))
        if key is None:
            return None
        try:
            found = self._check(token, key, jwt.HS256, self._issuer, self._audience)
            claims = msgspec.convert(found, TokenClaims)
        except (jwt.BadToken, msgspec.ValidationError):
            return None
        return claims if USER_ID.matches(claims.sub) and SESSION_ID.matches(claims.sid) else None

    def _verify_outside(self, token: str, outside: "OutsideIssuer") -> TokenClaims | None:
        """Verify a token of the outside issuer; the log contains the reason of a rejection."""
        try:
            return outside_claims(
                self._check(token, outside.key, outside.algorithm, outside.issuer, outside.audience)
            )
        except (jwt.BadToken, ValueError) as wrong:
            log.warning("outside token refused", why=f"{type(wrong).__name__}: {wrong}"[:LONGEST_REASON])
            return None

    def _check(
        self, token: str, key: "str | PyJWK", algorithm: str, issuer: str, audience: str
    ) -> dict[str, Any]:
        claims = jwt.verified(token, key, algorithm)
        jwt.check_claims(
            claims,
            now=self._now,
            leeway=CLOCK_SKEW,
            required=("sub", "exp"),
            issuers=(issuer,),
            audience=audience,
        )
        return claims

    async def _key(self, kid: str) -> str | None:
        if kid not in self._keys and (self._look or self._now - self._looked_at >= ASK_AGAIN_AFTER):
            await self._look_at_keys()
        return self._keys.get(kid)

    async def _look_at_keys(self) -> None:
        """Read the keys once for all waiting requests, also if some are cancelled."""
        if self._look is None:
            self._look = asyncio.create_task(self._rotate_keys(), context=Context())  # outside of any request
            self._look.add_done_callback(self._looked)
        await asyncio.shield(self._look)

    def _looked(self, look: asyncio.Task[None]) -> None:
        self._look = None
        if not look.cancelled():
            look.exception()  # marks the exception as retrieved

    async def _rotate_keys(self, replaces: str | None = None) -> None:
        """Read the keys and add a new one when it is due, in one round trip."""
        now = self._store.clock.now_ms()
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
        self._keys = {one.kid: one.key for one in found}
        self._signing = found[0].kid
        self._looked_at = now // 1000


def outside_claims(claims: dict[str, Any]) -> TokenClaims:
    """The identity only; roles are ours."""
    subject = claims["sub"]
    if not isinstance(subject, str) or not 1 <= len(subject) <= LONGEST_SUBJECT:
        raise ValueError(f"sub is a string of 1 to {LONGEST_SUBJECT} characters")
    subject.encode()  # refuses lone surrogates
    name = claims.get("username") or claims.get("preferred_username")
    named = isinstance(name, str)
    if not isinstance(name, str):
        name = subject if is_username(subject) else ""
    return TokenClaims(
        sub=subject,
        exp=int(claims["exp"]),
        iat=int(claims.get("iat", claims["exp"])),  # to order the tokens of one user
        username=name,
        outside=claims["iss"],
        named_by_subject=not named,
    )


class VerifiedTokens(Generic[Claims]):
    """Claims by the token and the key that verified it, or by their digest if they are long."""

    def __init__(self) -> None:
        self._known: OrderedDict[str | bytes, tuple[float, Claims]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def get(self, verified: str, now: float) -> Claims | None:
        name = verified if len(verified) <= LONGEST_NAME else _digest(verified)
        until, claims = self._known.get(name, (now, None))
        if until > now:
            return claims
        self._known.pop(name, None)
        return None

    def keep(self, verified: str, claims: Claims, until: float) -> None:
        name = verified if len(verified) <= LONGEST_NAME else _digest(verified)
        self._known[name] = (until, claims)
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


def _digest(verified: str) -> bytes:
    return hashlib.sha256(verified.encode("utf-8", "surrogatepass")).digest()


def key_id(token: str) -> str:
    """The `kid` of a token; '' if it has none."""
    return str(unverified_part(token, 0).get("kid", ""))


def issuer(token: str) -> Any:
    return unverified_part(token, 1).get("iss")


def unverified_part(token: str, index: int) -> dict[str, Any]:
    """The header (0) or the claims (1); {} if they are not readable."""
    if len(token) > LONGEST_TOKEN:
        return {}
    try:
        part = token.split(".")[index]
        return msgspec.json.decode(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)), type=dict)
    except (binascii.Error, ValueError, IndexError, RecursionError, msgspec.MsgspecError):
        return {}
