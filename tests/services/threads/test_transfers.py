"""Export and import of a site over HTTP."""

import asyncio
import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.comment_files.files import MAKERS, deep_thread
from tests.services.threads.test_access import by_public, by_secret
from tests.services.threads.test_importing import told_tree, tree
from tests.services.threads.world import World, open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place, browse
from townsquare.services.threads.keys import common
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.problems import SiteMerging
from townsquare.services.threads.service import site_imports

IMPORT, EXPORT = "/threads/v1/site/import", "/threads/v1/site/export"


async def finished(http: httpx.AsyncClient, world: World) -> dict[str, Any]:
    async with asyncio.timeout(20):
        while True:
            state: dict[str, Any] = (await http.get(IMPORT, headers=by_secret(world))).json()
            if state["state"] != "running":
                return state
            await asyncio.sleep(0.01)


async def test_what_is_exported_can_be_imported(world: World, http: httpx.AsyncClient) -> None:
    ann, bob = await world.users(2)
    root = await world.comment(ann, "root")
    await world.comment(bob, "reply", parent=root.id)
    exported = await http.get(EXPORT, headers=by_secret(world))
    assert exported.headers["content-type"] == "application/x-ndjson"
    assert 'filename="blog.example.org.jsonl"' in exported.headers["content-disposition"]
    lines = [json.loads(line) for line in exported.text.splitlines()]
    assert [one["kind"] for one in lines] == ["townsquare.comments", "page", "comment", "comment"]

    other = await world.threads.sites.create("Other", "blog.example.org")
    headers = {"X-API-Key": other.api_key_secret}
    answer = await http.post(IMPORT, content=gzip.compress(exported.content), headers=headers)
    state = answer.json()
    assert (state["state"], state["report"]["created"], state["report"]["format"]) == ("done", 2, "native")
    again = (await http.post(IMPORT, content=exported.content, headers=headers)).json()
    assert (again["report"]["created"], again["report"]["unchanged"]) == (0, 2)
    await world.check()


