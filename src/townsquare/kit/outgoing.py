"""Outgoing HTTP requests: signed, sent in the background, retried after failures.

The queue is in memory only; it is lost when the process ends.
"""

import asyncio
import hashlib
import hmac
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar
from urllib.parse import urlsplit

from townsquare.kit.addresses import IpAddress, is_public, parse_address
from townsquare.logger import get_logger
from townsquare.tasks import cancel_tasks

if TYPE_CHECKING:
    import ssl

    import httpx

log = get_logger()

T = TypeVar("T")

AT_ONCE = 32  # concurrent requests
AT_ONCE_TO_ONE = 4  # concurrent requests to one receiver
AT_ONCE_TO_SLOW = 8  # concurrent requests to all slow receivers together
SLOW = 1.0  # seconds
MOST_WAITING = 10_000  # queued requests
MOST_WAITING_FOR_ONE = 500
RECEIVERS_KEPT = 10_000  # receivers marked as slow
TRY_AGAIN = (408, 425, 429)
LOCALHOST = IPv4Address("127.0.0.1")

Resolve = Callable[[str, int], Awaitable[list[str]]]
Sleep = Callable[[float], Awaitable[Any]]


class NotSent(Exception):
    """The request failed; `final` if a retry is useless."""

    def __init__(self, why: str, *, final: bool = False) -> None:
        super().__init__(why)
        self.final = final


class HttpPost(NamedTuple):
    url: str
    headers: dict[str, str]
    body: bytes


class HttpResponse(NamedTuple):
    status: int
    headers: "httpx.Headers"
    body: bytes


def signature(key: bytes, sent_at: str, body: bytes) -> str:
    """The signature that a receiver verifies: HMAC-SHA256 of the time, a dot and the body."""
    return hmac.new(key, sent_at.encode() + b"." + body, hashlib.sha256).hexdigest()


async def resolve(host: str, port: int) -> list[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(one[4][0]) for one in found]


@cache
def certificates(*, trust_env: bool = False) -> "ssl.SSLContext":
    """The trusted certificates, loaded once per process: that takes longer than a request."""
    import httpx

    return httpx.create_ssl_context(trust_env=trust_env)


@dataclass(eq=False, kw_only=True)
class HttpSender:
    """Sends requests to allowed addresses only.

    The host name is resolved once, every address is checked, and the connection uses a checked address.
    So neither DNS rebinding nor a redirect reaches a private network.
    """

    seconds: float  # of one attempt, from name resolution to the response
    allows: Callable[[IpAddress], bool] = is_public
    resolve: Resolve = resolve

    def may_reach(self, url: str) -> bool:
        """False for a host that is refused without name resolution."""
        host = urlsplit(url).hostname or ""
        local = host == "localhost" or host.endswith(".localhost")
        written = LOCALHOST if local else parse_address(host)
        return written is None or self.allows(written)

    async def send(self, post: HttpPost) -> None:
        await self.exchange(post, longest=0)

    async def exchange(self, post: HttpPost, *, longest: int) -> HttpResponse:
        """Send once and read the response of at most `longest` bytes, or raise NotSent."""
        if not self.may_reach(post.url):
            raise NotSent("not an address that may be reached", final=True)
        import httpx

        try:
            async with asyncio.timeout(self.seconds):
                answer = await self._send(post, longest)
        except TimeoutError:
            raise NotSent("it took too long") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise NotSent(type(error).__name__) from None
        if answer.status >= 300:
            final = answer.status < 500 and answer.status not in TRY_AGAIN
            raise NotSent(f"answered {answer.status}", final=final)
        return answer

    async def _send(self, post: HttpPost, longest: int) -> HttpResponse:
        import httpx

        url = httpx.URL(post.url)
        address = await self._judged(url.host, url.port or (443 if url.scheme == "https" else 80))
        async with httpx.AsyncClient(verify=certificates(), trust_env=False, timeout=self.seconds) as client:
            request = client.build_request(
                "POST",
                url.copy_with(host=str(address), fragment=None),
                content=post.body,
                headers={**post.headers, "Host": url.netloc.decode("ascii")},
                extensions={"sni_hostname": url.raw_host.decode("ascii")},
            )
            answer = await client.send(request, stream=True)
            try:
                body = await self._read(answer, longest) if longest and answer.status_code < 300 else b""
            finally:
                await answer.aclose()
            return HttpResponse(answer.status_code, answer.headers, body)

    async def _read(self, answer: "httpx.Response", longest: int) -> bytes:
        parts, size = [], 0
        async for part in answer.aiter_bytes():
            size += len(part)
            if size > longest:
                raise NotSent(f"answered more than {longest:,} bytes", final=True)
            parts.append(part)
        return b"".join(parts)

    async def _judged(self, host: str, port: int) -> IpAddress:
        found = [parse_address(one) for one in await self.resolve(host, port)]
        judged = [one for one in found if one is not None]
        if not judged:
            raise NotSent("the name has no address")
        if not all(map(self.allows, judged)):
            raise NotSent("not an address that may be reached", final=True)
        return judged[0]


