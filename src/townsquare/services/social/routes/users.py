"""Users: profiles, lists, follow, block, mute; create, delete and rename; redirects from former names."""

from collections.abc import Iterable
from functools import wraps
from typing import Annotated, Any, ClassVar
from urllib.parse import urlencode

import msgspec
from msgspec import UNSET, Raw, UnsetType, field
from msgspec.structs import replace

from townsquare.api import AnyEndpoint, Auth, Call, Content
from townsquare.kit.paging import Page
from townsquare.problems import BadCursor, Forbidden, Taken, Unauthorized
from townsquare.routes import Routes
from townsquare.services.accounts.problems import BadProfile, UserBeingDeleted
from townsquare.services.social import problems
from townsquare.services.social.models import Change, CountedChange, Item, Profile, Role, SeenProfile
from townsquare.services.social.routes import common
from townsquare.services.social.service import Social
from townsquare.services.social.service.presentation import page_json

SOMEBODY = {"username": "bob"}
ONE = "/social/users/{username}"
OWN = f"/social/users/{common.ME}"
SEED = ("/users/{username}",)  # as the seed names it

Text = str | UnsetType | None
Refused = Annotated[Any, msgspec.Meta(description="refused, with a hint")]


class ProfileChange(msgspec.Struct, kw_only=True):
    """Fields to set; null removes one. Fields that nobody can set are listed to be refused with a hint."""

    unknown_hint: ClassVar[str] = "custom fields belong in `custom`"

    username: Annotated[str, msgspec.Meta(description="`me` is the caller")]
    display_name: Text = UNSET
    bio: Text = UNSET
    avatar: Text = UNSET
    links: list[str] | UnsetType | None = UNSET
    first_name: Text = UNSET
    last_name: Text = UNSET
    email: Text = UNSET
    phone: Text = UNSET
    phone_number: Text = UNSET
    address: Text = UNSET
    date_of_birth: Text = UNSET
    birth_date: Text = UNSET
    ip_address: Text = UNSET
    device_id: Text = UNSET
    custom: Annotated[
        dict[str, str | None], msgspec.Meta(max_length=50, description="custom fields, private")
    ] = {}
    role: Annotated[Role | UnsetType, msgspec.Meta(description="moderators only")] = UNSET
    password: Refused = UNSET
    password_hash: Refused = UNSET
    ssn: Refused = UNSET
    credit_card: Refused = UNSET
    bank_account: Refused = UNSET
    post_count: Refused = field(name="postCount", default=UNSET)
    follower_count: Refused = field(name="followerCount", default=UNSET)
    following_count: Refused = field(name="followingCount", default=UNSET)
    created_at: Refused = UNSET

    def changes(self) -> dict[str, Any]:
        """The given values, by the names of the record."""
        apart = ("username", "custom", "role")
        fields = zip(self.__struct_fields__, self.__struct_encode_fields__, strict=True)
        given = {
            written: value
            for name, written in fields
            if name not in apart and (value := getattr(self, name)) is not UNSET
        }
        return {**self.custom, **given}


