from typing import Any

from townsquare.services.threads.scripts.folder import lua
from townsquare.store.scripts import Script


@lua.script
class SaveUser(Script[bool]):
    user_id: str
    fields: dict[str, Any]
    create: bool
    created_at: str
