"""The names that a film is found by: titles, people, characters, studios, franchise."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from townsquare.services.search.models.films import Film
from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.service.lexical import normal, spelling

# likeness of a key to its name, of a hundred
SAME, ALIAS, SUBTITLE, TWO_WORDS, BEGINNING = 100, 98, 95, 95, 86
LEAD, SUPPORT, WRITER, ORIGINAL = 1.0, 0.8, 0.7, 0.9  # how much of a film's fame is theirs
LEADS = 3  # the first of the cast, by billing
NOT_NAMES = frozenset(["self", "himself", "herself", "themselves", "narrator", "various", "voice"])
ROLES_APART = re.compile(r"\s+/\s+")
ASIDE = re.compile(r"\s*\([^)]*\)")
NICKNAME = re.compile(r'^(\S+) .*"([^"]+)" (.+)$')
SUBTITLES = re.compile(r"\s*(?::|\s[-–—]\s|,? or:? )\s*")
SHORTEST_PART = 5  # letters of a part of a title that stands for it
LONGEST_JOINED = 20  # letters of a name whose spelling without spaces is kept too
SUFFIXES = frozenset(["jr", "sr", "ii", "iii", "2", "3"])
ALONE = "@"  # before a word that means a name by itself
BEGINS = "^"  # before the beginning of a title
LONGEST_BEGINNING = 5  # signs: there are few titles that share more
JOINED = ("movie_title", "person")


class Name(NamedTuple):
    category: EntityCategory
    name: str

    @property
    def id(self) -> int:
        """The same in every database, so that nothing need be read before it is written."""
        return int.from_bytes(sha256(f"{self.category}\0{self.name}".encode()).digest()[:8]) >> 1


def names_of(film: Film) -> dict[Name, float]:
    """Every name of a film, with its share of the film's fame."""
    found: dict[Name, float] = {}
    for category, text, share in named(film):
        text = " ".join(text.split())
        if normal.words(text):
            name = Name(category, text)
            found[name] = max(share, found.get(name, 0.0))
    return found


def named(film: Film) -> Iterator[tuple[EntityCategory, str, float]]:
    yield "movie_title", film.title, LEAD
    yield "movie_title", film.original_title, ORIGINAL
    for director in film.directors:
        yield "person", director, LEAD
    for writer in film.writers:
        yield "person", writer, WRITER
    for place, role in enumerate(film.cast):
        share = LEAD if place < LEADS else SUPPORT
        yield "person", role.actor, share
        for character in ROLES_APART.split(ASIDE.sub("", role.character)):
            if " ".join(normal.words(character)) not in NOT_NAMES:
                yield "character", character, share
    for studio in film.studios:
        yield "studio", studio, LEAD
    yield "franchise", film.franchise, LEAD


def is_description(name: Name) -> bool:
    """A character who has no name, "The Wife": only the whole of it means them."""
    return name.category == "character" and normal.words(name.name)[0] in ("the", "a", "an")


def keys_of(name: Name) -> dict[str, int]:
    """What finds a name at once, and how like it is."""
    if is_description(name):
        return {normal.compact(normal.words(name.name)): SAME}
    keys = {normal.key_of(name.name): SAME, normal.compact(normal.words(name.name)): SAME}
    for key in normal.with_letters(name.name):
        keys.setdefault(key, ALIAS)
    if name.category == "movie_title":
        for key, likeness in keys_of_parts(name.name).items():
            keys.setdefault(key, likeness)
    elif name.category == "character" and (nicknamed := NICKNAME.match(name.name)):
        first, nickname, last = nicknamed.groups()
        keys.setdefault(normal.key_of(f"{nickname} {last}"), ALIAS)
        keys.setdefault(normal.key_of(f"{first} {last}"), ALIAS)
    for key in keys_of_two_words(name):
        keys.setdefault(key, TWO_WORDS)
    keys.pop("", None)
    return keys


def keys_of_two_words(name: Name) -> set[str]:
    """Of a longer name of somebody: "tony leung" of Tony Leung Chiu-wai, "samuel jackson" without the L."""
    own = tokens_of(name)
    if name.category not in ("person", "character") or len(own) <= 2:
        return set()
    first_and_last = normal.compact([own[0], own[-1]])
    return {first_and_last, normal.compact(own[:2])} if name.category == "person" else {first_and_last}


def keys_of_parts(title: str) -> dict[str, int]:
    first, *others = SUBTITLES.split(title)
    keys = {normal.key_of(part): SUBTITLE for part in others}
    if others:
        keys.setdefault(normal.key_of(first), BEGINNING)
    return {key: likeness for key, likeness in keys.items() if len(key) >= SHORTEST_PART}


@lru_cache(4096)
def tokens_of(name: Name) -> tuple[str, ...]:
    """Words that find a name in part."""
    return () if is_description(name) else tuple(normal.search_tokens(name.name))


def words_alone(name: Name) -> Sequence[str]:
    """Words that mean a name by themselves: a surname, a character's first or last name, any word of a studio
    or a franchise."""
    own = tokens_of(name)
    if name.category == "person":
        return [family_name(own)]
    if name.category == "character":
        return list(dict.fromkeys((*own[:1], *own[-1:])))
    return own if name.category in ("studio", "franchise") else ()


def beginnings(name: Name) -> set[str]:
    """How a title begins, for who is typing it."""
    if name.category != "movie_title":
        return set()
    return {key[:length] for key in keys_of(name) for length in range(1, LONGEST_BEGINNING + 1)}


def family_name(own: Sequence[str]) -> str:
    return next((token for token in reversed(own) if token not in SUFFIXES), own[-1])


def spelled_words(name: Name) -> dict[str, int]:
    """Words whose misspellings find a name, and with how many mistakes at most."""
    found = dict.fromkeys(tokens_of(name), 2)
    joined = normal.key_of(name.name)
    if name.category in JOINED and len(found) > 1 and len(joined) <= LONGEST_JOINED:
        found.setdefault(joined, 1)
    return {word: most for word, most in found.items() if len(word) >= spelling.SHORTEST and word.isalpha()}
