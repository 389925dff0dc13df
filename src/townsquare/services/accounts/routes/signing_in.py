"""`/accounts/…`: every way in, and out."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Auth, Call, Nothing, Routes
from townsquare.kit.hashing import Busy
from townsquare.problems import Invalid, Taken
from townsquare.services.accounts.keys import CODE_SECONDS
from townsquare.services.accounts.models import UserProfile
from townsquare.services.accounts.problems import (
    AccountClosed,
    AlreadyRegistered,
    BadPassword,
    BadProfile,
    BadRefreshToken,
    CommonPassword,
    NotDeliverable,
    NotLinked,
    ProviderAway,
    ProviderRefused,
    TooManyCodes,
    WayNotOffered,
    WrongCode,
    WrongCredentials,
)
from townsquare.services.accounts.routes.common import (
    AVAILABILITY,
    CODE,
    REFRESH,
    SIGN_IN,
    Code,
    EmailOrPhone,
    Password,
    Token,
    caller,
    client_of,
    profile_of,
)
from townsquare.services.accounts.service import Accounts
from townsquare.services.accounts.signin.models import (
    IdToken,
    OAuthCode,
    ProviderRedirect,
    SignedIn,
    SignInMethods,
)

SIGN_IN_PAGE = "/accounts/sign-in"


class SignUp(UserProfile, frozen=True, rename="camel", kw_only=True):
    """A profile with at least an email, username or phone, and a password."""

    password: Password


class Login(msgspec.Struct, kw_only=True):
    """Any one of the names, and the password."""

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


class EnterCode(EmailOrPhone, kw_only=True):
    code: Code


class NewPassword(EnterCode, kw_only=True):
    password: Password


class StartSignIn(msgspec.Struct):
    redirect_uri: Annotated[str, Meta(max_length=2_048, description="where to come back to")] = ""


class OnDevice(msgspec.Struct, rename="camel"):
    device_id: Annotated[str, Meta(description="a secret that the device made for itself, and keeps")]


class RefreshToken(msgspec.Struct):
    refresh_token: Token


class Names(msgspec.Struct):
    username: str = ""
    email: str = ""


class Available(msgspec.Struct, omit_defaults=True):
    username: bool | None = None
    email: bool | None = None


class Sent(msgspec.Struct):
    """The same whether or not somebody has this address."""

    accepted: Literal[True] = True
    expires_in: int = CODE_SECONDS


def sign_in_page(call: Call) -> str:
    return f"{call.base_url}{SIGN_IN_PAGE}"


def sign_in_endpoints(accounts: Accounts) -> list[AnyEndpoint]:
    routes = Routes("/accounts", tag="accounts")
    codes = (BadProfile, NotDeliverable, TooManyCodes)
    passwords = (BadPassword, CommonPassword, Busy)
    provided = (ProviderRefused, ProviderAway, WayNotOffered)

    @routes.post(
        "/signup", auth=Auth.OPTIONAL, limit=SIGN_IN, status=201, errors=(Taken, BadProfile, *passwords)
    )
    async def signup(call: Call, given: SignUp) -> SignedIn:
        """Make an account and sign in."""
        return await accounts.password.sign_up(
            profile_of(given), given.password, client_of(call), call.identity
        )

    @routes.post("/login", limit=SIGN_IN, errors=(WrongCredentials, AccountClosed, Busy))
    async def login(call: Call, given: Login) -> SignedIn:
        """Sign in with a password."""
        return await accounts.password.sign_in(given.name, given.password, client_of(call))

    @routes.post("/code/send", limit=CODE, status=202, errors=(*codes,))
    async def send_code(call: Call, given: EmailOrPhone) -> Sent:
        """Send a code to an email address or a phone."""
        await accounts.code.send(given.to, client_of(call))
        return Sent()

    @routes.post(
        "/code/verify", auth=Auth.OPTIONAL, limit=CODE, errors=(WrongCode, AccountClosed, BadProfile)
    )
    async def verify_code(call: Call, given: EnterCode) -> SignedIn:
        """Sign in with a code, or confirm an address of one's own."""
        return await accounts.code.sign_in(given.to, given.code, client_of(call), call.identity)

    @routes.post("/password/forgot", limit=CODE, status=202, errors=(*codes,))
    async def forgot(call: Call, given: EmailOrPhone) -> Sent:
        """Send a code for a new password."""
        await accounts.code.send_password_reset(given.to, client_of(call))
        return Sent()

    @routes.post("/password/reset", limit=CODE, errors=(WrongCode, AccountClosed, *passwords))
    async def reset(call: Call, given: NewPassword) -> SignedIn:
        """Set a new password with a code, and sign in. All other sessions end."""
        return await accounts.code.reset_password(given.to, given.code, given.password, client_of(call))

    @routes.post("/google/start", limit=SIGN_IN, errors=(ProviderAway, WayNotOffered))
    async def start_google(call: Call, given: StartSignIn) -> ProviderRedirect:
        """Where to get a Google ID token, and the nonce that it must hold."""
        return await accounts.google.start(given.redirect_uri or sign_in_page(call), call.base_url)

    @routes.post("/google", auth=Auth.OPTIONAL, limit=SIGN_IN, errors=(NotLinked, AccountClosed, *provided))
    async def google(call: Call, given: IdToken) -> SignedIn:
        """Sign in with a Google ID token."""
        return await accounts.google.sign_in(given, client_of(call), call.identity)

    @routes.post("/github/start", limit=SIGN_IN, errors=(WayNotOffered,))
    async def start_github(call: Call, given: StartSignIn) -> ProviderRedirect:
        """Where to ask GitHub for a code."""
        return await accounts.github.start(given.redirect_uri or sign_in_page(call), call.base_url)

    @routes.post("/github", auth=Auth.OPTIONAL, limit=SIGN_IN, errors=(NotLinked, AccountClosed, *provided))
    async def github(call: Call, given: OAuthCode) -> SignedIn:
        """Sign in with what GitHub sent back."""
        return await accounts.github.sign_in(given, client_of(call), call.identity)

    @routes.post("/anonymous", limit=SIGN_IN, errors=(AlreadyRegistered, BadProfile, AccountClosed))
    async def anonymous(call: Call, given: OnDevice) -> SignedIn:
        """Sign in a device without an account."""
        return await accounts.sign_in_anonymously(given.device_id, client_of(call))

    @routes.post("/refresh", limit=REFRESH, errors=(BadRefreshToken,))
    async def refresh(call: Call, given: RefreshToken) -> SignedIn:
        """Exchange a refresh token; using one twice ends its session."""
        return await accounts.sessions.refresh(given.refresh_token, client_of(call))

    @routes.post("/logout", auth=Auth.USER, status=204)
    async def logout(call: Call, given: Nothing) -> None:
        """End this session."""
        await accounts.sessions.sign_out(caller(call))

    @routes.get("/availability", limit=AVAILABILITY, errors=(BadProfile,))
    async def availability(call: Call, given: Names) -> Available:
        """Whether a username or an email address is free."""
        return Available(
            await accounts.users.is_free("username", given.username) if given.username else None,
            await accounts.users.is_free("email", given.email) if given.email else None,
        )

    @routes.get("/ways")
    async def ways(call: Call, given: Nothing) -> SignInMethods:
        """Which ways in this server offers."""
        return accounts.sign_in_methods()

    return routes.endpoints
