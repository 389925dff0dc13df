"""Single sign-on: users of a site, by a JWT that the site has signed with its key.

A user is identified by site and `sub`, exists only on that site, and is never merged with an account of the
same email. Only HS256 is accepted. A site has up to two keys, so that it can rotate them. A key that is
removed from the settings is invalid at once.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from townsquare.clock import Clock
from townsquare.keyspace import DAY, derived_id
from townsquare.kit import jwt
from townsquare.kit.email_addresses import BadEmailAddress, EmailAddress
from townsquare.kit.text import BadText, visible_name
from townsquare.kit.tokens import LONGEST_TOKEN
from townsquare.kit.urls import is_web_url
from townsquare.problems import Unauthorized
from townsquare.services.accounts.signin.tokens import access

MOST_KEYS = 2
SHORTEST_KEY = 32  # characters; shorter keys are not accepted
LONGEST_KEY = 512
LONGEST_NAME = 100
LONGEST_LIFE = DAY  # seconds: a leaked token is useless after a day


class BadSsoToken(Unauthorized):
    """The token is not valid. The reason is for the developer of the site."""

    code, title = "bad_sso_token", "The token of the site's user is not valid"

    def __init__(self, fault: str = "", claim: str = "") -> None:
        super().__init__(f"{claim}: {fault}" if claim else fault)


class SsoUser(msgspec.Struct, frozen=True):
    id: str
    sub: str
    name: str
    email: str | None
    avatar: str | None
    moderator: bool
    expires_at: int  # ms

    @property
    def counts_until(self) -> int:
        """The end of the token in ms, with tolerance for clock differences."""
        return self.expires_at + access.CLOCK_SKEW * 1000


class SsoClaims(msgspec.Struct):
    """The claims that we read; others are ignored."""

    sub: str
    name: str
    exp: float
    email: str | None = None
    avatar: str | None = None
    role: Any = None


class SingleSignOn:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._verified = access.VerifiedTokens[SsoUser]()

    def read(self, token: str, site_id: str, keys: Sequence[str]) -> SsoUser:
        """The user of a token; `keys` are the current keys of the site."""
        if len(token) > LONGEST_TOKEN or token.count(".") != 2:
            raise BadSsoToken(f"this is no JWT of at most {LONGEST_TOKEN:,} characters")
        now = self._clock.now_ms() / 1000
        verified = "\n".join((token, site_id, *keys[:MOST_KEYS]))
        user = self._verified.get(verified, now)
        if user is None:
            user = verified_user(token, site_id, keys[:MOST_KEYS], now)
            self._verified.keep(verified, user, until=user.counts_until / 1000)
        return user


def user_id_of(site_id: str, sub: str) -> str:
    """The derived id of a user of single sign-on."""
    return derived_id("sso", site_id, sub)


def is_fit_key(key: str) -> bool:
    """Whether a key is long enough."""
    return SHORTEST_KEY <= len(key) <= LONGEST_KEY and key.isprintable() and not key.startswith("-----BEGIN")


def verified_user(token: str, site_id: str, keys: Sequence[str], now: float) -> SsoUser:
    header = access.unverified_part(token, 0)
    if header.get("alg") != jwt.HS256:
        raise BadSsoToken(f"sign with {jwt.HS256}", "alg")
    if "crit" in header:
        raise BadSsoToken("no critical header is supported", "crit")
    signed = signed_claims(token, keys)
    try:
        jwt.check_claims(signed, now=int(now), leeway=access.CLOCK_SKEW, required=("exp",))
        claims = msgspec.convert(signed, SsoClaims)
    except jwt.ExpiredToken:
        raise BadSsoToken("the token has expired", "exp") from None
    except (jwt.BadToken, msgspec.ValidationError) as wrong:
        raise BadSsoToken(str(wrong)) from None
    if claims.exp > now + LONGEST_LIFE + access.CLOCK_SKEW:
        raise BadSsoToken("a token is valid for at most 24 hours", "exp")
    return SsoUser(
        id=user_id_of(site_id, checked_sub_claim(claims.sub)),
        sub=claims.sub,
        name=checked_name_claim(claims.name),
        email=checked_email_claim(claims.email),
        avatar=checked_avatar_claim(claims.avatar),
        moderator=claims.role == "moderator",
        expires_at=int(claims.exp * 1000),
    )


def signed_claims(token: str, keys: Sequence[str]) -> dict[str, Any]:
    """The claims of a token, if one of the keys has signed it."""
    for key in filter(is_fit_key, keys):
        try:
            return jwt.verified(token, key, jwt.HS256)
        except jwt.BadSignature:
            continue
        except jwt.BadToken:
            raise BadSsoToken("this cannot be read as a JWT") from None
    raise BadSsoToken("no key of this site has signed it")


def checked_sub_claim(sub: str) -> str:
    if not 1 <= len(sub) <= access.LONGEST_SUBJECT or not is_whole(sub):
        raise BadSsoToken(f"use 1 to {access.LONGEST_SUBJECT} characters", "sub")
    return sub


def checked_name_claim(text: str) -> str:
    try:
        return visible_name(text, LONGEST_NAME)
    except BadText:
        raise BadSsoToken(
            f"use one line of 1 to {LONGEST_NAME} characters that can be seen", "name"
        ) from None


def checked_email_claim(text: str | None) -> str | None:
    try:
        return EmailAddress.parse(text).typed if text else None
    except BadEmailAddress as bad:
        raise BadSsoToken(str(bad), "email") from None


def checked_avatar_claim(url: str | None) -> str | None:
    if url and not is_web_url(url):
        raise BadSsoToken("use an http or https URL", "avatar")
    return url or None


def is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair: valid JSON, but not storable
        return False
    return True
