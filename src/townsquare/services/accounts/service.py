"""The accounts service: the interface of library, HTTP and command line."""

from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from msgspec import UNSET

from townsquare.clock import Clock, SystemClock
from townsquare.kit.jwt import OPENID
from townsquare.services.accounts.audit import AuditLog
from townsquare.services.accounts.first_admin import FirstAdmin
from townsquare.services.accounts.mails import MailLinks, Mails
from townsquare.services.accounts.models import Facts, User, UserProfile
from townsquare.services.accounts.notifications import UNSUBSCRIBE, AccountNotifications
from townsquare.services.accounts.privacy import AccountPrivacy
from townsquare.services.accounts.service_updates import ServiceUpdates
from townsquare.services.accounts.signin.authentication import Authentication
from townsquare.services.accounts.signin.code import CodeSignIn
from townsquare.services.accounts.signin.delivery import (
    Console,
    MessageQueue,
    MessageSender,
    OutgoingMessage,
    Smtp,
    Webhook,
    is_sender,
)
from townsquare.services.accounts.signin.models import Client, IdToken, OAuthCode, SignedIn, SignInMethods
from townsquare.services.accounts.signin.password import PasswordSignIn
from townsquare.services.accounts.signin.passwords import Passwords
from townsquare.services.accounts.signin.providers.github import GitHub
from townsquare.services.accounts.signin.providers.google import Google
from townsquare.services.accounts.signin.providers.sign_in import ProviderSignIn
from townsquare.services.accounts.signin.sessions import Sessions
from townsquare.services.accounts.signin.tokens.access import AccessTokens
from townsquare.services.accounts.signin.tokens.refresh import RefreshTokens
from townsquare.services.accounts.signin.verification_codes import VerificationCodes
from townsquare.services.accounts.users import Users
from townsquare.settings import Settings, SettingsError
from townsquare.store.coordination.incidents import UNDELIVERED
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

if TYPE_CHECKING:
    from townsquare.services.accounts.signin.tokens.outside_issuer import OutsideIssuer


class Accounts:
    """Users, privacy and all sign-in methods."""

    def __init__(
        self,
        store: Store,
        jobs: Jobs,
        settings: Settings,
        secret: str,
        *,
        delivery: MessageSender | None = None,
        former_secret: str = "",
    ) -> None:
        self.updates = ServiceUpdates(store, jobs)
        self.users = Users(store, self.updates)
        self.privacy = AccountPrivacy(store, jobs, self.users, self.updates)
        self.tokens = AccessTokens(
            store, settings.jwt_issuer, settings.jwt_audience, outside_issuer(settings)
        )
        self.sessions = Sessions(store, self.users, self.tokens, RefreshTokens(secret, former_secret))
        self.audit = AuditLog(store)
        self.first_admin = FirstAdmin(store, self.users, self.sessions, self.audit)
        self.authenticate = Authentication(store, self.users, self.tokens, settings.admin_token).authenticate
        self._passwords = Passwords()
        self._messages = MessageQueue(
            delivery or message_sender(settings, store.clock),
            on_loss=partial(store.incidents.count, UNDELIVERED),
        )
        mails = Mails(settings)
        links = MailLinks(secret, settings.public_url, former_secret, UNSUBSCRIBE)
        self.notifications = AccountNotifications(store, self.users, mails, links, self.send)
        self.code = CodeSignIn(
            store,
            self.users,
            self.sessions,
            VerificationCodes(store, secret, former_secret),
            self._passwords,
            self._messages,
            mails,
        )
        self.password = PasswordSignIn(store, self.users, self.sessions, self.code, self._passwords)
        google = Google(settings.google_issuer, settings.google_client_id, store)
        github = GitHub(
            settings.github_url,
            settings.github_api_url,
            settings.github_client_id,
            settings.github_client_secret,
            store,
        )
        sites = [origin for origin in settings.cors_origins if origin != "*"]
        self.google = ProviderSignIn[IdToken](google, self.users, self.sessions, sites)
        self.github = ProviderSignIn[OAuthCode](github, self.users, self.sessions, sites)

    async def sign_up(
        self,
        username: str | None = None,
        *,
        email: str | None = None,
        phone: str | None = None,
        password: str | None = None,
    ) -> User:
        """Create an account, with its profile in other services; raises Taken if another user has a value.

        For code that vouches for its users. Users who sign up themselves and confirm their address use
        `password`, `code`, `google` or `github`.
        """
        said = UserProfile(username=username or UNSET, email=email or UNSET, phone=phone or UNSET)
        hashed = await self._passwords.hash(password, username, email) if password is not None else None
        return await self.users.create(said, Facts(password_hash=hashed))

    def sign_in_methods(self) -> SignInMethods:
        return SignInMethods(
            email_code=self._messages.delivers("email"),
            sms_code=self._messages.delivers("sms"),
            google=self.google.offered,
            github=self.github.offered,
        )

    async def sign_in_anonymously(self, device_id: str, client: Client) -> SignedIn:
        """Sign in a device without an account; a later sign-up keeps the user id."""
        return await self.sessions.issue(await self.users.visitor(device_id), "anonymous", client)

    def send(self, message: OutgoingMessage) -> None:
        """Send a message in the background, with retries."""
        self._messages.post(message)

    async def delivered(self) -> None:
        """Wait until every message posted so far was sent or dropped."""
        await self._messages.settled()

    async def close(self) -> None:
        self._passwords.close()
        await self._messages.close()
        await self.google.close()
        await self.github.close()


def message_sender(settings: Settings, clock: Clock) -> MessageSender:
    if settings.delivery == "smtp":
        if not settings.smtp_url:
            raise SettingsError("delivery is smtp: say where the mail server is, in smtp_url")
        if not is_sender(settings.mail_from):
            raise SettingsError("mail_from is one address, as in Townsquare <no-reply@example.org>")
        return Smtp(settings.smtp_url, settings.mail_from)
    if settings.delivery == "webhook":
        if not settings.delivery_webhook or not settings.delivery_webhook_secret:
            raise SettingsError(
                "delivery is webhook: set delivery_webhook and delivery_webhook_secret as well"
            )
        return Webhook(settings.delivery_webhook, settings.delivery_webhook_secret, clock)
    return Console()


def check_settings(settings: Settings) -> None:
    """Refuse settings whose counterpart is missing."""
    for one, other in (("github_client_id", "github_client_secret"), ("outside_issuer", "outside_key")):
        if bool(getattr(settings, one)) != bool(getattr(settings, other)):
            raise SettingsError(f"{one} and {other} go together: set both, or neither")
    if settings.outside_issuer == settings.jwt_issuer:
        raise SettingsError("outside_issuer and jwt_issuer must differ: they identify the issuer of a token")
    if settings.google_client_id and find_spec("cryptography") is None:
        raise SettingsError(
            f"google_client_id: Google sign-in requires the package cryptography: pip install '{OPENID}'"
        )
    message_sender(settings, SystemClock())
    Mails(settings)
    outside_issuer(settings)


def outside_issuer(settings: Settings) -> "OutsideIssuer | None":
    if not settings.outside_issuer:
        return None
    from townsquare.services.accounts.signin.tokens.outside_issuer import OutsideIssuer

    try:
        return OutsideIssuer.of(settings.outside_issuer, settings.outside_audience, settings.outside_key)
    except ValueError as error:
        raise SettingsError(f"outside_key: {error}") from None
