"""The interface of an identity provider, and the one-time state of a sign-in."""

import secrets
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

import msgspec

from townsquare.keyspace import BadPart
from townsquare.services.accounts.keys import PENDING_SIGN_IN_SECONDS, pending_sign_in
from townsquare.services.accounts.problems import ProviderAway, ProviderRefused
from townsquare.services.accounts.signin.models import PendingSignIn, ProviderRedirect
from townsquare.store.store import Store

if TYPE_CHECKING:
    import httpx

M = TypeVar("M")
P = TypeVar("P")  # the input that the provider returns

ProviderName = Literal["google", "github"]

STATE_BYTES = 24
ANSWER_WITHIN = 5.0  # seconds
LARGEST_ANSWER = 1_000_000


class ConfirmedPerson(msgspec.Struct, frozen=True):
    """A person whose identity a provider confirmed."""

    provider: ProviderName
    id: str
    email: str | None = None
    email_verified: bool = False
    name: str = ""
    avatar: str | None = None


class Provider(Generic[P]):
    """A sign-in at a provider is pending under a state, which is valid once for a short time."""

    name: ProviderName

    def __init__(self, store: Store, *, offered: bool) -> None:
        self._store = store
        self._http: httpx.AsyncClient | None = None
        self.offered = offered  # configured in the settings

    @property
    def _client(self) -> "httpx.AsyncClient":
        if self._http is None:
            import httpx

            from townsquare.kit.outgoing import certificates

            self._http = httpx.AsyncClient(verify=certificates(trust_env=True), timeout=ANSWER_WITHIN)
        return self._http

    async def start(self, redirect_uri: str) -> ProviderRedirect:
        """The URL at the provider; the browser returns to `redirect_uri`."""
        raise NotImplementedError

    async def confirm(self, proof: P) -> ConfirmedPerson:
        """The person confirmed by this input."""
        raise NotImplementedError

    async def close(self) -> None:
        if self._http is not None:
            await self._http.aclose()

    async def _begin(self, redirect_uri: str, *, verifier: str = "") -> str:
        """Start a sign-in; returns its state."""
        state = secrets.token_urlsafe(STATE_BYTES)
        pending = PendingSignIn(provider=self.name, verifier=verifier, redirect_uri=redirect_uri)
        kept = msgspec.json.encode(pending)
        await self._store.call("SET", pending_sign_in(state), kept, "EX", PENDING_SIGN_IN_SECONDS)
        return state

    async def _end(self, state: str) -> PendingSignIn:
        """Read and delete the data of a state."""
        try:
            kept = await self._store.call("GETDEL", pending_sign_in(state))
        except BadPart:
            kept = None
        found = msgspec.json.decode(kept, type=PendingSignIn) if kept else None
        if found is None or found.provider != self.name:
            raise ProviderRefused("This sign-in is not known, already used or too old: start again")
        return found


async def send_request(
    client: "httpx.AsyncClient", method: str, url: str, **options: object
) -> "httpx.Response":
    """Send a request to a provider and translate its errors."""
    import httpx

    try:
        reply = await client.request(method, url, **options)  # type: ignore[arg-type]
    except httpx.HTTPError:
        raise ProviderAway() from None
    if reply.status_code >= 500 or reply.status_code == 429:
        raise ProviderAway()
    if not reply.is_success or len(reply.content) > LARGEST_ANSWER:
        raise ProviderRefused()
    return reply


def read(reply: "httpx.Response", model: type[M]) -> M:
    try:
        return msgspec.json.decode(reply.content, type=model)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise ProviderRefused("The provider's answer cannot be read") from None
