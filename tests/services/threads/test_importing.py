"""Importing files into a site, and exporting a site."""

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.comment_files import files
from tests.comment_files.files import MAKERS, deep_thread
from tests.services.threads.world import World
from tests.support.clock import PinnedClock
from tests.support.commands import Say, commands_on
from tests.support.squares import Place, open_square, raw_names
from townsquare.clock import iso
from townsquare.comment_files import native
from townsquare.comment_files.models import BadExportFile, BadImportFile, ImportedComment, ImportedPage
from townsquare.comment_files.unpacking import unpacked
from townsquare.keyspace import Role
from townsquare.keyspace.buckets import SLOT_OF_BUCKET
from townsquare.services.threads import keys
from townsquare.services.threads.models.comments import Comment
from townsquare.services.threads.models.imports import ImportReport
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.problems import SiteNotFound
from townsquare.services.threads.service.importing import BATCH
from townsquare.square import Square

PAGE = f"{files.SITE}/post"

Tree = set[tuple[str, ...]]


async def tree(world: World, viewer: Viewer | None = None) -> Tree:
    """For each comment that a viewer sees the texts from its root down to itself."""
    thread = await world.thread(viewer, path=PAGE, limit=100, depth=100)
    return paths(thread.comments)


def paths(comments: Sequence[Comment], above: tuple[str, ...] = ()) -> Tree:
    here = {(*above, one.content) for one in comments}
    return here.union(*(paths(one.replies, (*above, one.content)) for one in comments))


def told_tree(comments: Sequence[files.Comment]) -> Tree:
    found: dict[int, tuple[str, ...]] = {0: ()}
    for one in comments:
        found[one.id] = (*found[one.parent], one.text)
    return set(found.values()) - {()}


async def contents(world: World) -> dict[str, bytes]:
    """Every key of the store with its value."""
    role_store = world.store.role_stores[Role.DATA]
    found = {}
    for name in await raw_names(world.store):
        _, bucket, _ = role_store.layout.split(name) or ("", None, "")
        found[name] = await role_store.nodes.execute(SLOT_OF_BUCKET[bucket] if bucket else None, "DUMP", name)
    return found


def written(file: Path) -> dict[tuple[str, ...], Any]:
    """What an export says of each comment, by the texts from its root down; ids differ from site to site."""
    records = list(native.read(file))
    pages = {one.id: one for one in records if isinstance(one, ImportedPage)}
    comments = {one.id: one for one in records if isinstance(one, ImportedComment)}

    def place(one: ImportedComment) -> tuple[str, ...]:
        above = place(comments[one.parent_id]) if one.parent_id else (pages[one.page_id].url,)
        return (*above, one.content or one.status)

    return {
        place(one): (
            *(one.author.name, one.author.email, one.author.avatar, one.created_at, one.edited_at),
            *(one.upvotes, one.downvotes, one.status, pages[one.page_id].title),
        )
        for one in comments.values()
    }


def made(tmp_path: Path, *records: dict[str, Any], page: dict[str, Any] | None = None) -> Path:
    """An export of ours, written by hand."""
    head = {"kind": "townsquare.comments", "version": 1}
    default = {"kind": "page", "id": "p", "url": PAGE}
    lines = [head, page or default, *({"kind": "comment", "page_id": "p", **one} for one in records)]
    path = tmp_path / "made.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def names_in(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


async def load(world: World, file: Path, **how: Any) -> ImportReport:
    return await world.threads.importing.import_file(world.site.id, file, **how)


