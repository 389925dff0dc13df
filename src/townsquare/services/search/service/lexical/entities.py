"""Which names of the catalogue a phrase means: the same, a part of one, or a misspelling."""

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from itertools import islice, zip_longest
from typing import Any, NamedTuple

from sqlalchemy import (
    CompoundSelect,
    Connection,
    Select,
    String,
    Subquery,
    Table,
    bindparam,
    select,
    union_all,
)

from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.parts import EntityMatch
from townsquare.services.search.service.lexical import normal, spelling
from townsquare.services.search.service.lexical.names import Name, family_name, tokens_of
from townsquare.services.search.service.lexical.spelling import MOST_ALTERNATIVES, near_words
from townsquare.services.search.service.lexical.tables import name_films, name_keys, names, tokens
from townsquare.services.search.service.lexical.writing import batches

AT_ONCE = 10  # names
PLACES = [f"name_{number}" for number in range(AT_ONCE)]


@cache
def films_of_each(most: int) -> CompoundSelect[Any]:
    return union_all(
        *(
            select(
                select(name_films.c.name_id, name_films.c.film_id)
                .where(name_films.c.name_id == bindparam(place))
                .order_by(name_films.c.standing.desc(), name_films.c.film_id.desc())
                .limit(most)
                .subquery()
            )
            for place in PLACES
        )
    )


def films_of(connection: Connection, name_ids: Iterable[int], most: int) -> dict[int, list[int]]:
    """By name; a name without films is missing."""
    films: dict[int, list[int]] = {}
    for some in batches(name_ids, AT_ONCE):
        places = dict.fromkeys(PLACES) | dict(zip(PLACES, some, strict=False))
        for name_id, film_id in connection.execute(films_of_each(most), places).all():
            films.setdefault(name_id, []).append(film_id)
    return films


MOST_CANDIDATES = 40  # names that are compared with a phrase, the best known first
MOST_WITH_WORD = 1000  # names with the longest word of a phrase that are asked for the second longest
MOST_MISSPELT = 100  # the same, with each word that a misspelt one may be
MOST_TOGETHER = 200  # names with both
MOST_FILMS = 1000  # of one name
LONGEST_PHRASE = 12  # words: nobody's name is longer than that in part

SAME, CANONICAL = 1.0, 0.98
FITTING = 0.9  # with a match like this nobody looks for misspellings
SURNAME, GIVEN_NAME = 0.93, 0.62
PART_OF_MANY = 0.88  # of a studio or franchise: "ghibli", "marvel"
PART_OF_CHARACTER = 0.82
PART_OF_TITLE, WHOLE_TITLE = 0.55, 0.95  # by the share of letters that the phrase has
BEGINNING = 0.08  # more, for the first words of a title
LEAST_OF_PHRASE = 0.72  # share of the phrase's letters that a name must have
LEAST_LIKENESS = 0.5
BONUS = {
    "movie_title": 800,
    "person": 640,
    "franchise": 640,
    "studio": 0,
    "character": 0,
}  # of ranks, in a tie


CATEGORY = bindparam("category", type_=String)  # "" is any
OF_CATEGORY = (CATEGORY == "") | (names.c.category == CATEGORY)
KEYED = (
    select(names.c.id, names.c.category, names.c.name, names.c.rank, name_keys.c.likeness)
    .join(names, names.c.id == name_keys.c.name_id)
    .where(name_keys.c.key.in_(bindparam("keys", expanding=True)), OF_CATEGORY)
    .order_by(names.c.rank)
    .limit(MOST_CANDIDATES)
)
ALTERNATIVES = [f"alternative_{number}" for number in range(MOST_ALTERNATIVES + 1)]


def with_word(parameter: str, most: int) -> Select[str, int, int]:
    """Names that have a word, the best known first."""
    return (
        select(tokens.c.token, tokens.c.name_id, tokens.c.rank)
        .where(tokens.c.token == bindparam(parameter))
        .order_by(tokens.c.rank)
        .limit(most)
    )


def with_another(first: Subquery) -> Subquery:
    """Of names that have a word, those that have a second one."""
    return (
        select(first.c.name_id, first.c.rank)
        .join(tokens, (tokens.c.name_id == first.c.name_id) & (tokens.c.rank == first.c.rank))
        .where(tokens.c.token.in_(bindparam("second", expanding=True)))
        .order_by(first.c.rank)
        .limit(MOST_TOGETHER)
        .subquery()
    )


def named(found: Subquery | Table) -> Select[int, EntityCategory, str, int]:
    return (
        select(names.c.id, names.c.category, names.c.name, names.c.rank)
        .select_from(found)
        .join(names, names.c.id == found.c.name_id)
        .where(OF_CATEGORY)
        .order_by(found.c.rank)
        .limit(MOST_CANDIDATES)
    )


MISSPELT = union_all(*(select(with_word(name, MOST_MISSPELT).subquery()) for name in ALTERNATIVES)).subquery()
WITH_WORD = named(tokens).where(tokens.c.token == bindparam("first"))
WITH_TWO_WORDS = named(with_another(with_word("first", MOST_WITH_WORD).subquery()))
WITH_MISSPELT_WORD = named(MISSPELT)
WITH_TWO_MISSPELT_WORDS = named(with_another(MISSPELT))


class Candidate(NamedTuple):
    id: int
    name: Name
    rank: int


class Match(NamedTuple):
    candidate: Candidate
    likeness: float

    @property
    def order(self) -> tuple[float, int]:
        return -round(self.likeness, 2), self.candidate.rank - BONUS[self.candidate.name.category]


