"""Defects that a review of an early version reported, over HTTP, the command line and Redis alone.

No test imports the package, so that this file also runs on that version (c2f1e3c), where every test fails.
"""

import asyncio
import gzip
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from tests.support.engines import throwaway_node, wait_until
from tests.web.serving import Served, serving

OPERATOR = "the token of the operator"
PASSWORD = "correct zebra 71 staple"
OPEN = {"proof_of_work": False, "rate_limits": {"key": 0, "ip": 0, "user": 0, "comments": 0}}
MISSING = "deadbeef-8ae9-4a05-a7a5-5177140001a3"
SETTINGS = {
    "TOWNSQUARE_RATE_LIMITS": "off",
    "TOWNSQUARE_ADMIN_TOKEN": OPERATOR,
    "TOWNSQUARE_CONNECTIONS_PER_ADDRESS": "1000",
}
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
}
TEXT = "Nobody else writes this sentence."

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("reported defects")]


class Town:
    """A server, its clients and its engines."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.http = httpx.Client(base_url=served.url, timeout=30)
        self.data, self.cache = (
            redis.Redis(unix_socket_path=str(served.data / f"{role}.sock"), decode_responses=True)
            for role in ("data", "cache")
        )
        self._sites = 0

    def close(self) -> None:
        for client in (self.http, self.data, self.cache):
            client.close()

    def run(self, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
        return run(*words, "--data", str(self.served.data), **environ)

    def sign_up(self, name: str, **given: str) -> dict[str, str]:
        body = {"username": name, "password": PASSWORD, **given}
        answer = self.http.post("/accounts/signup", json=body)
        assert answer.status_code == 201, answer.text
        return {"Authorization": f"Bearer {answer.json()['access_token']}"}

    def site(self, **settings: Any) -> tuple[dict[str, Any], dict[str, str]]:
        """A new site, and the headers of a page of it."""
        self._sites += 1
        domain = f"blog{self._sites}.example.org"
        headers = {"Authorization": f"Bearer {OPERATOR}"}
        site = self.http.post("/threads/v1/sites", json={"name": "A blog", "domain": domain}, headers=headers)
        assert site.status_code == 201, site.text
        found: dict[str, Any] = site.json()
        if settings:
            changed = self.http.patch(
                "/threads/v1/site",
                json={"settings": {**found["settings"], **settings}},
                headers={"X-API-Key": found["api_key_secret"]},
            )
            assert changed.status_code == 200, changed.text
        return found, {"X-API-Key": found["api_key_public"], "Origin": f"https://{domain}"}

    def comment(self, headers: dict[str, str], text: str = TEXT, **more: Any) -> dict[str, Any]:
        body = {"page_url": "/hello", "content": text, **more}
        answer = self.http.post("/threads/v1/comments", json=body, headers=headers)
        assert answer.status_code == 201, answer.text
        written: dict[str, Any] = answer.json()["comment"]
        return written

    def names(self, pattern: str) -> list[str]:
        return sorted(self.data.scan_iter(pattern, count=1000))

    def record(self, service: str, kind: str) -> str:
        """The name of the only record of this kind."""
        (name,) = [one for one in self.names(f"prod:{service}:{kind}:*") if one.count(":") == 3]
        return name


def run(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TOWNSQUARE_")}
    return subprocess.run(
        [sys.executable, "-m", "townsquare.cli", *words],
        capture_output=True,
        text=True,
        env={**clean, "COLUMNS": "200", "NO_COLOR": "1", **environ},
    )


@contextmanager
def open_town(folder: Path) -> Iterator[Town]:
    options = ("--port", "0", "--workers", "1")
    with serving(folder / "data", *options, **SETTINGS) as served, closing(Town(served)) as town:
        yield town


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """Shared: each test has a site and users of its own."""
    with open_town(tmp_path_factory.mktemp("town")) as town:
        yield town


@pytest.fixture
def damaged(tmp_path: Path) -> Iterator[Town]:
    """A town of one comment, which a test damages."""
    with open_town(tmp_path) as town:
        town.comment({**town.site(**OPEN)[1], **town.sign_up("ann")})
        yield town


# A. Data correctness


def test_a_key_of_one_site_creates_an_object_of_another(town: Town) -> None:
    user = town.sign_up("keyed")
    first, second = (
        town.comment({**town.site(**OPEN)[1], **user, "Idempotency-Key": "one"}) for _ in range(2)
    )
    assert first["id"] != second["id"]


async def test_a_retry_after_a_lost_reply_creates_nothing(tmp_path: Path) -> None:
    with throwaway_node() as node:
        proxy = StoreProxy(node.port)
        async with proxy.listen() as url:
            environ = {**SETTINGS, "TOWNSQUARE_DATA_URL": url, "TOWNSQUARE_CACHE_URL": node.url}

            def retry() -> None:
                with (
                    serving(tmp_path / "data", "--port", "0", **environ) as served,
                    closing(Town(served)) as town,
                    node.client() as store,
                ):
                    user = {**town.sign_up("unlucky"), "Idempotency-Key": "one"}
                    post, other = {"content": TEXT}, {"content": "This loads the script."}
                    town.http.post("/social/posts", json=other, headers={**user, "Idempotency-Key": "two"})
                    proxy.lose = TEXT.encode()
                    assert town.http.post("/social/posts", json=post, headers=user).status_code == 503
                    wait_until(lambda: is_ready(served.url), "the store is reachable")
                    for name in store.scan_iter(count=1000):
                        if 0 <= int(store.ttl(name)) <= 61:
                            store.delete(name)  # as if so much time had passed
                    assert town.http.post("/social/posts", json=post, headers=user).status_code == 201
                    posts = town.http.get("/social/users/unlucky/posts", headers=user)
                    assert posts.text.count(TEXT) == 1

            await asyncio.to_thread(retry)


class StoreProxy:
    """A proxy before a store that loses the reply to a command."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.lose = b""  # cut the connection in place of the next reply to a command with this text

    @asynccontextmanager
    async def listen(self) -> AsyncIterator[str]:
        async with await asyncio.start_server(self._serve, "127.0.0.1", 0) as server:
            yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        node, to_node = await asyncio.open_connection("127.0.0.1", self._port)
        losing = False

        async def pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
            nonlocal losing
            while chunk := await source.read(65_536):
                if source is reader and self.lose and self.lose in chunk:
                    self.lose, losing = b"", True
                elif source is node and losing:
                    return
                target.write(chunk)

        pumps = {asyncio.create_task(pump(reader, to_node)), asyncio.create_task(pump(node, writer))}
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in pumps:
                each.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            for stream in (writer, to_node):
                stream.transport.abort()


