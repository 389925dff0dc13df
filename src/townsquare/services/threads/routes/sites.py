"""`/threads/v1/sites` for the operator, `/threads/v1/site` for administrators of a site."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from townsquare.api import OPERATOR, AnyEndpoint, Auth, Call, Identity, Nothing
from townsquare.kit.paging import Page, PageSize
from townsquare.problems import BadCursor, Forbidden, Unauthorized
from townsquare.routes import Routes
from townsquare.services.threads import problems
from townsquare.services.threads.models.sites import ModeratedSite, NewSite, Site, SiteRole, SiteSettings
from townsquare.services.threads.routes.access import SiteAccess, site_of, viewer_of
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.sites import require_admin

SITE_KEY = Identity("site key")  # in the audit log
SiteId = Annotated[str, Meta(examples=["2f6d1c9e-0b7a-4c3d-8e5f-6a7b8c9d01c7"])]


class SiteMade(msgspec.Struct, kw_only=True):
    name: str
    domain: Annotated[str, Meta(examples=["blog.example.org"])]
    admin_id: Annotated[str | None, Meta(description="id of the account that administers the site")] = None


class SitesQuery(msgspec.Struct, kw_only=True):
    limit: PageSize = 20
    cursor: str | None = None


class SiteChange(msgspec.Struct, kw_only=True):
    name: str | UnsetType = UNSET
    domain: str | UnsetType = UNSET
    settings: SiteSettings | UnsetType = UNSET


class Rotation(msgspec.Struct, kw_only=True):
    which: Literal["public", "secret"]


class RoleInput(msgspec.Struct, kw_only=True):
    user_id: str
    role: SiteRole


class RoleSet(msgspec.Struct, kw_only=True):
    user_id: str
    role: SiteRole
    changed: bool


class ModeratedSites(msgspec.Struct, kw_only=True):
    items: list[ModeratedSite]


class SiteMembers(msgspec.Struct, kw_only=True):
    admins: list[str]
    moderators: list[str]


def site_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    operator = Routes("/threads/v1/sites", tag="threads", auth=Auth.ADMIN)
    users = Routes("/threads/v1/sites", tag="threads", auth=Auth.USER)
    own = Routes("/threads/v1/site", tag="threads", auth=access.writing, open_to_any_origin=True)
    log = threads.accounts.audit
    refused = (problems.BadApiKey, problems.OriginNotAllowed, problems.AdminsOnly, problems.SiteNotFound)

    @operator.post(
        "", status=201, errors=(Unauthorized, Forbidden, problems.BadSite, problems.CommenterNotFound)
    )
    async def create_site(call: Call, given: SiteMade) -> NewSite:
        """Create a site. The secret key is returned only here."""
        async with log.recorded(named(call), "site.create", "", given.domain):
            return await threads.sites.create(given.name, given.domain, admin_id=given.admin_id)

    @operator.get("", errors=(Unauthorized, Forbidden, BadCursor))
    async def list_sites(call: Call, asked: SitesQuery) -> Page[Site]:
        """All sites, the newest first."""
        return await threads.sites.list_all(asked.cursor, asked.limit)

    @users.get("/mine", errors=(Unauthorized,))
    async def list_my_sites(call: Call, asked: Nothing) -> ModeratedSites:
        """List the sites that the user moderates, with the number of held comments and open reports."""
        assert call.identity is not None
        return ModeratedSites(items=await threads.sites.moderated_by(call.identity.user_id))

    @own.get("", errors=refused)
    async def read_site(call: Call, asked: Nothing) -> Site:
        """Read the site of the key with its settings, as an administrator."""
        require_admin(viewer_of(call))
        return await threads.sites.get(site_of(call).site_id)

    @own.patch("", errors=(*refused, problems.BadSite, problems.BadSettings))
    async def change_site(call: Call, given: SiteChange) -> Site:
        """Change the name or domain, or replace all settings."""
        require_admin(viewer_of(call))
        site_id = site_of(call).site_id
        changed = ", ".join(name for name in given.__struct_fields__ if getattr(given, name) is not UNSET)
        async with log.recorded(named(call), "site.change", site_id, changed):
            return await threads.sites.change(
                site_id,
                name=given.name or None,
                domain=given.domain or None,
                settings=given.settings or None,
            )

    @own.post("/keys", errors=refused)
    async def rotate_key(call: Call, given: Rotation) -> NewSite:
        """Replace the public or secret key. The old one is invalid at once."""
        require_admin(viewer_of(call))
        site_id = site_of(call).site_id
        async with log.recorded(named(call), "site.rotate_key", site_id, given.which):
            return await threads.sites.rotate_keys(site_id, given.which)

    @own.get("/members", errors=refused)
    async def read_members(call: Call, asked: Nothing) -> SiteMembers:
        """List the administrators and moderators of the site."""
        require_admin(viewer_of(call))
        site_id = site_of(call).site_id
        return SiteMembers(
            admins=await threads.sites.members(site_id, "admin"),
            moderators=await threads.sites.members(site_id, "moderator"),
        )

    @own.put("/members/{user_id}", errors=(*refused, problems.CommenterNotFound))
    async def set_role(call: Call, given: RoleInput) -> RoleSet:
        """Set the role of a user: admin, moderator or user."""
        require_admin(viewer_of(call))
        site_id = site_of(call).site_id
        async with log.recorded(named(call), "site.role", site_id, f"{given.user_id} {given.role}"):
            changed = await threads.sites.set_role(site_id, given.user_id, given.role)
        return RoleSet(user_id=given.user_id, role=given.role, changed=changed)

    return [*operator.endpoints, *users.endpoints, *own.endpoints]


def named(call: Call) -> Identity:
    """The caller for the audit log, where the bearer of a site's secret key has no account."""
    identity = call.identity
    if identity is None or identity.user_id:
        return identity or SITE_KEY
    return OPERATOR if identity.username == OPERATOR.user_id else SITE_KEY
