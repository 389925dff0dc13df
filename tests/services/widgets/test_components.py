"""The files that other people's pages load."""

import gzip
import re

import pytest

import townsquare.services.widgets as package
from townsquare.services.widgets.drawing.themes import THEMES, properties, themes_module

COMPONENTS = package.__path__[0] + "/components/modules"
LIMITS = {"shared": 3_000, "themes": 3_000, "counter": 3_000, "like": 3_000, "ranking": 3_000, "bbs": 6_000}


def source(name: str) -> str:
    if name == "themes":
        return themes_module()
    with open(f"{COMPONENTS}/{name}.js", encoding="utf-8") as file:
        return file.read()


def zipped(name: str) -> int:
    return len(gzip.compress(source(name).encode()))


@pytest.mark.parametrize("name", LIMITS)
def test_a_component_is_small(name: str) -> None:
    assert zipped(name) < LIMITS[name]


def test_a_board_is_small_with_what_it_imports() -> None:
    assert zipped("bbs") + zipped("shared") < 6_000


@pytest.mark.parametrize("name", LIMITS)
def test_a_component_never_makes_markup_of_text_and_loads_nothing_else(name: str) -> None:
    text = source(name)
    for danger in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "srcdoc"):
        assert danger not in text
    assert re.findall(r'import .* from "(.*)"', text) == ([] if name == "shared" else ["./shared.js"])


@pytest.mark.parametrize("name", ["visit", "counter", "like", "ranking", "bbs"])
def test_what_a_page_loads_may_be_a_classic_script(name: str) -> None:
    """`import … from`, `export` and `import.meta` would be errors in one."""
    with open(f"{COMPONENTS}/../{name}.js", encoding="utf-8") as file:
        code = [line for line in file if not line.startswith("//")]
    module = "counter" if name == "visit" else name
    assert len(code) == 1
    assert code[0].count(f"modules/{module}.js") == 2
    assert code[0].startswith("import(")


def test_the_elements_have_the_light_theme_of_the_pictures_without_loading_it() -> None:
    """The properties that say more than a colour are written shorter here."""
    plain = ("paper", "ink", "frame", "accent", "corner", "edge", "back")
    declared = [f"--{key}: {value};" for key, value in properties(THEMES["light"]) if key in plain]
    assert [one for one in declared if one not in source("shared")] == []