class Receiver:
    """A receiver: its share of the senders and its queue."""

    def __init__(self) -> None:
        self.turns = asyncio.Semaphore(AT_ONCE_TO_ONE)
        self.waiting = 0
        self.slow = False


class SendQueue(Generic[T]):
    """A queue that sends in the background and retries.

    Each receiver has its own queue and at most some of the senders; slow receivers share a few senders, so
    they do not delay the others. An item that waits for a retry occupies no sender.
    """

    def __init__(
        self,
        send: Callable[[T], Awaitable[None]],
        *,
        pauses: Sequence[float],
        most_waiting_for_one: int = MOST_WAITING_FOR_ONE,
        sleep: Sleep = asyncio.sleep,
        on_loss: Callable[[str], None] = lambda about: None,
    ) -> None:
        self._send = send
        self._pauses = pauses  # seconds before each retry
        self._most_waiting_for_one = most_waiting_for_one
        self._sleep = sleep
        self._on_loss = on_loss  # called with `about` of an item that is given up
        self._senders = asyncio.Semaphore(AT_ONCE)
        self._slow_senders = asyncio.Semaphore(AT_ONCE_TO_SLOW)
        self._receivers: dict[str, Receiver] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def put(self, item: T, *, receiver: str, about: str) -> None:
        """Queue an item without waiting; `about` identifies it in the log."""
        to = self._receiver(receiver)
        if to.waiting >= self._most_waiting_for_one or len(self._tasks) >= MOST_WAITING:
            log.error("not sent", about=about, why="too many are waiting")
            self._on_loss(about)
            return
        to.waiting += 1
        task = asyncio.create_task(self._deliver(item, to, about))
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._done(done, receiver))

    def _receiver(self, name: str) -> Receiver:
        if name not in self._receivers and len(self._receivers) >= RECEIVERS_KEPT:
            self._receivers = {name: one for name, one in self._receivers.items() if one.waiting}
        return self._receivers.setdefault(name, Receiver())

    def _done(self, task: asyncio.Task[None], receiver: str) -> None:
        self._tasks.discard(task)
        to = self._receivers[receiver]
        to.waiting -= 1
        if not to.waiting and not to.slow:
            del self._receivers[receiver]

    async def _deliver(self, item: T, to: Receiver, about: str) -> None:
        for pause in (*self._pauses, None):
            async with to.turns:
                problem = await self._take_turn(item, to, about)
            if problem is None:
                return
            if pause is None or problem.final:
                log.error("not sent", about=about, why=str(problem))
                self._on_loss(about)
                return
            log.warning("not sent yet", about=about, why=str(problem))
            await self._sleep(pause)

    async def _take_turn(self, item: T, to: Receiver, about: str) -> NotSent | None:
        async with AsyncExitStack() as held:
            if to.slow:
                await held.enter_async_context(self._slow_senders)
            await held.enter_async_context(self._senders)
            began = asyncio.get_running_loop().time()
            problem = await self._try(item, about)
            to.slow = asyncio.get_running_loop().time() - began > SLOW
            return problem

    async def _try(self, item: T, about: str) -> NotSent | None:
        try:
            await self._send(item)
        except NotSent as problem:
            return problem
        except Exception as bug:
            log.exception("not sent", about=about)
            return NotSent(type(bug).__name__, final=True)
        return None

    async def settled(self) -> None:
        """Wait until every queued item was sent or dropped."""
        await asyncio.gather(*self._tasks)

    async def close(self, grace: float = 0.0) -> None:
        """Send the queue for at most `grace` seconds, then stop."""
        tasks = list(self._tasks)
        if tasks and grace:
            await asyncio.wait(tasks, timeout=grace)
        await cancel_tasks(tasks)

    def cancel(self) -> None:
        for task in self._tasks:
            task.cancel()
