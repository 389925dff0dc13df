from townsquare.services.threads.scripts.folder import lua
from townsquare.store.scripts import Script


@lua.script
class FinishAlert(Script[None]):
    site_id: str
    job: str
    ids: list[str]
    minutes: int
