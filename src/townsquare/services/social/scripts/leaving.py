from townsquare.services.social.scripts.folder import lua
from townsquare.store.scripts import Script


@lua.script
class BeginLeaving(Script[str]):
    username: str
    job: str
    now: int


@lua.script
class ForgetShare(Script[int]):
    username: str
    job: str
    chunk: int
    now: int
