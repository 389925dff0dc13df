"""The catalogue that comes with us: every film of it."""

import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from townsquare.services.search import catalogue
from townsquare.services.search.catalogue import BadCatalogue
from townsquare.services.search.models.films import CHANNELS, Film
from townsquare.services.search.service.lexical.normal import words

LEAST_FILMS = 1200
OF_NAMED = "It|Her|Us|Up|Heat|Se7en|WALL·E|Amélie|Spirited Away|Parasite|Mad Max: Fury Road"
NAMED = frozenset(OF_NAMED.split("|"))  # films that must be there
SHORTEST, LONGEST = 14, 36  # words of a text
TOO_ALIKE = 0.65  # share of the words of two texts that they have in common
TELLING = 4  # letters of a word that says something

GENRES = (
    "action, adventure, animation, biography, comedy, crime, documentary, drama, family, fantasy, film-noir, "
    "history, horror, music, musical, mystery, romance, science fiction, sport, superhero, thriller, war, "
    "western"
)


@pytest.fixture(scope="module")
def films() -> list[Film]:
    return list(catalogue.load())


def test_films_are_there_once(films: list[Film]) -> None:
    assert len(films) >= LEAST_FILMS
    assert not NAMED - {film.title for film in films}
    assert not twice(film.id for film in films)
    assert not twice((film.title, film.year) for film in films)
    assert not twice(film.imdb_id for film in films if film.imdb_id)
    assert max(film.id for film in films) < 1_000_000  # those above are of imports


def twice(found: object) -> list[object]:
    return [one for one, count in Counter(found).items() if count > 1]  # type: ignore[call-overload]


def test_facts_are_in_their_form(films: list[Film]) -> None:
    known = set(GENRES.split(", "))
    for film in films:
        assert 1888 <= film.year <= 2030, film.title
        assert film.runtime is None or 1 <= film.runtime <= 900, film.title
        assert film.directors, film.title
        assert film.genres, film.title
        assert set(film.genres) <= known, film.title
        assert all(re.fullmatch("[A-Z]{2}", country) for country in film.countries), film.title
        assert all(re.fullmatch("[a-z]{2}", language) for language in film.languages), film.title
        assert not film.imdb_id or re.fullmatch(r"tt\d{7,8}", film.imdb_id), film.title


def test_every_film_has_seven_texts_of_a_good_length(films: list[Film]) -> None:
    wrong = [
        (film.title, channel, count)
        for film in films
        for channel in CHANNELS
        if not SHORTEST <= (count := len(film.texts.get(channel, "").split())) <= LONGEST
    ]
    assert not wrong


@pytest.mark.slow
def test_no_two_texts_of_a_channel_are_nearly_alike(films: list[Film]) -> None:
    alike = [
        (channel, one, other, share)
        for channel in CHANNELS
        for one, other, share in nearly_alike({film.title: film.texts[channel] for film in films})
    ]
    assert not alike


def nearly_alike(texts: dict[str, str]) -> list[tuple[str, str, float]]:
    """Pairs that share most of their telling words."""
    bags = {title: {word for word in words(text) if len(word) >= TELLING} for title, text in texts.items()}
    with_word: defaultdict[str, list[str]] = defaultdict(list)
    for title, bag in bags.items():
        for word in bag:
            with_word[word].append(title)
    found = []
    for title, bag in bags.items():
        shared = Counter(other for word in bag for other in with_word[word] if other > title)
        for other, count in shared.items():
            share = count / min(len(bag), len(bags[other]))
            if share >= TOO_ALIKE:
                found.append((title, other, round(share, 2)))
    return found


def test_the_comparison_finds_texts_that_are_alike() -> None:
    text = "Farmers hire masterless warriors to defend their village against bandits at harvest time"
    copy = "Peasants hire masterless warriors who defend a village against forty bandits at harvest time"
    assert nearly_alike({"one": text, "other": copy, "third": "Two thieves rob a bank in the rain"})
    assert not nearly_alike({"one": text, "third": "Two thieves rob a bank in the rain"})


def test_a_line_that_is_no_film_is_named(tmp_path: Path) -> None:
    file = tmp_path / "films.jsonl"
    file.write_text('{"id":1,"title":"A","year":1999}\n\n{"id":"two"}\n')
    with pytest.raises(BadCatalogue, match=r"films\.jsonl, line 3"):
        list(catalogue.load(file))
    assert catalogue.digest(file) != catalogue.digest()


def test_a_note_says_that_it_is_free() -> None:
    assert "CC0" in catalogue.FILMS.with_name("README.md").read_text()
