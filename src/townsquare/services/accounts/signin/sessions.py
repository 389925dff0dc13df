"""Sessions: a sign-in on one device, with a refresh token that rotates on every use."""

import contextlib

import msgspec
from msgspec.structs import replace

from townsquare.api import Identity
from townsquare.clock import iso
from townsquare.services.accounts import keys, problems, scripts
from townsquare.services.accounts.ids import SESSION_ID, USER_ID, new_session_id
from townsquare.services.accounts.keys import SESSIONS_PER_USER, session, user_sessions
from townsquare.services.accounts.keys import user as user_key
from townsquare.services.accounts.models import PrivateUser, User
from townsquare.services.accounts.signin.models import Client, SessionView, SignedIn
from townsquare.services.accounts.signin.tokens.access import AccessTokens, TokenClaims
from townsquare.services.accounts.signin.tokens.refresh import RefreshTokens, digest
from townsquare.services.accounts.users import Users
from townsquare.store.client_cache import Record, RecordRead
from townsquare.store.store import Store

USER_AGENT_LENGTH = 256
NOT_TOLD = {"user_agent": "", "ip": "", "method": ""}


class Sessions:
    def __init__(self, store: Store, users: Users, access: AccessTokens, refresh: RefreshTokens) -> None:
        self._store = store
        self._users = users
        self._access_tokens = access
        self._refresh_tokens = refresh

    async def issue(self, user: User, method: str, client: Client) -> SignedIn:
        """Open a session. The same script checks that the account may sign in."""
        if not user.account_status.may_sign_in:
            raise problems.AccountClosed()
        session_id = new_session_id(user.id)
        refresh_token = self._refresh_tokens.make(session_id)
        now = self._store.clock.now_ms()
        await self._store.run(
            scripts.OpenSession(
                id=user.id,
                session_id=session_id,
                refresh=digest(refresh_token),
                method=method,
                user_agent=client.user_agent[:USER_AGENT_LENGTH],
                ip=client.ip,
                scope=client.scope or None,
                now=now,
                now_iso=iso(now),
            )
        )
        try:
            user = await self._users.edit(user.id, lambda known: replace(known, last_login=iso(now)))
        except (problems.UserBeingDeleted, problems.UserNotFound):
            raise problems.AccountClosed() from None
        return await self._signed_in(user, session_id, refresh_token, client.scope)

    async def refresh(self, token: str, client: Client) -> SignedIn:
        """Exchange a refresh token; reuse of an old token ends the session.

        Within a few seconds the previous token returns the same new one: two tabs may refresh at once, and a
        page that is closed never sees the response. A token of a site works on that site only.
        """
        session_id = self._refresh_tokens.session_of(token)
        fresh = self._refresh_tokens.next_of(token)
        now = self._store.clock.now_ms()
        answer = await self._store.run(
            scripts.RefreshSession(
                session_id=session_id,
                refresh=digest(token),
                fresh=digest(fresh),
                user_agent=client.user_agent[:USER_AGENT_LENGTH],
                ip=client.ip,
                scope=client.scope or None,
                now=now,
                now_iso=iso(now),
            )
        )
        if answer.outcome != "fresh":
            raise problems.BadRefreshToken()
        try:
            user = await self._users.get(answer.user_id)
        except problems.UserNotFound:
            raise problems.BadRefreshToken() from None
        return await self._signed_in(user, session_id, fresh, client.scope)

    async def _signed_in(self, user: User, session_id: str, refresh_token: str, scope: str) -> SignedIn:
        access_token = await self._access_tokens.issue(
            user.id, session_id, user.username or "", user.role, scope
        )
        return SignedIn(access_token=access_token, refresh_token=refresh_token, user=PrivateUser.of(user))

    async def list(self, user_id: str, current: str = "") -> list[SessionView]:
        """The sessions of a user, newest first."""
        found = await self._store.call("ZREVRANGE", user_sessions(user_id), 0, SESSIONS_PER_USER)
        ids = [id.decode() for id in found]
        records = await self._store.get_many([session(id) for id in ids])
        return [
            msgspec.convert({**NOT_TOLD, **record, "id": id, "current": id == current}, SessionView)
            for id, record in zip(ids, records, strict=True)
            if record
        ]

    async def sign_out(self, identity: Identity) -> None:
        """End the caller's session; no error if it has ended."""
        with contextlib.suppress(problems.SessionNotFound):
            await self.end(identity.user_id, identity.session_id)

    async def end(self, user_id: str, session_id: str) -> None:
        if not SESSION_ID.matches(session_id) or session(session_id).bucket != user_sessions(user_id).bucket:
            raise problems.SessionNotFound()
        await self._store.run(scripts.EndSession(id=user_id, session_id=session_id))

    async def end_all(self, user_id: str, *, keep: str | None = None) -> int:
        """End all sessions, or all but one; returns their number."""
        if not USER_ID.matches(user_id):
            return 0
        return await self._store.run(scripts.EndOtherSessions(id=user_id, keep=keep))


class UsernameOnly(msgspec.Struct):
    username: str | None = None


def username_in(document: bytes) -> str | None:
    """The username in a stored user, without decoding the document."""
    return msgspec.json.decode(document, type=UsernameOnly).username


OWNER_OF_SESSION = Record(session, "HGET", "user_id", decode=bytes.decode)
OWNER_OF_NAME = Record(keys.username, "GET", decode=bytes.decode)
NAME_OF_USER = Record(user_key, "GET", decode=username_in)


def session_reads(claims: TokenClaims) -> tuple[RecordRead[str], RecordRead[str]]:
    """The owner of the session; and the owner of the username or, if the token has none, a name given since.

    They are read for every request, so the claims hold them.
    """
    reads: tuple[RecordRead[str], RecordRead[str]] | None = claims.__dict__.get("session_reads")
    if reads is None:
        named = OWNER_OF_NAME(claims.username) if claims.username else NAME_OF_USER(claims.sub)
        reads = claims.__dict__["session_reads"] = (OWNER_OF_SESSION(claims.sid), named)
    return reads
