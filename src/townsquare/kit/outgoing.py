"""Requests that we send to others: signed, beside the request that caused them, again when they fail.

What waits to be sent waits in memory only: a process that ends forgets it.
"""

import asyncio
import hashlib
import hmac
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from functools import cache
from ipaddress import IPv4Address
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import urlsplit

import httpx
import structlog

from townsquare.kit.addresses import IpAddress, is_public, parse_address

log = structlog.get_logger()

T = TypeVar("T")

AT_ONCE = 32  # sent at the same time
AT_ONCE_TO_ONE = 4  # to one receiver
AT_ONCE_TO_SLOW = 8  # to all together whose last answer took long or did not come
SLOW = 1.0  # seconds
MOST_WAITING = 10_000  # receivers that are away must not fill our memory
MOST_WAITING_FOR_ONE = 500
RECEIVERS_KEPT = 10_000  # that are remembered to be slow
TRY_AGAIN = (408, 425, 429)
LOCALHOST = IPv4Address("127.0.0.1")

Resolve = Callable[[str, int], Awaitable[list[str]]]
Sleep = Callable[[float], Awaitable[Any]]


class NotSent(Exception):
    """It did not arrive; `final` when trying again is useless."""

    def __init__(self, why: str, *, final: bool = False) -> None:
        super().__init__(why)
        self.final = final


class HttpPost(NamedTuple):
    url: str
    headers: dict[str, str]
    body: bytes


class HttpAnswer(NamedTuple):
    status: int
    headers: httpx.Headers
    body: bytes


def signature(key: bytes, sent_at: str, body: bytes) -> str:
    """What a receiver recomputes to know that it was us: HMAC-SHA256 over the time, a dot and the body."""
    return hmac.new(key, sent_at.encode() + b"." + body, hashlib.sha256).hexdigest()


async def resolve(host: str, port: int) -> list[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(one[4][0]) for one in found]


@cache
def certificates(*, trust_env: bool = False) -> ssl.SSLContext:
    """Those that we trust, read once a process: it takes longer than a request."""
    return httpx.create_ssl_context(trust_env=trust_env)


class HttpSender:
    """Sends to addresses that are allowed.

    The name is resolved once, every address is judged, and the connection goes to one that was judged:
    neither a name that changes its mind nor a redirect leads into our network.
    """

    def __init__(
        self,
        *,
        seconds: float,
        allows: Callable[[IpAddress], bool] = is_public,
        resolve: Resolve = resolve,
    ) -> None:
        self._seconds = seconds  # for one try, from the name server to the answer
        self._allows = allows
        self._resolve = resolve

    def may_reach(self, url: str) -> bool:
        """False for what need not be resolved to be refused."""
        host = urlsplit(url).hostname or ""
        local = host == "localhost" or host.endswith(".localhost")
        written = LOCALHOST if local else parse_address(host)
        return written is None or self._allows(written)

    async def send(self, post: HttpPost) -> None:
        """Send once, or raise NotSent."""
        await self.ask(post, most=0)

    async def ask(self, post: HttpPost, *, most: int) -> HttpAnswer:
        """Send once and read the answer, if it has at most so many bytes; or raise NotSent."""
        if not self.may_reach(post.url):
            raise NotSent("not an address that may be reached", final=True)
        try:
            async with asyncio.timeout(self._seconds):
                answer = await self._send(post, most)
        except TimeoutError:
            raise NotSent("it took too long") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise NotSent(type(error).__name__) from None
        if answer.status >= 300:
            final = answer.status < 500 and answer.status not in TRY_AGAIN
            raise NotSent(f"answered {answer.status}", final=final)
        return answer

    async def _send(self, post: HttpPost, most: int) -> HttpAnswer:
        url = httpx.URL(post.url)
        address = await self._judged(url.host, url.port or (443 if url.scheme == "https" else 80))
        async with httpx.AsyncClient(verify=certificates(), trust_env=False, timeout=self._seconds) as client:
            request = client.build_request(
                "POST",
                url.copy_with(host=str(address), fragment=None),
                content=post.body,
                headers={**post.headers, "Host": url.netloc.decode("ascii")},
                extensions={"sni_hostname": url.raw_host.decode("ascii")},
            )
            answer = await client.send(request, stream=True)
            try:
                body = await self._read(answer, most) if most and answer.status_code < 300 else b""
            finally:
                await answer.aclose()
            return HttpAnswer(answer.status_code, answer.headers, body)

    async def _read(self, answer: httpx.Response, most: int) -> bytes:
        parts, size = [], 0
        async for part in answer.aiter_bytes():
            size += len(part)
            if size > most:
                raise NotSent(f"answered more than {most:,} bytes", final=True)
            parts.append(part)
        return b"".join(parts)

    async def _judged(self, host: str, port: int) -> IpAddress:
        found = [parse_address(one) for one in await self._resolve(host, port)]
        judged = [one for one in found if one is not None]
        if not judged:
            raise NotSent("the name has no address")
        if not all(map(self._allows, judged)):
            raise NotSent("not an address that may be reached", final=True)
        return judged[0]


class Receiver:
    """Whom we send to: what it may have of the senders, and what waits for it."""

    def __init__(self) -> None:
        self.turns = asyncio.Semaphore(AT_ONCE_TO_ONE)
        self.waiting = 0
        self.slow = False


class SendQueue(Generic[T]):
    """Takes things at once and sends them beside the request, again when that fails.

    Each receiver has a queue of its own and only some of the senders; all that are slow share a few. So
    neither one receiver nor many of them keep the others waiting. Nothing holds a sender while it waits to
    be tried again.
    """

    def __init__(
        self,
        send: Callable[[T], Awaitable[None]],
        *,
        pauses: Sequence[float],
        most_waiting_for_one: int = MOST_WAITING_FOR_ONE,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._send = send
        self._pauses = pauses  # seconds before the second try, the third, …
        self._most_waiting_for_one = most_waiting_for_one
        self._sleep = sleep
        self._senders = asyncio.Semaphore(AT_ONCE)
        self._slow_senders = asyncio.Semaphore(AT_ONCE_TO_SLOW)
        self._receivers: dict[str, Receiver] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def put(self, item: T, *, receiver: str, about: str) -> None:
        """Never waits, never fails; `about` says in logs what it was."""
        to = self._receiver(receiver)
        if to.waiting >= self._most_waiting_for_one or len(self._tasks) >= MOST_WAITING:
            log.error("not sent", about=about, why="too many are waiting")
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
        """Wait until everything put in so far was sent or given up."""
        await asyncio.gather(*self._tasks)

    async def close(self, grace: float = 0.0) -> None:
        """End, after so many seconds for what still waits."""
        tasks = list(self._tasks)
        if tasks and grace:
            await asyncio.wait(tasks, timeout=grace)
        self.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def cancel(self) -> None:
        """Give up what still waits."""
        for task in self._tasks:
            task.cancel()
