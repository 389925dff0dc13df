from townsquare.services.social.scripts.folder import lua
from townsquare.store.scripts import Script


@lua.script
class WriteFields(Script[list[int]]):
    username: str
    steps: list[list[str]]
    limit: int
