"""Sign-in on the pages of a site, by the methods that the site allows."""

from typing import Any, Literal

import msgspec

from townsquare.api import Identity
from townsquare.secret_repr import HidesSecrets
from townsquare.services.accounts.models import User
from townsquare.services.accounts.service import Accounts
from townsquare.services.accounts.signin.models import Client, IdToken, OAuthCode, SignedIn
from townsquare.services.threads.models.sites import SignInMethod, SiteConfig, SiteRole, Sort, Viewer
from townsquare.services.threads.problems import CommenterNotFound, SignInToComment
from townsquare.services.threads.service.admission import allows
from townsquare.services.threads.service.commenters import NOBODY, SSO, Commenters, fields_of

# in the order of the widget; the site itself offers single sign-on
METHODS: tuple[SignInMethod, ...] = ("code", "password", "google", "github", "anonymous")


class SiteView(msgspec.Struct, kw_only=True):
    """The settings that a page of the site needs."""

    name: str
    sign_in: list[SignInMethod]
    default_sort: Sort
    edit_minutes: int
    posting_disabled: bool
    pageviews: bool
    vote_counts: bool
    presence: bool
    typing: bool


class SessionUser(msgspec.Struct, kw_only=True):
    """The signed-in user, for the site."""

    id: str
    name: str
    avatar_url: str | None
    role: SiteRole
    kind: Literal["account", "anonymous", "sso"]
    named: bool  # the user has chosen a name


class SiteSession(msgspec.Struct, kw_only=True):
    site: SiteView
    user: SessionUser | None


class SiteUser(msgspec.Struct, kw_only=True):
    id: str


class SiteSignedIn(HidesSecrets, msgspec.Struct, kw_only=True):
    """The result of every sign-in: tokens for this site, and nothing else of the account."""

    access_token: str
    refresh_token: str
    token_type: str = "Bearer"  # noqa: S105 - RFC 6750 calls it that
    expires_in: int
    user: SiteUser


def for_site(signed: SignedIn) -> SiteSignedIn:
    return SiteSignedIn(
        access_token=signed.access_token,
        refresh_token=signed.refresh_token,
        expires_in=signed.expires_in,
        user=SiteUser(id=signed.user.id),
    )


class SiteSignIn:
    def __init__(self, accounts: Accounts, commenters: Commenters) -> None:
        self._accounts = accounts
        self._commenters = commenters

    async def view(self, viewer: Viewer, site: SiteConfig) -> SiteSession:
        """The site, and the signed-in user."""
        settings, display = site.settings, site.settings.display
        shown = SiteView(
            name=site.name,
            sign_in=self.methods(site),
            default_sort=settings.default_sort,
            edit_minutes=settings.edit_minutes,
            posting_disabled=settings.posting_disabled,
            pageviews=display.pageviews,
            vote_counts=display.vote_counts,
            presence=display.presence,
            typing=display.typing,
        )
        return SiteSession(site=shown, user=await self._user(viewer))

    async def _user(self, viewer: Viewer) -> SessionUser | None:
        """The user from the commenter's record, or else from the account: a reader needs no record."""
        if viewer.user_id is None:
            return None
        try:
            record = await self._commenters.known(viewer.user_id)
        except CommenterNotFound:
            fields = fields_of(await self._accounts.users.get(viewer.user_id))
            return session_user(viewer.user_id, viewer.role, fields)
        return session_user(record.id, viewer.role, msgspec.structs.asdict(record))

    def methods(self, site: SiteConfig) -> list[SignInMethod]:
        """The methods that the site allows and this server supports."""
        offered = self._accounts.sign_in_methods()
        has = {
            "code": offered.email_code,
            "password": True,
            "google": offered.google,
            "github": offered.github,
            "anonymous": True,
        }
        return [method for method in METHODS if allows(site.settings, method) and has[method]]

    def require(self, site: SiteConfig, method: SignInMethod) -> None:
        """Raise if the site does not allow this method."""
        if not allows(site.settings, method):
            raise SignInToComment()

    async def visitor(self, site: SiteConfig, device_id: str, name: str) -> User:
        """A visitor without an account, under a chosen name."""
        self.require(site, "anonymous")
        self._commenters.check_name(name)
        visitor = await self._accounts.users.visitor(device_id)
        await self._commenters.set_own_name(visitor.id, name=name)
        return visitor

    async def anonymous(self, site: SiteConfig, device_id: str, name: str, client: Client) -> SiteSignedIn:
        visitor = await self.visitor(site, device_id, name)
        return for_site(await self._accounts.sessions.issue(visitor, "anonymous", client))

    async def send_code(self, site: SiteConfig, email: str, client: Client) -> None:
        self.require(site, "code")
        await self._accounts.code.send(email, client)

    async def enter_code(
        self, site: SiteConfig, email: str, code: str, client: Client, identity: Identity | None
    ) -> SiteSignedIn:
        """Sign in the owner of the address. A visitor who has commented before stays the same user."""
        self.require(site, "code")
        return for_site(await self._accounts.code.sign_in(email, code, client, identity))

    async def password(self, site: SiteConfig, login: str, password: str, client: Client) -> SiteSignedIn:
        self.require(site, "password")
        return for_site(await self._accounts.password.sign_in(login, password, client))

    async def google(self, site: SiteConfig, proof: IdToken, client: Client) -> SiteSignedIn:
        self.require(site, "google")
        return for_site(await self._accounts.google.sign_in(proof, client))

    async def github(self, site: SiteConfig, proof: OAuthCode, client: Client) -> SiteSignedIn:
        self.require(site, "github")
        return for_site(await self._accounts.github.sign_in(proof, client))

    async def refresh(self, token: str, client: Client) -> SiteSignedIn:
        return for_site(await self._accounts.sessions.refresh(token, client))

    async def sign_out(self, identity: Identity) -> None:
        await self._accounts.sessions.sign_out(identity)


def session_user(id: str, role: SiteRole, fields: dict[str, Any]) -> SessionUser:
    """From the fields of an account or of a commenter."""
    is_sso = fields["provider"].startswith(SSO)
    return SessionUser(
        id=id,
        name=fields["name"],
        avatar_url=fields["avatar_url"],
        role=role,
        kind="sso" if is_sso else "anonymous" if fields["provider"] == "anonymous" else "account",
        named=fields["name"] != NOBODY,
    )
