"""The door itself: letting in whoever has proved who they are, knowing them again, letting them out."""

import contextlib

import msgspec

from townsquare.api import Identity
from townsquare.clock import iso
from townsquare.problems import Taken
from townsquare.services.accounts import edits, views
from townsquare.services.accounts.models import Profile, User, UserRole
from townsquare.services.accounts.problems import BadProfile, UserBeingDeleted, UserNotFound
from townsquare.services.accounts.refusals import AccountClosed, BadRefreshToken, SessionNotFound
from townsquare.services.accounts.sessions import Device, Opened, Sessions
from townsquare.services.accounts.tokens import ACCESS_SECONDS, Claims, Tokens
from townsquare.services.accounts.users import Users
from townsquare.store.store import Store


class SignedIn(msgspec.Struct, kw_only=True):
    """What every way in answers."""

    access_token: str
    refresh_token: str
    token_type: str = "Bearer"  # noqa: S105 - RFC 6750 calls it that
    expires_in: int = ACCESS_SECONDS
    user: views.PrivateUser


class Entry:
    def __init__(self, store: Store, users: Users, sessions: Sessions, tokens: Tokens) -> None:
        self._store = store
        self._users = users
        self._sessions = sessions
        self._tokens = tokens

    async def admit(self, user: User, method: str, device: Device) -> SignedIn:
        """A new session. Whether the account is open is decided in the same step that begins it."""
        if not user.account_status.may_sign_in:
            raise AccountClosed()
        opened = await self._sessions.open(user.id, method, device)
        now = iso(self._store.clock.now_ms())
        try:
            user = await self._users.edit(user.id, lambda known: edits.signed_in(known, now))
        except (UserBeingDeleted, UserNotFound):
            raise AccountClosed() from None
        return await self._tokens_for(user, opened)

    async def refresh(self, refresh_token: str, device: Device) -> SignedIn:
        opened = await self._sessions.refresh(refresh_token, device)
        try:
            user = await self._users.get(opened.user_id)
        except UserNotFound:
            raise BadRefreshToken() from None
        return await self._tokens_for(user, opened)

    async def leave(self, identity: Identity) -> None:
        """End the caller's own session; one that has ended already is no reason to complain."""
        with contextlib.suppress(SessionNotFound):
            await self._sessions.end(identity.user_id, identity.session_id)

    async def identify(self, token: str) -> Identity | None:
        """Who presents this token, if its session lives at this moment."""
        claims = await self._tokens.read(token)
        if claims is None:
            return None
        if claims.outside:
            return await self._identify_outsider(claims)
        lives, holds_name = await self._sessions.stands(claims.sub, claims.sid, claims.username)
        if not lives:
            return None
        if holds_name:
            return Identity(claims.sub, claims.username, claims.role, claims.sid)
        return await self._identify_renamed(claims)

    async def _identify_renamed(self, claims: Claims) -> Identity | None:
        """Somebody whose token was issued under a name that is given up, or another's, by now."""
        try:
            user = await self._users.get(claims.sub)
        except UserNotFound:
            return None
        return Identity(user.id, user.username or "", user.role, claims.sid)

    async def _identify_outsider(self, claims: Claims) -> Identity | None:
        """The account with the name that an outside issuer vouches for; never an administrator."""
        try:
            user = await self._users.find_by("username", claims.username)
            if user is None:
                user = await self._users.create(Profile(username=claims.username), vouched=True)
        except BadProfile:
            return None
        except Taken:
            user = await self._users.find_by("username", claims.username)
        if user is None or not user.account_status.may_sign_in:
            return None
        role = UserRole.USER if user.role is UserRole.ADMIN else user.role
        return Identity(user.id, claims.username, role)

    async def _tokens_for(self, user: User, opened: Opened) -> SignedIn:
        access = await self._tokens.issue(user.id, opened.session_id, user.username or "", user.role)
        return SignedIn(access_token=access, refresh_token=opened.refresh_token, user=views.private(user))
