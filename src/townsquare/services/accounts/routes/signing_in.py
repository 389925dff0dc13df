"""`/accounts/…`: sign-up, sign-in and sign-out."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Auth, Call, Limit, Nothing
from townsquare.kit.hashing import Busy
from townsquare.kit.tokens import LONGEST_TOKEN
from townsquare.problems import Invalid, Taken
from townsquare.routes import Routes
from townsquare.services.accounts import problems
from townsquare.services.accounts.keys import CODE_SECONDS
from townsquare.services.accounts.models import UserProfile
from townsquare.services.accounts.routes.common import Password, caller, client_of, profile_of
from townsquare.services.accounts.service import Accounts
from townsquare.services.accounts.signin.models import (
    IdToken,
    OAuthCode,
    ProviderRedirect,
    SignedIn,
    SignInMethods,
)

SIGN_IN_PAGE = "/accounts/sign-in"

SIGN_IN = Limit("sign_in", 30, 60)  # a try may cost a slow hash
CODE = Limit("code", 20, 60)
REFRESH = Limit("refresh", 120, 60)  # an office may share one address
AVAILABILITY = Limit("availability", 30, 60)  # enough for typing a name, not for listing accounts


class SignUp(UserProfile, frozen=True, rename="camel", kw_only=True):
    """A profile with at least an email, username or phone, and a password."""

    password: Password


class Login(msgspec.Struct, kw_only=True):
    """One identifier and the password."""

    password: Password
    login: Annotated[str, Meta(description="an email address, a phone number or a username")] = ""
    email: str = ""
    username: str = ""
    phone: str = ""

    @property
    def name(self) -> str:
        name = self.login or self.email or self.username or self.phone
        if not name:
            raise Invalid("Give a login, email, username or phone")
        return name


class EmailOrPhone(msgspec.Struct, kw_only=True):
    """An email address or a phone number."""

    email: str = ""
    phone: str = ""

    @property
    def to(self) -> str:
        if bool(self.email) == bool(self.phone):
            raise Invalid("Give an email address or a phone number")
        return self.email or self.phone


class EnterCode(EmailOrPhone, kw_only=True):
    code: Annotated[str, Meta(max_length=32, description="the six digits that were sent")]


class NewPassword(EnterCode, kw_only=True):
    password: Password


class StartSignIn(msgspec.Struct):
    redirect_uri: Annotated[str, Meta(max_length=2_048, description="where to come back to")] = ""


class OnDevice(msgspec.Struct, rename="camel"):
    device_id: Annotated[str, Meta(description="a secret that the device made for itself, and keeps")]


class RefreshToken(msgspec.Struct):
    refresh_token: Annotated[str, Meta(max_length=LONGEST_TOKEN)]


class WantedUsername(msgspec.Struct):
    username: str


class Available(msgspec.Struct):
    username: bool


BY_EMAIL = {"email": "ann@example.org"}


class Sent(msgspec.Struct):
    """The same with and without an account for the address."""

    accepted: Literal[True] = True
    expires_in: int = CODE_SECONDS


def sign_in_page(call: Call) -> str:
    return f"{call.base_url}{SIGN_IN_PAGE}"


def sign_in_endpoints(accounts: Accounts) -> list[AnyEndpoint]:
    routes = Routes("/accounts", tag="accounts")
    codes = (problems.BadProfile, problems.NotDeliverable, problems.TooManyCodes)
    passwords = (problems.BadPassword, problems.CommonPassword, Busy)
    provided = (problems.ProviderRefused, problems.ProviderAway, problems.WayNotOffered)
    linked = (problems.NotLinked, problems.AccountClosed, *provided)

    @routes.post(
        "/signup",
        auth=Auth.OPTIONAL,
        limit=SIGN_IN,
        status=201,
        errors=(Taken, problems.BadProfile, problems.ConsentRequired, *passwords),
        example={"username": "ann"},
    )
    async def signup(call: Call, given: SignUp) -> SignedIn:
        """Create an account and sign in."""
        return await accounts.password.sign_up(
            profile_of(given), given.password, client_of(call), call.identity
        )

    @routes.post(
        "/login",
        limit=SIGN_IN,
        errors=(problems.WrongCredentials, problems.AccountClosed, Busy),
        example={"login": "ann"},
    )
    async def login(call: Call, given: Login) -> SignedIn:
        """Sign in with a password."""
        return await accounts.password.sign_in(given.name, given.password, client_of(call))

    @routes.post("/code/send", limit=CODE, status=202, errors=codes, example=BY_EMAIL)
    async def send_code(call: Call, given: EmailOrPhone) -> Sent:
        """Send a code to an email address or a phone."""
        await accounts.code.send(given.to, client_of(call))
        return Sent()

    @routes.post(
        "/code/verify",
        auth=Auth.OPTIONAL,
        limit=CODE,
        errors=(problems.WrongCode, problems.AccountClosed, problems.BadProfile, Taken),
        example=BY_EMAIL,
    )
    async def verify_code(call: Call, given: EnterCode) -> SignedIn:
        """Sign in with a code, or confirm the caller's address."""
        return await accounts.code.sign_in(given.to, given.code, client_of(call), call.identity)

    @routes.post("/password/forgot", limit=CODE, status=202, errors=codes, example=BY_EMAIL)
    async def forgot_password(call: Call, given: EmailOrPhone) -> Sent:
        """Send a code for a new password."""
        await accounts.code.send_password_reset(given.to, client_of(call))
        return Sent()

    @routes.post(
        "/password/reset",
        limit=CODE,
        errors=(problems.WrongCode, problems.AccountClosed, *passwords),
        example=BY_EMAIL,
    )
    async def reset_password(call: Call, given: NewPassword) -> SignedIn:
        """Set a new password with a code, and sign in. All other sessions end."""
        return await accounts.code.reset_password(given.to, given.code, given.password, client_of(call))

    @routes.post("/google/start", limit=SIGN_IN, errors=(problems.ProviderAway, problems.WayNotOffered))
    async def start_google(call: Call, given: StartSignIn) -> ProviderRedirect:
        """The URL for a Google ID token, and the nonce that it must contain."""
        return await accounts.google.start(given.redirect_uri or sign_in_page(call), call.base_url)

    @routes.post("/google", auth=Auth.OPTIONAL, limit=SIGN_IN, errors=linked)
    async def sign_in_with_google(call: Call, given: IdToken) -> SignedIn:
        """Sign in with a Google ID token."""
        return await accounts.google.sign_in(given, client_of(call), call.identity)

    @routes.post("/github/start", limit=SIGN_IN, errors=(problems.WayNotOffered,))
    async def start_github(call: Call, given: StartSignIn) -> ProviderRedirect:
        """The URL at GitHub for a code."""
        return await accounts.github.start(given.redirect_uri or sign_in_page(call), call.base_url)

    @routes.post("/github", auth=Auth.OPTIONAL, limit=SIGN_IN, errors=linked)
    async def sign_in_with_github(call: Call, given: OAuthCode) -> SignedIn:
        """Sign in with the code from GitHub."""
        return await accounts.github.sign_in(given, client_of(call), call.identity)

    @routes.post(
        "/anonymous",
        limit=SIGN_IN,
        errors=(problems.AlreadyRegistered, problems.BadProfile, problems.AccountClosed),
    )
    async def sign_in_anonymously(call: Call, given: OnDevice) -> SignedIn:
        """Sign in a device without an account."""
        return await accounts.sign_in_anonymously(given.device_id, client_of(call))

    @routes.post("/refresh", limit=REFRESH, errors=(problems.BadRefreshToken,))
    async def refresh_tokens(call: Call, given: RefreshToken) -> SignedIn:
        """Exchange a refresh token. Reuse of an old token after a few seconds ends the session."""
        return await accounts.sessions.refresh(given.refresh_token, client_of(call))

    @routes.post("/logout", auth=Auth.USER, status=204)
    async def logout(call: Call, given: Nothing) -> None:
        """End this session."""
        await accounts.sessions.sign_out(caller(call))

    @routes.get(
        "/availability", limit=AVAILABILITY, errors=(problems.BadProfile,), example={"username": "ann"}
    )
    async def is_available(call: Call, given: WantedUsername) -> Available:
        """Whether a username is free. Email addresses are not disclosed."""
        return Available(await accounts.users.is_free("username", given.username))

    @routes.get("/ways")
    async def list_ways(call: Call, given: Nothing) -> SignInMethods:
        """The sign-in methods of this server."""
        return accounts.sign_in_methods()

    return routes.endpoints
