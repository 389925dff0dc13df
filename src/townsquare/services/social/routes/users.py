"""Profiles and their lists; follow, block and mute."""

from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import UNSET, Raw, UnsetType, field

from townsquare.api import AnyEndpoint, Auth, Call
from townsquare.kit.paging import Page
from townsquare.problems import BadCursor, Forbidden, Unauthorized
from townsquare.routes import Routes
from townsquare.services.accounts.problems import UserBeingDeleted
from townsquare.services.social.models import Change, CountedChange, Item, Profile, Role, SeenProfile
from townsquare.services.social.problems import (
    BadProfileField,
    FollowingTooMany,
    NotYourself,
    ProfileNotFound,
    SensitiveField,
    SystemField,
)
from townsquare.services.social.routes.common import (
    ME,
    OfUser,
    Paged,
    UserPaged,
    acting,
    is_moderator,
    named,
    viewer,
)
from townsquare.services.social.service import Social
from townsquare.services.social.service.presentation import page_json

SOMEBODY = {"username": "bob"}
ONE = "/social/users/{username}"
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
        named = zip(self.__struct_fields__, self.__struct_encode_fields__, strict=True)
        given = {
            written: value
            for name, written in named
            if name not in apart and (value := getattr(self, name)) is not UNSET
        }
        return {**self.custom, **given}


def user_endpoints(social: Social) -> list[AnyEndpoint]:
    routes = Routes(tag="social", auth=Auth.OPTIONAL)
    found = (ProfileNotFound,)
    paged = (ProfileNotFound, BadCursor)
    mine = (Unauthorized, Forbidden, BadCursor)
    between = (Unauthorized, Forbidden, ProfileNotFound, NotYourself)
    others = Routes(ONE, tag="social", other_prefixes=SEED, auth=Auth.USER, errors=between, example=SOMEBODY)
    own = f"/social/users/{ME}"

    @routes.get(ONE, aliases=SEED, errors=found)
    async def show_profile(call: Call, given: OfUser) -> SeenProfile:
        """A profile; the caller's own with its private fields."""
        return await social.profiles.see(named(call, given.username), viewer(call))

    @routes.patch(
        ONE,
        aliases=SEED,
        auth=Auth.USER,
        errors=(*mine[:2], ProfileNotFound, BadProfileField, SensitiveField, SystemField, UserBeingDeleted),
        example={"bio": "I like trains."},
    )
    async def change_profile(call: Call, given: ProfileChange) -> SeenProfile:
        """Change the caller's own profile; a moderator can change any role."""
        me, username = acting(call), named(call, given.username)
        return await social.users.edit(
            username,
            given.changes(),
            by=me,
            role=None if given.role is UNSET else given.role,
            as_moderator=is_moderator(call),
        )

    @routes.get(f"{ONE}/posts", output=Page[Item], errors=paged)
    async def list_posts(call: Call, given: UserPaged) -> Raw:
        """A user's posts, the newest first."""
        username = named(call, given.username)
        found = await social.feeds_json.user_posts(username, viewer(call), given.cursor, given.limit)
        return page_json(found)

    @routes.get(f"{ONE}/followers", errors=paged)
    async def list_followers(call: Call, given: UserPaged) -> Page[Profile]:
        """The followers of a user, the latest first."""
        return await social.follows.followers(
            named(call, given.username), viewer(call), given.cursor, given.limit
        )

    @routes.get(f"{ONE}/following", errors=paged)
    async def list_following(call: Call, given: UserPaged) -> Page[Profile]:
        """The users that a user follows, the latest first."""
        return await social.follows.following(
            named(call, given.username), viewer(call), given.cursor, given.limit
        )

    @routes.get(
        f"{ONE}/bookmarked",
        aliases=("/users/{username}/bookmarked",),
        output=Page[Item],
        auth=Auth.USER,
        errors=mine,
    )
    async def list_bookmarks(call: Call, given: UserPaged) -> Raw:
        """The caller's own bookmarks, the latest first."""
        username = acting(call)
        if named(call, given.username) != username:
            raise Forbidden("Bookmarks are private")
        return page_json(await social.feeds_json.bookmarked(username, given.cursor, given.limit))

    @routes.get(f"{own}/blocked", auth=Auth.USER, errors=mine)
    async def list_blocked(call: Call, given: Paged) -> Page[Profile]:
        """The users that the caller blocks."""
        return await social.follows.blocked(acting(call), given.cursor, given.limit)

    @routes.get(f"{own}/muted", auth=Auth.USER, errors=mine)
    async def list_muted(call: Call, given: Paged) -> Page[Profile]:
        """The users that the caller mutes."""
        return await social.follows.muted(acting(call), given.cursor, given.limit)

    @others.post("/follow", errors=(*between, FollowingTooMany))
    async def follow(call: Call, given: OfUser) -> CountedChange:
        """Follow a user."""
        return await social.follows.follow(acting(call), named(call, given.username))

    @others.delete("/follow")
    async def unfollow(call: Call, given: OfUser) -> CountedChange:
        """Stop following a user."""
        return await social.follows.unfollow(acting(call), named(call, given.username))

    @others.post("/block")
    async def block(call: Call, given: OfUser) -> Change:
        """Block a user. Neither sees the other."""
        return await social.follows.block(acting(call), named(call, given.username))

    @others.delete("/block")
    async def unblock(call: Call, given: OfUser) -> Change:
        """End a block."""
        return await social.follows.unblock(acting(call), named(call, given.username))

    @others.post("/mute")
    async def mute(call: Call, given: OfUser) -> Change:
        """Hide a user's posts from the caller's feeds."""
        return await social.follows.mute(acting(call), named(call, given.username))

    @others.delete("/mute")
    async def unmute(call: Call, given: OfUser) -> Change:
        """End a mute."""
        return await social.follows.unmute(acting(call), named(call, given.username))

    return [*routes.endpoints, *others.endpoints]
