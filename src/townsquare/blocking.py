"""The library for synchronous code: the same services with blocking methods.

    with townsquare.connect() as square:
        post = square.social.posts.create("alice", "Hello #travel")

A separate thread runs the event loop. Any number of threads can call methods concurrently.
"""

import asyncio
import atexit
import inspect
import threading
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from functools import wraps
from typing import TYPE_CHECKING, Any, Self, TypeVar

from townsquare.cache.blocking import BlockingCache
from townsquare.settings import Settings
from townsquare.square import open

if TYPE_CHECKING:
    from townsquare.blocking_services import BlockingServices  # only its types: a stub
else:
    BlockingServices = object

T = TypeVar("T")

CLOSED = "This square is closed: call connect() again"
WAITS_FOR_ITSELF = (
    "This code runs on the event loop of the square and would wait for itself: use townsquare.open()"
)


def connect(url: str | None = None, *, settings: Settings | None = None) -> "BlockingSquare":
    """A square on the embedded engine, on the Redis at `url`, or on the store of the settings.

    Use it in a `with` block, or call `close()`; otherwise it is closed when the program ends. A server that
    forks workers must connect in each worker after the fork.
    """
    return BlockingSquare(settings or Settings.load(data_url=url, cache_url=url))


class BlockingSquare(BlockingServices):
    """A square that runs on its own thread. Each service is an attribute."""

    def __init__(self, settings: Settings) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="townsquare", daemon=True)
        self._closing = threading.Lock()
        self._closed = False
        self._stack = AsyncExitStack()
        self._thread.start()
        try:
            self._square = self._wait(self._stack.enter_async_context(open(settings=settings)))
        except BaseException:
            self._stop()
            raise
        self._cache = BlockingCache(self._square.cache, self._wait)
        atexit.register(self.close)

    @property
    def settings(self) -> Settings:
        return self._square.settings

    @property
    def cache(self) -> BlockingCache:
        return self._cache

    if not TYPE_CHECKING:  # there the stub names every service

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name not in self._square.services:
                raise AttributeError(f"a square has no service {name!r}")
            return _BlockingPart(self, getattr(self._square, name))

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *self._square.services]

    def __repr__(self) -> str:
        return f"<BlockingSquare, {'closed' if self._closed else 'open'}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the square and its thread; a second call does nothing."""
        with self._closing:
            if self._closed:
                return
            self._wait(self._stack.aclose())
            self._stop()
        atexit.unregister(self.close)

    def _stop(self) -> None:
        self._closed = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        if self._closed or threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError(CLOSED if self._closed else WAITS_FOR_ITSELF)
        answer = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return answer.result()
        except BaseException:
            answer.cancel()  # the caller was interrupted
            raise


class _BlockingPart:
    """A service, or a part of one."""

    __slots__ = ("_part", "_square")

    def __init__(self, square: BlockingSquare, part: Any) -> None:
        self._square = square
        self._part = part

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        if inspect.iscoroutinefunction(found):
            return self._blocking(found)
        return _BlockingPart(self._square, found) if type(found) is type(self._part) else found

    def _blocking(self, method: Callable[..., Coroutine[Any, Any, T]]) -> Callable[..., T]:
        @wraps(method)
        def call(*args: Any, **kwargs: Any) -> T:
            return self._square._wait(method(*args, **kwargs))

        return call

    def __dir__(self) -> list[str]:
        return dir(self._part)

    def __repr__(self) -> str:
        return repr(self._part)