def test_a_repair_run_is_enough(damaged: Town) -> None:
    damaged.data.hset(damaged.record("threads", "comment"), "parent_id", MISSING)
    repaired = damaged.run("check", "--repair")
    for _ in range(2):
        checked = damaged.run("check")
        assert checked.returncode == repaired.returncode, checked.stdout
        assert checked.stdout.split()[-3:] == repaired.stdout.split()[-3:]  # "1 findings left."


@pytest.mark.parametrize("counter", ["karma", "unread"])
def test_a_wrong_counter_is_found(damaged: Town, counter: str) -> None:
    user = damaged.record("threads", "user")
    assert damaged.run("check").returncode == 0
    if counter == "karma":
        damaged.data.hset(user, "karma", 4711)
    else:
        damaged.data.set(f"{user}:unread", 9)
    assert damaged.run("check").returncode == 1


def test_an_orphan_is_quarantined(damaged: Town) -> None:
    orphan = f"prod:social:post:{MISSING}:likes"
    damaged.data.sadd(orphan, "ann")
    repaired = damaged.run("check", "--repair")
    assert "quarantine" in repaired.stdout
    assert damaged.names("prod:*quarantine*deadbeef*")


def test_a_ranking_has_no_name_without_a_score(damaged: Town) -> None:
    id = widget(damaged, "ranking", "https://ranking.example/")
    score = {"action": "submit", "id": id, "name": "Ann", "score": 7}
    assert damaged.http.post("/widgets/ranking", json=score).status_code == 200
    (entries,) = damaged.names(f"prod:widgets:ranking:{id}:entries")
    damaged.data.hset(entries, "nobody", "x")
    assert damaged.run("check").returncode == 1


