"""Parts of a search in memory: small, exact, and counting what is asked of them."""

import math
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from townsquare.services.search.models.films import Channel, Film, FilmRole, VectorName
from townsquare.services.search.models.understanding import EntityCategory, QueryUnderstandingResponse
from townsquare.services.search.parts import EVERYTHING, EntityMatch, FacetKind, FilmFilter, Hit, Vector
from townsquare.services.search.service.limits import holds
from townsquare.services.search.service.pipeline import Parts
from townsquare.services.search.understanding.cached import Understood

WORDS = ("space", "heist", "love", "robot", "ghost", "war")  # the dimensions of a vector


def vector(text: str) -> Vector:
    counts = [text.lower().count(word) + 0.01 for word in WORDS]
    length = math.sqrt(sum(count * count for count in counts))
    return array("f", [count / length for count in counts])


def cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


class MemoryUnderstanding:
    def __init__(self) -> None:
        self.says: dict[str, QueryUnderstandingResponse] = {}
        self.fails = False

    async def understand(self, query: str) -> Understood:
        if self.fails:
            raise TimeoutError("the model hangs")
        return Understood(self.says.get(query, QueryUnderstandingResponse()), cached=query in self.says)


class MemoryEmbeddings:
    at_once = True

    def __init__(self) -> None:
        self.fails = False
        self.asked: list[list[str]] = []

    async def embed(self, texts: Sequence[str]) -> tuple[list[Vector], int]:
        if self.fails:
            raise ConnectionError("no embeddings today")
        self.asked.append([*texts])
        return [vector(text) for text in texts], 0


class MemoryVectors:
    def __init__(self, films: Sequence[Film]) -> None:
        self.fails = False
        self._films = {film.id: film for film in films}
        self._vectors: dict[int, dict[VectorName, Vector]] = {
            film.id: {
                "anchor": vector(" ".join(film.texts.values())),
                **{channel: vector(text) for channel, text in film.texts.items()},
            }
            for film in films
            if film.texts
        }

    async def search(
        self, name: VectorName, vector: Vector, *, limit: int, where: FilmFilter = EVERYTHING
    ) -> list[Hit]:
        if self.fails:
            raise OSError("the index is gone")
        ids = [id for id in self._vectors if holds(where, self._films[id])]
        scores = await self.scores(name, vector, ids)
        return sorted((Hit(*one) for one in scores.items()), key=lambda hit: -hit.score)[:limit]

    async def scores(self, name: VectorName, vector: Vector, film_ids: Sequence[int]) -> dict[int, float]:
        own = {id: self._vectors[id][name] for id in film_ids if name in self._vectors.get(id, {})}
        return {id: cosine(vector, each) for id, each in own.items()}

    async def vectors(self, film_ids: Sequence[int]) -> Mapping[int, Mapping[VectorName, Vector]]:
        return {id: self._vectors[id] for id in film_ids if id in self._vectors}

    async def add(self, films: Sequence[tuple[Film, Mapping[VectorName, Vector]]]) -> None:
        raise NotImplementedError


