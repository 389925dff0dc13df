"""Authentication of tokens, called for every request that has one."""

import hmac

from townsquare.api import OPERATOR, Identity
from townsquare.logger import get_logger
from townsquare.services.accounts.models import UserRole
from townsquare.services.accounts.problems import UserNotFound
from townsquare.services.accounts.signin.outside_accounts import OutsideAccounts
from townsquare.services.accounts.signin.sessions import Sessions
from townsquare.services.accounts.signin.tokens.access import AccessTokens, TokenClaims
from townsquare.services.accounts.users import Users

log = get_logger()


class Authentication:
    def __init__(self, users: Users, sessions: Sessions, tokens: AccessTokens, admin_token: str) -> None:
        self._users = users
        self._sessions = sessions
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
        claims = await self._tokens.read(token)
        if claims is None or claims.scope not in ("", scope):
            return None
        if claims.outside:
            return await self._outsider(claims)
        lives, holds_name = await self._sessions.check(claims.sub, claims.sid, claims.username)
        if not lives:
            return None
        if holds_name:
            return Identity(claims.sub, claims.username, claims.role, claims.sid)
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
