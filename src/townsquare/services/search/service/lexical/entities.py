"""Which names of the catalogue a phrase means: the same, a part of one, or a misspelling."""

from collections.abc import Collection, Sequence
from itertools import islice, zip_longest
from typing import Any, NamedTuple, get_args

from sqlalchemy import Connection, bindparam, select, union_all

from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.parts import EntityMatch
from townsquare.services.search.service.lexical import normal, spelling
from townsquare.services.search.service.lexical.names import Name, tokens_of
from townsquare.services.search.service.lexical.tables import name_films, name_keys, names, spellings, tokens

MOST_CANDIDATES = 40  # names that are compared with a phrase, the best known first
MOST_SPELLINGS = 600  # rows of a neighbourhood
MOST_ALTERNATIVES = 4  # words that a misspelt one may be
MOST_MISSPELT = 100  # names with one of them, the best known first
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
SUFFIXES = frozenset(["jr", "sr", "ii", "iii", "2", "3"])


CATEGORIES: tuple[EntityCategory, ...] = get_args(EntityCategory)
IN_CATEGORIES = names.c.category.in_(bindparam("categories", expanding=True))
FILMS_OF = (
    select(name_films.c.film_id)
    .where(name_films.c.name_id == bindparam("name_id"))
    .order_by(name_films.c.standing.desc(), name_films.c.film_id)
    .limit(MOST_FILMS)
)
KEYED = (
    select(names.c.id, names.c.category, names.c.name, names.c.rank, name_keys.c.likeness)
    .join(names, names.c.id == name_keys.c.name_id)
    .where(name_keys.c.key.in_(bindparam("keys", expanding=True)), IN_CATEGORIES)
    .order_by(names.c.rank)
    .limit(MOST_CANDIDATES)
)
FIRST, SECOND = tokens.alias(), tokens.alias()
WITH_WORD = (
    select(names.c.id, names.c.category, names.c.name, names.c.rank)
    .select_from(FIRST)
    .join(names, names.c.id == FIRST.c.name_id)
    .where(FIRST.c.token.in_(bindparam("first", expanding=True)), IN_CATEGORIES)
    .order_by(FIRST.c.rank)
    .limit(MOST_CANDIDATES)
)
WITH_TWO_WORDS = WITH_WORD.join(
    SECOND, (SECOND.c.name_id == FIRST.c.name_id) & (SECOND.c.rank == FIRST.c.rank)
).where(SECOND.c.token.in_(bindparam("second", expanding=True)))
ALTERNATIVES = [f"alternative_{number}" for number in range(MOST_ALTERNATIVES + 1)]
MISSPELT = union_all(
    *(
        select(
            select(tokens.c.name_id, tokens.c.rank)
            .where(tokens.c.token == bindparam(name))
            .order_by(tokens.c.rank)
            .limit(MOST_MISSPELT)
            .subquery()
        )
        for name in ALTERNATIVES
    )
).subquery()
WITH_MISSPELT_WORD = (
    select(names.c.id, names.c.category, names.c.name, names.c.rank)
    .select_from(MISSPELT)
    .join(names, names.c.id == MISSPELT.c.name_id)
    .where(IN_CATEGORIES)
    .order_by(MISSPELT.c.rank)
    .limit(MOST_CANDIDATES)
)
WITH_TWO_MISSPELT_WORDS = WITH_MISSPELT_WORD.join(
    SECOND, (SECOND.c.name_id == MISSPELT.c.name_id) & (SECOND.c.rank == MISSPELT.c.rank)
).where(SECOND.c.token.in_(bindparam("second", expanding=True)))
NEAR = (
    select(spellings.c.key, spellings.c.word)
    .where(spellings.c.key.in_(bindparam("keys", expanding=True)))
    .limit(MOST_SPELLINGS)
)


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
    return [
        EntityMatch(match.candidate.name.name, match.candidate.name.category, round(match.likeness, 3), ids)
        for match in best[:limit]
        if (ids := films_of(connection, match.candidate.id))
    ]


def films_of(connection: Connection, name_id: int) -> tuple[int, ...]:
    return tuple(connection.scalars(FILMS_OF, {"name_id": name_id}))


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
    wanted = {"keys": list(keys), "categories": [category] if category else CATEGORIES}
    return [
        (Candidate(id, Name(kind, name), rank), likeness / 100)
        for id, kind, name, rank, likeness in connection.execute(KEYED, wanted)
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
    wanted: dict[str, Any] = {"categories": [category] if category else CATEGORIES}
    if len(telling) > 1:
        wanted["second"] = alternatives[telling[1]]
    if len(first) == 1:
        wanted["first"] = first
        statement = WITH_TWO_WORDS if len(telling) > 1 else WITH_WORD
    else:  # a bounded number for each of them: a list cannot be read in the order of the index
        wanted |= dict(zip_longest(ALTERNATIVES, first, fillvalue=""))
        statement = WITH_TWO_MISSPELT_WORDS if len(telling) > 1 else WITH_MISSPELT_WORD
    matches = []
    for id, kind, name, rank in connection.execute(statement, wanted):
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
        family = [token for token in own if token not in SUFFIXES] or list(own)
        return SURNAME if family[-1] in matched else GIVEN_NAME
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
    wanted = {word: spelling.neighbourhood(word) for word in {*typed, joined}}
    keys = {key for neighbours in wanted.values() for key in neighbours}
    if not keys:
        return []
    near: dict[str, set[str]] = {}
    for key, word in connection.execute(NEAR, {"keys": list(keys)}):
        near.setdefault(key, set()).add(word)
    alternatives = {
        word: nearest(word, {found for key in neighbours for found in near.get(key, ())})
        for word, neighbours in wanted.items()
    }
    matches = misspelt_whole(connection, joined, alternatives[joined], category)
    with_exact = {word: list(dict.fromkeys([word, *alternatives[word]])) for word in typed}
    return matches + names_in_part(connection, typed, with_exact, category)


def nearest(typed: str, found: Collection[str]) -> list[str]:
    judged = ((spelling.likeness(typed, word), word) for word in found)
    best = sorted(((like, word) for like, word in judged if like), reverse=True)
    return [word for _, word in best[:MOST_ALTERNATIVES]]


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
