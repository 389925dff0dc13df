"""`/accounts/users`: for administrators."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Auth, Call
from townsquare.problems import BadCursor
from townsquare.routes import Routes
from townsquare.services.accounts.models import FULL_TRUST, AccountStatus, AdminUser, UserRole
from townsquare.services.accounts.problems import BadProfile, UserBeingDeleted, UserNotFound
from townsquare.services.accounts.routes.common import caller
from townsquare.services.accounts.routes.me import Deleting
from townsquare.services.accounts.service import Accounts
from townsquare.services.accounts.users import PAGE_LENGTH, UserCount


class ListUsers(msgspec.Struct, kw_only=True):
    """All users, or those of one group, newest first."""

    by: Literal["status", "role", "province", "city"] | None = None
    value: str = ""
    limit: UserCount = PAGE_LENGTH
    cursor: str | None = None


class FindUser(msgspec.Struct):
    index: Literal["email", "username", "phone", "device", "google", "github"]
    value: str


class OneUser(msgspec.Struct):
    id: str


class AdminChange(msgspec.Struct, kw_only=True, rename={"trust_score": "trustScore"}):
    """Fields to change. Suspended and disabled users are signed out at once."""

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
    routes = Routes("/accounts", tag="accounts", auth=Auth.ADMIN)
    users = accounts.users

    @routes.get("/users", errors=(BadCursor, BadProfile))
    async def list_users(call: Call, given: ListUsers) -> UserList:
        """Users, newest first, by status, role, province or city."""
        page = await users.list(given.by, given.value, limit=given.limit, cursor=given.cursor)
        total = await users.count(given.by, given.value)
        return UserList([AdminUser.of(user) for user in page.items], total, page.next)

    @routes.get("/users/find", errors=(UserNotFound, BadProfile), example={"index": "username"})
    async def find_user(call: Call, given: FindUser) -> AdminUser:
        """The user with this email, username, phone, device or provider's id."""
        user = await users.find_by(given.index, given.value)
        if user is None:
            raise UserNotFound()
        return AdminUser.of(user)

    @routes.get("/users/{id}", errors=(UserNotFound,))
    async def show_user(call: Call, given: OneUser) -> AdminUser:
        """One user."""
        user = await users.get(given.id)
        return AdminUser.of(user, await accounts.updates.open_job(user.id))

    @routes.patch("/users/{id}", errors=(UserNotFound, UserBeingDeleted), example={"trustScore": 90})
    async def change_user(call: Call, given: AdminChange) -> AdminUser:
        """Change a user's status, role or trust."""
        user = await users.get(given.id)
        if given.role is not None:
            user = await users.set_role(given.id, given.role)
        if given.trust_score is not None:
            user = await users.set_trust(given.id, given.trust_score)
        if given.status is not None:
            user = await users.set_status(given.id, given.status)
        return AdminUser.of(user, await accounts.updates.open_job(user.id))

    @routes.post("/users/{id}/flags", status=201, errors=(UserNotFound, UserBeingDeleted, BadProfile))
    async def raise_flag(call: Call, given: RaiseFlag) -> AdminUser:
        """Raise a fraud flag. It lowers the trust score; three flags suspend the account."""
        return AdminUser.of(await users.flag(given.id, given.reason, by=caller(call).user_id))

    @routes.delete("/users/{id}/flags/{flag_id}", errors=(UserNotFound,))
    async def remove_flag(call: Call, given: OneFlag) -> AdminUser:
        """Remove a fraud flag."""
        return AdminUser.of(await users.unflag(given.id, given.flag_id))

    @routes.delete("/users/{id}", status=202, errors=(UserNotFound,))
    async def delete_user(call: Call, given: OneUser) -> Deleting:
        """Delete a user, in every service."""
        return Deleting(await accounts.privacy.begin_deletion(given.id))

    return routes.endpoints
