from townsquare.services.social.scripts.folder import lua
from townsquare.store.scripts import Script


@lua.script
class ReserveName(Script[None]):
    username: str
    old: str
    account: str | None
    job: str
    now: int


@lua.script
class CancelRename(Script[None]):
    username: str
    job: str


@lua.script
class BeginRename(Script[int]):
    username: str
    new: str
    job: str


@lua.script
class SetRenameTotal(Script[None]):
    username: str
    job: str
    total: int


@lua.script
class RenameUserChunk(Script[int]):
    username: str
    new: str
    job: str
    own: bool
    chunk: int
    now: int


@lua.script
class ActivateRenamedUser(Script[None]):
    username: str
    job: str
    role: str
    created_at: int
    fields: list[str]
    rank: int


@lua.script
class ChangePostAuthor(Script[None]):
    id: str
    username: str
    new: str
    now: int


@lua.script
class RedirectOldName(Script[int]):
    username: str
    new: str
    job: str


@lua.script
class FinishRename(Script[None]):
    username: str
    old: str
    redirect_until: int
    job: str
    refresh: str
    now: int
