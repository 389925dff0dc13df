from townsquare.services.social.scripts import posts, users  # noqa: F401 - what these run is declared there
from townsquare.services.social.scripts.folder import lua
from townsquare.store.scripts import Script


@lua.script
class BeginDeleteUser(Script[str]):
    username: str
    job: str
    now: int


@lua.script
class RemoveFollowed(Script[None]):
    username: str
    gone: str


@lua.script
class RemoveBlockerOrMuter(Script[None]):
    username: str
    gone: str
    kind: str


@lua.script
class DeleteUserChunk(Script[int]):
    username: str
    job: str
    chunk: int
    now: int
