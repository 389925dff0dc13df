from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.support.squares import Place, assert_clean, open_square, raw_names
from townsquare.cli.all_commands import application
from townsquare.cli.demo import HOME, DemoClock, DemoNameTaken, DemoWriter, id_of, remove_from
from townsquare.cli.demo_content import content
from townsquare.store.keys import demo_state

pytestmark = pytest.mark.slow


def silent(what: str, done: int, total: int) -> None: ...


async def test_the_demo_fills_a_store_and_leaves_no_key_behind(place: Place) -> None:
    clock = DemoClock()
    async with open_square(place, clock) as square:
        await square.accounts.sign_up("alice")
        post = await square.social.posts.create("alice", "My own loaf #bread")
        before = await raw_names(square.store)
        await DemoWriter(square, clock, "http://square.test", silent).fill()
        await assert_clean(square.store)
        assert len((await square.social.feeds.explore(None, limit=100)).items) == len(content().posts) + 1
        counter = await square.widgets.counter.find(HOME)
        assert all(day.count for day in (await square.widgets.counter.history(counter, 40)).days)
        await square.social.follows.follow("alice", "marta_bakes")
        await square.social.posts.like(id_of(0), "alice")
        await remove_from(square)
        await assert_clean(square.store)
        assert await square.store.get(demo_state()) is None
        assert (await square.social.posts.get(post.id)).content == "My own loaf #bread"
        left = await raw_names(square.store)
        outboxes = {name for name in left if ":outbox:" in name}  # of a cluster, empty: they stay
        assert left - outboxes == before - outboxes


async def test_a_name_that_is_taken_changes_nothing(place: Place) -> None:
    clock = DemoClock()
    async with open_square(place, clock) as square:
        await square.accounts.sign_up("old_fritz")
        before = await raw_names(square.store)
        with pytest.raises(DemoNameTaken, match="old_fritz"):
            await DemoWriter(square, clock, "", silent).fill()
        assert await raw_names(square.store) == before


async def test_an_interrupted_demo_is_removed(plain_place: Place) -> None:
    clock = DemoClock()

    def interrupt(what: str, done: int, total: int) -> None:
        if what.startswith("Comments") and done == 40:
            raise KeyboardInterrupt

    async with open_square(plain_place, clock) as square:
        before = await raw_names(square.store)
        with pytest.raises(KeyboardInterrupt):
            await DemoWriter(square, clock, "", interrupt).fill()
        clock.at = None
        await remove_from(square)
        await square.threads.usage.flush()
        assert await raw_names(square.store) == before


def test_a_second_run_says_that_the_demo_is_there(tmp_path: Path) -> None:
    options = ["demo", "--data", str(tmp_path / "data"), "--url", "https://square.test"]
    first, second = (CliRunner().invoke(application(), options) for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert "after" in first.stdout
    assert "there already" in second.stdout
    assert "https://square.test/social" in second.stdout
    assert (
        CliRunner().invoke(application(), [*options[:3], "--remove"]).stdout == "The demo data is removed.\n"
    )
    assert CliRunner().invoke(application(), [*options[:3], "--remove"]).exit_code == 1
