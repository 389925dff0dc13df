from townsquare.services.threads.scripts.folder import lua
from townsquare.store.scripts import Script


@lua.script
class ClosePage(Script[bool]):
    page_id: str
    site_id: str
    closed: bool
    entry: str


@lua.script
class MovePage(Script[str]):
    page_id: str
    site_id: str
    new_id: str
    url: str
    job: str
    entry: str


@lua.script
class SetPageUrl(Script[None]):
    comment_id: str
    url: str


@lua.script
class EndMoveStep(Script[None]):
    page_id: str
    job: str
    url: str
    reached: str | None


@lua.script
class MovePages(Script[None]):
    site_id: str
    old: str
    new: str
    job: str
    entry: str


@lua.script
class EndMovesStep(Script[None]):
    site_id: str
    job: str
    reached: str | None
