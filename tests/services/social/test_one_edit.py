"""A fact stands in one place: one edit of it, and everything that knows of it follows."""

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.support.squares import Place
from townsquare import services

pytestmark = pytest.mark.slow

PACKAGE = Path(services.__file__).parent.parent
POST_MODEL = Path("services/social/models.py")

WITH_A_MOOD = """
import asyncio, sys
from tests.services.social.world import open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place
from townsquare.services.social import keys

async def main():
    async with open_world(Place("plain", *sys.argv[1:]), PinnedClock()) as world:
        await world.people("alice")
        post = await world.post("alice")
        await world.store.call("HSET", keys.post(post.id), "mood", "merry")
        (item,) = (await world.social.feeds.explore("alice")).items
        read = await world.social.redis_reads.run([["HGET", f"post:{post.id}", "mood"]])
        print(item.post.mood, (await world.store.get(keys.post(post.id))).mood, *read)

asyncio.run(main())
"""


async def test_a_field_of_a_post_is_one_edit(plain_place: Place, tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "townsquare", ignore=shutil.ignore_patterns("__pycache__"))
    model = tmp_path / "townsquare" / POST_MODEL
    before = model.read_text()
    model.write_text(
        before.replace("    content: str\n", "    content: str\n    mood: str | None = None\n", 1)
    )
    assert model.read_text() != before

    told = await answer(tmp_path, "-c", WITH_A_MOOD, plain_place.data_url, plain_place.cache_url)
    assert told.split() == ["merry", "merry", "merry"]
    reference = await answer(tmp_path, "-m", "townsquare", "keys", "--format", "markdown")
    assert "    mood (public)\n" in reference


async def answer(package: Path, *arguments: str) -> str:
    """What Python prints with the package in this folder."""
    environ = {**os.environ, "PYTHONPATH": f"{package}:{Path.cwd()}"}
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, env=environ, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    assert process.returncode == 0
    return output.decode()
