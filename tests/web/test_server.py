import os
import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.engines import throwaway_node, wait_until
from tests.web.serving import Served, alive, serving

pytestmark = pytest.mark.slow


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A server of two workers that the test may stop."""
    with serving(tmp_path / "data", "--port", "0", "--workers", "2") as running:
        yield running


@pytest.fixture(scope="module")
def shared_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared") / "data"


@pytest.fixture(scope="module")
def shared(shared_data: Path) -> Iterator[Served]:
    """A server of two workers for all tests that only ask."""
    with serving(shared_data, "--port", "0", "--workers", "2") as running:
        yield running


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


def test_it_says_where_it_is_and_answers_there(shared: Served, shared_data: Path) -> None:
    told = shared.wait_for("serving")
    assert told["docs"] == f"{told['url']}/docs"
    assert told["data"] == str(shared_data)
    assert httpx.get(f"{told['url']}/readyz").json() == {
        "status": "ready",
        "stores": {"data": "ok", "cache": "ok"},
    }


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_everything_and_leaves_nothing(
    served: Served, tmp_path: Path, number: signal.Signals
) -> None:
    url, workers = served.url, served.workers()
    assert len(workers) == 2
    served.signal(number)
    assert served.wait() == 0
    assert not any(alive(pid) for pid in workers)
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", port_of(url)))
    assert not (tmp_path / "data" / "metrics").exists()


@pytest.mark.faults
def test_a_dead_worker_is_replaced_while_the_other_serves(served: Served) -> None:
    url, (first, second) = served.url, sorted(served.workers())
    os.kill(first, signal.SIGKILL)
    assert httpx.get(f"{url}/healthz").status_code == 200
    wait_until(lambda: len({*served.workers()} - {first, second}) == 1, "a new worker")
    assert second in served.workers()
    assert httpx.get(f"{url}/healthz").status_code == 200


@pytest.mark.faults
def test_workers_follow_a_killed_parent_and_the_next_server_takes_over(tmp_path: Path) -> None:
    with serving(tmp_path / "data", "--port", "0") as first:
        url, workers = first.url, first.workers()
        first.process.kill()
        first.wait()
    with serving(tmp_path / "data", "--port", str(port_of(url))) as second:
        assert second.url == url
        assert httpx.get(f"{url}/readyz").status_code == 200
        wait_until(lambda: not any(alive(pid) for pid in workers), "the old workers to go")


def test_the_default_delivery_warns_that_it_logs_sign_in_codes(shared: Served) -> None:
    assert shared.wait_for("sign-in codes are written to the log")["level"] == "warning"


def test_a_request_under_way_is_answered_before_the_server_goes(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", port_of(served.url))) as peer:
        peer.settimeout(10)
        head = b"POST /widgets/visit?action=get HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n"
        peer.sendall(head + b"{")
        serves = served.workers()
        served.signal(signal.SIGTERM)
        wait_until(lambda: len(served.workers()) < len(serves), "the idle worker to stop")
        peer.sendall(b"}")
        answer = b""
        while chunk := peer.recv(65_536):
            answer += chunk
    assert answer.startswith(b"HTTP/1.1 4")
    assert b"connection: close" in answer
    assert served.wait() == 0


def test_metrics_are_summed_over_the_workers(shared: Served) -> None:
    count = re.compile(r'request_seconds_count\{method="GET",route="/docs",status="200"\} 40.0')
    with httpx.Client(base_url=shared.url, headers={"Connection": "close"}) as client:
        for _ in range(40):
            client.get("/docs")
        wait_until(lambda: count.search(client.get("/metrics").text), "all 40 to be counted")


def test_a_port_in_use_is_told_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with serving(tmp_path / "data", "--port", str(port)) as refused:
            assert refused.wait() == 1
    assert refused.lines == [
        f"Cannot listen on 127.0.0.1:{port}: the port is in use; choose another with --port"
    ]
    assert not (tmp_path / "data").exists()


def test_a_second_server_on_the_same_data_is_refused_in_one_line(shared: Served, shared_data: Path) -> None:
    assert shared.url
    with serving(shared_data, "--port", "0") as refused:
        assert refused.wait() == 1
    assert len(refused.lines) == 1
    assert str(shared.process.pid) in refused.lines[0]


def test_a_store_that_cannot_be_reached_ends_the_start(tmp_path: Path) -> None:
    away = "unix:///nowhere/at/all"
    environ = {"TOWNSQUARE_DATA_URL": away, "TOWNSQUARE_CACHE_URL": away}
    with serving(tmp_path / "data", "--port", "0", **environ) as refused:
        assert refused.wait() == 1
    assert refused.lines == [
        "Cannot reach Redis at unix:///nowhere/at/all: No such file or directory: start Redis, or correct "
        "the URL (setting data_url)"
    ]


def test_a_redis_that_evicts_data_is_refused_in_one_line(tmp_path: Path) -> None:
    with throwaway_node(maxmemory_policy="allkeys-lru") as node:
        environ = {"TOWNSQUARE_DATA_URL": node.url, "TOWNSQUARE_CACHE_URL": node.url}
        with serving(tmp_path / "data", "--port", "0", **environ) as refused:
            assert refused.wait() == 1
        (line,) = refused.lines
        assert "Set `maxmemory-policy noeviction`" in line
        assert "TOWNSQUARE_ALLOW_UNSAFE_STORE" in line


@pytest.mark.parametrize(
    "request_line", [b"GET /\xff HTTP/1.1", b"GET http://[ HTTP/1.1", b"nonsense", b"OPTIONS * HTTP/1.1"]
)
def test_odd_requests_get_an_answer_and_harm_nobody(shared: Served, request_line: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port_of(shared.url))) as peer:
        peer.settimeout(10)
        peer.sendall(request_line + b"\r\nHost: a\r\nConnection: close\r\n\r\n")
        assert peer.recv(65_536).startswith(b"HTTP/1.1 4")
    assert httpx.get(f"{shared.url}/healthz").status_code == 200
