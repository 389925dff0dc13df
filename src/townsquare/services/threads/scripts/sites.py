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


@lua.script
class SetStatus(Script[bool]):
    comment_id: str
    site_id: str
    status: str
    entry: str
    at: str


@lua.script
class SetShadow(Script[bool]):
    comment_id: str
    site_id: str
    shadow: bool


@lua.script
class DismissReport(Script[bool]):
    comment_id: str
    site_id: str
    reporter_id: str
    entry: str


class BanSet(msgspec.Struct, array_like=True):
    changed: bool
    job: str


@lua.script
class SetBan(Script[BanSet]):
    site_id: str
    user_id: str
    kind: str
    banned: bool
    until_ms: int | None
    remove: bool
    job: str
    entry: str


class BanStep(msgspec.Struct, array_like=True):
    found: bool
    shadowed: bool
    remove: bool
    reached: str


@lua.script
class BeginBanStep(Script[BanStep]):
    site_id: str
    user_id: str
    job: str
    mark: str


@lua.script
class EndBanStep(Script[None]):
    site_id: str
    user_id: str
    job: str
    mark: str
    reached: str | None


@lua.script
class FinishAlert(Script[None]):
    site_id: str
    job: str
    ids: list[str]
    minutes: int