async def test_an_export_is_whole_or_none_while_pages_merge(
    world: World, http: httpx.AsyncClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, exporting = await world.user("ann"), world.threads.exporting
    for path in ("/a", "/b", "/c"):
        await world.comment(ann, f"at {path}", path=path)
    a, b, c = [await world.page(path) for path in ("/a", "/b", "/c")]

    async def killed(args: dict[str, Any]) -> int:
        raise asyncio.CancelledError

    with monkeypatch.context() as patch:
        patch.setitem(world.square.jobs._steps, common.MERGE_PAGE_JOB, killed)
        await world.threads.merging.merge(world.owner, a, b)
    refused = await http.get(EXPORT, headers=by_secret(world))
    assert (refused.status_code, refused.json()["code"]) == (409, "site_merging")
    with pytest.raises(SiteMerging):
        await exporting.export_file(world.site.id, tmp_path / "file")
    assert not (tmp_path / "file").exists()
    for job in await world.square.jobs.list():
        await world.square.jobs.run(job.id)
    whole = await http.get(EXPORT, headers=by_secret(world))
    assert sorted(re.findall("at /.", whole.text)) == ["at /a", "at /b", "at /c"]

    authors = exporting._authors

    async def overtaken(comments: Sequence[CommentRecord]) -> dict[str, CommenterRecord]:
        monkeypatch.setattr(exporting, "_authors", authors)
        await world.threads.merging.merge(world.owner, b, c)  # begins and ends meanwhile
        return await authors(comments)

    monkeypatch.setattr(exporting, "_authors", overtaken)
    with pytest.raises(SiteMerging):  # which breaks the connection
        await http.get(EXPORT, headers=by_secret(world))
    whole = await http.get(EXPORT, headers=by_secret(world))
    assert sorted(re.findall("at /.", whole.text)) == ["at /a", "at /b", "at /c"]


async def test_a_dry_run_and_progress(
    world: World, http: httpx.AsyncClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    comments = deep_thread(["/post"])
    MAKERS["disqus"](tmp_path / "file", comments)
    monkeypatch.setattr(site_imports, "PATIENCE", 0)
    assert (await http.get(IMPORT, headers=by_secret(world))).json()["code"] == "import_not_found"

    async def parts() -> Any:  # as somebody sends who does not know how long it is
        yield (tmp_path / "file").read_bytes()

    await http.post(f"{IMPORT}?dry_run=true", content=parts(), headers=by_secret(world))
    state = await finished(http, world)
    assert (state["state"], state["report"]["created"], state["report"]["dry_run"]) == ("done", 33, True)
    assert await tree(world) == set()
    begun = await http.post(
        f"{IMPORT}?format=disqus", content=(tmp_path / "file").read_bytes(), headers=by_secret(world)
    )
    assert begun.json()["state"] == "running"
    busy = await http.post(IMPORT, content=b"x", headers=by_secret(world))
    assert busy.json()["code"] == "import_running"
    assert (await finished(http, world))["report"]["created"] == 33
    assert await tree(world) == told_tree(comments)
    await world.check()


async def test_imports_are_bounded_in_number_and_time(
    world: World, http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hangs(*args: Any, **how: Any) -> None:
        await asyncio.Event().wait()

    sites = [world.site]
    for number in range(2):
        sites.append(await world.threads.sites.create("Another", f"another{number}.example"))
    by_site = [{"X-API-Key": site.api_key_secret} for site in sites]
    with monkeypatch.context() as patched:
        patched.setattr(site_imports, "PATIENCE", 0)
        patched.setattr(site_imports, "LONGEST", 0.5)
        patched.setattr(world.threads.importing, "import_file", hangs)
        begun = await asyncio.gather(*(http.post(IMPORT, content=b"x", headers=one) for one in by_site))
        assert sorted(one.status_code for one in begun) == [200, 200, 429]
        (refused,) = (one for one in begun if one.status_code == 429)
        assert (refused.json()["code"], refused.headers["retry-after"]) == ("too_many_imports", "60")
        await asyncio.gather(*world.threads.imports._tasks)
    states = [(await http.get(IMPORT, headers=one)).json() for one in by_site]
    assert sorted(one.get("problem", one.get("code", "")) for one in states) == [
        "It takes longer than an hour",
        "It takes longer than an hour",
        "import_not_found",
    ]
    again = await http.post(IMPORT, content=b"x", headers=by_site[0])
    assert (again.status_code, again.json()["state"]) == (200, "failed")


async def test_what_is_no_export_is_told(world: World, http: httpx.AsyncClient) -> None:
    for body in (b"", b"nonsense", b"\x1f\x8bnot gzip", b"PK\x03\x04"):
        state = (await http.post(IMPORT, content=body, headers=by_secret(world))).json()
        assert state["state"] == "failed", state
        assert state["problem"]
    assert (await http.post(f"{IMPORT}?format=x", content=b"", headers=by_secret(world))).status_code == 422
    for method, path in (("GET", EXPORT), ("POST", IMPORT), ("GET", IMPORT)):
        assert (await http.request(method, path, headers=by_public(world))).json()["code"] == "admins_only"


async def test_only_administrators_send_files_and_not_too_large_ones(
    place: Place, clock: PinnedClock
) -> None:
    sent = 0

    async def endless() -> Any:
        nonlocal sent
        while True:
            sent += 1
            yield b"x" * 100_000

    async with open_world(place, clock, upload_limit=1_000_000) as world, browse(world.square) as http:
        refused = await http.post(IMPORT, content=endless(), headers=by_public(world))
        assert refused.json()["code"] == "admins_only"
        assert sent <= 2  # nothing was kept of it
        large = {**by_secret(world), "Content-Length": str(10**12)}
        assert (await http.post(IMPORT, content=b"x", headers=large)).json()["code"] == "payload_too_large"
        assert (await http.post(IMPORT, content=endless(), headers=by_secret(world))).status_code == 413


async def test_an_import_whose_server_ended_says_so(
    world: World, http: httpx.AsyncClient, clock: PinnedClock, tmp_path: Path
) -> None:
    MAKERS["disqus"](tmp_path / "file", deep_thread(["/post"]))

    async def hangs(*args: Any, **how: Any) -> None:
        await asyncio.Event().wait()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site_imports, "PATIENCE", 0)
        patch.setattr(world.threads.importing, "import_file", hangs)
        await http.post(IMPORT, content=(tmp_path / "file").read_bytes(), headers=by_secret(world))
    clock.move(seconds=31)
    assert (await finished(http, world))["state"] == "interrupted"
    again = await http.post(IMPORT, content=(tmp_path / "file").read_bytes(), headers=by_secret(world))
    assert again.json()["report"]["created"] == 33
    await world.threads.imports.close()
    assert (await finished(http, world))["state"] == "done"  # the one that was given up says nothing
