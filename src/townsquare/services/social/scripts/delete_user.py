from townsquare.services.social.scripts.folder import lua
from townsquare.store.scripts import Script


@lua.script
class BeginDeleteUser(Script[str]):
    username: str
    job: str
    now: int


@lua.script
class DeleteUserChunk(Script[int]):
    username: str
    job: str
    chunk: int
    now: int
