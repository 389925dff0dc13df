"""Sessions: one sign-in on one device, kept alive by a refresh token that changes with every use.

A refresh token names its session and is signed, so that we tell an old one of ours from a made-up one:
only an old one is proof of a theft, and ends the session. Only its hash is kept.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass

import msgspec

from townsquare.clock import iso
from townsquare.services.accounts import keys
from townsquare.services.accounts.ids import SESSION_ID, USER_ID, new_session_id
from townsquare.services.accounts.keys import SESSIONS_PER_USER, session, user_sessions
from townsquare.services.accounts.refusals import BadRefreshToken, SessionNotFound
from townsquare.services.accounts.signin_scripts import (
    EndOtherSessions,
    EndSession,
    OpenSession,
    RefreshSession,
)
from townsquare.store.store import Command, Store

SECRET_BYTES = 24
USER_AGENT_LENGTH = 256
LONGEST_TOKEN = 200


@dataclass(frozen=True)
class Device:
    """What a session remembers of who opened it."""

    ip: str = ""
    user_agent: str = ""


class Opened(msgspec.Struct):
    user_id: str
    session_id: str
    refresh_token: str


class SessionView(msgspec.Struct, kw_only=True):
    """A session as its user sees it."""

    id: str
    created_at: str
    last_used: str
    user_agent: str
    ip: str
    method: str
    current: bool


class Sessions:
    def __init__(self, store: Store, secret: str) -> None:
        self._store = store
        self._secret = hmac.new(secret.encode(), b"refresh tokens", hashlib.sha256).digest()

    async def open(self, user_id: str, method: str, device: Device) -> Opened:
        """A new session of a user who may sign in."""
        session_id = new_session_id(user_id)
        token = self._new_token(session_id)
        now = self._store.clock.now_ms()
        await self._store.run(
            OpenSession(
                id=user_id,
                session_id=session_id,
                refresh=digest(token),
                method=method,
                user_agent=device.user_agent[:USER_AGENT_LENGTH],
                ip=device.ip,
                now=now,
                now_iso=iso(now),
            )
        )
        return Opened(user_id, session_id, token)

    async def refresh(self, token: str, device: Device) -> Opened:
        """Exchange a refresh token; one that was exchanged before ends its session."""
        session_id = self._session_of(token)
        fresh = self._new_token(session_id)
        answer = await self._store.run(
            RefreshSession(
                session_id=session_id,
                refresh=digest(token),
                fresh=digest(fresh),
                user_agent=device.user_agent[:USER_AGENT_LENGTH],
                ip=device.ip,
                now_iso=iso(self._store.clock.now_ms()),
            )
        )
        if answer.outcome != "fresh":
            raise BadRefreshToken()
        return Opened(answer.user_id, session_id, fresh)

    async def stands(self, user_id: str, session_id: str, username: str) -> tuple[bool, bool]:
        """Whether this session of this user has not ended, and whether the name is this user's still.

        One round trip, asked on every request.
        """
        if not SESSION_ID.matches(session_id):
            return False, False
        reads: list[Command] = [("HGET", session(session_id), "user_id")]
        if username:
            reads.append(("GET", keys.username(username)))
        owner, *holder = await self._store.pipeline(reads)
        own = user_id.encode()
        return owner == own, not username or holder == [own]

    async def list(self, user_id: str, current: str = "") -> list[SessionView]:
        """The sessions of a user, newest first."""
        found = await self._store.call("ZREVRANGE", user_sessions(user_id), 0, SESSIONS_PER_USER)
        ids = [id.decode() for id in found]
        records = await self._store.get_many([session(id) for id in ids])
        return [
            SessionView(
                id=id,
                created_at=record["created_at"],
                last_used=record["last_used"],
                user_agent=record.get("user_agent", ""),
                ip=record.get("ip", ""),
                method=record.get("method", ""),
                current=id == current,
            )
            for id, record in zip(ids, records, strict=True)
            if record
        ]

    async def end(self, user_id: str, session_id: str) -> None:
        if not SESSION_ID.matches(session_id) or session(session_id).bucket != user_sessions(user_id).bucket:
            raise SessionNotFound()
        await self._store.run(EndSession(id=user_id, session_id=session_id))

    async def end_all(self, user_id: str, *, keep: str | None = None) -> int:
        """End every session, or every other one; answers how many."""
        if not USER_ID.matches(user_id):
            return 0
        return await self._store.run(EndOtherSessions(id=user_id, keep=keep))

    def _new_token(self, session_id: str) -> str:
        body = f"{session_id}.{secrets.token_urlsafe(SECRET_BYTES)}"
        return f"{body}.{self._signature(body)}"

    def _session_of(self, token: str) -> str:
        """The session that one of our tokens belongs to, old or not."""
        body, _, signature = token.rpartition(".")
        session_id, _, _ = body.partition(".")
        genuine = (
            len(token) <= LONGEST_TOKEN
            and token.isascii()
            and hmac.compare_digest(signature, self._signature(body))
        )
        if not genuine or not SESSION_ID.matches(session_id):
            raise BadRefreshToken()
        return session_id

    def _signature(self, body: str) -> str:
        return hmac.new(self._secret, body.encode(), hashlib.sha256).hexdigest()[:32]


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
