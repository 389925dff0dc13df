"""Authentication by the scheme of an endpoint, and authorization."""

import hmac
from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from townsquare.api import OPERATOR, Auth, Call, Identity
from townsquare.kit.tokens import bearer_token
from townsquare.problems import Forbidden, Unauthorized
from townsquare.web.limits import RateLimit, require_quota, set_quota
from townsquare.web.requests import Request
from townsquare.web.responses import ReplyHeaders

OTHER_HEADERS = ("x-authorization", "x-access-token")

Authenticate = Callable[[str], Awaitable[Identity | None]]  # the bearer of a token
Identify = Callable[[Call], Awaitable[Identity | None]]


def presented_token(call: Call) -> str | None:
    """The bearer token, from Authorization or from a header of earlier clients, with or without `Bearer`."""
    token = bearer_token(call.headers.get("authorization", ""))
    for name in OTHER_HEADERS if token is None else ():
        if text := call.headers.get(name, "").strip():
            return bearer_token(text if " " in text else f"Bearer {text}")
    return token


def admin_token(expected: str) -> Authenticate:
    """Accept the token in the settings as the operator."""
    secret = expected.encode()

    async def authenticate(token: str) -> Identity | None:
        return OPERATOR if secret and hmac.compare_digest(secret, token.encode()) else None

    return authenticate


def by_session(authenticate: Authenticate) -> Identify:
    """The server's own scheme: bearer tokens."""

    async def identify(call: Call) -> Identity | None:
        token = presented_token(call)
        if token is None:
            return None
        identity = await authenticate(token) if token else None
        if identity is None:
            raise Unauthorized("The token is not valid")
        return identity

    return identify


def with_key_header(session: Identify, header: str) -> Identify:
    """Like `session`; a request without a bearer token may send the token in this header."""

    def identify(call: Call) -> Awaitable[Identity | None]:
        if header in call.headers and presented_token(call) is None:
            call = replace(call, headers={"authorization": f"Bearer {call.headers[header]}"})
        return session(call)

    return identify if header else session


class AuthGuard:
    """Identifies the caller, counts the call, and admits the callers that the endpoint allows."""

    def __init__(self, auth: Auth, session: Identify, rate_limit: RateLimit | None) -> None:
        self._auth = auth
        self._rate_limit = rate_limit
        self._identify = session
        self._challenge = b""
        self._count = None if auth.scheme is None else auth.scheme.count
        if auth.scheme is not None:
            self._identify = auth.scheme.identify or with_key_header(session, auth.scheme.key_header)
            self._challenge = auth.scheme.challenge.encode("latin-1")

    async def admit(self, request: Request) -> None:
        """Count refused requests too, so that tokens cannot be guessed."""
        headers = request.reply_headers
        refusal: Unauthorized | Forbidden | None = None
        try:
            request.identity = await self._identify(request)
            request.reauthenticate = self.recheck
        except (Unauthorized, Forbidden) as refused:
            refusal = refused
        if self._count is not None and refusal is None:
            if not request.counted:  # a request that runs again counts once
                counting = self._count(request)
                request.quota = None if counting is None else await counting
                request.counted = True
            require_quota(request.quota, headers)
        if self._rate_limit is not None and not request.admitted:
            if not self._rate_limit.spend(request, headers):
                await self._rate_limit.acquire(request, headers)
            request.admitted = True
        set_quota(request.quota, headers)
        if refusal is not None:
            self._challenge_client(headers, b', error="invalid_token"')
            raise refusal
        if request.identity is None:
            if self._auth.required:
                self._challenge_client(headers, b"")
                raise Unauthorized
        elif self._auth.admits is not None:
            self._auth.admits(request.identity)

    async def recheck(self, call: Call) -> None:
        """Raise if the caller is no longer allowed in or has another name or role: for open connections."""
        if call.identity is None:
            return
        if await self._identify(call) != call.identity:
            raise Unauthorized("Sign in again")
        if self._auth.admits is not None:
            self._auth.admits(call.identity)

    def _challenge_client(self, headers: ReplyHeaders, error: bytes) -> None:
        if self._challenge:
            headers.others.append((b"www-authenticate", self._challenge + error))