def test_a_deleted_user_leaves_no_text_and_no_address(town: Town) -> None:
    user = town.sign_up("leaving", email="leaving@example.org")
    town.comment({**town.site(**OPEN)[1], **user, "Idempotency-Key": "a key"})
    town.http.post("/accounts/code/send", json={"email": "leaving@example.org"})
    assert town.run("user", "delete", "leaving", "--yes").returncode == 0

    def left() -> list[str]:
        return [
            name
            for store in (town.data, town.cache)
            for name in store.scan_iter(count=1000)
            if "leaving@" in name or TEXT.encode() in (store.dump(name) or b"")
        ]

    wait_until(lambda: not left(), f"nothing is left: {left()}")


# B. Availability


def is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz").status_code == 200
    except httpx.TransportError:
        return False


def test_engines_end_with_a_library_process(tmp_path: Path) -> None:
    program = "import time, townsquare\nwith townsquare.connect():\n print(1, flush=True)\n time.sleep(60)"
    owner = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        env={**os.environ, "TOWNSQUARE_DATA_DIR": str(tmp_path / "data")},
    )
    assert owner.stdout is not None
    with owner.stdout:
        assert owner.stdout.readline() == b"1\n"
    engines = [int((tmp_path / "data" / f"{role}.pid").read_text()) for role in ("data", "cache")]
    owner.send_signal(signal.SIGTERM)
    owner.wait()
    try:
        wait_until(lambda: not any(map(runs, engines)), "the engines end")
    finally:
        for pid in filter(runs, engines):
            os.kill(pid, signal.SIGKILL)


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_refused_websocket_is_no_error_in_the_log(town: Town) -> None:
    before = len(town.served.lines)
    for _ in range(5):
        assert town.http.get("/threads/v1/nothing", headers=UPGRADE).status_code == 404
    town.http.get("/accounts/me")
    wait_until(lambda: any("/accounts/me" in line for line in town.served.lines[before:]), "all is logged")
    assert [line for line in town.served.lines[before:] if "handshake" in line] == []


def live(town: Town, site: dict[str, Any], headers: dict[str, str]) -> connect:
    url = f"{town.served.url}/threads/v1/live?site={site['api_key_public']}".replace("http", "ws", 1)
    return connect(url, origin=Origin(headers["Origin"]), max_queue=None)


async def test_an_address_has_as_many_live_connections_as_the_setting_says(town: Town) -> None:
    site, headers = town.site(**OPEN)
    async with AsyncExitStack() as stack:
        for number in range(230):
            try:
                await stack.enter_async_context(live(town, site, headers))
            except InvalidStatus as refused:
                raise AssertionError(f"refused after {number}") from refused


async def test_fifteen_seconds_at_twenty_comments_a_second_are_replayed(town: Town) -> None:
    site, headers = town.site(**OPEN)
    writer = {**headers, **town.sign_up("quick")}

    async def subscribe(client: ClientConnection, **after: str) -> dict[str, Any]:
        await client.send(json.dumps({"type": "subscribe", "page_url": "/hello", **after}))
        return await heard(client, "subscribed", "reload")

    async with live(town, site, headers) as client:
        await subscribe(client)
        await asyncio.to_thread(town.comment, writer, "the first of many comments")
        last = (await heard(client, "new_comment"))["event"]
    for number in range(320):
        await asyncio.to_thread(town.comment, writer, f"comment number {number} of many")
    async with live(town, site, headers) as client:
        await subscribe(client, last_event=last)
        for _ in range(320):
            assert (await heard(client, "new_comment", "reload"))["type"] == "new_comment"


