"""Sign-in as one thing: every way in, put together from the settings."""

import hmac
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from townsquare.api import Call, Identity
from townsquare.clock import Clock
from townsquare.problems import Invalid
from townsquare.services.accounts.by_code import ByCode
from townsquare.services.accounts.by_password import ByPassword
from townsquare.services.accounts.by_provider import ByProvider
from townsquare.services.accounts.codes import Codes
from townsquare.services.accounts.delivery import Console, Delivery, Postbox, Smtp, Webhook
from townsquare.services.accounts.entry import Entry, SignedIn
from townsquare.services.accounts.github import GitHub
from townsquare.services.accounts.google import Google
from townsquare.services.accounts.passwords import Passwords
from townsquare.services.accounts.providers import RoundTrips
from townsquare.services.accounts.sessions import Device, Sessions
from townsquare.services.accounts.tokens import OutsideIssuer, Tokens
from townsquare.services.accounts.users import Users
from townsquare.settings import Settings, SettingsError
from townsquare.store.store import Store

SIGN_IN_PAGE = "/accounts/sign-in"
OPERATOR = Identity(user_id="admin", role="admin")  # no user: nobody's name, nobody's profile


class Ways(msgspec.Struct, kw_only=True):
    """Which ways in this server offers."""

    email_code: bool
    sms_code: bool
    google: bool
    github: bool
    password: Literal[True] = True
    anonymous: Literal[True] = True


class SignIn:
    def __init__(
        self,
        store: Store,
        users: Users,
        settings: Settings,
        secret: str,
        *,
        delivery: Delivery | None = None,
    ) -> None:
        self._users = users
        self._sites = tuple(origin for origin in settings.cors_origins if origin != "*")
        self._operator = settings.admin_token.encode()
        self._passwords = Passwords()
        self._postbox = Postbox(delivery or delivery_of(settings, store.clock))
        trips = RoundTrips(store)
        self.google = Google(settings.google_issuer, settings.google_client_id, trips, store.clock)
        self.github = GitHub(
            settings.github_url,
            settings.github_api_url,
            settings.github_client_id,
            settings.github_client_secret,
            trips,
        )
        self.sessions = Sessions(store, secret)
        self.tokens = Tokens(store, settings.jwt_issuer, settings.jwt_audience, outside_of(settings))
        self.entry = Entry(store, users, self.sessions, self.tokens)
        codes = Codes(store, secret)
        self.code = ByCode(store, users, self.entry, codes, self._passwords, self._postbox)
        self.password = ByPassword(store, users, self.entry, self.code, self._passwords)
        self.provider = ByProvider(users, self.entry)

    def ways(self) -> Ways:
        return Ways(
            email_code=self._postbox.delivers("email"),
            sms_code=self._postbox.delivers("sms"),
            google=self.google.offered,
            github=self.github.offered,
        )

    def return_address(self, call: Call, asked: str) -> str:
        """Where a provider sends the browser back to: our page, or one of a site that we know."""
        if not asked:
            return f"{call.base_url}{SIGN_IN_PAGE}"
        place = urlsplit(asked)
        if f"{place.scheme}://{place.netloc}" not in (call.base_url, *self._sites):
            raise Invalid("redirect_uri must be on this server or on one of its cors_origins")
        return asked

    async def anonymous(self, device_id: str, device: Device) -> SignedIn:
        """Sign in a device without an account; when it signs up it stays the same user."""
        return await self.entry.admit(await self._users.visitor(device_id), "anonymous", device)

    async def authenticate(self, call: Call, token: str) -> Identity | None:
        """Who presents this bearer token: for the web layer, on every request that has one."""
        if self._operator and hmac.compare_digest(self._operator, token.encode("utf-8", "surrogatepass")):
            return OPERATOR
        return await self.entry.identify(token)

    async def delivered(self) -> None:
        """Wait until every message posted so far was sent or dropped."""
        await self._postbox.empty()

    async def close(self) -> None:
        self._passwords.close()
        await self._postbox.close()
        await self.google.close()
        await self.github.close()


def delivery_of(settings: Settings, clock: Clock) -> Delivery:
    if settings.delivery == "smtp":
        if not settings.smtp_url:
            raise SettingsError("delivery is smtp: say where the mail server is, in smtp_url")
        return Smtp(settings.smtp_url, settings.mail_from)
    if settings.delivery == "webhook":
        if not settings.delivery_webhook or not settings.delivery_webhook_secret:
            raise SettingsError(
                "delivery is webhook: set delivery_webhook and delivery_webhook_secret as well"
            )
        return Webhook(settings.delivery_webhook, settings.delivery_webhook_secret, clock)
    return Console()


def outside_of(settings: Settings) -> OutsideIssuer | None:
    try:
        return OutsideIssuer.of(settings.outside_issuer, settings.outside_audience, settings.outside_key)
    except ValueError as error:
        raise SettingsError(f"outside_key: {error}") from None
