"""The Lua scripts of this service as typed structs; made by `scripts/generate` from `lua/*.lua`."""

from typing import Any

import msgspec

from townsquare.store.scripts import LuaFolder, Script
from townsquare.store.scripts.deletion import DeletionShare

lua: LuaFolder

class CodeSend(msgspec.Struct, array_like=True):
    allowed: bool
    wait: int

class IssuedCode(msgspec.Struct, array_like=True):
    salt: str
    send: bool
    wait: int

class Refreshed(msgspec.Struct, array_like=True):
    outcome: str
    user_id: str

class Tried(msgspec.Struct, array_like=True):
    right: bool
    user_id: str | None

class BeginDeletion(Script[None], kw_only=True):
    """Mark a user as being deleted, which ends sign-in, and start the job."""

    id: str
    version: int
    document: str
    created: int
    job: str
    now: int | None = None

class ChangeUser(Script[str], kw_only=True):
    """Store a changed user; compare-and-set on the version. `claims` are the unique values that are new. With a `job` the change is propagated to other services: see open_update."""

    id: str
    document: str
    created: int
    claims: Any
    job: str | None = None
    known: str
    upcoming: str
    version: int
    now: int | None = None

class CountCodeSend(Script[CodeSend], kw_only=True):
    """Count a code sent for an address in a rolling window; if there were too many, return the time to wait."""

    who: str
    send: str
    now: int | None = None
    window: int
    most: int

class CreateUser(Script[str], kw_only=True):
    """Store a new user with its indexes. With a `job` it is propagated to other services: see open_update."""

    id: str
    document: str
    created: int
    claims: Any
    job: str | None = None
    known: str
    upcoming: str
    now: int | None = None

class DeleteUser(Script[DeletionShare], kw_only=True):
    """Delete a user with its indexes, sessions and codes."""

    id: str
    job: str
    begin: bool
    chunk: int
    now: int | None = None

class EndOtherSessions(Script[int], kw_only=True):
    """End all sessions of a user, or all but one."""

    id: str
    keep: str | None = None

class EndSession(Script[None], kw_only=True):
    """End one session of a user."""

    id: str
    session_id: str

class FinishUpdate(Script[bool], kw_only=True):
    """End the update job of a user if all services have this version of the user."""

    id: str
    job: str
    version: int

class IssueCode(Script[IssuedCode], kw_only=True):
    """Return the code for a target and whether to send it: the valid code with a renewed lifetime, or a new one. An asker without tries left gets a new code. After enough messages in an hour a valid code is not sent again, and a new one only after the lifetime of the last one."""

    target: str
    target_hash: str
    kind: str
    salt: str
    code: str
    user_id: str | None = None
    asker: str
    now: int | None = None
    now_iso: str
    since_iso: str

class NoteUpdate(Script[bool], kw_only=True):
    """Record the progress of a service with a user's changes, if it still equals `before`."""

    id: str
    job: str
    field: str
    before: str
    after: str

class OpenSession(Script[None], kw_only=True):
    """Open a session of a user who may sign in. Expired sessions are removed, and the oldest if there are too many."""

    id: str
    session_id: str
    refresh: str
    method: str
    user_agent: str
    ip: str
    scope: str | None = None
    now: int | None = None
    now_iso: str

class RefreshSession(Script[Refreshed], kw_only=True):
    """Exchange the refresh token of a session. For a few seconds the previous token returns the same new one. An older token was copied: the session ends. It also ends if the user may no longer sign in. A token refreshed by a site is valid only for that site afterwards."""

    session_id: str
    refresh: str
    fresh: str
    user_agent: str
    ip: str
    scope: str | None = None
    now: int | None = None
    now_iso: str

class ReopenUpdate(Script[str], kw_only=True):
    """Make other services apply a user again. `found` is a username that one of them still has for the user."""

    id: str
    found: str
    job: str
    now: int | None = None

class RotateSigningKeys(Script[str], kw_only=True):
    """Return the signing keys, newest first. Adds a new key if the newest is too old or is the one to replace, and removes keys whose tokens have all expired."""

    kid: str
    secret: str
    now_iso: str
    renew_before: str
    replaces: str | None = None
    drop_before: str

class TryCode(Script[Tried], kw_only=True):
    """Try a code. A right code is deleted unless `keep` is set. Wrong tries are counted per asker; too many of all askers together delete the code. `user_id` is the recipient of the code, even if the code is wrong. `former` is the hash of the code by the former secret of the server."""

    target: str
    kind: str
    code: str
    former: str | None = None
    asker: str
    keep: bool

class UseAdminLink(Script[bool], kw_only=True):
    """Use the link for the first admin, once. A wrong token changes nothing."""

    digest: str