async def heard(client: ClientConnection, *types: str) -> dict[str, Any]:
    async with asyncio.timeout(20):
        while True:
            message: dict[str, Any] = json.loads(await client.recv())
            if message.get("type", message.get("method")) in types:
                return message


def test_a_clock_that_is_set_back_makes_no_cooldown_longer(town: Town) -> None:
    id = widget(town, "bbs", "https://clock.example/")
    post = {"action": "post", "id": id, "message": "hello"}
    assert town.http.post("/widgets/bbs", json=post).status_code == 200
    (posters,) = town.names(f"prod:widgets:bbs:{id}:posters")
    (visitor,) = map(str, town.data.zrange(posters, 0, -1))
    hour = 3_600_000
    town.data.zadd(posters, {visitor: time.time() * 1000 + hour})
    for name in town.names(f"prod:widgets:bbs:{id}:*post*"):
        town.data.pexpire(name, hour)
    assert town.http.post("/widgets/bbs", json=post).status_code == 200


def widget(town: Town, kind: str, url: str, **settings: str) -> str:
    body = {"action": "create", "url": url, "token": "a good token", **settings}
    return str(town.http.post(f"/widgets/{kind}", json=body).json()["data"]["id"])


# C. Security


def test_threadkit_paths_have_the_limits_of_all_comments(town: Town) -> None:
    headers = town.site()[1]
    signed = town.http.post("/threadkit/v1/auth/anonymous", json={"name": "bob"}, headers=headers).json()
    written = [
        town.http.post(
            "/threadkit/v1/comments",
            json={"page_url": "/hello", "content": f"comment number {number}"},
            headers={**headers, "Authorization": f"Bearer {signed['token']}"},
        ).status_code
        for number in range(8)
    ]
    assert written[0] == 200
    assert written[-1] == 429


def test_folding_a_text_costs_little(town: Town) -> None:
    headers = {**town.site(**OPEN)[1], **town.sign_up("marked")}
    (worker,) = town.served.workers()

    def seconds() -> float:
        times = Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")

    before = seconds()
    for number in range(5):
        town.comment(headers, f"{number} " + "\uff9e\u0301" * 4_980)
    assert seconds() - before < 0.3


