"""From the catalogue to indexes, in the background: names first, then the vectors of the texts.

Any number of processes do this at once. One at a time, the holder of a file lock, writes: films into the
lexical index, vectors into plain arrays; the others wait for what it writes, and go on in its place if it
ends. Everything is compared by digest: a second start, a new catalogue or an import does only what is new.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from townsquare.cache import text_digest
from townsquare.logger import get_logger
from townsquare.problems import Problem
from townsquare.services.search import catalogue
from townsquare.services.search.models.films import CHANNELS, Film, VectorName
from townsquare.services.search.parts import Embedder, Vector, VectorIndex
from townsquare.services.search.service.lexical.index import SqlLexicalIndex
from townsquare.services.search.service.lexical.rows import digest_of, record_of
from townsquare.services.search.service.vectors.vector_files import VectorFiles
from townsquare.store.engine.folder import FileLock

log = get_logger()

SOURCE = "catalogue"
FILMS_EMBEDDED_AT_ONCE = 8  # their texts are one call of an API
FILMS_READ_AT_ONCE = 500
WATCH_SECONDS = 2.0  # between looks for what another process has added
WAIT_SECONDS = 0.25  # between looks for what the holder of the lock has done
RETRY_SECONDS = 5.0  # after a failure, doubled up to a minute
LONGEST_RETRY = 60.0
LOGGED_SHARE = 0.1  # of all texts, between two lines of the log


class IndexState(msgspec.Struct, frozen=True, kw_only=True):
    """How far it is. Names are titles, people and facts; texts are moods, plots and themes."""

    films: int = 0
    names_ready: bool = False
    misspelt_names_ready: bool = False  # half of the work of names, a second later
    texts_done: int = 0
    texts_total: int = 0
    ready: bool = False
    fault: str = ""  # why it does not go on; it is tried again


class FilledVectorIndex(VectorIndex, Protocol):
    """A vector index that says what is in it."""

    @property
    def own_films(self) -> bool:
        """Whether every process must fill its own."""
        ...

    async def known(self) -> dict[int, str]: ...

    async def add(
        self, films: Sequence[tuple[Film, Mapping[VectorName, Vector]]], digests: Mapping[int, str] = ...
    ) -> None: ...

    async def remove(self, film_ids: Sequence[int]) -> None: ...

    async def close(self) -> None: ...


class Todo(NamedTuple):
    """A film whose vectors are not in the index, with the digests of its texts."""

    film: Film
    digest: str
    texts: dict[VectorName, str]
    text_digests: dict[VectorName, str]


def texts_of(film: Film) -> dict[VectorName, str]:
    """What is embedded: each text, and all together as the anchor."""
    known: dict[VectorName, str] = {
        channel: film.texts[channel] for channel in CHANNELS if film.texts.get(channel, "").strip()
    }
    everything = [*known.values(), ", ".join(film.keywords)] if film.keywords else known.values()
    return {"anchor": " ".join(everything), **known} if known else {}


class Indexing:
    def __init__(
        self,
        folder: Path,
        lexical: SqlLexicalIndex,
        embedder: Embedder,
        open_vectors: Callable[[int], Coroutine[Any, Any, FilledVectorIndex]],
        *,
        catalogue_file: Path = catalogue.FILMS,
    ) -> None:
        self.state = IndexState()
        self.vectors: FilledVectorIndex | None = None  # until the model's dimensions are known
        self._folder, self._lexical, self._embedder = folder, lexical, embedder
        self._open_vectors = open_vectors
        self._catalogue = catalogue_file
        self._bundled = catalogue.VECTORS if embedder.model == catalogue.VECTORS.name else None
        self._lock = FileLock(folder / "indexing.lock")
        self._changed = asyncio.Event()
        self._logged = 0.0

    async def run(self) -> None:
        """Bring the indexes up to date, and keep them so, until cancelled."""
        pause = RETRY_SECONDS
        seen: str | None = None
        try:
            while True:
                try:
                    revision = await self._lexical.revision()
                    if not self.state.ready or revision != seen:
                        await self.bring_up_to_date()
                        seen, pause = revision if seen else await self._lexical.revision(), RETRY_SECONDS
                    await asyncio.sleep(WATCH_SECONDS)
                except Exception as fault:
                    log.warning(
                        "search_indexing_failed", again_in=pause, exc_info=not isinstance(fault, Problem)
                    )
                    self._set(fault=str(fault))
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, LONGEST_RETRY)
        finally:
            self._lock.release()

    async def bring_up_to_date(self) -> None:
        """Once, to the end."""
        try:
            await self._update_names()
            await self._update_vectors()
        finally:
            self._lock.release()

    async def update_names(self) -> None:
        """Only what needs no vectors."""
        try:
            await self._update_names()
        finally:
            self._lock.release()

    async def wait(self, condition: Callable[[IndexState], bool]) -> IndexState:
        """Until the state is such: `await indexing.wait(lambda state: state.names_ready)`."""
        while not condition(self.state):
            self._changed.clear()
            await self._changed.wait()
        return self.state

    async def compared(self) -> None:
        """Until it is known what the folder lacks, if anything."""
        await self.wait(
            lambda state: state.ready or bool(state.fault) or state.texts_done < state.texts_total
        )

    async def close(self) -> None:
        if self.vectors is not None:
            await self.vectors.close()

    async def _update_names(self) -> None:
        digest = await asyncio.to_thread(catalogue.digest, self._catalogue)
        while await self._lexical.fact(SOURCE) != digest:
            if self._lock.take():
                await self._write_names(digest)
            else:
                await asyncio.sleep(WAIT_SECONDS)
        count = await self._lexical.count()
        self._set(films=count, names_ready=True, misspelt_names_ready=True, fault="")

    async def _write_names(self, digest: str) -> None:
        known = await self._lexical.digests(SOURCE)
        films, changed = await asyncio.to_thread(changed_films, self._catalogue, known)
        await self._lexical.remove([film_id for film_id in known if film_id not in films])
        await self._lexical.add_names(changed, SOURCE)
        await self._lexical.add_words()
        self._set(films=await self._lexical.count(), names_ready=True)
        if not known and self._bundled:  # the first start: these vectors need no model
            await self._update_vectors(embed=False)
        elif not known:
            self._set(texts_total=await self._lexical.vector_count())
        await self._lexical.add_spellings()
        await self._lexical.set_fact(SOURCE, digest)
        log.info("search_names_ready", films=len(films), changed=len(changed))

    async def _update_vectors(self, *, embed: bool = True) -> None:
        index = await self._index()
        kept = VectorFiles(
            self._folder / "texts" / self._embedder.model,
            self._embedder.dimensions,
            self._bundled,
        )
        wanted = await self._lexical.with_texts()
        known = await index.known()
        await asyncio.to_thread(kept.refresh)
        total = await self._lexical.vector_count()
        writes = index.own_films or self._lock.take()
        if writes:
            await index.remove([film_id for film_id in known if film_id not in wanted])
        todo = await self._todo(
            [film_id for film_id, digest in wanted.items() if known.get(film_id) != digest], wanted
        )
        while todo:
            whole = [one for one in todo if not kept.missing(one.text_digests.values())]
            todo = [one for one in todo if kept.missing(one.text_digests.values())]
            if index.own_films or self._lock.held:
                await self._add(index, kept, whole)
            self._tell(total - sum(len(one.texts) for one in todo), total)
            if todo and not embed:
                return
            if todo and self._lock.take():
                await asyncio.to_thread(kept.refresh)
                await self._embed(
                    index, kept, [one for one in todo if kept.missing(one.text_digests.values())], total
                )
            elif todo:
                await asyncio.sleep(WAIT_SECONDS)
                await asyncio.to_thread(kept.refresh)
        if not self.state.ready:
            log.info("search_texts_ready", films=len(wanted))
        self._set(texts_done=total, texts_total=total, ready=True, fault="")

    async def _index(self) -> FilledVectorIndex:
        if self.vectors is None:
            if not self._embedder.dimensions:
                await self._embedder.embed(["How many dimensions has it?"])
            self.vectors = await self._open_vectors(self._embedder.dimensions)
        return self.vectors

    async def _todo(self, film_ids: Sequence[int], digests: Mapping[int, str]) -> list[Todo]:
        found: list[Todo] = []
        for begin in range(0, len(film_ids), FILMS_READ_AT_ONCE):
            films = await self._lexical.films(film_ids[begin : begin + FILMS_READ_AT_ONCE])
            found += await asyncio.to_thread(todo_of, films, digests)
        return found

    async def _embed(self, index: FilledVectorIndex, kept: VectorFiles, todo: list[Todo], total: int) -> None:
        """Make the vectors that are missing, the best known films first; a batch is kept when it is done."""
        done = total - sum(len(one.texts) for one in todo)
        for begin in range(0, len(todo), FILMS_EMBEDDED_AT_ONCE):
            batch = todo[begin : begin + FILMS_EMBEDDED_AT_ONCE]
            texts = {one.text_digests[name]: text for one in batch for name, text in one.texts.items()}
            new = {digest: text for digest, text in texts.items() if digest not in kept}
            vectors = await self._embedder.embed(list(new.values()))
            await asyncio.to_thread(kept.append, list(new), vectors)
            await self._add(index, kept, batch)
            done += sum(len(one.texts) for one in batch)
            self._tell(done, total)

    async def _add(self, index: FilledVectorIndex, kept: VectorFiles, todo: Sequence[Todo]) -> None:
        for begin in range(0, len(todo), FILMS_READ_AT_ONCE):
            part = todo[begin : begin + FILMS_READ_AT_ONCE]
            films = await asyncio.to_thread(with_vectors, kept, part)
            await index.add(films, {one.film.id: one.digest for one in part})

    def _tell(self, done: int, total: int) -> None:
        self._set(texts_done=done, texts_total=total)
        if total and done / total >= self._logged + LOGGED_SHARE:
            self._logged = done / total
            log.info("search_texts", done=done, total=total)

    def _set(self, **changes: Any) -> None:
        self.state = msgspec.structs.replace(self.state, **changes)
        self._changed.set()


def changed_films(path: Path, known: Mapping[int, str]) -> tuple[set[int], list[Film]]:
    """Ids of all films of a catalogue, and those that are not what is known, the best known first."""
    films = list(catalogue.load(path))
    changed = [film for film in films if known.get(film.id) != digest_of(record_of(film))]
    return {film.id for film in films}, sorted(changed, key=lambda film: -film.fame)


def todo_of(films: Sequence[Film], digests: Mapping[int, str]) -> list[Todo]:
    found = []
    for film in films:
        texts = texts_of(film)
        text_digests = {name: text_digest(text) for name, text in texts.items()}
        found.append(Todo(film, digests[film.id], texts, text_digests))
    return found


def with_vectors(kept: VectorFiles, todo: Sequence[Todo]) -> list[tuple[Film, dict[VectorName, Vector]]]:
    return [
        (one.film, dict(zip(one.text_digests, kept.read(list(one.text_digests.values())), strict=True)))
        for one in todo
    ]
