"""`townsquare serve`: one parent that owns the port, the embedded engines and the worker processes.

Workers share the parent's listening socket, so new connections wait in it while a worker restarts. The parent
imports little: a worker checks the settings of the services and the store.
"""

import asyncio
import contextlib
import errno
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import msgspec

from townsquare.kit.urls import server_url
from townsquare.logger import get_logger
from townsquare.settings import Settings, SettingsError
from townsquare.store.engine import embedded, located
from townsquare.web.logs import Logs, configure_logs
from townsquare.web.process.workers import CannotServe, Workers

BACKLOG = 2_048
BIND_PATIENCE = 3.0  # seconds: the workers of a killed server need a moment to close the port
ENGINE_PATIENCE = 2.0  # seconds: a command may own the data folder for a moment
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# settings of the listener, the engines and the number of workers, which SIGHUP cannot change
NEED_RESTART = (
    "host",
    "port",
    "workers",
    "env",
    "data_url",
    "cache_url",
    "data_dir",
    "durability",
    "cache_memory",
)

log = get_logger("townsquare.server")


def serve(load: Callable[[], Settings]) -> None:
    """Serve until SIGINT or SIGTERM. SIGHUP loads the settings again and replaces the workers."""
    settings = load()
    logs = configure_logs(settings.log_format, settings.log_level)
    with bind(settings.host, settings.port) as listener:
        try:
            asyncio.run(_serve(settings, load, listener, logs))
        finally:
            logs.lines.flush()


def bind(host: str, port: int) -> socket.socket:
    deadline = time.monotonic() + BIND_PATIENCE
    while True:
        try:
            return _listen(host, port)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and time.monotonic() < deadline:
                time.sleep(0.05)
                continue
            if error.errno == errno.EADDRINUSE:
                reason = "the port is in use; choose another with --port"
            else:
                reason = error.strerror or str(error)
            raise CannotServe(f"Cannot listen on {host}:{port}: {reason}") from None


def _listen(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


async def _serve(
    settings: Settings, load: Callable[[], Settings], listener: socket.socket, logs: Logs
) -> None:
    stop, reload = asyncio.Event(), asyncio.Event()
    workers = Workers(listener)
    loop = asyncio.get_running_loop()

    def on_signal() -> None:
        if stop.is_set():
            workers.kill()
        stop.set()

    for each in STOP_SIGNALS:
        if signal.getsignal(each) is not signal.SIG_IGN:  # nohup stays nohup
            loop.add_signal_handler(each, on_signal)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        loop.add_signal_handler(signal.SIGHUP, reload.set)
    port = listener.getsockname()[1]
    workers.start(settings)
    try:
        if not await workers.checked(stop):
            return
        async with running_engines(settings) as connected:
            workers.configure(connected)
            try:
                if await workers.ready(stop):
                    greet(settings, port, logs, workers.admin_link)
                    reloading = asyncio.create_task(
                        replace_workers(workers, settings, connected, load, reload)
                    )
                    try:
                        await workers.serve(stop)
                    finally:
                        reloading.cancel()
            finally:
                listener.close()  # refuse new connections instead of letting them wait
                await workers.stop()
    finally:
        await workers.stop()  # also if the store did not become ready


async def replace_workers(
    workers: Workers,
    first: Settings,
    connected: Settings,
    load: Callable[[], Settings],
    reload: asyncio.Event,
) -> None:
    """At each SIGHUP: load the settings, start new workers with them, then stop the old ones."""
    urls = {"data_url": connected.data_url, "cache_url": connected.cache_url}
    while True:
        await reload.wait()
        reload.clear()
        try:
            loaded = load()
            if changed := [name for name in NEED_RESTART if getattr(loaded, name) != getattr(first, name)]:
                raise SettingsError(f"A change of {', '.join(changed)} needs a restart of the server")
            await workers.replace(msgspec.structs.replace(loaded, **urls))
        except (SettingsError, CannotServe) as error:
            log.error("workers not replaced: the old ones continue", reason=str(error))
            continue
        log.info("workers replaced")


@contextlib.asynccontextmanager
async def running_engines(settings: Settings) -> AsyncIterator[Settings]:
    """Run the embedded engines of roles without a URL; yields the settings with a URL for every role."""
    engines = embedded(settings)
    if engines is None:
        yield settings
        return
    await engines.start(patience=ENGINE_PATIENCE)
    try:
        yield located(settings, engines)
    finally:
        await engines.stop()


def greet(settings: Settings, port: int, logs: Logs, admin_link: str = "") -> None:
    """Say where the server is and what to do next. `admin_link` is set if there is no admin."""
    if settings.delivery == "console":
        log.warning("sign-in codes are written to the log", hint="set delivery to smtp or webhook")
    url = server_url(settings, port)
    data = "the Redis of the settings" if settings.data_url else str(Path(settings.data_dir).resolve())
    if logs.json:
        admin = {"first_admin": url + admin_link} if admin_link else {}
        log.info("serving", url=url, docs=f"{url}/docs", data=data, **admin)
        return
    lines = [f"Townsquare is listening on {url}", f"  data     {data}", f"  console  {url}/console"]
    if admin_link:
        lines[2] = f"  admin    {url}{admin_link}\n           makes you the first admin: once, within an hour"
    logs.lines.add(
        "\n".join(
            [*lines, f"  next     add comments {url}/threads · guide {url}/guide · API {url}/docs"]
        ).encode()
    )