PEAK = """\
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""  # in a small process: a new one starts with the peak of its parent


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    path = tmp_path / "isso.db"
    with sqlite3.connect(path) as database:
        database.executescript(
            "CREATE TABLE threads (id INTEGER PRIMARY KEY, uri VARCHAR UNIQUE, title VARCHAR);"
            "CREATE TABLE comments (tid REFERENCES threads(id), id INTEGER PRIMARY KEY, parent INTEGER,"
            " created FLOAT, modified FLOAT, mode INTEGER, remote_addr VARCHAR, author VARCHAR, email TEXT,"
            " website VARCHAR, likes INTEGER DEFAULT 0, dislikes INTEGER DEFAULT 0, voters BLOB DEFAULT x'',"
            " notification INTEGER DEFAULT 0, text VARCHAR AS (hex(zeroblob(100000000))) VIRTUAL);"
            "INSERT INTO threads VALUES (1, '/x', 'x');"
            "INSERT INTO comments (tid, id, created, mode, author) VALUES (1, 1, 1, 1, 'a');"
        )
    database.close()
    return path


def test_a_database_with_generated_columns_costs_no_memory(town: Town, hostile: Path) -> None:
    site, _ = town.site()
    command = ("-m", "townsquare.cli", "comments", "import", site["id"], str(hostile))
    measured = subprocess.run(
        [sys.executable, "-c", PEAK, sys.executable, *command],
        capture_output=True,
        text=True,
        env={**os.environ, "TOWNSQUARE_DATA_DIR": str(town.served.data)},
    )
    code, peak = map(int, measured.stdout.split())
    assert code == 1
    assert peak < 300 << 10


@pytest.mark.parametrize("word", [" ", "\u200b", "\u00ad"])
def test_a_blocked_word_has_a_visible_character(town: Town, word: str) -> None:
    site, _ = town.site()
    answer = town.http.patch(
        "/threads/v1/site",
        json={"settings": {**site["settings"], "blocked_words": [word]}},
        headers={"X-API-Key": site["api_key_secret"]},
    )
    assert answer.status_code == 422


def test_a_secret_key_is_not_accepted_in_the_query(town: Town) -> None:
    site, headers = town.site()
    params = {"site": site["api_key_secret"], "page_url": "/hello"}
    answer = town.http.get("/threads/v1/comments", params=params, headers={"Origin": headers["Origin"]})
    assert answer.status_code == 401


def test_no_one_learns_which_addresses_are_registered(town: Town) -> None:
    answer = town.http.get("/accounts/availability", params={"email": "ann@example.org"})
    assert answer.status_code == 422


def test_a_compressed_transfer_is_not_implemented(town: Town) -> None:
    url = httpx.URL(town.served.url)
    with socket.create_connection((url.host, url.port), timeout=10) as client:
        client.sendall(
            b"POST /accounts/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
        )
        assert client.recv(12) == b"HTTP/1.1 501"


def test_a_failed_login_is_logged_with_the_account(town: Town) -> None:
    id = town.http.get("/accounts/me", headers=town.sign_up("guessed")).json()["id"]
    login = {"username": "guessed", "password": "a wrong one"}
    assert town.http.post("/accounts/login", json=login).status_code == 401
    wait_until(
        lambda: any(id in line and '"method":"password"' in line for line in town.served.lines),
        "it is logged",
    )


def test_codes_in_the_log_are_announced(town: Town) -> None:
    warnings = [line for line in town.served.lines if '"level":"warning"' in line]
    assert any("codes" in line for line in warnings)


# D. Original clients

THREADKIT = {
    "POST": [
        "comments/{id}/pin",
        "auth/register",
        "auth/login",
        "auth/verify",
        "auth/forgot",
        "auth/reset",
        "auth/logout",
        "users/check-username",
        "users/{id}/block",
        "users/{id}/unblock",
        "users/{id}/ban",
        "notifications/read",
        "moderation/approve/{id}",
        "moderation/reject/{id}",
        "moderation/ban/{id}",
        "moderation/unban/{id}",
        "moderation/shadowban/{id}",
    ],
    "DELETE": ["users/me"],
    "GET": [
        "users/me/blocked",
        "users/{id}/comments",
        "notifications",
        "moderation/queue",
        "moderation/reports",
    ],
}


def test_the_paths_of_the_threadkit_client_are_offered(town: Town) -> None:
    headers = town.site()[1]
    for method, paths in THREADKIT.items():
        for path in paths:
            path = f"/threadkit/v1/{path.format(id=MISSING)}"
            body: Any = {} if method == "POST" else None
            assert is_offered(town.http.request(method, path, headers=headers, json=body)), path


def is_offered(answer: httpx.Response) -> bool:
    if answer.status_code == 404:
        return bool(answer.json().get("code") != "not_found")
    return answer.status_code != 405


async def test_the_threadkit_client_sees_who_joins_and_types(town: Town) -> None:
    site, headers = town.site(**OPEN, display={"typing": True})
    signed = [
        town.http.post("/threadkit/v1/auth/anonymous", json={"name": name}, headers=headers).json()
        for name in ("ann", "bob")
    ]
    page = town.http.get("/threads/v1/comments", params={"page_url": "/empty"}, headers=headers).json()[
        "page_id"
    ]
    url = f"{town.served.url}/threadkit/ws?project_id={site['api_key_public']}".replace("http", "ws", 1)

    async def subscribed(stack: AsyncExitStack, number: int) -> ClientConnection:
        client = await stack.enter_async_context(
            connect(f"{url}&token={signed[number]['token']}", origin=Origin(headers["Origin"]))
        )
        await client.send(json.dumps({"jsonrpc": "2.0", "method": "subscribe", "params": {"page_id": page}}))
        return client

    async with AsyncExitStack() as stack:
        ann = await subscribed(stack, 0)
        await heard(ann, "presence")
        bob = await subscribed(stack, 1)
        while (await heard(ann, "user_joined"))["params"]["user"]["name"] != "bob":
            pass  # her own
        await bob.send(json.dumps({"jsonrpc": "2.0", "method": "typing", "params": {"page_id": page}}))
        assert (await heard(ann, "typing"))["params"]["user"]["name"] == "bob"


WORDPRESS = (
    '<?xml version="1.0"?><rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"><channel>'
    "<wp:wxr_version>1.2</wp:wxr_version>{}</channel></rss>"
)
ITEM = "<item><title>T</title><link>https://{0}/{1}</link><wp:post_id>{1}</wp:post_id>{2}</item>"
WORDPRESS_COMMENT = (
    "<wp:comment><wp:comment_id>{0}</wp:comment_id><wp:comment_author>A</wp:comment_author>"
    "<wp:comment_date_gmt>2020-01-01 00:00:00</wp:comment_date_gmt><wp:comment_content>{1} {0}"
    "</wp:comment_content><wp:comment_approved>1</wp:comment_approved><wp:comment_parent>0"
    "</wp:comment_parent></wp:comment>"
)
DISQUS = (
    '<?xml version="1.0" encoding="utf-8"?><disqus xmlns="http://disqus.com" '
    'xmlns:dsq="http://disqus.com/disqus-internals"><thread dsq:id=7><id/><link>https://{}/x</link>'
    "<title>X</title><isDeleted>false</isDeleted></thread><post dsq:id=1><message><![CDATA[<p>text</p>]]>"
    "</message><createdAt>2020-01-01T00:00:00Z</createdAt><isDeleted>false</isDeleted><isSpam>false</isSpam>"
    "<author><name>A</name></author><thread dsq:id=7/></post></disqus>"
)


def wordpress(domain: str, *posts: tuple[int, ...]) -> str:
    items = (
        ITEM.format(domain, number, "".join(WORDPRESS_COMMENT.format(id, number) for id in ids))
        for number, ids in enumerate(posts, 1)
    )
    return WORDPRESS.format("".join(items))


@pytest.mark.parametrize("kind", ["twice", "zip", "disqus", "isso", "comentario"])
def test_a_file_is_imported(town: Town, tmp_path: Path, kind: str) -> None:
    site, headers = town.site(**OPEN)
    domain = headers["Origin"].removeprefix("https://")
    path, count = tmp_path / "export", 1
    if kind == "twice":
        path.write_text(wordpress(domain, (1, 2, 3, 4), (4, 5, 6, 7)))
        count = 8
    elif kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("export.xml", wordpress(domain, (1,)))
    elif kind == "disqus":
        path.write_text(DISQUS.format(domain))
    elif kind == "isso":
        comment = {"id": 0, "author": "a", "text": "text", "created": "2020-01-01 00:00:00"}
        comment |= {"email": "", "remote_addr": "0.0.0.0", "website": ""}
        path.write_text(json.dumps([{"id": "/x", "title": "X", "comments": [comment]}]))
    else:
        page = {"id": "p", "domainId": "d", "path": "/x", "title": "X", "isReadonly": False}
        comment = {"id": "c", "pageId": "p", "markdown": "text", "html": "<p>text</p>", "score": 0}
        comment |= {"isApproved": True, "isDeleted": False, "createdTime": "2020-01-01T00:00:00.000Z"}
        comment |= {"userCreated": "u", "authorName": ""}
        user = {"id": "u", "email": "a@example.org", "name": "A"}
        export = {"version": 3, "pages": [page], "comments": [comment], "commenters": [user]}
        path.write_bytes(gzip.compress(json.dumps(export).encode()))
    done = town.run("comments", "import", site["id"], str(path))
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.search(r"new\D+(\d+)", done.stdout)
    assert found is not None, done.stdout
    assert int(found[1]) == count


def test_the_last_page_of_a_board_has_the_newest_messages(town: Town) -> None:
    id = widget(town, "bbs", "https://pages.example/", messagesPerPage="10")
    for number in range(11):
        message = {"action": "post", "id": id, "message": f"m{number}"}
        headers = {"User-Agent": f"browser {number}"}
        assert town.http.post("/widgets/bbs", json=message, headers=headers).status_code == 200
    shown = town.http.get("/bbs", params={"action": "get", "id": id, "page": 2}).json()["data"]
    assert shown["messages"][0]["message"] == "m10"


def test_the_gateway_takes_what_the_original_sends(town: Town) -> None:
    town.sign_up("original")
    key = {"X-API-Key": OPERATOR}
    commands = [["HSET", "user:original", "bio", "New", "links", "https://example.com", "theme", "dark"]]
    written = town.http.post("/redis/write", json=commands, headers=key)
    assert written.status_code == 200, written.text
    named = town.http.post("/redis/write", json=[["HSET", "user:original", "avatar", "x"]], headers=key)
    assert named.status_code == 403
    assert "avatar" in named.text


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/ping"),
        ("GET", "/users/sought/bookmarked"),
        ("PATCH", f"/posts/{MISSING}/ban"),
        ("GET", "/search/users?q=sought"),
    ],
)
def test_the_paths_of_the_original_are_at_the_root(town: Town, method: str, path: str) -> None:
    assert is_offered(town.http.request(method, path, headers={"X-API-Key": OPERATOR}))


# E. Everyday friction


def test_a_check_of_the_data_alone_says_what_it_skips(tmp_path: Path) -> None:
    with throwaway_node() as node:
        seeded = run(
            "user", "create", "--username", "ann", TOWNSQUARE_DATA_URL=node.url, TOWNSQUARE_CACHE_URL=node.url
        )
        assert seeded.returncode == 0, seeded.stderr
        folder = str(tmp_path / "none")
        checked = run("check", TOWNSQUARE_DATA_URL=node.url, TOWNSQUARE_DATA_DIR=folder)
    assert checked.returncode == 0, checked.stderr
    assert "cache is skipped" in checked.stdout + checked.stderr


def test_an_unreachable_tmdb_is_no_traceback(town: Town) -> None:
    environ = {"TOWNSQUARE_TMDB_KEY": "key", "TOWNSQUARE_TMDB_URL": "http://127.0.0.1:9"}
    done = town.run("search", "refresh-trending", **environ, TOWNSQUARE_SEARCH_TRENDING="tmdb")
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == 1


def test_an_unknown_action_in_a_body_is_refused(town: Town) -> None:
    id = widget(town, "like", "https://action.example/")
    answer = town.http.post(f"/widgets/like?action=get&id={id}", json={"action": "AAA"})
    assert answer.status_code == 400


def test_an_account_is_found_by_its_display_name(town: Town) -> None:
    headers = town.site(**OPEN)[1]
    visitor = {"name": "Bobby", "device_id": "b0bb1e0123456789"}
    signed = town.http.post("/threads/v1/session/anonymous", json=visitor, headers=headers).json()
    written = town.comment({**headers, "Authorization": f"Bearer {signed['access_token']}"})
    done = town.run("user", "delete", "bobby", "--yes")
    assert written["author"]["id"] in done.stdout + done.stderr
