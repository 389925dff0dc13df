"""A film filter is declared once: a line with its rule, and a line in the filters of a request."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import townsquare

pytestmark = pytest.mark.slow

PACKAGE = Path(townsquare.__file__).parent
EDITS = {
    "services/search/parts.py": (
        '    ids: Annotated[Numbers | None, FilterRule("id", "one_of")] = None',
        '    without_certifications: Annotated[Texts, FilterRule("certification", "none_of")] = ()\n',
    ),
    "services/search/models/results.py": (
        "    certifications: Names = ()",
        "    without_certifications: Names = ()\n",
    ),
}
USES_IT = """
import asyncio
from pathlib import Path

from tests.support.films import film
from townsquare.services.search.models.results import SearchFilters
from townsquare.services.search.parts import EVERYTHING, FilmFilter
from townsquare.services.search.service.lexical.index import SqlLexicalIndex
from townsquare.services.search.service.limits import holds, narrowed, of_request
from townsquare.services.search.service.vectors.payloads import conditions

films = [film(1, "One", 1999, certification="PG-13"), film(2, "Two", 1999, certification="R")]
asked = of_request(SearchFilters(without_certifications=("pg-13",)))
where = narrowed(narrowed(FilmFilter(first_year=1900), asked), EVERYTHING)

async def main():
    index = await SqlLexicalIndex.open(Path("films"))
    await index.add(films)
    held = [holds(where, one) for one in films]
    print(await index.matching(where, limit=9), held, conditions(where)[1][0].values)
    await index.close()

asyncio.run(main())
"""


def test_a_film_filter_is_declared_once(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "townsquare", ignore=shutil.ignore_patterns("__pycache__"))
    for path, (before, added) in EDITS.items():
        file = tmp_path / "townsquare" / path
        assert file.read_text().count(before) == 1
        file.write_text(file.read_text().replace(before, added + before))
    environ = {**os.environ, "PYTHONPATH": f"{tmp_path}:{Path.cwd()}"}
    done = subprocess.run(
        [sys.executable, "-c", USES_IT], env=environ, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[2] [False, True] ('PG-13',)", done.stderr
