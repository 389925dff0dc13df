import msgspec

from townsquare.services.threads.scripts.folder import lua
from townsquare.store.scripts import Script


@lua.script
class CreateSite(Script[None]):
    site_id: str
    name: str
    domain: str
    public: str
    secret_digest: str
    settings: str
    admin_id: str | None
    created_at: str
    now: int


class OldKeys(msgspec.Struct, array_like=True):
    public: str
    secret_digest: str


@lua.script
class ChangeSite(Script[OldKeys]):
    site_id: str
    before: str
    name: str | None
    domain: str | None
    settings: str | None
    public: str | None
    secret_digest: str | None


@lua.script
class SetSiteRole(Script[bool]):
    site_id: str
    user_id: str
    role: str
