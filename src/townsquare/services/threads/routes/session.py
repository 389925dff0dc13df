"""`/threads/v1/session`: sign in on the pages of a site, with an account of this server."""

from typing import Annotated

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Call, Identity, Nothing
from townsquare.kit.hashing import Busy
from townsquare.problems import Taken, Unauthorized
from townsquare.services.accounts import problems as account_problems
from townsquare.services.accounts.routes.common import Password
from townsquare.services.accounts.routes.signing_in import CODE, REFRESH, SIGN_IN, RefreshToken, Sent
from townsquare.services.accounts.signin.models import IdToken, OAuthCode
from townsquare.services.threads import problems
from townsquare.services.threads.routes.access import (
    SiteAccess,
    client_of,
    require_allowed,
    site_of,
    site_routes,
    viewer_of,
)
from townsquare.services.threads.routes.comments import ACCESS, OfSite
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.sign_in import SiteSession, SiteSignedIn, tokens_for_site

Name = Annotated[str, Meta(description="that stands at one's comments", examples=["Ann"])]
Email = Annotated[str, Meta(examples=["ann@example.org"])]
PageOrigin = Annotated[
    str,
    Meta(
        max_length=255,
        description="of the page that the session is for",
        examples=["https://blog.example.org"],
    ),
]


class Anonymous(msgspec.Struct, kw_only=True):
    name: Name
    device_id: Annotated[str, Meta(description="a secret that the browser made for itself, and keeps")]


class SiteCodeRequest(msgspec.Struct, kw_only=True):
    email: Email


class SiteCode(msgspec.Struct, kw_only=True):
    email: Email
    code: Annotated[str, Meta(max_length=32, description="the six digits that were sent")]


class PasswordInput(msgspec.Struct, kw_only=True):
    login: Annotated[str, Meta(description="an email address, a phone number or a username")]
    password: Password


class GoogleProof(IdToken, kw_only=True):
    origin: PageOrigin


class GitHubProof(OAuthCode, kw_only=True):
    origin: PageOrigin


def session_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    reads, writes = site_routes(access, "/threads/v1/session")
    accounts = threads.accounts
    closed = (*ACCESS, problems.SignInToComment, account_problems.AccountClosed)

    @reads.get("", errors=(*ACCESS, problems.CommenterNotFound))
    async def read_session(call: Call, asked: OfSite) -> SiteSession:
        """Read the sign-in methods of the site, and the signed-in user."""
        return await threads.sign_in.view(viewer_of(call), site_of(call))

    @writes.post(
        "/anonymous",
        limit=SIGN_IN,
        errors=(
            *closed,
            problems.BadCommenter,
            account_problems.BadProfile,
            account_problems.AlreadyRegistered,
        ),
        example={"name": "Ann", "device_id": "3f2b9c1d7e6a45f8"},
    )
    async def sign_in_to_site_anonymously(call: Call, given: Anonymous) -> SiteSignedIn:
        """Sign in without an account, under a name."""
        visitor = await threads.sign_in.visitor(site_of(call), given.device_id, given.name)
        return tokens_for_site(await accounts.sessions.issue(visitor, "anonymous", client_of(call)))

    @writes.post(
        "/code/send",
        limit=CODE,
        status=202,
        errors=(
            *closed,
            account_problems.BadProfile,
            account_problems.NotDeliverable,
            account_problems.TooManyCodes,
        ),
    )
    async def send_site_code(call: Call, given: SiteCodeRequest) -> Sent:
        """Send a code to an email address."""
        threads.sign_in.require(site_of(call), "code")
        await accounts.code.send(given.email, client_of(call))
        return Sent()

    @writes.post(
        "/code/verify",
        limit=CODE,
        errors=(*closed, account_problems.WrongCode, account_problems.BadProfile, Taken),
    )
    async def verify_site_code(call: Call, given: SiteCode) -> SiteSignedIn:
        """Sign in with a code. A new address creates an account; a visitor stays the same user."""
        threads.sign_in.require(site_of(call), "code")
        signed = await accounts.code.sign_in(given.email, given.code, client_of(call), session_of(call))
        return tokens_for_site(signed)

    @writes.post("/password", limit=SIGN_IN, errors=(*closed, account_problems.WrongCredentials, Busy))
    async def sign_in_to_site(call: Call, given: PasswordInput) -> SiteSignedIn:
        """Sign in with a password."""
        threads.sign_in.require(site_of(call), "password")
        return tokens_for_site(await accounts.password.sign_in(given.login, given.password, client_of(call)))

    provided = (
        *closed,
        account_problems.ProviderRefused,
        account_problems.ProviderAway,
        account_problems.WayNotOffered,
        account_problems.NotLinked,
    )

    @writes.post("/google", limit=SIGN_IN, errors=provided)
    async def sign_in_to_site_with_google(call: Call, given: GoogleProof) -> SiteSignedIn:
        """Sign in with a Google ID token. The window /threads/sign-in uses this."""
        site = site_of(call)
        require_allowed(given.origin, site)
        threads.sign_in.require(site, "google")
        return tokens_for_site(await accounts.google.sign_in(IdToken(given.id_token), client_of(call)))

    @writes.post("/github", limit=SIGN_IN, errors=provided)
    async def sign_in_to_site_with_github(call: Call, given: GitHubProof) -> SiteSignedIn:
        """Sign in with the code of a GitHub redirect. The window /threads/sign-in uses this."""
        site = site_of(call)
        require_allowed(given.origin, site)
        threads.sign_in.require(site, "github")
        code = OAuthCode(given.code, given.state)
        return tokens_for_site(await accounts.github.sign_in(code, client_of(call)))

    @writes.post("/refresh", limit=REFRESH, errors=(*ACCESS, account_problems.BadRefreshToken))
    async def refresh_site_session(call: Call, given: RefreshToken) -> SiteSignedIn:
        """Exchange a refresh token."""
        return tokens_for_site(await accounts.sessions.refresh(given.refresh_token, client_of(call)))

    @writes.delete("", status=204, errors=(*ACCESS, Unauthorized))
    async def end_site_session(call: Call, given: Nothing) -> None:
        """Sign out."""
        identity = session_of(call)
        if identity is None:
            raise Unauthorized
        await accounts.sessions.sign_out(identity)

    return [*reads.endpoints, *writes.endpoints]


def session_of(call: Call) -> Identity | None:
    """The caller, if the token is a session: users of single sign-on have none."""
    return call.identity if call.identity is not None and call.identity.session_id else None