def entities(
    connection: Connection, phrase: str, category: EntityCategory | None, limit: int
) -> list[EntityMatch]:
    """The likeliest first; in a tie the best known."""
    typed = normal.search_tokens(phrase)
    if not typed:
        return []
    found = same_names(connection, phrase, category)
    if len(typed) <= LONGEST_PHRASE:
        for match in names_in_part(connection, typed, {token: [token] for token in typed}, category):
            found.setdefault(match.candidate.id, match)
        if not any(match.likeness >= FITTING for match in found.values()):
            for match in misspelt_names(connection, phrase, typed, category):
                known = found.get(match.candidate.id)
                if known is None or known.likeness < match.likeness:
                    found[match.candidate.id] = match
    best = sorted(
        (match for match in found.values() if match.likeness >= LEAST_LIKENESS), key=lambda m: m.order
    )
    films = films_of(connection, [match.candidate.id for match in best[:limit]], MOST_FILMS)
    return [
        EntityMatch(name.name, name.category, round(likeness, 3), tuple(films[id]))
        for (id, name, _), likeness in best[:limit]
        if id in films
    ]


def same_names(connection: Connection, phrase: str, category: EntityCategory | None) -> dict[int, Match]:
    plain = normal.compact(normal.words(phrase))
    keys = {plain, normal.key_of(phrase), *normal.with_letters(phrase)}
    found: dict[int, Match] = {}
    for candidate, key_likeness in keyed(connection, keys, category):
        same = plain == normal.compact(normal.words(candidate.name.name))
        likeness = SAME if same else min(CANONICAL, key_likeness)
        known = found.get(candidate.id)
        if known is None or known.likeness < likeness:
            found[candidate.id] = Match(candidate, likeness)
    return found


def keyed(
    connection: Connection, keys: Collection[str], category: EntityCategory | None
) -> list[tuple[Candidate, float]]:
    wanted = {"keys": list(keys), "category": category or ""}
    return [
        (Candidate(id, Name(kind, name), rank), likeness / 100)
        for id, kind, name, rank, likeness in connection.execute(KEYED, wanted).all()
    ]


def names_in_part(
    connection: Connection,
    typed: Sequence[str],
    alternatives: dict[str, list[str]],
    category: EntityCategory | None,
) -> list[Match]:
    """Names with the words of a phrase, found by its two longest: those are in the fewest names."""
    telling = sorted((word for word in typed if alternatives[word]), key=len, reverse=True)
    if not telling:
        return []
    first = alternatives[telling[0]]
    wanted: dict[str, Any] = {"category": category or ""}
    if len(telling) > 1:
        wanted["second"] = alternatives[telling[1]]
    if len(first) == 1:
        wanted["first"] = first[0]
        statement = WITH_TWO_WORDS if len(telling) > 1 else WITH_WORD
    else:  # a bounded number for each of them: a list cannot be read in the order of the index
        wanted |= dict(zip_longest(ALTERNATIVES, first, fillvalue=""))
        statement = WITH_TWO_MISSPELT_WORDS if len(telling) > 1 else WITH_MISSPELT_WORD
    matches = []
    for id, kind, name, rank in connection.execute(statement, wanted).all():
        candidate = Candidate(id, Name(kind, name), rank)
        likeness = likeness_in_part(typed, candidate.name)
        if likeness:
            matches.append(Match(candidate, likeness))
    return matches


def likeness_in_part(typed: Sequence[str], name: Name) -> float:
    """How much of a phrase a name has, and how much of the name the phrase."""
    own = tokens_of(name)
    matched: set[str] = set()
    fitting = 0.0
    for word in typed:
        if word in own:
            like, best = 1.0, word
        else:
            like, best = max(((spelling.likeness(word, token), token) for token in own), default=(0.0, ""))
        if like:
            fitting += like * len(word)
            matched.add(best)
    of_phrase = fitting / normal.letters(list(typed))
    if of_phrase < LEAST_OF_PHRASE:
        return 0.0
    return of_phrase * weight_of_part(own, matched, name.category)


def weight_of_part(own: Sequence[str], matched: set[str], category: EntityCategory) -> float:
    of_name = sum(len(token) for token in own if token in matched) / normal.letters(list(own))
    if of_name == 1:
        return CANONICAL
    if category == "person":
        return SURNAME if family_name(own) in matched else GIVEN_NAME
    if category in ("studio", "franchise"):
        return PART_OF_MANY
    if category == "character":
        return PART_OF_CHARACTER if own[-1] in matched or own[0] in matched else GIVEN_NAME
    begins = all(token in matched for token in islice(own, len(matched)))
    return min(WHOLE_TITLE, PART_OF_TITLE + (WHOLE_TITLE - PART_OF_TITLE) * of_name + BEGINNING * begins)


def misspelt_names(
    connection: Connection, phrase: str, typed: Sequence[str], category: EntityCategory | None
) -> list[Match]:
    joined = normal.key_of(phrase)
    alternatives = {word: near_words(connection, word) for word in {*typed, joined}}
    if not any(alternatives.values()):
        return []
    matches = misspelt_whole(connection, joined, alternatives[joined], category)
    with_exact = {word: list(dict.fromkeys([word, *alternatives[word]])) for word in typed}
    return matches + names_in_part(connection, typed, with_exact, category)


def misspelt_whole(
    connection: Connection, joined: str, alternatives: Sequence[str], category: EntityCategory | None
) -> list[Match]:
    """Names that are misspelt as a whole, without regard to where their spaces are."""
    if not alternatives:
        return []
    return [
        Match(candidate, spelling.likeness(joined, key) * CANONICAL)
        for candidate, _ in keyed(connection, alternatives, category)
        if (key := normal.key_of(candidate.name.name)) in alternatives
    ]
