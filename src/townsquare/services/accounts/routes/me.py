"""`/accounts/me`: the caller's account, sessions, export and deletion."""

from typing import Annotated

import msgspec
from msgspec import Meta

from townsquare.api import OWNER, AnyEndpoint, Auth, Call, Limit, Nothing, by_user
from townsquare.kit.hashing import Busy
from townsquare.kit.paging import PageSize
from townsquare.problems import BadCursor, Taken
from townsquare.routes import Routes
from townsquare.secret_repr import HidesSecrets
from townsquare.services.accounts import problems
from townsquare.services.accounts.models import PrivateUser, UserProfile
from townsquare.services.accounts.notifications import MOST_IDS, NotificationList
from townsquare.services.accounts.privacy import UserExport
from townsquare.services.accounts.routes.common import Password, client_of, member, profile_of
from townsquare.services.accounts.service import Accounts
from townsquare.services.accounts.signin.models import IdToken, OAuthCode, SessionView, SignedIn

EXPORT = Limit("export", 5, 300, key=by_user)  # its size grows with the user's activity

FIRST_ADMIN = Limit("first_admin", 10, 60)  # tries to guess the token


class ChangeMe(UserProfile, frozen=True, rename="camel", kw_only=True):
    """Fields to change; null clears a field. With `version`, only if it is the current version."""

    version: int | None = None


class ChangePassword(msgspec.Struct, kw_only=True, rename="camel"):
    new_password: Password
    current_password: Annotated[Password, Meta(description="not needed where there is none yet")] = ""


class OneSession(msgspec.Struct):
    session_id: str


class NotificationQuery(msgspec.Struct, kw_only=True):
    cursor: Annotated[str | None, Meta(description="`next` of the page before")] = None
    limit: PageSize = 20


class Unread(msgspec.Struct):
    unread: int


class MarkRead(msgspec.Struct, kw_only=True):
    ids: Annotated[list[str], Meta(max_length=MOST_IDS)] = []
    all: bool = False


class EndSessions(msgspec.Struct, rename="camel"):
    keep_current: Annotated[bool, Meta(description="end all others only")] = False


class AdminLink(HidesSecrets, msgspec.Struct):
    token: Annotated[str, Meta(min_length=1, max_length=128, description="the part of the link after #")]


class SessionList(msgspec.Struct):
    sessions: list[SessionView]


class Ended(msgspec.Struct):
    ended: int


class Deleting(msgspec.Struct):
    """The account is closed; a job removes the rest."""

    job: str


