"""The caller on a site: name, picture, role."""

from typing import Annotated

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Call
from townsquare.problems import Unauthorized
from townsquare.routes import Routes
from townsquare.services.threads import problems
from townsquare.services.threads.models.sites import SiteRole
from townsquare.services.threads.routes.access import SiteAccess, viewer_of
from townsquare.services.threads.routes.comments import ACCESS, OfSite
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.comments import signed_in


class Myself(msgspec.Struct, kw_only=True):
    id: str
    name: str
    avatar_url: str | None
    karma: int
    provider: str
    email_verified: bool
    role: SiteRole


class MyName(msgspec.Struct, kw_only=True):
    name: str | None = None
    avatar_url: Annotated[str | None, Meta(description="an empty one takes the picture off")] = None


def my_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    me = "/users/me"
    reads = Routes("/threads/v1", tag="threads", auth=access.reading, open_to_any_origin=True)
    writes = Routes("/threads/v1", tag="threads", auth=access.writing, open_to_any_origin=True)

    async def myself(call: Call) -> Myself:
        viewer = viewer_of(call)
        record = await threads.commenters.get(signed_in(viewer))
        return Myself(
            id=record.id,
            name=record.name,
            avatar_url=record.avatar_url,
            karma=record.karma,
            provider=record.provider.partition(":")[0],
            email_verified=record.email_verified,
            role=viewer.role,
        )

    @reads.get(me, errors=(*ACCESS, Unauthorized, problems.CommenterNotFound))
    async def read_myself(call: Call, asked: OfSite) -> Myself:
        """Read the caller's profile on this site."""
        return await myself(call)

    @writes.put(me, errors=(*ACCESS, Unauthorized, problems.BadCommenter, problems.NotYourName))
    async def set_own_name(call: Call, given: MyName) -> Myself:
        """Set the caller's name or picture for comments."""
        await threads.commenters.set_own_name(
            signed_in(viewer_of(call)), name=given.name, avatar_url=given.avatar_url
        )
        return await myself(call)

    return [*reads.endpoints, *writes.endpoints]