class MemoryLexical:
    def __init__(self, films: Sequence[Film]) -> None:
        self._films = {film.id: film for film in films}
        self.fetched: list[list[int]] = []

    async def entities(
        self, phrase: str, category: EntityCategory | None = None, *, limit: int = 5
    ) -> list[EntityMatch]:
        named = [film.id for film in self._films.values() if phrase in names_of(film, category)]
        return [EntityMatch(phrase, category or "movie_title", 1.0, tuple(named))] if named else []

    async def entities_many(
        self, phrases: Sequence[str], *, misspelt: bool = False, limit: int = 5
    ) -> list[list[EntityMatch]]:
        return [await self.entities(phrase, limit=limit) for phrase in phrases]

    async def search(self, words: str, *, limit: int, where: FilmFilter = EVERYTHING) -> list[Hit]:
        asked = {*words.lower().split()}
        found = [
            Hit(film.id, float(len(asked & {*film.title.lower().split()})))
            for film in self._films.values()
            if holds(where, film)
        ]
        return [hit for hit in found if hit.score][:limit]

    async def texts(self, text: str, *, limit: int, where: FilmFilter = EVERYTHING) -> list[Hit]:
        wanted = {*text.lower().split()}
        found = [
            Hit(film.id, float(len(wanted & {*" ".join(film.texts.values()).lower().split()})))
            for film in self._films.values()
            if holds(where, film)
        ]
        return sorted((hit for hit in found if hit.score), key=lambda hit: -hit.score)[:limit]

    async def matching(self, where: FilmFilter, *, limit: int) -> list[int]:
        found = [film for film in self._films.values() if holds(where, film)]
        return [film.id for film in sorted(found, key=lambda film: -film.fame)][:limit]

    async def sequels(self) -> list[int]:
        films = [film for film in self._films.values() if film.franchise]
        return [
            film.id
            for film in films
            if any(other.franchise == film.franchise and other.year < film.year for other in films)
        ]

    async def facets(self, kind: FacetKind) -> list[str]:
        found = {
            "genre": [genre for film in self._films.values() for genre in film.genres],
            "language": [code for film in self._films.values() for code in film.languages],
            "country": [code for film in self._films.values() for code in film.countries],
            "certification": [film.certification for film in self._films.values()],
            "keyword": [keyword for film in self._films.values() for keyword in film.keywords],
        }
        return sorted({*found[kind]} - {""})

    async def films(self, film_ids: Sequence[int]) -> list[Film]:
        self.fetched.append([*film_ids])
        return [self._films[id] for id in film_ids if id in self._films]

    async def add(self, films: Sequence[Film]) -> None:
        raise NotImplementedError


CATEGORIES: tuple[EntityCategory, ...] = ("movie_title", "person", "character", "studio", "franchise")


def names_of(film: Film, category: EntityCategory | None) -> set[str]:
    match category:
        case None:
            return {name for category in CATEGORIES for name in names_of(film, category)}
        case "movie_title":
            return {film.title}
        case "person":
            return {*film.directors, *(role.actor for role in film.cast)}
        case "character":
            return {role.character for role in film.cast}
        case "studio":
            return {*film.studios}
        case "franchise":
            return {film.franchise}


class MemoryTrending:
    def __init__(self, *ids: int) -> None:
        self.ids = frozenset(ids)
        self.reads = 0

    async def current(self) -> frozenset[int]:
        self.reads += 1
        return self.ids


def film(
    id: int, title: str, year: int = 2000, *, text: str = "", actors: Sequence[str] = (), **facts: Any
) -> Film:
    texts: dict[Channel, str] = {"plot_events": text, "viewer_experience": text} if text else {}
    cast = tuple(FilmRole(actor) for actor in actors)
    return Film(id=id, title=title, year=year, texts=texts, cast=cast, **facts)


FILMS = (
    film(1, "Space Love", 1985, text="love in space", genres=("romance", "science fiction"), runtime=90),
    film(2, "Robot Wars", 1999, text="robot war", genres=("action",), runtime=150, actors=("Tom Cruise",)),
    film(
        3, "Heist", 2001, text="heist", genres=("crime",), runtime=110, actors=("Gene Hackman",), quality=80
    ),
    film(4, "Second Heist", 2010, text="heist and love", genres=("crime", "comedy"), runtime=100, quality=60),
    film(5, "Ghost House", 1979, text="ghost", genres=("horror",), runtime=95, fame=90),
    film(6, "Facts Only", 1986, genres=("crime",), runtime=80, actors=("Tom Cruise",)),
)


class MemoryParts:
    """All of them, with names to look at."""

    def __init__(self, films: Sequence[Film] = FILMS, trending: Sequence[int] = ()) -> None:
        self.understanding = MemoryUnderstanding()
        self.embeddings = MemoryEmbeddings()
        self.vectors = MemoryVectors(films)
        self.lexical = MemoryLexical(films)
        self.trending = MemoryTrending(*trending)

    def parts(self) -> Parts:
        return Parts(
            understanding=self.understanding,
            embeddings=self.embeddings,
            vectors=self.vectors,
            lexical=self.lexical,
            trending=self.trending,
        )
