from townsquare.services.social.scripts.folder import lua
from townsquare.store.scripts import Script


@lua.script
class ReserveName(Script[None]):
    username: str
    old: str
    account: str | None
    job: str


@lua.script
class CancelRename(Script[None]):
    username: str
    job: str


@lua.script
class BeginRename(Script[None]):
    username: str
    new: str
    job: str


@lua.script
class RenameUserChunk(Script[int]):
    username: str
    new: str
    job: str
    own: bool
    chunk: int


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


@lua.script
class RedirectOldName(Script[int]):
    username: str
    new: str
    job: str


@lua.script
class FinishRename(Script[None]):
    username: str
    old: str
    redirected: bool
    job: str
    refresh: str
