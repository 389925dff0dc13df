"""The signatures of the Lua scripts."""

from pathlib import Path

from townsquare.services.accounts import keys, problems  # noqa: F401 - the scripts refuse by their codes
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
