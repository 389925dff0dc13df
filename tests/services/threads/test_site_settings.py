"""Settings of a site: validated whoever sets them, stored as far as they differ from the defaults."""

import json
from functools import partial
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from tests.services.threads.world import World
from tests.support.clock import PinnedClock
from tests.support.commands import commands_on
from tests.support.squares import Place, open_square
from townsquare.services.threads import keys
from townsquare.services.threads.models.sites import HoldRules, SiteSettings
from townsquare.services.threads.problems import BadSettings

INVISIBLE = [" ", "\t\n", "\u200b", "\u00ad", "\u00ad \u200b", "\u3000", "\u2800", "\ufe0f", "\u061c"]


async def test_a_blocked_word_has_a_visible_character(world: World, http: httpx.AsyncClient) -> None:
    before = await world.record(keys.site(world.site.id))
    headers = {"X-API-Key": world.site.api_key_secret}
    for word in INVISIBLE:
        body = {"settings": {"blocked_words": ["casino", word]}}
        refused = await http.patch("/threads/v1/site", json=body, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (422, "bad_settings"), ascii(word)
        bad = SiteSettings(blocked_words=(word,))
        with pytest.raises(BadSettings):
            await world.threads.sites.change(world.site.id, settings=bad)
        with pytest.raises(BadSettings):
            await world.threads.sites.create("Another", "other.example.org", settings=bad)
    assert await world.record(keys.site(world.site.id)) == before


async def test_stored_words_that_are_invisible_match_nothing(world: World) -> None:
    stored = json.dumps({"moderation": "none", "blocked_words": INVISIBLE})  # before words were validated
    await world.store.call("HSET", keys.site(world.site.id), "settings", stored)
    assert (await world.key()).settings.blocked_words == (*INVISIBLE,)
    assert (await world.comment(await world.user("ann"), "every comment")).status == "approved"


def test_a_file_of_settings_is_validated(plain_place: Place, clock: PinnedClock, tmp_path: Path) -> None:
    file = tmp_path / "site.json"
    with commands_on(partial(open_square, plain_place, clock)) as say:
        site = json.loads(say("site", "create", "My blog", "blog.example.org").stdout)["id"]
        file.write_text(json.dumps({"settings": {"blocked_words": ["\u00ad"]}}))
        refused = say("site", "settings", site, str(file))
        assert (refused.exit_code, "blocked_words" in refused.stderr) == (1, True)
        assert json.loads(say("site", "show", site).stdout)["settings"]["blocked_words"] == []


async def test_the_library_has_the_limits_of_the_model(world: World) -> None:
    for bad in ({"blocked_words": ("x" * 101,)}, {"blocked_words": ("x",) * 501}, {"hot": "?"}):
        with pytest.raises(BadSettings):
            await world.threads.sites.change(world.site.id, settings=SiteSettings(**cast(Any, bad)))


async def test_only_what_differs_from_the_defaults_is_stored(world: World) -> None:
    async def stored() -> dict[str, Any]:
        found: dict[str, Any] = json.loads((await world.record(keys.site(world.site.id)))["settings"])
        return found

    assert await stored() == {}
    changed = SiteSettings(max_depth=3, trust=HoldRules(hold_days=2))
    await world.threads.sites.change(world.site.id, settings=changed)
    assert await stored() == {"max_depth": 3, "trust": {"hold_days": 2}}
    assert (await world.threads.sites.get(world.site.id)).settings == changed
    await world.threads.sites.change(world.site.id, settings=SiteSettings())
    assert await stored() == {}
