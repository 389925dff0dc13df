"""Create, delete and rename users; redirects from former names."""

from collections.abc import Iterable
from functools import wraps
from typing import Annotated, Any
from urllib.parse import urlencode

import msgspec
from msgspec.structs import replace

from townsquare.api import AnyEndpoint, Auth, Call, Content, Nothing
from townsquare.problems import Forbidden, Taken, Unauthorized
from townsquare.routes import Routes
from townsquare.services.accounts.problems import BadProfile, UserBeingDeleted
from townsquare.services.social.models import Role, SeenProfile
from townsquare.services.social.problems import (
    BadUsername,
    NotYourself,
    ProfileNotFound,
    UserBeingRenamed,
    UserMoved,
    UsernameTaken,
)
from townsquare.services.social.routes.common import ME, OfUser, acting, is_moderator, named, viewer
from townsquare.services.social.service import Social

ONE = "/social/users/{username}"
OWN = f"/social/users/{ME}"
NAMED = "{username}"


class NewName(msgspec.Struct):
    username: str
    new_username: Annotated[str, msgspec.Meta(description="1 to 30 letters, digits, _ . or -")]


class JobBegun(msgspec.Struct):
    """A job that continues after the response; `job` is empty if it is finished."""

    job: str


def name_endpoints(social: Social) -> list[AnyEndpoint]:
    routes = Routes(tag="social", auth=Auth.USER)
    allowed = (Unauthorized, Forbidden, ProfileNotFound, UserBeingRenamed, UserBeingDeleted)

    @routes.post(OWN, errors=(*allowed, BadUsername))
    async def create_profile(call: Call, given: Nothing) -> SeenProfile:
        """Create the caller's own profile, if there is none under the username."""
        username = acting(call)
        role: Role = "user" if call.identity is None else msgspec.convert(call.identity.role, Role)
        return await social.users.join(
            username, role, account=call.identity.user_id if call.identity else None
        )

    @routes.delete(ONE, status=202, errors=allowed)
    async def delete_user(call: Call, given: OfUser) -> JobBegun:
        """Delete the caller, or as a moderator any user. A job deletes the data of the hidden user."""
        username = named(call, given.username)
        if not is_moderator(call) and acting(call) != username:
            raise Forbidden()
        return JobBegun(await social.users.begin_delete(username))

    @routes.post(
        f"{ONE}/rename",
        auth=Auth.ADMIN,
        status=202,
        errors=(*allowed, UsernameTaken, Taken, BadProfile, BadUsername, NotYourself),
    )
    async def rename_user(call: Call, given: NewName) -> JobBegun:
        """Rename a user, by a job (moderators). The old name redirects for 30 days."""
        return JobBegun(await social.users.begin_rename(given.username, given.new_username))

    return routes.endpoints


def with_redirects(social: Social, endpoints: Iterable[AnyEndpoint]) -> list[AnyEndpoint]:
    """The same endpoints; a former name of a user is redirected to the new one."""
    return [redirecting(social, one) if NAMED in one.path else one for one in endpoints]


def redirecting(social: Social, endpoint: AnyEndpoint) -> AnyEndpoint:
    @wraps(endpoint.run)
    async def run(call: Call, given: Any) -> Any:
        try:
            return await endpoint.run(call, given)
        except ProfileNotFound:
            new = await social.renames.current_name(given.username)
            if new is None:
                raise
            await social.profiles.see(new, None if is_moderator(call) else viewer(call))  # or not found
        query = f"?{urlencode(call.query)}" if call.query else ""
        place = f"{endpoint.path.replace(NAMED, new)}{query}"
        return Content(b"", "text/plain", UserMoved.status, {"Location": place})

    return replace(endpoint, run=run, errors=(*endpoint.errors, UserMoved))
