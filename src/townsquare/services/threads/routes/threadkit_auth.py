"""Signing in with the original ThreadKit client, by the methods that the site allows."""

import secrets
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Call, Limit, Nothing
from townsquare.kit.tokens import LONGEST_TOKEN
from townsquare.problems import Unauthorized
from townsquare.services.accounts.models import UserProfile
from townsquare.services.accounts.routes.common import Password
from townsquare.services.accounts.service import Accounts
from townsquare.services.accounts.signin.models import SignedIn
from townsquare.services.threads import problems
from townsquare.services.threads.models.sites import SignInMethod
from townsquare.services.threads.models.threadkit import ThreadKitTokens
from townsquare.services.threads.routes import threadkit_common
from townsquare.services.threads.routes.access import SiteAccess, client_of, site_of
from townsquare.services.threads.routes.session import session_of
from townsquare.services.threads.service import Threads

CODES = Limit("threadkit_code", 20, 60)
SIGN_IN = Limit("threadkit_sign_in", 30, 60)
BY_EMAIL = {"email": "ann@example.org"}


class ThreadKitMethod(msgspec.Struct):
    id: str
    name: str
    type: Literal["otp", "oauth", "anonymous"]


class ThreadKitMethods(msgspec.Struct):
    methods: list[ThreadKitMethod]


class AnonymousName(msgspec.Struct):
    name: str | None = None


class CodeTarget(msgspec.Struct, kw_only=True):
    email: str | None = None
    phone: str | None = None

    @property
    def to(self) -> str:
        return self.email or self.phone or ""


class CodeWithName(CodeTarget, kw_only=True):
    code: Annotated[str, Meta(max_length=32)]
    name: str | None = None


class PasswordReset(CodeTarget, kw_only=True):
    code: Annotated[str, Meta(max_length=32)]
    new_password: Password


class PasswordLogin(CodeTarget, kw_only=True):
    password: Password


class Registration(PasswordLogin, kw_only=True):
    name: str


class ThreadKitRefresh(msgspec.Struct):
    refresh_token: Annotated[str, Meta(max_length=LONGEST_TOKEN)]


def threadkit_auth_endpoints(threads: Threads, accounts: Accounts, access: SiteAccess) -> list[AnyEndpoint]:
    reads, writes = threadkit_common.threadkit_routes(access)

    def require(call: Call, method: SignInMethod, name: str | None = None) -> None:
        threads.sign_in.require(site_of(call), method)
        if name is not None:
            threads.commenters.check_name(name)

    async def tokens(signed: SignedIn, name: str | None = None) -> ThreadKitTokens:
        record = await threads.commenters.get(signed.user.id)
        if name:
            record = await threads.commenters.set_own_name(signed.user.id, name=name)
        return ThreadKitTokens(
            token=signed.access_token,
            refresh_token=signed.refresh_token,
            user=threadkit_common.user_of(record),
        )

    @reads.get("/auth/methods")
    async def threadkit_list_methods(call: Call, given: Nothing) -> ThreadKitMethods:
        """The sign-in methods of the site that this client has."""
        offered, allowed = accounts.sign_in_methods(), site_of(call).settings.sign_in
        methods = []
        if offered.email_code and "code" in allowed:
            methods.append(ThreadKitMethod("email", "Email", "otp"))
        if offered.sms_code and "code" in allowed:
            methods.append(ThreadKitMethod("phone", "Phone", "otp"))
        if site_of(call).settings.anonymous and "anonymous" in allowed:
            methods.append(ThreadKitMethod("anonymous", "Anonymous", "anonymous"))
        return ThreadKitMethods(methods)

    @writes.post("/auth/anonymous", limit=SIGN_IN)
    async def threadkit_sign_in_anonymously(call: Call, given: AnonymousName) -> ThreadKitTokens:
        """Sign in without an account, with or without a name."""
        require(call, "anonymous", given.name or None)
        signed = await accounts.sign_in_anonymously(secrets.token_hex(16), client_of(call))
        return await tokens(signed, given.name)

    @writes.post("/auth/send-otp", limit=CODES, example=BY_EMAIL)
    async def threadkit_send_code(call: Call, given: CodeTarget) -> threadkit_common.Empty:
        """Send a code to an email address or a phone."""
        require(call, "code")
        await accounts.code.send(given.to, client_of(call))
        return threadkit_common.EMPTY

    @writes.post("/auth/verify-otp", limit=CODES, example=BY_EMAIL)
    async def threadkit_verify_code(call: Call, given: CodeWithName) -> ThreadKitTokens:
        """Sign in with a code. A new user must send a name; until then the code stays valid."""
        require(call, "code", given.name or None)
        client = client_of(call)
        if not given.name and not await accounts.code.is_known(given.to, given.code, client):
            raise problems.NameRequired()
        return await tokens(await accounts.code.sign_in(given.to, given.code, client), given.name)

    @writes.post("/auth/register", limit=SIGN_IN, example=BY_EMAIL)
    async def threadkit_register(call: Call, given: Registration) -> ThreadKitTokens:
        """Create an account with a password. The address is confirmed by a code."""
        require(call, "password", given.name)
        address = {"email": given.email} if given.email else {"phone": given.phone}
        profile = UserProfile(**address)
        signed = await accounts.password.sign_up(profile, given.password, client_of(call), session_of(call))
        return await tokens(signed, given.name)

    @writes.post("/auth/login", limit=SIGN_IN, example=BY_EMAIL)
    async def threadkit_login(call: Call, given: PasswordLogin) -> ThreadKitTokens:
        """Sign in with a password."""
        require(call, "password")
        return await tokens(await accounts.password.sign_in(given.to, given.password, client_of(call)))

    @writes.post("/auth/verify", limit=CODES, example=BY_EMAIL)
    async def threadkit_confirm_address(call: Call, given: CodeWithName) -> ThreadKitTokens:
        """Confirm the address of the signed-in user with a code. Earlier sessions may end."""
        session = session_of(call)
        if session is None:
            raise Unauthorized
        return await tokens(await accounts.code.sign_in(given.to, given.code, client_of(call), session))

    @writes.post("/auth/forgot", limit=CODES, example=BY_EMAIL)
    async def threadkit_forgot_password(call: Call, given: CodeTarget) -> threadkit_common.Empty:
        """Send a code for a new password."""
        require(call, "password")
        await accounts.code.send_password_reset(given.to, client_of(call))
        return threadkit_common.EMPTY

    @writes.post("/auth/reset", limit=CODES, example=BY_EMAIL)
    async def threadkit_reset_password(call: Call, given: PasswordReset) -> threadkit_common.Empty:
        """Set a new password with a code. All other sessions end."""
        require(call, "password")
        await accounts.code.reset_password(given.to, given.code, given.new_password, client_of(call))
        return threadkit_common.EMPTY

    @writes.post("/auth/refresh", limit=SIGN_IN)
    async def threadkit_refresh(call: Call, given: ThreadKitRefresh) -> ThreadKitTokens:
        """Exchange a refresh token."""
        return await tokens(await accounts.sessions.refresh(given.refresh_token, client_of(call)))

    @writes.post("/auth/logout")
    async def threadkit_logout(call: Call, given: Nothing) -> threadkit_common.Empty:
        """End the session."""
        session = session_of(call)
        if session is None:
            raise Unauthorized
        await accounts.sessions.sign_out(session)
        return threadkit_common.EMPTY

    return [*reads.endpoints, *writes.endpoints]
