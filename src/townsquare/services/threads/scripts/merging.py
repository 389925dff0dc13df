from townsquare.services.threads.scripts.folder import lua
from townsquare.store.scripts import Script


@lua.script
class MergePage(Script[str]):
    page_id: str
    site_id: str
    into_id: str
    job: str
    entry: str


@lua.script
class FollowMergedPage(Script[None]):
    user_id: str
    page_id: str
    into_id: str


@lua.script
class MoveComment(Script[None]):
    page_id: str
    comment_id: str
    job: str
    into_id: str
    new_id: str
    parent_id: str | None
    answers: str | None
    votes_share: int


@lua.script
class EndMerge(Script[None]):
    page_id: str
    into_id: str
    job: str
    days: list[str]
