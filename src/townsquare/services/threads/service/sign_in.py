"""Signing in on the pages of a site, in the ways that the site allows."""

from typing import Literal

import msgspec

from townsquare.api import Identity
from townsquare.services.accounts.models import User, UserProfile
from townsquare.services.accounts.problems import BadProfile, UserNotFound
from townsquare.services.accounts.service import Accounts
from townsquare.services.accounts.signin.models import Client, SignedIn
from townsquare.services.threads.models.sites import CachedKey, SignInMethod, SiteRole, Sort, Viewer
from townsquare.services.threads.problems import BadName, SignInToComment
from townsquare.services.threads.service.commenters import Commenters, fields_of

OWN_METHODS: tuple[SignInMethod, ...] = ("code", "password", "anonymous")  # that need no other website


class SiteView(msgspec.Struct, kw_only=True):
    """What a page of the site needs to know of its settings."""

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
    """Who is signed in, as the site sees them."""

    id: str
    name: str
    avatar_url: str | None
    role: SiteRole
    kind: Literal["account", "anonymous", "sso"]
    named: bool  # whether the name is one of their own


class SessionView(msgspec.Struct, kw_only=True):
    site: SiteView
    user: SessionUser | None


class SiteSignIn:
    def __init__(self, accounts: Accounts, commenters: Commenters) -> None:
        self._accounts = accounts
        self._commenters = commenters

    async def view(self, viewer: Viewer, site: CachedKey) -> SessionView:
        """The site, and who is signed in there."""
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
        return SessionView(site=shown, user=await self._user(viewer))

    async def _user(self, viewer: Viewer) -> SessionUser | None:
        if viewer.user_id is None:
            return None
        try:
            account = await self._accounts.users.get(viewer.user_id)
        except UserNotFound:
            return await self._own_user(viewer, viewer.user_id)
        fields = fields_of(account)
        return SessionUser(
            id=account.id,
            name=fields["name"],
            avatar_url=account.avatar,
            role=viewer.role,
            kind="account" if account.registered else "anonymous",
            named=bool(account.username or account.first_name),
        )

    async def _own_user(self, viewer: Viewer, user_id: str) -> SessionUser:
        """One of the site's own users."""
        record = await self._commenters.get(user_id)
        return SessionUser(
            id=record.id,
            name=record.name,
            avatar_url=record.avatar_url,
            role=viewer.role,
            kind="sso",
            named=True,
        )

    def methods(self, site: CachedKey) -> list[SignInMethod]:
        """The ways in that the site allows and this server has."""
        delivers = self._accounts.sign_in_methods().email_code
        has = {"code": delivers, "password": True, "anonymous": site.settings.anonymous}
        return [method for method in OWN_METHODS if method in site.settings.sign_in and has[method]]

    def _require(self, site: CachedKey, method: SignInMethod) -> None:
        if method not in self.methods(site):
            raise SignInToComment()

    async def visitor(self, site: CachedKey, device_id: str, name: str) -> User:
        """A device without an account, under a name of its own."""
        self._require(site, "anonymous")
        require_name(name)
        visitor = await self._accounts.users.visitor(device_id)
        return await self.rename(visitor.id, name)

    async def anonymous(self, site: CachedKey, device_id: str, name: str, client: Client) -> SignedIn:
        visitor = await self.visitor(site, device_id, name)
        return await self._accounts.sessions.issue(visitor, "anonymous", client)

    async def rename(self, user_id: str, name: str) -> User:
        """The name of somebody who has no username."""
        require_name(name)
        try:
            return await self._accounts.users.change(user_id, UserProfile(first_name=name))
        except BadProfile as bad:
            raise BadName(bad.detail) from None

    async def send_code(self, site: CachedKey, email: str, client: Client) -> None:
        self._require(site, "code")
        await self._accounts.code.send(email, client)

    async def enter_code(
        self, site: CachedKey, email: str, code: str, client: Client, identity: Identity | None
    ) -> SignedIn:
        """The owner of the address; who wrote without an account before stays the same user."""
        self._require(site, "code")
        return await self._accounts.code.sign_in(email, code, client, identity)

    async def password(self, site: CachedKey, login: str, password: str, client: Client) -> SignedIn:
        self._require(site, "password")
        return await self._accounts.password.sign_in(login, password, client)

    async def refresh(self, token: str, client: Client) -> SignedIn:
        return await self._accounts.sessions.refresh(token, client)

    async def sign_out(self, identity: Identity) -> None:
        await self._accounts.sessions.sign_out(identity)


def require_name(name: str) -> None:
    """Refused before there is anybody who would have it; accounts say what else a name may be."""
    if not name.strip():
        raise BadName()
