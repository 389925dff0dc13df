"""The signatures of the Lua scripts."""

from pathlib import Path

import msgspec

from townsquare.services.accounts import keys, problems  # noqa: F401 - scripts refuse by their codes
from townsquare.store.scripts import LuaFolder, Script
from townsquare.store.scripts.deletion import DeletionShare

lua = LuaFolder(keys.accounts, Path(__file__).parent / "lua", constants=keys)


@lua.script
class CreateUser(Script[str]):
    id: str
    document: str
    created: int
    claims: list[list[str]]
    job: str | None
    known: str
    upcoming: str


@lua.script
class ChangeUser(CreateUser):
    version: int


@lua.script
class NoteUpdate(Script[bool]):
    id: str
    job: str
    field: str
    before: str
    after: str


@lua.script
class FinishUpdate(Script[bool]):
    id: str
    job: str
    version: int


@lua.script
class ReopenUpdate(Script[str]):
    id: str
    found: str
    job: str


@lua.script
class BeginDeletion(Script[None]):
    id: str
    version: int
    document: str
    created: int
    job: str
    now: int


@lua.script
class DeleteUser(Script[DeletionShare]):
    id: str
    job: str
    begin: bool
    chunk: int
    now: int


class CodeSend(msgspec.Struct, array_like=True):
    allowed: bool
    wait: int


@lua.script
class CountCodeSend(Script[CodeSend]):
    who: str
    send: str
    now: int
    window: int
    most: int


class IssuedCode(msgspec.Struct, array_like=True):
    salt: str
    send: bool
    wait: int


@lua.script
class IssueCode(Script[IssuedCode]):
    target: str
    target_hash: str
    kind: str
    salt: str
    code: str
    user_id: str | None
    asker: str
    now: int
    now_iso: str
    since_iso: str


class Tried(msgspec.Struct, array_like=True):
    right: bool
    user_id: str | None


@lua.script
class TryCode(Script[Tried]):
    target: str
    kind: str
    code: str
    former: str | None
    asker: str
    keep: bool


@lua.script
class OpenSession(Script[None]):
    id: str
    session_id: str
    refresh: str
    method: str
    user_agent: str
    ip: str
    scope: str | None
    now: int
    now_iso: str


class Refreshed(msgspec.Struct, array_like=True):
    outcome: str
    user_id: str


@lua.script
class RefreshSession(Script[Refreshed]):
    session_id: str
    refresh: str
    fresh: str
    user_agent: str
    ip: str
    scope: str | None
    now: int
    now_iso: str


@lua.script
class EndSession(Script[None]):
    id: str
    session_id: str


@lua.script
class EndOtherSessions(Script[int]):
    id: str
    keep: str | None


@lua.script
class RotateSigningKeys(Script[str]):
    kid: str
    secret: str
    now_iso: str
    renew_before: str
    replaces: str | None
    drop_before: str


@lua.script
class UseAdminLink(Script[bool]):
    digest: str
