"""A theme is declared once: pictures, elements and pages follow."""

import shutil
from pathlib import Path

import pytest

from tests.services.social.test_one_edit import PACKAGE, answer
from tests.support.squares import Place

pytestmark = pytest.mark.slow

THEMES = Path("services/widgets/drawing/themes.py")
SEPIA = """    "sepia": Theme(
        paper="#fbf0d9", ink="#5f4b32", frame="#c9b18a", accent="#8a3b12", pattern="lines", second="#f3e2bd"
    ),
"""
IN_SEPIA = """
import asyncio, sys
from tests.services.widgets.given import ID, TOKEN, URL
from tests.support.clock import PinnedClock
from tests.support.squares import Place, browse, open_square

async def main():
    async with open_square(Place("plain", *sys.argv[1:]), PinnedClock()) as square, browse(square) as http:
        await square.widgets.counter.create(URL, TOKEN)
        picture = await http.get(f"/widgets/visit?action=get&id={ID}&format=image&theme=sepia")
        elements = await http.get("/components/modules/themes.js")
        choices = await http.get("/widgets")
        print("#5f4b32" in picture.text, "X-Warnings" in picture.headers)
        print(":host([theme=sepia])" in elements.text, "#5f4b32" in elements.text, "#f3e2bd" in elements.text)
        print('value="sepia"' in choices.text)

asyncio.run(main())
"""


async def test_a_theme_is_one_edit(plain_place: Place, tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "townsquare", ignore=shutil.ignore_patterns("__pycache__"))
    themes = tmp_path / "townsquare" / THEMES
    before = themes.read_text()
    themes.write_text(before.replace('    "github": Theme(', f'{SEPIA}    "github": Theme(', 1))
    assert themes.read_text() != before
    seen = await answer(tmp_path, "-c", IN_SEPIA, plain_place.data_url, plain_place.cache_url)
    printed = [line for line in seen.splitlines() if not line.startswith("{")]  # requests are logged
    assert printed == ["True False", "True True True", "True"]
