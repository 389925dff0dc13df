"""`townsquare backup` and `townsquare restore` as an operator types them."""

import asyncio
from pathlib import Path

from click.testing import CliRunner, Result

from tests.support.clock import PinnedClock
from tests.support.engines import Node, throwaway_node
from tests.support.squares import ENV, Place, open_square
from townsquare.cli.all_commands import application
from townsquare.store.keys import outbox

EFFECT = '["ZREM", ["social.users_names"], "nobody"]'  # of a cluster that was not applied yet


async def waiting_effects(place: Place, clock: PinnedClock) -> int:
    async with open_square(place, clock) as square:
        return int(await square.store.call("XLEN", outbox("0a3")))


async def sign_up(place: Place, clock: PinnedClock, name: str) -> None:
    async with open_square(place, clock) as square:
        await square.store.call("XADD", outbox("0a3"), "*", "effect", EFFECT)
        await square.accounts.sign_up(name, email=f"{name}@example.org")


def test_back_up_and_restore(plain_place: Place, clock: PinnedClock, tmp_path: Path) -> None:
    settings = {
        "TOWNSQUARE_DATA_URL": plain_place.data_url,
        "TOWNSQUARE_CACHE_URL": plain_place.cache_url,
        "TOWNSQUARE_ENV": ENV,
        "TOWNSQUARE_ADMIN_TOKEN": "a token that must be supplied",
    }
    file = str(tmp_path / "town.backup")

    def say(*words: str, **more: str | None) -> Result:
        return CliRunner(env={**settings, **more}).invoke(application(), words, catch_exceptions=False)

    asyncio.run(sign_up(plain_place, clock, "alice"))
    made = say("backup", file, "--verify")
    assert made.exit_code == 0, made.output
    assert "Consistency: point in time" in made.output
    assert "Supply them again: TOWNSQUARE_ADMIN_TOKEN" in made.output
    assert "exists: choose another name" in say("backup", file).output

    nowhere = {"TOWNSQUARE_DATA_URL": "redis://127.0.0.1:1"}
    assert "is complete" in say("restore", file, "--verify", **nowhere).output

    asyncio.run(sign_up(plain_place, clock, "late"))
    refused = say("restore", file)
    assert (refused.exit_code, "The store is not empty" in refused.output) == (1, True)
    restored = say("restore", file, "--force", TOWNSQUARE_ADMIN_TOKEN=None)
    assert restored.exit_code == 0, restored.output
    assert "Supply them again: TOWNSQUARE_ADMIN_TOKEN" in restored.output
    assert "clean." in restored.output
    assert say("user", "find", "alice").exit_code == 0
    assert say("user", "find", "late").exit_code == 1
    assert asyncio.run(waiting_effects(plain_place, clock)) == 0

    Path(file).write_bytes(Path(file).read_bytes()[:-20])
    broken = say("restore", file, "--force")
    assert (broken.exit_code, "cannot be used" in broken.output) == (1, True)
    assert say("user", "find", "alice").exit_code == 0


def test_a_redis_with_both_roles_keeps_its_data_when_it_is_the_cache_of_another(
    clock: PinnedClock, tmp_path: Path
) -> None:
    file = str(tmp_path / "town.backup")
    with throwaway_node() as source, throwaway_node() as target, throwaway_node() as third:
        both = Place("plain", source.url, source.url)
        asyncio.run(sign_up(both, clock, "alice"))

        def say(*words: str, data: Node) -> Result:
            urls = {
                "TOWNSQUARE_DATA_URL": data.url,
                "TOWNSQUARE_CACHE_URL": source.url,
                "TOWNSQUARE_ENV": ENV,
            }
            return CliRunner(env=urls).invoke(application(), words, catch_exceptions=False)

        assert say("backup", file, data=source).exit_code == 0
        restored = say("restore", file, data=target)
        assert "keys restored from" in restored.output  # the check reports data in the cache of this store
        moved = say("migrate", source.url, third.url, data=source)
        assert moved.exit_code == 0, moved.output
        for node in (source, target, third):
            assert say("user", "find", "alice", data=node).exit_code == 0