def user_endpoints(social: Social) -> list[AnyEndpoint]:
    routes = Routes(tag="social", auth=Auth.OPTIONAL)
    found = (problems.ProfileNotFound,)
    paged = (problems.ProfileNotFound, BadCursor)
    mine = (Unauthorized, Forbidden, BadCursor)
    between = (Unauthorized, Forbidden, problems.ProfileNotFound, problems.NotYourself)
    others = Routes(ONE, tag="social", other_prefixes=SEED, auth=Auth.USER, errors=between, example=SOMEBODY)

    @routes.get(ONE, aliases=SEED, errors=found)
    async def show_profile(call: Call, given: common.OfUser) -> SeenProfile:
        """A profile; the caller's own with its private fields."""
        return await social.profiles.see(common.named(call, given.username), common.viewer(call))

    @routes.patch(
        ONE,
        aliases=SEED,
        auth=Auth.USER,
        errors=(
            *mine[:2],
            problems.ProfileNotFound,
            problems.BadProfileField,
            problems.SensitiveField,
            problems.SystemField,
            UserBeingDeleted,
        ),
        example={"bio": "I like trains."},
    )
    async def change_profile(call: Call, given: ProfileChange) -> SeenProfile:
        """Change the caller's own profile; a moderator can change any role."""
        me, username = common.acting(call), common.named(call, given.username)
        return await social.users.edit(
            username,
            given.changes(),
            by=me,
            role=None if given.role is UNSET else given.role,
            as_moderator=common.is_moderator(call),
        )

    @routes.get(f"{ONE}/posts", output=Page[Item], errors=paged)
    async def list_posts(call: Call, given: common.UserPaged) -> Raw:
        """A user's posts, the newest first."""
        username = common.named(call, given.username)
        found = await social.feeds_json.user_posts(username, common.viewer(call), given.cursor, given.limit)
        return page_json(found)

    @routes.get(f"{ONE}/followers", errors=paged)
    async def list_followers(call: Call, given: common.UserPaged) -> Page[Profile]:
        """The followers of a user, the latest first."""
        return await social.follows.followers(
            common.named(call, given.username), common.viewer(call), given.cursor, given.limit
        )

    @routes.get(f"{ONE}/following", errors=paged)
    async def list_following(call: Call, given: common.UserPaged) -> Page[Profile]:
        """The users that a user follows, the latest first."""
        return await social.follows.following(
            common.named(call, given.username), common.viewer(call), given.cursor, given.limit
        )

    @routes.get(
        f"{ONE}/bookmarked",
        aliases=("/users/{username}/bookmarked",),
        output=Page[Item],
        auth=Auth.USER,
        errors=mine,
    )
    async def list_bookmarks(call: Call, given: common.UserPaged) -> Raw:
        """The caller's own bookmarks, the latest first."""
        username = common.acting(call)
        if common.named(call, given.username) != username:
            raise Forbidden("Bookmarks are private")
        return page_json(await social.feeds_json.bookmarked(username, given.cursor, given.limit))

    @routes.get(f"{OWN}/blocked", auth=Auth.USER, errors=mine)
    async def list_blocked(call: Call, given: common.Paged) -> Page[Profile]:
        """The users that the caller blocks."""
        return await social.follows.blocked(common.acting(call), given.cursor, given.limit)

    @routes.get(f"{OWN}/muted", auth=Auth.USER, errors=mine)
    async def list_muted(call: Call, given: common.Paged) -> Page[Profile]:
        """The users that the caller mutes."""
        return await social.follows.muted(common.acting(call), given.cursor, given.limit)

    @others.post("/follow", errors=(*between, problems.FollowingTooMany))
    async def follow(call: Call, given: common.OfUser) -> CountedChange:
        """Follow a user."""
        return await social.follows.follow(common.acting(call), common.named(call, given.username))

    @others.delete("/follow")
    async def unfollow(call: Call, given: common.OfUser) -> CountedChange:
        """Stop following a user."""
        return await social.follows.unfollow(common.acting(call), common.named(call, given.username))

    @others.post("/block")
    async def block(call: Call, given: common.OfUser) -> Change:
        """Block a user. Neither sees the other."""
        return await social.follows.block(common.acting(call), common.named(call, given.username))

    @others.delete("/block")
    async def unblock(call: Call, given: common.OfUser) -> Change:
        """End a block."""
        return await social.follows.unblock(common.acting(call), common.named(call, given.username))

    @others.post("/mute")
    async def mute(call: Call, given: common.OfUser) -> Change:
        """Hide a user's posts from the caller's feeds."""
        return await social.follows.mute(common.acting(call), common.named(call, given.username))

    @others.delete("/mute")
    async def unmute(call: Call, given: common.OfUser) -> Change:
        """End a mute."""
        return await social.follows.unmute(common.acting(call), common.named(call, given.username))

    return [*routes.endpoints, *others.endpoints]


NAMED = "{username}"


class NewName(msgspec.Struct):
    username: str
    new_username: Annotated[str, msgspec.Meta(description="1 to 30 letters, digits, _ . or -")]


class JobBegun(msgspec.Struct):
    """A job that continues after the response; `job` is empty if it is finished."""

    job: str


def name_endpoints(social: Social) -> list[AnyEndpoint]:
    routes = Routes(tag="social", auth=Auth.USER)
    allowed = (Unauthorized, Forbidden, problems.ProfileNotFound, problems.UserBeingRenamed, UserBeingDeleted)

    @routes.post(ONE, errors=(*allowed, problems.BadUsername))
    async def create_profile(call: Call, given: common.OfUser) -> SeenProfile:
        """Create the caller's own profile, if there is none under the username."""
        username = common.acting(call)
        if common.named(call, given.username) != username:
            raise Forbidden("Create your own profile only")
        role: Role = "user" if call.identity is None else msgspec.convert(call.identity.role, Role)
        return await social.users.join(
            username, role, account=call.identity.user_id if call.identity else None
        )

    @routes.delete(ONE, status=202, errors=allowed)
    async def delete_user(call: Call, given: common.OfUser) -> JobBegun:
        """Delete the caller, or as a moderator any user. A job deletes the data of the hidden user."""
        username = common.named(call, given.username)
        if not common.is_moderator(call) and common.acting(call) != username:
            raise Forbidden()
        return JobBegun(await social.users.begin_delete(username))

    @routes.post(
        f"{ONE}/rename",
        auth=Auth.ADMIN,
        status=202,
        errors=(
            *allowed,
            problems.UsernameTaken,
            Taken,
            BadProfile,
            problems.BadUsername,
            problems.NotYourself,
        ),
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
        except problems.ProfileNotFound:
            new = await social.renames.current_name(given.username)
            if new is None:
                raise
            await social.profiles.see(
                new, None if common.is_moderator(call) else common.viewer(call)
            )  # or not found
        query = f"?{urlencode(call.query)}" if call.query else ""
        place = f"{endpoint.path.replace(NAMED, new)}{query}"
        return Content(b"", "text/plain", problems.UserMoved.status, {"Location": place})

    return replace(endpoint, run=run, errors=(*endpoint.errors, problems.UserMoved))
