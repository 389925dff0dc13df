"""Drawn posters: for any title, and safe in any page."""

from xml.etree import ElementTree

import pytest

from tests.services.search.memory_parts import film
from townsquare.services.search.posters import HEIGHT, MARGIN, SIZES, WIDTH, columns, draw_poster


@pytest.mark.parametrize(
    "title",
    [
        "It",
        "Dr. Strangelove or: How I Learned to Stop Worrying and Love the Bomb",
        "千と千尋の神隠し",
        "The Englishman Who Went Up a Hill But Came Down a Mountain, and Then Went Up Once More for the View",
        "<script>alert('&')</script>",
        "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch",
        "a\x01b\ud83c",
    ],
)
def test_any_title_fits_and_is_escaped(title: str) -> None:
    drawn = draw_poster(film(7, title, genres=("drama",)))
    root = ElementTree.fromstring(drawn)
    texts = [node for node in root.iter() if node.tag.endswith("text")]
    assert texts[-1].text == "2000"
    for node in texts[:-1]:
        size = float(node.attrib["font-size"])
        widest = next(width for width, letters in SIZES if letters == size)
        assert columns(node.text or "") <= widest
        assert 0 < float(node.attrib["y"]) < HEIGHT - MARGIN
    assert not [node for node in root.iter() if node.tag.endswith("script")]
    assert WIDTH * 3 == HEIGHT * 2


def test_the_same_film_is_drawn_the_same() -> None:
    assert draw_poster(film(7, "Alien")) == draw_poster(film(7, "Alien"))
    assert draw_poster(film(7, "Alien", genres=("horror",))) != draw_poster(film(7, "Alien"))
