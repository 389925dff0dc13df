"""100,000 comments of a Disqus export: imported, imported again, exported; then check."""

import asyncio
import os
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import uvloop
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

import townsquare
from bench.load import WITHOUT_SEARCH
from bench.report import Result
from townsquare.integrity.check import check
from townsquare.services.threads.models.imports import ImportReport
from townsquare.settings import Settings

COMMENTS = int(100_000 * float(os.environ.get("BENCH_SHARE", "1")))  # a share of it, to try it out
PAGES = COMMENTS // 200
AUTHORS = COMMENTS // 5
REPLIES = 0.6  # of all comments
TEXT = "the quick brown fox jumps over a lazy dog and then writes *some* more about it, see http://a.org/b_c"
WORDS = TEXT.split()


def disqus_export(chance: random.Random) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="utf-8"?>\n<disqus xmlns:dsq="http://disqus.com/disqus-internals">'
    for page in range(PAGES):
        link, title = f"<link>https://example.com/{page}</link>", f"<title>Page {page}</title>"
        yield f'<thread dsq:id="{page}">{link}{title}</thread>\n'
    threads: list[list[int]] = [[] for _ in range(PAGES)]
    for number in range(COMMENTS):
        page, author = chance.randrange(PAGES), chance.randrange(AUTHORS)
        above = threads[page]
        parent = f'<parent dsq:id="{chance.choice(above)}"/>' if above and chance.random() < REPLIES else ""
        above.append(number)
        text = " ".join(chance.choices(WORDS, k=chance.randrange(5, 80)))
        yield (
            f'<post dsq:id="{number}"><message><![CDATA[<p>{text}</p>]]></message>'
            f"<createdAt>20{10 + number * 10 // COMMENTS}-03-07T20:46:25Z</createdAt>"
            f"<author><name>Author {author}</name><username>author{author}</username></author>"
            f'<thread dsq:id="{page}"/>{parent}</post>\n'
        )
    yield "</disqus>"


def make_file(folder: Path) -> Path:
    file = folder / "disqus.xml"
    with file.open("w") as out:
        out.writelines(disqus_export(random.Random(5)))
    return file


async def measure(folder: Path, file: Path, console: Console) -> list[Result]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    rows = []
    settings = Settings.load(environ=WITHOUT_SEARCH, data_dir=str(folder / "data"))
    with Progress(*columns, console=console) as progress:
        async with townsquare.open(settings=settings) as square:
            site = await square.threads.sites.create("Bench", "example.com")
            for name in ("import", "import again"):
                bar = progress.add_task(name, total=COMMENTS)

                def on_progress(report: ImportReport, bar: object = bar) -> None:
                    progress.update(bar, completed=report.done)  # type: ignore[arg-type]

                began = time.perf_counter()
                report = await square.threads.importing.import_file(site.id, file, on_progress=on_progress)
                rows.append(row(name, report.created + report.unchanged, time.perf_counter() - began))
            if report.unchanged != COMMENTS:
                raise AssertionError(f"{report.unchanged:,} of {COMMENTS:,} were there")
            began = time.perf_counter()
            exported = await square.threads.exporting.export_file(site.id, folder / "all.jsonl")
            rows.append(row("export", exported.comments, time.perf_counter() - began))
            found = await check(square.store)
    if found.findings:
        raise AssertionError(f"the check found {found.findings[:5]}")
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [
        Result(
            "Comments from Disqus",
            f"{file_size(file):,.0f} MB of XML, {PAGES:,} pages, {AUTHORS:,} authors, one process;"
            f" at most {megabytes:,.0f} MB of memory; the check finds nothing.",
            ["", "comments", "time", "a second"],
            rows,
        )
    ]


def file_size(file: Path) -> float:
    return file.stat().st_size / 1e6


def row(name: str, count: int, seconds: float) -> list[str]:
    return [name, f"{count:,}", f"{seconds:,.1f} s", f"{count / seconds:,.0f}"]


def run() -> list[Result]:
    with (
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        file = make_file(Path(folder))
        return runner.run(measure(Path(folder), file, Console(stderr=True)))
