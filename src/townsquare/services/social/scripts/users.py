import msgspec

from townsquare.services.social.scripts.folder import Changed, lua
from townsquare.store.scripts import Script


@lua.script
class RegisterUser(Script[None]):
    username: str
    role: str
    fields: list[str]
    rank: int
    now: int


class ProfileSeen(msgspec.Struct, array_like=True):
    follows: bool
    blocks: bool  # one of them does
    mutes: bool


@lua.script
class ViewProfile(Script[ProfileSeen]):
    viewer: str
    username: str


class ProfileChanged(msgspec.Struct, array_like=True):
    job: str
    posts: int


@lua.script
class ChangeProfile(Script[ProfileChanged]):
    username: str
    set: list[str]
    removed: list[str]
    role: str | None
    job: str


class RefreshTaken(msgspec.Struct, array_like=True):
    reached: str
    role: str | None  # None: this job does not run
    display_name: str | None
    avatar: str | None


@lua.script
class RefreshPost(Script[None]):
    id: str
    display_name: str | None
    avatar: str | None
    role: str


@lua.script
class BeginRefreshStep(Script[RefreshTaken]):
    username: str
    job: str
    mark: str


@lua.script
class EndRefreshStep(Script[None]):
    username: str
    job: str
    mark: str
    reached: str
    finished: bool


@lua.script
class FollowUser(Script[Changed]):
    username: str
    other: str
    limit: int


@lua.script
class UnfollowUser(Script[Changed]):
    username: str
    other: str


@lua.script
class BlockOrMuteUser(Script[bool]):
    username: str
    other: str
    kind: str


@lua.script
class UnblockOrUnmuteUser(Script[bool]):
    username: str
    other: str
    kind: str


@lua.script
class WriteFields(Script[list[int]]):
    username: str
    steps: list[list[str]]
    dry_run: bool = False


@lua.script
class ImportFollows(Script[list[str]]):
    username: str
    others: list[str]
    times: list[int]
    limit: int


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
