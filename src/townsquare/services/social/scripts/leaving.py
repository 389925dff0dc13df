from townsquare.services.social.scripts import posts, users  # noqa: F401 - what these run is declared there
from townsquare.services.social.scripts.folder import lua
from townsquare.store.scripts import Script


@lua.script
class BeginLeaving(Script[str]):
    username: str
    job: str
    now: int


@lua.script
class ForgetFollowed(Script[None]):
    username: str
    gone: str


@lua.script
class ForgetShunner(Script[None]):
    username: str
    gone: str
    kind: str


@lua.script
class ForgetShare(Script[int]):
    username: str
    job: str
    chunk: int
    now: int
