"""Authentication of tokens, called for every request that has one, and the accounts of outside tokens."""

import hmac

from msgspec.structs import replace

from townsquare.api import OPERATOR, Identity
from townsquare.kit.usernames import is_username
from townsquare.logger import get_logger
from townsquare.problems import Invalid, Taken
from townsquare.services.accounts.models import Facts, OutsideIdentity, User, UserProfile, UserRole
from townsquare.services.accounts.problems import UserChanged, UserNotFound, taken
from townsquare.services.accounts.signin.sessions import session_reads
from townsquare.services.accounts.signin.tokens.access import AccessTokens, TokenClaims
from townsquare.services.accounts.users import Users, changes
from townsquare.store.store import Store

ATTEMPTS = 3  # concurrent requests of one person

log = get_logger()


class Authentication:
    def __init__(self, store: Store, users: Users, tokens: AccessTokens, admin_token: str) -> None:
        self._store = store
        self._users = users
        self._tokens = tokens
        self._outside_accounts = OutsideAccounts(users)
        self._admin_token = admin_token.encode()

    async def authenticate(self, token: str, scope: str = "") -> Identity | None:
        """The operator, or the user of a live session.

        `scope` is the site of the request: a token that was issued for one site is valid only there.
        """
        if self._admin_token and hmac.compare_digest(
            self._admin_token, token.encode("utf-8", "surrogatepass")
        ):
            return OPERATOR
        claims = self._tokens.verified(token) or await self._tokens.read(token)
        if claims is None or claims.scope not in ("", scope):
            return None
        if claims.outside:
            return await self._outsider(claims)
        reads = session_reads(claims)
        owner, found = self._store.read_cached(reads) or await self._store.read(reads)
        if owner != claims.sub:
            return None
        if found == claims.sub if claims.username else not found:
            return claims.identity
        return await self._renamed(claims)

    async def _renamed(self, claims: TokenClaims) -> Identity | None:
        """The user of a token whose username has changed since."""
        try:
            user = await self._users.get(claims.sub)
        except UserNotFound:
            return None
        return Identity(user.id, user.username or "", user.role, claims.sid)

    async def _outsider(self, claims: TokenClaims) -> Identity | None:
        """The user of an outside token; never an administrator."""
        user = await self._outside_accounts.account_of(claims)
        if not user.account_status.may_sign_in:
            log.warning("outside token refused", why=f"the account {user.id} is {user.account_status}")
            return None
        role = UserRole.USER if user.role is UserRole.ADMIN else user.role
        return Identity(user.id, user.username or "", role)


class OutsideAccounts:
    """Accounts of users of an outside token issuer: found by `iss` and `sub`, created on first use.

    The username at the issuer is used here if it is valid and free, and follows its changes.
    """

    def __init__(self, users: Users) -> None:
        self._users = users

    async def account_of(self, claims: TokenClaims) -> User:
        for attempt in range(ATTEMPTS):
            user = await self._users.find_by_outside(claims.outside, claims.sub)
            if user is not None:
                return await self._follow_name(user, claims)
            try:
                last = attempt == ATTEMPTS - 1
                return await self._first_sight(replace(claims, username="") if last else claims)
            except (Taken, Invalid):
                continue
        raise UserChanged()

    async def _first_sight(self, claims: TokenClaims) -> User:
        identity = OutsideIdentity(
            issuer=claims.outside, subject=claims.sub, username=claims.username, named_at=claims.iat
        )
        name = claims.username if is_username(claims.username) else None
        holder = await self._users.find_by("username", name) if name else None
        if holder is not None and is_nobody_elses(holder):
            return await self._users.edit(holder.id, lambda user: adopted(user, identity))
        if holder is not None or (claims.username and not name):
            log.warning("outside username not used", username=claims.username, taken=holder is not None)
            name = None
        return await self._users.create(UserProfile(username=name), Facts(outside=identity), vouched=True)

    async def _follow_name(self, user: User, claims: TokenClaims) -> User:
        """Apply the username of a token; a token without one changes nothing."""
        known = user.outside
        if not known or claims.named_by_subject or claims.username in ("", known.username):
            return user
        if claims.iat <= known.named_at:
            return user
        renamed = replace(known, username=claims.username, named_at=claims.iat)
        try:
            if not is_username(claims.username):
                raise Invalid("this cannot be a username here")
            return await self._users.edit(
                user.id, lambda user: replace(user, username=claims.username, outside=renamed)
            )
        except (Taken, Invalid) as refused:
            log.warning("outside username not followed", username=claims.username, why=str(refused))
            return await self._users.edit(user.id, lambda user: replace(user, outside=renamed))


def is_nobody_elses(user: User) -> bool:
    """Whether an account has no sign-in method: it was created for an outside identity."""
    return user.registered and not changes.has_a_way_in(user)


def adopted(user: User, identity: OutsideIdentity) -> User:
    if not is_nobody_elses(user):
        raise taken("username")
    return replace(user, outside=identity)
