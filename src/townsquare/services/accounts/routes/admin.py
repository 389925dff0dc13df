"""`/accounts/users`: for administrators."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Auth, Call
from townsquare.problems import BadCursor
from townsquare.routes import Routes
from townsquare.services.accounts import audit
from townsquare.services.accounts.ids import USER_ID
from townsquare.services.accounts.models import FULL_TRUST, AccountStatus, AdminUser, UserRole, name_of
from townsquare.services.accounts.privacy import UserExport
from townsquare.services.accounts.problems import BadProfile, SessionNotFound, UserBeingDeleted, UserNotFound
from townsquare.services.accounts.routes.common import caller
from townsquare.services.accounts.routes.me import EXPORT, Deleting, Ended, SessionList
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


class OneUserSession(msgspec.Struct):
    id: str
    session_id: str


class AuditPage(msgspec.Struct):
    """Entries, newest first."""

    limit: audit.AuditPageSize = audit.PAGE_LENGTH
    cursor: str | None = None


class AuditEntries(msgspec.Struct):
    items: list[audit.AuditEntry]
    names: Annotated[dict[str, str], Meta(description="names of the accounts that the entries mention")]
    next: str | None


class UserList(msgspec.Struct):
    users: list[AdminUser]
    total: int
    cursor: str | None


def admin_endpoints(accounts: Accounts) -> list[AnyEndpoint]:
    routes = Routes("/accounts", tag="accounts", auth=Auth.ADMIN)
    users, log = accounts.users, accounts.audit

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
            async with log.recorded(caller(call), "user.role", user.id, given.role):
                user = await users.set_role(given.id, given.role)
        if given.trust_score is not None:
            async with log.recorded(caller(call), "user.trust", user.id, str(given.trust_score)):
                user = await users.set_trust(given.id, given.trust_score)
        if given.status is not None:
            async with log.recorded(caller(call), "user.status", user.id, given.status):
                user = await users.set_status(given.id, given.status)
        return AdminUser.of(user, await accounts.updates.open_job(user.id))

    @routes.post("/users/{id}/flags", status=201, errors=(UserNotFound, UserBeingDeleted, BadProfile))
    async def raise_flag(call: Call, given: RaiseFlag) -> AdminUser:
        """Raise a fraud flag. It lowers the trust score; three flags suspend the account."""
        await users.get(given.id)
        async with log.recorded(caller(call), "user.flag", given.id):
            return AdminUser.of(await users.flag(given.id, given.reason, by=caller(call).user_id))

    @routes.delete("/users/{id}/flags/{flag_id}", errors=(UserNotFound,))
    async def remove_flag(call: Call, given: OneFlag) -> AdminUser:
        """Remove a fraud flag."""
        await users.get(given.id)
        async with log.recorded(caller(call), "user.unflag", given.id):
            return AdminUser.of(await users.unflag(given.id, given.flag_id))

    @routes.delete("/users/{id}", status=202, errors=(UserNotFound,))
    async def delete_user(call: Call, given: OneUser) -> Deleting:
        """Delete a user, in every service."""
        await users.get(given.id)
        async with log.recorded(caller(call), "user.delete", given.id):
            return Deleting(await accounts.privacy.begin_deletion(given.id))

    @routes.post("/users/{id}/export", limit=EXPORT, errors=(UserNotFound,))
    async def export_user(call: Call, given: OneUser) -> UserExport:
        """Export all data of a user. A POST, because the audit log has it."""
        await users.get(given.id)
        async with log.recorded(caller(call), "user.export", given.id):
            return await accounts.privacy.export(given.id)

    @routes.get("/users/{id}/sessions", errors=(UserNotFound,))
    async def list_user_sessions(call: Call, given: OneUser) -> SessionList:
        """The sessions of a user, newest first."""
        if not USER_ID.matches(given.id):
            raise UserNotFound()
        return SessionList(await accounts.sessions.list(given.id, caller(call).session_id))

    @routes.delete("/users/{id}/sessions/{session_id}", status=204, errors=(SessionNotFound,))
    async def end_user_session(call: Call, given: OneUserSession) -> None:
        """End a session of a user."""
        if not USER_ID.matches(given.id):
            raise SessionNotFound()
        async with log.recorded(caller(call), "user.end_session", given.id):
            await accounts.sessions.end(given.id, given.session_id)

    @routes.delete("/users/{id}/sessions", errors=(UserNotFound,))
    async def end_user_sessions(call: Call, given: OneUser) -> Ended:
        """End all sessions of a user."""
        await users.get(given.id)
        async with log.recorded(caller(call), "user.end_sessions", given.id):
            return Ended(await accounts.sessions.end_all(given.id))

    @routes.get("/audit", errors=(BadCursor,))
    async def list_audit(call: Call, given: AuditPage) -> AuditEntries:
        """The actions of admins, newest first."""
        entries, cursor = await log.page(given.cursor, given.limit)
        ids = list(dict.fromkeys(id for one in entries for id in (one.by, one.target)))
        names = {user.id: name_of(user) for user in await users.get_many(ids) if user}
        return AuditEntries(entries, names, cursor)

    return routes.endpoints
