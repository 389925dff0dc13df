"""The first admin: a link that a new server prints, valid once and for an hour.

The link has its token in the fragment, which browsers do not send: no log and no link preview sees it.
Opening the link changes nothing; the signed-in visitor sends the token with a POST.
"""

import hashlib
import secrets

from townsquare.api import Identity
from townsquare.logger import get_logger
from townsquare.problems import Unavailable
from townsquare.services.accounts.audit import AuditLog
from townsquare.services.accounts.keys import FIRST_ADMIN_SECONDS, first_admin
from townsquare.services.accounts.models import UserRole
from townsquare.services.accounts.problems import AdminLinkNotValid
from townsquare.services.accounts.scripts import UseAdminLink
from townsquare.services.accounts.signin.models import Client, SignedIn
from townsquare.services.accounts.signin.sessions import Sessions
from townsquare.services.accounts.users import Users
from townsquare.store.store import Store

log = get_logger("townsquare.accounts")

PAGE = "/console/first-admin"


class FirstAdmin:
    def __init__(self, store: Store, users: Users, sessions: Sessions, audit: AuditLog) -> None:
        self._store = store
        self._users = users
        self._sessions = sessions
        self._audit = audit

    async def offer(self) -> str | None:
        """A new token, of which only the hash is stored. Earlier tokens end.

        None if there is an admin, or if the store takes no writes: a server can start on a full disk.
        """
        if await self._has_admin():
            return None
        token = secrets.token_urlsafe(32)
        try:
            await self._store.call("SET", first_admin(), digest(token), "EX", FIRST_ADMIN_SECONDS)
        except Unavailable as refused:
            log.warning("no link for the first admin", reason=str(refused))
            return None
        return token

    async def claim(self, identity: Identity, token: str, client: Client) -> SignedIn:
        """Make the caller an admin with a token of `offer`. A new role ends all sessions: this opens one."""
        user = await self._users.get(identity.user_id)
        if not user.registered or await self._has_admin():
            raise AdminLinkNotValid()
        if not await self._store.run(UseAdminLink(digest=digest(token))):
            raise AdminLinkNotValid()
        async with self._audit.recorded(identity, "first_admin", user.id):
            user = await self._users.set_role(user.id, UserRole.ADMIN)
        return await self._sessions.issue(user, "first_admin", client)

    async def _has_admin(self) -> bool:
        return await self._users.count("role", UserRole.ADMIN) > 0


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
