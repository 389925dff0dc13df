from townsquare.services.social.scripts.folder import lua
from townsquare.store.scripts import Script


@lua.script
class ReserveName(Script[None]):
    username: str
    old: str
    job: str
    now: int


@lua.script
class CancelMove(Script[None]):
    username: str
    job: str


@lua.script
class BeginMoving(Script[int]):
    username: str
    new: str
    job: str


@lua.script
class ExpectWork(Script[None]):
    username: str
    job: str
    total: int


@lua.script
class MoveShare(Script[int]):
    username: str
    new: str
    job: str
    own: bool
    chunk: int
    now: int


@lua.script
class Arrive(Script[None]):
    username: str
    job: str
    role: str
    created_at: int
    fields: list[str]
    rank: int


@lua.script
class ReownPost(Script[None]):
    id: str
    username: str
    new: str
    now: int


@lua.script
class LeaveName(Script[int]):
    username: str
    new: str
    job: str


@lua.script
class SettleIn(Script[None]):
    username: str
    old: str
    led_until: int
    job: str
    refresh: str
    now: int