def me_endpoints(accounts: Accounts) -> list[AnyEndpoint]:
    routes = Routes("/accounts", tag="accounts", auth=Auth.USER)
    provided = (Taken, problems.ProviderRefused, problems.ProviderAway, problems.WayNotOffered)

    @routes.get("/me", errors=(problems.UserNotFound,))
    async def show_me(call: Call, given: Nothing) -> PrivateUser:
        """My account."""
        user = await accounts.users.get(member(call).user_id)
        return PrivateUser.of(user, await accounts.updates.open_job(user.id))

    @routes.patch(
        "/me",
        errors=(
            Taken,
            problems.UserChanged,
            problems.UserBeingDeleted,
            problems.BadProfile,
            problems.ConsentRequired,
        ),
        example={"city": "Lyon"},
    )
    async def change_me(call: Call, given: ChangeMe) -> PrivateUser:
        """Change my account. A new address applies after it is confirmed with the code that is sent to it."""
        user = await accounts.code.change_profile(
            member(call).user_id, profile_of(given), client_of(call), given.version
        )
        return PrivateUser.of(user, await accounts.updates.open_job(user.id))

    @routes.delete("/me", status=202, errors=(problems.UserNotFound,))
    async def delete_me(call: Call, given: Nothing) -> Deleting:
        """Delete my account, in every service."""
        return Deleting(await accounts.privacy.begin_deletion(member(call).user_id))

    @routes.get("/me/export", limit=EXPORT, errors=(problems.UserNotFound,))
    async def export_me(call: Call, given: Nothing) -> UserExport:
        """Export all my data."""
        return await accounts.privacy.export(member(call).user_id)

    @routes.get("/me/notifications", errors=(problems.UserNotFound, BadCursor))
    async def list_notifications(call: Call, given: NotificationQuery) -> NotificationList:
        """My notifications of all services, the newest first, and the number of unread ones."""
        return await accounts.notifications.list(member(call).user_id, given.cursor, given.limit)

    @routes.get("/me/notifications/unread", errors=(problems.UserNotFound,))
    async def count_notifications(call: Call, given: Nothing) -> Unread:
        """The number of my unread notifications."""
        return Unread(await accounts.notifications.unread(member(call).user_id))

    @routes.post(
        "/me/notifications/read",
        errors=(problems.UserNotFound, problems.BadNotification),
        example={"all": True},
    )
    async def read_notifications(call: Call, given: MarkRead) -> Unread:
        """Mark some of my notifications as read, by their ids, or all."""
        return Unread(await accounts.notifications.read(member(call).user_id, given.ids, all=given.all))

    @routes.put(
        "/me/password",
        limit=OWNER,
        errors=(problems.WrongCredentials, problems.BadPassword, problems.CommonPassword, Busy),
        example={"currentPassword": "kludge-mirth-9"},
    )
    async def change_password(call: Call, given: ChangePassword) -> SignedIn:
        """Change my password. All sessions end; the response contains new tokens."""
        return await accounts.password.change(
            member(call).user_id, given.current_password, given.new_password, client_of(call), call.confirm
        )

    @routes.get("/me/sessions")
    async def list_sessions(call: Call, given: Nothing) -> SessionList:
        """My sessions, newest first."""
        me = member(call)
        return SessionList(await accounts.sessions.list(me.user_id, me.session_id))

    @routes.delete("/me/sessions/{session_id}", status=204, errors=(problems.SessionNotFound,))
    async def end_session(call: Call, given: OneSession) -> None:
        """End one of my sessions."""
        await accounts.sessions.end(member(call).user_id, given.session_id)

    @routes.delete("/me/sessions", example={"keepCurrent": True})
    async def end_sessions(call: Call, given: EndSessions) -> Ended:
        """End all my sessions, or all others."""
        me = member(call)
        keep = me.session_id if given.keep_current else None
        return Ended(await accounts.sessions.end_all(me.user_id, keep=keep))

    @routes.post("/first-admin", limit=FIRST_ADMIN, errors=(problems.AdminLinkNotValid,))
    async def claim_first_admin(call: Call, given: AdminLink) -> SignedIn:
        """Become the first admin, with the token of the link that the server printed. My sessions end; the
        response contains new tokens."""
        return await accounts.first_admin.claim(member(call), given.token, client_of(call))

    @routes.put("/me/providers/google", errors=provided)
    async def link_google(call: Call, given: IdToken) -> PrivateUser:
        """Link a Google account for sign-in."""
        return PrivateUser.of(await accounts.google.link(member(call).user_id, given, call.confirm))

    @routes.put("/me/providers/github", errors=provided)
    async def link_github(call: Call, given: OAuthCode) -> PrivateUser:
        """Link a GitHub account for sign-in."""
        return PrivateUser.of(await accounts.github.link(member(call).user_id, given, call.confirm))

    @routes.delete("/me/providers/google", errors=(problems.LastWay,))
    async def unlink_google(call: Call, given: Nothing) -> PrivateUser:
        """Unlink the Google account."""
        return PrivateUser.of(await accounts.users.unlink(member(call).user_id, "google"))

    @routes.delete("/me/providers/github", errors=(problems.LastWay,))
    async def unlink_github(call: Call, given: Nothing) -> PrivateUser:
        """Unlink the GitHub account."""
        return PrivateUser.of(await accounts.users.unlink(member(call).user_id, "github"))

    return routes.endpoints
