"""Sign-in on the pages of a site, by the methods that the site allows."""

from typing import Any, Literal

import msgspec

from townsquare.secret_repr import HidesSecrets
from townsquare.services.accounts.models import User
from townsquare.services.accounts.service import Accounts
from townsquare.services.accounts.signin.models import SignedIn
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


def tokens_for_site(signed: SignedIn) -> SiteSignedIn:
    return msgspec.convert(signed, SiteSignedIn, from_attributes=True)


class SiteSignIn:
    def __init__(self, accounts: Accounts, commenters: Commenters) -> None:
        self._accounts = accounts
        self._commenters = commenters

    async def view(self, viewer: Viewer, site: SiteConfig) -> SiteSession:
        """The site, and the signed-in user."""
        shown = SiteView(
            name=site.name,
            sign_in=self.methods(site),
            default_sort=site.settings.default_sort,
            edit_minutes=site.settings.edit_minutes,
            posting_disabled=site.settings.posting_disabled,
            **msgspec.structs.asdict(site.settings.display),
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
