"""`/accounts/users`: for administrators."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from townsquare.api import READ, AnyEndpoint, Auth, Call
from townsquare.problems import BadCursor
from townsquare.services.accounts.models import FULL_TRUST, AccountStatus, AdminUser, UserRole
from townsquare.services.accounts.problems import BadProfile, UserBeingDeleted, UserNotFound
from townsquare.services.accounts.routes.common import caller, endpoint
from townsquare.services.accounts.routes.me import Deleting
from townsquare.services.accounts.service import Accounts


class ListUsers(msgspec.Struct, kw_only=True):
    """All users, or those of one group, newest first."""

    by: Literal["status", "role", "province", "city"] | None = None
    value: str = ""
    limit: Annotated[int, Meta(ge=1, le=200)] = 50
    cursor: str | None = None


class FindUser(msgspec.Struct):
    index: Literal["email", "username", "phone", "device", "google", "github"]
    value: str


class OneUser(msgspec.Struct):
    id: str


class AdminChange(msgspec.Struct, kw_only=True, rename={"trust_score": "trustScore"}):
    """What is given is changed. Suspended and disabled users are signed out at once."""

    id: str
    status: AccountStatus | None = None
    role: UserRole | None = None
    trust_score: Annotated[int, Meta(ge=0, le=FULL_TRUST)] | None = None


class RaiseFlag(msgspec.Struct):
    id: str
    reason: Annotated[str, Meta(min_length=1, max_length=100)]


class OneFlag(msgspec.Struct):
    id: str
    flag_id: str


class UserList(msgspec.Struct):
    users: list[AdminUser]
    total: int
    cursor: str | None


def admin_endpoints(accounts: Accounts) -> list[AnyEndpoint]:
    users = accounts.users

    async def list_users(call: Call, given: ListUsers) -> UserList:
        """Users, newest first, by status, role, province or city."""
        page = await users.list(given.by, given.value, limit=given.limit, cursor=given.cursor)
        total = await users.count(given.by, given.value)
        return UserList([AdminUser.of(user) for user in page.items], total, page.next)

    async def find(call: Call, given: FindUser) -> AdminUser:
        """The user with this email, username, phone, device or provider's id."""
        user = await users.find_by(given.index, given.value)
        if user is None:
            raise UserNotFound()
        return AdminUser.of(user)

    async def show(call: Call, given: OneUser) -> AdminUser:
        """One user."""
        return AdminUser.of(await users.get(given.id))

    async def change(call: Call, given: AdminChange) -> AdminUser:
        """Change a user's status, role or trust."""
        user = await users.get(given.id)
        if given.role is not None:
            user = await users.set_role(given.id, given.role)
        if given.trust_score is not None:
            user = await users.set_trust(given.id, given.trust_score)
        if given.status is not None:
            user = await users.set_status(given.id, given.status)
        return AdminUser.of(user)

    async def raise_flag(call: Call, given: RaiseFlag) -> AdminUser:
        """Raise a fraud flag: it costs trust, and three suspend."""
        return AdminUser.of(await users.flag(given.id, given.reason, by=caller(call).user_id))

    async def remove_flag(call: Call, given: OneFlag) -> AdminUser:
        """Take a fraud flag back."""
        return AdminUser.of(await users.unflag(given.id, given.flag_id))

    async def delete(call: Call, given: OneUser) -> Deleting:
        """Delete a user, in every service."""
        return Deleting(await accounts.privacy.begin_deletion(given.id))

    admin, view = Auth.ADMIN, AdminUser
    return [
        endpoint(
            "GET", "/users", list_users, ListUsers, UserList, BadCursor, BadProfile, auth=admin, limit=READ
        ),
        endpoint(
            "GET", "/users/find", find, FindUser, view, UserNotFound, BadProfile, auth=admin, limit=READ
        ),
        endpoint("GET", "/users/{id}", show, OneUser, view, UserNotFound, auth=admin, limit=READ),
        endpoint(
            "PATCH", "/users/{id}", change, AdminChange, view, UserNotFound, UserBeingDeleted, auth=admin
        ),
        endpoint(
            "POST",
            "/users/{id}/flags",
            raise_flag,
            RaiseFlag,
            view,
            UserNotFound,
            UserBeingDeleted,
            BadProfile,
            auth=admin,
            status=201,
        ),
        endpoint(
            "DELETE", "/users/{id}/flags/{flag_id}", remove_flag, OneFlag, view, UserNotFound, auth=admin
        ),
        endpoint("DELETE", "/users/{id}", delete, OneUser, Deleting, UserNotFound, auth=admin, status=202),
    ]
