"""The parts of a search that can be exchanged: who understands, who embeds, and where is looked."""

from array import array
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, Protocol, TypeAlias, get_type_hints

import msgspec

from townsquare.services.search.models.films import Film, VectorName
from townsquare.services.search.models.understanding import EntityCategory, QueryUnderstandingResponse

FacetKind = Literal["genre", "language", "country", "certification", "keyword"]
Vector: TypeAlias = "array[float]"  # float32, of length 1


class FilterRule(NamedTuple):
    """What a filter requires of a property of a film."""

    property: str  # of `Film`, in the tables and in the payloads
    kind: Literal["at_least", "at_most", "outside", "all_of", "one_of", "none_of"]


Numbers = tuple[int, ...]
Ranges = tuple[tuple[int, int], ...]  # from one to the other, both included
Texts = tuple[str, ...]


class FilmFilter(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for every film that is found; empty is everything.

    A filter is one line here, with its rule, and one in `SearchFilters` if requests may use it. SQL, vector
    search, the intersection of filters and the check of their values derive from the rules.
    """

    first_year: Annotated[int | None, FilterRule("year", "at_least")] = None
    last_year: Annotated[int | None, FilterRule("year", "at_most")] = None
    without_years: Annotated[Ranges, FilterRule("year", "outside")] = ()
    shortest: Annotated[int | None, FilterRule("runtime", "at_least")] = None  # minutes
    longest: Annotated[int | None, FilterRule("runtime", "at_most")] = None
    without_minutes: Annotated[Ranges, FilterRule("runtime", "outside")] = ()
    genres: Annotated[Texts, FilterRule("genres", "all_of")] = ()
    without_genres: Annotated[Texts, FilterRule("genres", "none_of")] = ()
    languages: Annotated[Texts, FilterRule("languages", "one_of")] = ()
    without_languages: Annotated[Texts, FilterRule("languages", "none_of")] = ()
    countries: Annotated[Texts, FilterRule("countries", "one_of")] = ()
    without_countries: Annotated[Texts, FilterRule("countries", "none_of")] = ()
    certifications: Annotated[Texts, FilterRule("certification", "one_of")] = ()
    without_certifications: Annotated[Texts, FilterRule("certification", "none_of")] = ()
    keywords: Annotated[Texts, FilterRule("keywords", "all_of")] = ()
    without_keywords: Annotated[Texts, FilterRule("keywords", "none_of")] = ()
    ids: Annotated[Numbers | None, FilterRule("id", "one_of")] = None  # () is no film
    without_ids: Annotated[Numbers, FilterRule("id", "none_of")] = ()

    def rules(self) -> list[tuple[FilterRule, Any]]:
        """The rules that are set, with their values."""
        values = ((rule, getattr(self, name), getattr(EVERYTHING, name)) for name, rule in RULES.items())
        return [(rule, value) for rule, value, unset in values if value != unset]


RULES: Mapping[str, FilterRule] = {
    name: hint.__metadata__[0] for name, hint in get_type_hints(FilmFilter, include_extras=True).items()
}
FACETS: Mapping[str, FacetKind] = {
    "genres": "genre",
    "languages": "language",
    "countries": "country",
    "certification": "certification",
    "keywords": "keyword",
}
EVERYTHING = FilmFilter()


class Hit(NamedTuple):
    film_id: int
    score: float


class EntityMatch(NamedTuple):
    """A name of the catalogue that a phrase means."""

    name: str  # as the catalogue writes it
    category: EntityCategory
    likeness: float  # 1: the same letters but for case, accents and punctuation
    film_ids: tuple[int, ...]  # the best known first


class Understanding(Protocol):
    async def understand(self, query: str) -> QueryUnderstandingResponse: ...


class Embedder(Protocol):
    @property
    def model(self) -> str:
        """Its name in keys, with the number of dimensions where they are reduced."""
        ...

    @property
    def dimensions(self) -> int: ...

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One call for all of them; nothing is cached here."""
        ...


class VectorIndex(Protocol):
    async def search(
        self, name: VectorName, vector: Vector, *, limit: int, where: FilmFilter = EVERYTHING
    ) -> list[Hit]: ...

    async def scores(self, name: VectorName, vector: Vector, film_ids: Sequence[int]) -> dict[int, float]:
        """Of films that were found by other means; those without such a vector are missing."""
        ...

    async def vectors(self, film_ids: Sequence[int]) -> Mapping[int, Mapping[VectorName, Vector]]: ...

    async def add(self, films: Sequence[tuple[Film, Mapping[VectorName, Vector]]]) -> None: ...


class LexicalIndex(Protocol):
    async def entities(
        self, phrase: str, category: EntityCategory | None = None, *, limit: int = 5
    ) -> list[EntityMatch]:
        """Names that a phrase is, or is a misspelling of, the likeliest first."""
        ...

    async def entities_many(
        self, phrases: Sequence[str], *, misspelt: bool = False, limit: int = 5
    ) -> list[list[EntityMatch]]:
        """`entities` of each phrase, in their order, in one visit to the database.

        Without `misspelt` only names that a phrase is or surely stands for (a surname, a studio without
        "Pictures", a title before its colon), of likeness 0.85 and more: a query asks for up to 300 runs
        of its words. With it also misspelt ones, for the few phrases that nothing has explained.
        """
        ...

    async def search(self, words: str, *, limit: int, where: FilmFilter = EVERYTHING) -> list[Hit]:
        """Films whose title, people, characters, studios or franchise have these words."""
        ...

    async def texts(self, text: str, *, limit: int, where: FilmFilter = EVERYTHING) -> list[Hit]:
        """Films whose texts, keywords, genres or title have the words of a text, by BM25, the best first."""
        ...

    async def matching(self, where: FilmFilter, *, limit: int) -> list[int]:
        """Films of that kind, the best known first."""
        ...

    async def sequels(self) -> list[int]:
        """Films of a series that has an earlier one."""
        ...

    async def facets(self, kind: FacetKind) -> list[str]:
        """All genres, languages, countries or certifications that some film has."""
        ...

    async def films(self, film_ids: Sequence[int]) -> list[Film]:
        """Records in one query, in the order of the ids; unknown ones are left out."""
        ...

    async def add(self, films: Sequence[Film]) -> None: ...
