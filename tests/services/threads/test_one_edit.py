"""A default of the settings, and the comment limit, are each one edit of one file."""

import shutil
from pathlib import Path

import pytest

from tests.services.social.test_one_edit import PACKAGE, answer
from tests.services.threads.world import open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place

READ_SETTINGS = """
import asyncio, sys
from tests.support.clock import PinnedClock
from tests.support.squares import Place, open_square

async def main():
    async with open_square(Place("plain", *sys.argv[1:3]), PinnedClock()) as square:
        settings = (await square.threads.sites.get(sys.argv[3])).settings
        print(settings.edit_minutes, settings.max_depth)

asyncio.run(main())
"""

COUNT_ACCEPTED = """
import asyncio, sys
from tests.services.threads.test_admission import Ways, statuses
from tests.services.threads.world import open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place, browse

async def main():
    clock, accepted = PinnedClock(), []
    async with open_world(Place("plain", *sys.argv[1:]), clock, rate_limits="on") as world:
        await world.settings(proof_of_work=False)
        async with browse(world.square) as http:
            ways = Ways(world, http)
            for write in (ways.own, ways.threadkit, ways.form, await ways.post()):
                clock.move(minutes=1)
                answers = await statuses(write, 12)
                accepted.append(sum(status < 400 for status in answers))
                assert answers[accepted[-1]:] == [429] * (12 - accepted[-1]), answers
    print(*accepted)

asyncio.run(main())
"""


def edited(folder: Path, before: str, after: str) -> Path:
    """A copy of the package with one edit of the model of sites."""
    shutil.copytree(PACKAGE, folder / "townsquare", ignore=shutil.ignore_patterns("__pycache__"))
    model = folder / "townsquare/services/threads/models/sites.py"
    assert model.read_text().count(before) == 1
    model.write_text(model.read_text().replace(before, after))
    return folder


@pytest.mark.slow
async def test_a_default_of_the_settings_is_one_edit(
    plain_place: Place, clock: PinnedClock, tmp_path: Path
) -> None:
    async with open_world(plain_place, clock) as world:
        await world.settings(max_depth=7)  # the site is older than the edit
        assert (await world.key()).settings.edit_minutes == 15
    package = edited(tmp_path, "Meta(ge=0, le=525_600)] = 15", "Meta(ge=0, le=525_600)] = 45")
    urls = (plain_place.data_url, plain_place.cache_url)
    shown = await answer(package, "-c", READ_SETTINGS, *urls, world.site.id)
    assert shown.split() == ["45", "7"]


@pytest.mark.slow
async def test_the_comment_limit_is_one_edit(plain_place: Place, tmp_path: Path) -> None:
    urls = (plain_place.data_url, plain_place.cache_url)
    package = edited(tmp_path, "comments: Count = 10", "comments: Count = 3")
    printed = await answer(package, "-c", COUNT_ACCEPTED, *urls)
    assert printed.splitlines()[-1] == "3 3 3 3"
