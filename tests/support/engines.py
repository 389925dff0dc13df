"""Throw-away Valkey nodes and a three-node cluster, on loopback, for any test."""

import contextlib
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hiredis
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from townsquare.store.engine import engine_binary

PATIENCE = 20.0
SLOTS = 16_384
HIGHEST_PORT = 55_535  # a node of a cluster also listens on its port + 10,000


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        found: list[int] = []
        while len(found) < count:
            each = stack.enter_context(socket.socket())
            each.bind(("127.0.0.1", 0))
            if each.getsockname()[1] <= HIGHEST_PORT:
                found.append(each.getsockname()[1])
        return found


def wait_until(condition: Callable[[], object], what: str, patience: float = PATIENCE) -> None:
    deadline = time.monotonic() + patience
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {patience:g} s in vain: {what}")
        time.sleep(0.01)


class Node:
    """One server process of `binary`. `options` are Valkey's, without the dashes."""

    def __init__(
        self, folder: Path, port: int | None, /, *, binary: Path | None = None, **options: str
    ) -> None:
        self.folder = folder
        self.binary = binary or engine_binary()
        self.port = port or free_ports(1)[0]
        self.socket = folder / "s"
        self.options = options
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    @property
    def unix_url(self) -> str:
        return f"unix://{self.socket}"

    def client(self) -> Redis:
        return Redis(
            port=self.port,
            socket_timeout=5,
            retry=Retry(NoBackoff(), 0),
            password=self.options.get("requirepass"),
        )

    def ask(self, *command: Any) -> Any:
        with contextlib.closing(self.client()) as client:
            return client.execute_command(*command)  # type: ignore[no-untyped-call]

    def flush(self) -> None:
        with self.bare_connection() as ask:
            ask("FLUSHALL")

    def names(self) -> set[bytes]:
        """Of all keys that it has."""
        found: set[bytes] = set()
        with self.bare_connection() as ask:
            cursor = None
            while cursor != b"0":
                cursor, names = ask("SCAN", cursor or b"0", "COUNT", "1000")
                found.update(names)
        return found

    @contextlib.contextmanager
    def bare_connection(self) -> Iterator[Callable[..., Any]]:
        """What every test asks goes without a client, which costs ten times as much as the answer."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5)
            connection.connect(str(self.socket))
            reader = hiredis.Reader()

            def ask(*command: str | bytes) -> Any:
                connection.sendall(hiredis.pack_command(command))  # type: ignore[arg-type]
                while (answer := reader.gets()) is False:
                    received = connection.recv(65_536)
                    if not received:
                        raise ConnectionError(f"the node on port {self.port} has closed the connection")
                    reader.feed(received)
                if isinstance(answer, Exception):
                    raise answer
                return answer

            yield ask

    def start(self) -> None:
        arguments = ["--bind", "127.0.0.1", "--port", str(self.port), "--unixsocket", str(self.socket)]
        arguments += ["--dir", str(self.folder), "--save", ""]
        for name, value in self.options.items():
            arguments += [f"--{name.replace('_', '-')}", value]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [str(self.binary), *arguments], stdout=log, stderr=subprocess.STDOUT
            )
        wait_until(self._answers, f"node on port {self.port} answers")

    def kill(self) -> None:
        """As a crash would: SIGKILL."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def _answers(self) -> bool:
        assert self.process is not None
        if self.process.poll() is not None:
            raise AssertionError(f"the node ended:\n{(self.folder / 'log').read_text()}")
        try:
            return bool(self.ask("PING"))
        except (RedisError, OSError):
            return False


class Cluster:
    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)

    def node_of(self, slot: int) -> Node:
        """The primary that owns the slot, as the nodes themselves see it."""
        return next(node for node in self.nodes if slot in self._own_slots(node))

    def node_id(self, node: Node) -> str:
        return str(node.ask("CLUSTER", "MYID").decode())

    def begin_migration(self, slot: int, source: Node, target: Node) -> None:
        target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", self.node_id(source))
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", self.node_id(target))

    def move_keys(self, slot: int, source: Node, target: Node) -> None:
        while keys := source.ask("CLUSTER", "GETKEYSINSLOT", slot, 100):
            source.ask("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)

    def end_migration(self, slot: int, source: Node, target: Node) -> None:
        for node in (target, source, *(n for n in self.nodes if n not in (source, target))):
            node.ask("CLUSTER", "SETSLOT", slot, "NODE", self.node_id(target))

    def migrate(self, slot: int, source: Node, target: Node) -> None:
        self.begin_migration(slot, source, target)
        self.move_keys(slot, source, target)
        self.end_migration(slot, source, target)

    def flush(self) -> None:
        for node in self.nodes:
            node.flush()

    def _own_slots(self, node: Node) -> set[int]:
        for line in node.ask("CLUSTER", "NODES").decode().splitlines():
            fields = line.split()
            if "myself" in fields[2]:
                return {slot for part in fields[8:] if "[" not in part for slot in _range(part)}
        raise AssertionError("a cluster node does not know itself")


def _range(part: str) -> range:
    first, _, last = part.partition("-")
    return range(int(first), int(last or first) + 1)


@contextlib.contextmanager
def throwaway_node(*, binary: Path | None = None, **options: str) -> Iterator[Node]:
    """By default the embedded Valkey."""
    with _folder() as folder:
        node = Node(folder, None, binary=binary, **options)
        node.start()
        try:
            yield node
        finally:
            node.kill()


@contextlib.contextmanager
def throwaway_cluster(size: int = 3) -> Iterator[Cluster]:
    with _folder() as folder, contextlib.ExitStack() as stack:
        nodes = []
        ports = free_ports(size * 2)
        for port, bus_port in zip(ports[:size], ports[size:], strict=True):
            home = folder / str(port)
            home.mkdir()
            node = Node(
                home,
                port,
                cluster_enabled="yes",
                cluster_port=str(bus_port),
                cluster_node_timeout="5000",
                cluster_require_full_coverage="no",
            )
            stack.callback(node.kill)
            node.start()
            nodes.append(node)
        form(nodes, ports[size:])
        yield Cluster(nodes)


def form(nodes: list[Node], bus_ports: list[int]) -> None:
    """Make a cluster of these nodes, each with an equal share of the slots."""
    share = -(-SLOTS // len(nodes))
    for index, node in enumerate(nodes):
        node.ask("CLUSTER", "SET-CONFIG-EPOCH", index + 1)
        node.ask("CLUSTER", "ADDSLOTSRANGE", index * share, min((index + 1) * share, SLOTS) - 1)
    for node, bus_port in zip(nodes[1:], bus_ports[1:], strict=True):
        nodes[0].ask("CLUSTER", "MEET", "127.0.0.1", node.port, bus_port)

    def formed() -> bool:
        return all(is_whole(node, len(nodes)) for node in nodes)

    wait_until(formed, "the cluster is formed")


def is_whole(node: Node, size: int) -> bool:
    """Whether this node of a cluster knows all of it, and serves."""
    info = node.ask("CLUSTER", "INFO").decode().splitlines()
    return {"cluster_state:ok", f"cluster_slots_ok:{SLOTS}", f"cluster_size:{size}"} <= set(info)


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="ts-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
