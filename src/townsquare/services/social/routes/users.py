"""Profiles, and the lists that belong to them."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType, field

from townsquare.api import AnyEndpoint, Auth, Call, Routes
from townsquare.problems import BadCursor, Forbidden, Unauthorized
from townsquare.services.social.models import Item, Page, Profile, Role, SeenProfile
from townsquare.services.social.problems import (
    BadProfileField,
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

ONE = "/social/users/{username}"

Text = str | UnsetType | None
Refused = Annotated[Any, msgspec.Meta(description="refused, with a hint")]


class ProfileChange(msgspec.Struct, kw_only=True):
    """Fields to set; null removes one. Those that nobody may set are named here to be refused with a hint."""

    username: Annotated[str, msgspec.Meta(description="`me` is who asks")]
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
        dict[str, str | None], msgspec.Meta(max_length=50, description="fields of your own, private")
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
        """What was given, by the names of the record."""
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
    own = f"/social/users/{ME}"

    @routes.get(ONE, errors=found)
    async def show(call: Call, given: OfUser) -> SeenProfile:
        """A profile; one's own with its private fields."""
        return await social.profiles.see(named(call, given.username), viewer(call))

    @routes.patch(
        ONE,
        auth=Auth.USER,
        refuses_unknown="fields of your own go into `custom`",
        errors=(*mine[:2], ProfileNotFound, BadProfileField, SensitiveField, SystemField),
    )
    async def change(call: Call, given: ProfileChange) -> SeenProfile:
        """Change one's own profile; a moderator may change anybody's role."""
        me, username = acting(call), named(call, given.username)
        changes, role = given.changes(), None if given.role is UNSET else given.role
        if role is not None and not is_moderator(call):
            raise Forbidden("Only a moderator changes roles")
        if username != me and (changes or role is None):
            raise Forbidden("This is somebody else's profile")
        if role is not None and changes:
            await social.profiles.change(username, changes)  # first what may be refused
            changes = {}
        if role is not None and await social.owners.set_role(username, role):
            role = None  # the profile has followed its account
        changed = await social.profiles.change(username, changes, role=role)
        return changed if username == me else await social.profiles.see(username, me, as_moderator=True)

    @routes.get(f"{ONE}/posts", errors=paged)
    async def posts(call: Call, given: UserPaged) -> Page[Item]:
        """A user's posts, the newest first."""
        return await social.feeds.user_posts(
            named(call, given.username), viewer(call), given.cursor, given.limit
        )

    @routes.get(f"{ONE}/followers", errors=paged)
    async def followers(call: Call, given: UserPaged) -> Page[Profile]:
        """Who follows a user, the latest first."""
        return await social.follows.listed(
            named(call, given.username), "followers", viewer(call), given.cursor, given.limit
        )

    @routes.get(f"{ONE}/following", errors=paged)
    async def following(call: Call, given: UserPaged) -> Page[Profile]:
        """Whom a user follows, the latest first."""
        return await social.follows.listed(
            named(call, given.username), "following", viewer(call), given.cursor, given.limit
        )

    @routes.get(f"{own}/bookmarked", auth=Auth.USER, errors=mine)
    async def bookmarked(call: Call, given: Paged) -> Page[Item]:
        """One's own bookmarks, the latest first."""
        return await social.feeds.bookmarked(acting(call), given.cursor, given.limit)

    @routes.get(f"{own}/blocked", auth=Auth.USER, errors=mine)
    async def blocked(call: Call, given: Paged) -> Page[Profile]:
        """Whom one blocks."""
        return await social.follows.blocked_or_muted(acting(call), "block", given.cursor, given.limit)

    @routes.get(f"{own}/muted", auth=Auth.USER, errors=mine)
    async def muted(call: Call, given: Paged) -> Page[Profile]:
        """Whom one mutes."""
        return await social.follows.blocked_or_muted(acting(call), "mute", given.cursor, given.limit)

    return routes.endpoints
