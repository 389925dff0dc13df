"""What a provider of identities is: whom it confirms, and the one-time secrets of a trip there and back."""

import secrets
from typing import Generic, Literal, TypeVar

import httpx
import msgspec

from townsquare.keyspace import BadPart
from townsquare.kit.outgoing import certificates
from townsquare.services.accounts.keys import PENDING_SIGN_IN_SECONDS, pending_sign_in
from townsquare.services.accounts.problems import ProviderAway, ProviderRefused
from townsquare.services.accounts.signin.models import PendingSignIn, ProviderRedirect
from townsquare.store.store import Store

M = TypeVar("M")
P = TypeVar("P")  # what a person brings back from the provider

ProviderName = Literal["google", "github"]

STATE_BYTES = 24
ANSWER_WITHIN = 5.0  # seconds
LARGEST_ANSWER = 1_000_000


class ConfirmedPerson(msgspec.Struct, frozen=True):
    """Whom a provider has confirmed."""

    provider: ProviderName
    id: str
    email: str | None = None
    email_verified: bool = False
    name: str = ""
    avatar: str | None = None


class Provider(Generic[P]):
    def __init__(self, store: Store, *, offered: bool) -> None:
        self._pending = PendingSignIns(store)
        self._client = httpx.AsyncClient(verify=certificates(trust_env=True), timeout=ANSWER_WITHIN)
        self.offered = offered  # the settings say enough to use it

    async def start(self, redirect_uri: str) -> ProviderRedirect:
        """Where the browser goes to be asked; it comes back to `redirect_uri`."""
        raise NotImplementedError

    async def confirm(self, proof: P) -> ConfirmedPerson:
        """Who came back with this."""
        raise NotImplementedError

    async def close(self) -> None:
        await self._client.aclose()


class PendingSignIns:
    """Sign-ins that went to a provider: each comes back once, and soon."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def begin(self, provider: str, redirect_uri: str, *, verifier: str = "") -> str:
        """The state of a new one."""
        state = secrets.token_urlsafe(STATE_BYTES)
        pending = PendingSignIn(provider=provider, verifier=verifier, redirect_uri=redirect_uri)
        kept = msgspec.json.encode(pending)
        await self._store.call("SET", pending_sign_in(state), kept, "EX", PENDING_SIGN_IN_SECONDS)
        return state

    async def end(self, provider: str, state: str) -> PendingSignIn:
        """What was kept for this state; a second time it is not known."""
        try:
            kept = await self._store.call("GETDEL", pending_sign_in(state))
        except BadPart:
            kept = None
        found = msgspec.json.decode(kept, type=PendingSignIn) if kept else None
        if found is None or found.provider != provider:
            raise ProviderRefused("This sign-in is not known, already used or too old: start again")
        return found


async def ask(client: httpx.AsyncClient, method: str, url: str, **options: object) -> httpx.Response:
    """One request to a provider; its failures in our words."""
    try:
        reply = await client.request(method, url, **options)  # type: ignore[arg-type]
    except httpx.HTTPError:
        raise ProviderAway() from None
    if reply.status_code >= 500 or reply.status_code == 429:
        raise ProviderAway()
    if not reply.is_success or len(reply.content) > LARGEST_ANSWER:
        raise ProviderRefused()
    return reply


def read(reply: httpx.Response, model: type[M]) -> M:
    try:
        return msgspec.json.decode(reply.content, type=model)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise ProviderRefused("The provider's answer cannot be read") from None
