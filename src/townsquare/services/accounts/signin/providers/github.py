"""GitHub: the OAuth code flow, with PKCE and a state that counts once."""

import base64
import hashlib
import secrets
from urllib.parse import urlencode

import msgspec

from townsquare.services.accounts.problems import ProviderRefused
from townsquare.services.accounts.signin.models import OAuthCode, ProviderRedirect
from townsquare.services.accounts.signin.providers.provider import (
    ConfirmedPerson,
    Provider,
    read,
    send_request,
)
from townsquare.store.store import Store

SCOPE = "read:user user:email"
VERSION = {"Accept": "application/vnd.github+json", "User-Agent": "townsquare"}


class Granted(msgspec.Struct):
    access_token: str = ""
    error: str = ""


class GitHubUser(msgspec.Struct):
    id: int
    login: str
    name: str | None = None
    avatar_url: str | None = None


class GitHubEmail(msgspec.Struct):
    email: str
    primary: bool
    verified: bool


class GitHub(Provider[OAuthCode]):
    name = "github"

    def __init__(self, url: str, api_url: str, client_id: str, client_secret: str, store: Store) -> None:
        super().__init__(store, offered=bool(client_id and client_secret))
        self._url = url.rstrip("/")
        self._api_url = api_url.rstrip("/")
        self._client_id = client_id
        self._client_secret = client_secret

    async def start(self, redirect_uri: str) -> ProviderRedirect:
        """The URL for the browser. The verifier of the challenge stays on the server."""
        verifier = secrets.token_urlsafe(48)
        state = await self._begin(redirect_uri, verifier=verifier)
        asked = {
            "client_id": self._client_id,
            "redirect_uri": redirect_uri,
            "scope": SCOPE,
            "state": state,
            "code_challenge": challenge(verifier),
            "code_challenge_method": "S256",
        }
        return ProviderRedirect(f"{self._url}/login/oauth/authorize?{urlencode(asked)}", state)

    async def confirm(self, proof: OAuthCode) -> ConfirmedPerson:
        """The GitHub user of an authorization code."""
        pending = await self._end(proof.state)
        token = await self._exchange(proof.code, pending.verifier, pending.redirect_uri)
        headers = {**VERSION, "Authorization": f"Bearer {token}"}
        profile = read(
            await send_request(self._client, "GET", f"{self._api_url}/user", headers=headers), GitHubUser
        )
        reply = await send_request(self._client, "GET", f"{self._api_url}/user/emails", headers=headers)
        address = next((one for one in read(reply, list[GitHubEmail]) if one.primary), None)
        return ConfirmedPerson(
            provider=self.name,
            id=str(profile.id),
            email=address.email if address else None,
            email_verified=address.verified if address else False,
            name=profile.name or profile.login,
            avatar=profile.avatar_url,
        )

    async def _exchange(self, code: str, verifier: str, redirect_uri: str) -> str:
        given = {
            "client_id": self._client_id,
            "client_secret": self._client_secret,
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
        }
        url = f"{self._url}/login/oauth/access_token"
        reply = await send_request(
            self._client, "POST", url, data=given, headers={"Accept": "application/json"}
        )
        granted = read(reply, Granted)
        if granted.error or not granted.access_token:
            raise ProviderRefused()
        return granted.access_token


def challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
