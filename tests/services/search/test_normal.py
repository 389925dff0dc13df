"""Names as people type them."""

import pytest

from townsquare.services.search.service.lexical import normal, spelling


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("WALL·E", "walle"),
        ("WALL·E", "Wall-E"),
        ("The Godfather Part II", "godfather part 2"),
        ("Twelve Angry Men", "12 angry men"),
        ("The 400 Blows", "four hundred blows"),
        ("101 Dalmatians", "one hundred and one dalmatians"),
        ("28 Days Later", "twenty-eight days later"),
        ("Amélie", "AMELIE"),
        ("Schindler's List", "schindlers list"),
        ("Thelma & Louise", "thelma and louise"),
        ("Romeo + Juliet", "romeo and juliet"),
        ("M*A*S*H", "mash"),
        ("E.T.", "ET"),
        ("8½", "8 1/2"),
        ("Spider-Man", "spiderman"),
        ("Rocky V", "rocky 5"),
        ("Straße", "strasse"),
        ("Łódź", "lodz"),
    ],
)
def test_spellings_of_one_name_are_alike(written: str, typed: str) -> None:
    assert normal.key_of(written) == normal.key_of(typed)


@pytest.mark.parametrize(
    ("one", "other"), [("V for Vendetta", "5 for vendetta"), ("I, Robot", "Robot"), ("A", "An")]
)
def test_other_names_are_not(one: str, other: str) -> None:
    assert normal.key_of(one) != normal.key_of(other)


@pytest.mark.parametrize("name", ["七人の侍", "기생충", "Сталкер", "तारे ज़मीन पर", "בורט"])
def test_other_scripts_are_kept(name: str) -> None:
    assert normal.folded(name).replace(" ", "") == normal.key_of(name)
    assert normal.search_tokens(name)


def test_digits_in_words_are_read_as_letters() -> None:
    assert normal.key_of("seven") in normal.with_letters("Se7en")
    assert "megan" in normal.with_letters("M3GAN")
    assert not normal.with_letters("U-571")


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("interstelar", "interstellar"),
        ("redemtion", "redemption"),
        ("pheonix", "phoenix"),
        ("vilneuve", "villeneuve"),
        ("shwartsenegger", "schwarzenegger"),
        ("jwas", "jaws"),
    ],
)
def test_a_misspelling_is_found_and_judged(typed: str, word: str) -> None:
    assert spelling.neighbourhood(typed) & spelling.neighbourhood(word)
    assert spelling.likeness(typed, word) >= 0.75


@pytest.mark.parametrize(
    ("typed", "word"), [("her", "hero"), ("it", "its"), ("us", "up"), ("bark", "dark"), ("love", "dove")]
)
def test_short_words_are_no_misspellings(typed: str, word: str) -> None:
    assert spelling.likeness(typed, word) == 0


def test_the_distance_counts_swapped_neighbours_once() -> None:
    assert spelling.distance("psycho", "pyscho", 2) == 1
    assert spelling.distance("kitten", "sitting", 3) == 3
    assert spelling.distance("abc", "uvwxyz", 2) == 3