@pytest.mark.parametrize("format", MAKERS)
async def test_a_file_is_imported_with_its_tree_and_once(world: World, format: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    page = PAGE if format in ("isso", "comentario") else "/post"  # their paths are those of the site
    comments = deep_thread([page])
    MAKERS[format](path, list(reversed(comments)))
    report = await load(world, path)
    assert (report.format, report.created, report.unchanged, report.pages) == (format, 33, 0, 1)
    assert await tree(world) == told_tree(comments)
    shown = (await world.thread(path=PAGE)).comments
    assert {one.author and one.author.name for one in shown} == {"Author 0"}
    await world.check()

    before = await contents(world)
    again = await load(world, path)
    assert (again.created, again.unchanged, again.authors) == (0, 33, 0)
    assert await contents(world) == before


async def test_what_is_exported_is_imported_elsewhere_the_same(world: World, tmp_path: Path) -> None:
    first, second, source = tmp_path / "first.jsonl.gz", tmp_path / "second.jsonl", tmp_path / "source"
    files.wordpress(source, [*deep_thread(["/a", "/b"]), files.Comment(900, pending=True, text="*held*")])
    await load(world, source)
    ann = await world.user("ann")
    await world.settings(allowed_origins=("https://example.com",))  # pages that came from elsewhere
    mine = await world.comment(ann, "**mine**", path=PAGE)
    gone = await world.comment(ann, "gone", parent=mine.id, path=PAGE)
    await world.comment(ann, "below", parent=gone.id, path=PAGE)
    await world.threads.comments.delete(ann, gone.id)
    await world.threads.comments.vote(ann, mine.id, "up")
    exported = await world.threads.exporting.export_file(world.site.id, first)
    assert (exported.comments, exported.pages) == (70, 3)

    other = await world.threads.sites.create("Another", "other.example.org")
    report = await world.threads.importing.import_file(other.id, first)
    assert (report.created, report.orphans, report.skipped) == (70, 0, {})
    await world.threads.exporting.export_file(other.id, second)
    with unpacked(first) as [plain]:
        assert written(second) == written(plain)
    assert (PAGE, "**mine**", "deleted", "below") in written(second)
    await world.check()


async def test_an_export_changes_nothing_where_it_comes_from(world: World, tmp_path: Path) -> None:
    ann, path = await world.user("ann"), tmp_path / "export.jsonl"
    root = await world.comment(ann, "root")
    await world.comment(ann, "reply", parent=root.id)
    await world.threads.exporting.export_file(world.site.id, path)
    before = await contents(world)
    report = await load(world, path)
    assert (report.created, report.unchanged) == (0, 2)
    assert await contents(world) == before


async def test_held_rejected_and_deleted_comments(world: World, tmp_path: Path) -> None:
    statuses = ["approved", "pending", "rejected", "deleted"]
    comments = [{"id": one, "content": one, "status": one} for one in statuses]
    replies = [{"id": f"below {one}", "parent_id": one, "content": f"below {one}"} for one in statuses[1:]]
    report = await load(
        world, made(tmp_path, *comments, *replies, {"id": "x", "content": "x", "status": "spam"})
    )
    assert (report.created, report.skipped) == (7, {"spam": 1})
    assert await tree(world) == {
        *(("approved",), ("",)),
        *(("", f"below {one}") for one in statuses[1:]),
    }
    assert {("pending",), ("rejected",)} < await tree(world, world.owner)
    queue = await world.scores(keys.site_modqueue(world.site.id))
    (held,) = queue
    assert (await world.record(keys.comment(held)))["content"] == "pending"
    await world.check()


async def test_votes_from_elsewhere_count_and_are_nobodys(world: World, tmp_path: Path) -> None:
    await load(
        world, made(tmp_path, {"id": "a", "content": "a", "upvotes": 7, "downvotes": 2, "created_at": 5})
    )
    (comment,) = (await world.thread(path=PAGE)).comments
    assert (comment.upvotes, comment.downvotes) == (7, 2)
    bob = await world.user("bob")
    assert (await world.threads.comments.vote(bob, comment.id, "up")).upvotes == 8
    assert comment.author is not None
    assert await world.karma(Viewer(site_id=world.site.id, user_id=comment.author.id)) == 1
    assert await world.scores(keys.page_top(comment.page_id)) == {comment.id: 6}
    await world.check()
    assert (await world.threads.comments.vote(bob, comment.id, "down")).downvotes == 3
    voted = await world.threads.comments.vote(bob, comment.id, "down")
    assert (voted.upvotes, voted.downvotes) == (7, 2)
    await world.check()


async def test_nobody_is_told_of_what_is_old(world: World, tmp_path: Path) -> None:
    await load(world, made(tmp_path, {"id": "a", "content": "a"}))
    page = (await world.thread(path=PAGE)).page_id
    assert await world.store.call("EXISTS", keys.page_events(page)) == 0


async def test_a_file_cannot_write_in_the_name_of_an_account(world: World, tmp_path: Path) -> None:
    ann = await world.user("ann")
    await load(
        world, made(tmp_path, {"id": "a", "content": "a", "author": {"id": ann.user_id, "name": "ann"}})
    )
    (comment,) = (await world.thread(path=PAGE)).comments
    assert comment.author is not None
    assert (comment.author.name, comment.author.id != ann.user_id) == ("ann", True)
    assert not await world.scores(keys.user_comments(str(ann.user_id)))


async def test_authors_are_known_by_id_address_or_name(world: World, tmp_path: Path) -> None:
    authors = [
        *({"id": "1", "name": "Ann"}, {"id": "1", "name": "Ann now"}, {"name": "Ann"}, {"name": "Ann"}),
        *({"name": "Ann", "email": "Ann@Example.org"}, {"name": "A.", "email": "Ann@example.org"}),
        *({"name": "\u202ea" + "b" * 500, "avatar": "javascript:x", "email": "@"}, {}, {"name": "\u200b"}),
    ]
    records = [
        {"id": str(number), "content": "x", "author": author, "created_at": 1_000 + number}
        for number, author in enumerate(authors)
    ]
    report = await load(world, made(tmp_path, *records))
    assert report.authors == 6
    shown = [one.author for one in (await world.thread(path=PAGE, sort="old")).comments if one.author]
    assert [one.name for one in shown[:6]] == ["Ann"] * 6
    assert len({one.id for one in shown}) == 6
    assert (shown[6].name, shown[6].avatar_url) == ("a" + "b" * 99, None)
    assert {one.name for one in shown[7:]} == {"Anonymous"}
    record = await world.record(keys.user(shown[4].id))
    assert (record["email"], record["email_verified"], record["provider"]) == (
        "ann@example.org",
        "false",
        "import",
    )
    await world.check()


async def test_what_is_too_long_too_deep_too_late_or_too_strange(
    world: World, tmp_path: Path, clock: PinnedClock
) -> None:
    chain: list[dict[str, Any]] = [
        {"id": str(n), "content": str(n), "parent_id": str(n - 1) if n else "", "created_at": 9 + n}
        for n in range(130)
    ]
    strange: list[dict[str, Any]] = [
        {"id": "long", "content": "x" * 20_000, "created_at": 10**13 - 1, "edited_at": 10**13 - 1},
        {"id": "nothing", "content": "[a]: https://example.org"},
        {"id": "below", "parent_id": "nothing", "content": "<script>alert(1)</script>"},
    ]
    report = await load(world, made(tmp_path, *chain, *strange))
    assert (report.created, report.shortened) == (133, 1)
    long, *_ = (await world.thread(path=PAGE, sort="new")).comments
    assert (len(long.content), long.edited, long.created_at) == (10_000, True, long.updated_at)
    assert long.created_at == iso(clock.now_ms())
    depths = await world.store.pipeline(
        [("HGET", keys.comment(id), "depth") for id in await world.scores(keys.page_all(long.page_id))]
    )
    assert max(map(int, depths)) == keys.DEEPEST
    await world.check()


async def test_pages_that_are_none_are_skipped(world: World, tmp_path: Path) -> None:
    path = made(tmp_path, {"id": "a", "content": "a"}, page={"kind": "page", "id": "p", "url": "ftp://x/"})
    report = await load(world, path)
    assert (report.created, report.total, report.skipped) == (0, 0, {"no page": 1})
    assert "http" in report.samples[0].detail


async def test_a_broken_file_or_a_wrong_place_changes_nothing(world: World, tmp_path: Path) -> None:
    path = tmp_path / "broken.xml"
    files.disqus(path, deep_thread())
    path.write_text(path.read_text().removesuffix("</disqus>\n"))
    before = await contents(world)
    with pytest.raises(BadImportFile):
        await load(world, path)
    with pytest.raises(BadImportFile):
        await load(world, tmp_path)
    files.disqus(path, deep_thread())
    with pytest.raises(BadImportFile):
        await load(world, path, format="isso")
    with pytest.raises(SiteNotFound):
        await world.threads.importing.import_file(world.site.id[:-4] + "0000", path)
    with pytest.raises(BadExportFile):
        await world.threads.exporting.export_file(world.site.id, tmp_path / "no" / "such" / "folder")
    with pytest.raises(BadExportFile):
        await world.threads.exporting.export_file(world.site.id, tmp_path)
    assert await contents(world) == before
    assert names_in(tmp_path) == ["broken.xml"]


async def test_a_dry_run_tells_the_same_and_changes_nothing(world: World, tmp_path: Path) -> None:
    half, whole = tmp_path / "half", tmp_path / "whole"
    files.remark42(half, deep_thread(["/one"]))
    files.remark42(whole, deep_thread(["/one", "/two"]))
    await load(world, half)
    before = await contents(world)
    heard: list[int] = []
    dry = await load(world, whole, dry_run=True, on_progress=lambda report: heard.append(report.done))
    assert await contents(world) == before
    assert (dry.created, dry.unchanged, dry.pages, dry.authors) == (33, 33, 2, 0)
    assert (heard, heard[-1]) == (sorted(heard), 66)
    wet = await load(world, whole)
    assert (wet.created, wet.unchanged, wet.pages, wet.authors) == (33, 33, 2, 0)


async def test_a_page_of_more_than_one_batch(world: World, tmp_path: Path) -> None:
    count = 2 * BATCH + 7
    comments = [files.Comment(n, parent=n // 3, text=f"Comment {n}") for n in range(1, count + 1)]
    path = tmp_path / "file"
    files.disqus(path, list(reversed(comments)))
    report = await load(world, path)
    assert report.created == count
    page = await world.record(keys.page((await world.thread(path=PAGE)).page_id))
    assert (page["comment_count"], page["title"]) == (str(count), f"Title of {PAGE}")
    assert len(await world.scores(keys.site_comments(world.site.id))) == count
    await world.check()


@pytest.fixture
def say(plain_place: Place, clock: PinnedClock) -> Iterator[Say]:
    @asynccontextmanager
    async def open_one() -> AsyncIterator[Square]:
        async with open_square(plain_place, clock) as square:
            yield square

    with commands_on(open_one) as say:
        yield say


def test_the_commands_import_and_export(say: Say, tmp_path: Path) -> None:
    site = json.loads(say("site", "create", "Blog", "example.com").stdout.partition("\n<")[0])["id"]
    source, exported = tmp_path / "disqus.xml", tmp_path / "all.jsonl"
    comments = [*deep_thread(), files.Comment(700, spam=True), files.Comment(701, parent=800)]
    files.disqus(source, comments)
    dry = say("comments", "import", site, str(source), "--dry-run")
    assert dry.exit_code == 0, dry.output
    assert "Nothing was changed" in dry.stdout
    for imported in (
        say("comments", "import", site, str(source)),
        say("comments", "import", site, str(source)),
    ):
        assert imported.exit_code == 0, imported.output
        assert "skipped: spam" in imported.stdout
        assert "1 replies" in imported.stdout
    assert "34" in imported.stdout.partition("imported before")[2].partition("\n")[0]
    done = say("comments", "export", site, str(exported))
    assert (done.exit_code, done.stdout) == (0, "34 comments of 1 pages\n")
    assert len(written(exported)) == 34
    broken = say("comments", "import", site, str(exported), "--format", "disqus")
    assert (broken.exit_code, "not XML" in broken.stderr) == (1, True)
