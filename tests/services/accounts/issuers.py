"""An OpenID issuer and an OAuth server as Google's and GitHub's are, over real HTTP on loopback."""

import asyncio
import base64
import hashlib
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from townsquare.clock import Clock

CLIENT_ID, CLIENT_SECRET = "client-of-the-tests", "secret-of-the-client"


@cache
def rsa_key(kid: str, maker: int = 0) -> RSAKey:
    """Making one takes a while: the same for all tests; another `maker` has others by the same name."""
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig", "alg": "RS256"})


class LocalServer:
    """An application on a port from the kernel, in this loop."""

    def __init__(self, routes: list[Route]) -> None:
        self._app = Starlette(routes=routes)
        self.url = ""
        self.down = False

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        config = uvicorn.Config(
            self._answer,
            host="127.0.0.1",
            port=0,
            interface="asgi3",
            log_config=None,
            lifespan="off",
            ws="none",
        )
        server = uvicorn.Server(config)
        socket = config.bind_socket()
        self.url = f"http://127.0.0.1:{socket.getsockname()[1]}"
        serving = asyncio.create_task(server._serve([socket]))
        try:
            yield
        finally:
            server.should_exit = True
            await serving
            socket.close()

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        if self.down:
            await Response("away", 503)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class Issuer(LocalServer):
    """Signs ID tokens with RS256 keys that it publishes."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(
            [
                Route("/.well-known/openid-configuration", self._discovery),
                Route("/keys", self._keys),
                Route("/authorize", self._authorize),
            ]
        )
        self._clock = clock
        self.key_requests = 0
        self.called = ""
        self.keys: list[RSAKey] = []
        self._rotations = 0
        self.rotate()
        self.person: dict[str, Any] = {
            "sub": "1047", "email": "alice@example.org", "email_verified": True, "name": "Alice A.",
        }  # fmt: skip

    def rotate(self) -> None:
        """A new key; the ones before are not published any more."""
        self._rotations += 1
        self.keys = [rsa_key(f"key-{self._rotations}")]

    def id_token(self, nonce: str, *, key: RSAKey | None = None, **changes: Any) -> str:
        now = self._clock.now_ms() // 1000
        claims = {
            "iss": self.url, "aud": CLIENT_ID, "azp": CLIENT_ID, "iat": now, "exp": now + 3600,
            "nonce": nonce, **self.person, **changes,
        }  # fmt: skip
        signer = key or self.keys[0]
        header = {"alg": "RS256", "kid": signer.kid}
        return jwt.encode(
            header, {name: value for name, value in claims.items() if value is not None}, signer
        )

    async def _discovery(self, request: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.called or self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "jwks_uri": f"{self.url}/keys",
            }
        )

    async def _keys(self, request: Request) -> Response:
        self.key_requests += 1
        body = KeySet(list(self.keys)).as_dict(private=False)
        return JSONResponse(body, headers={"Cache-Control": "public, max-age=3600"})

    async def _authorize(self, request: Request) -> Response:
        asked = request.query_params
        assert (asked["client_id"], asked["response_type"]) == (CLIENT_ID, "id_token")
        back = urlencode({"id_token": self.id_token(asked["nonce"]), "state": asked["state"]})
        return RedirectResponse(f"{asked['redirect_uri']}#{back}", 302)


class OAuthServer(LocalServer):
    """GitHub's web flow: authorize, exchange with PKCE, then ask the API."""

    def __init__(self) -> None:
        super().__init__(
            [
                Route("/login/oauth/authorize", self._authorize),
                Route("/login/oauth/access_token", self._exchange, methods=["POST"]),
                Route("/api/user", self._user),
                Route("/api/user/emails", self._emails),
            ]
        )
        self._codes: dict[str, dict[str, str]] = {}
        self._tokens: set[str] = set()
        self.profile: dict[str, Any] = {
            "id": 583231,
            "login": "octocat",
            "name": "The Octocat",
            "avatar_url": None,
        }
        self.emails = [
            {"email": "cat@users.noreply.example", "primary": False, "verified": True},
            {"email": "alice@example.org", "primary": True, "verified": True},
        ]

    def grant(self, asked: dict[str, str]) -> str:
        """The person says yes: the code that GitHub sends back."""
        assert asked["client_id"] == CLIENT_ID
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_hex(10)
        self._codes[code] = asked
        return code

    async def _authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        back = urlencode({"code": self.grant(asked), "state": asked["state"]})
        return RedirectResponse(f"{asked['redirect_uri']}?{back}", 302)

    async def _exchange(self, request: Request) -> Response:
        form = dict(parse_qsl((await request.body()).decode()))
        asked = self._codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        proved = asked is not None and (
            (form.get("client_id"), form.get("client_secret")) == (CLIENT_ID, CLIENT_SECRET)
            and form.get("redirect_uri") == asked["redirect_uri"]
            and base64.urlsafe_b64encode(digest).decode().rstrip("=") == asked["code_challenge"]
        )
        if not proved:
            return JSONResponse({"error": "bad_verification_code"})
        token = f"gho_{secrets.token_hex(12)}"
        self._tokens.add(token)
        return JSONResponse({"access_token": token, "token_type": "bearer", "scope": "user:email"})

    def _knows(self, request: Request) -> bool:
        return request.headers.get("authorization", "").removeprefix("Bearer ") in self._tokens

    async def _user(self, request: Request) -> Response:
        return JSONResponse(self.profile) if self._knows(request) else Response(status_code=401)

    async def _emails(self, request: Request) -> Response:
        return JSONResponse(self.emails) if self._knows(request) else Response(status_code=401)
