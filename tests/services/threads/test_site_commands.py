"""`townsquare site …`, as the owner of a blog uses it."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.support.clock import PinnedClock
from tests.support.commands import Say, commands_on
from tests.support.squares import Place, open_square


@pytest.fixture
def say(plain_place: Place, clock: PinnedClock) -> Iterator[Say]:
    with commands_on(partial(open_square, plain_place, clock)) as say:
        yield say


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("blog.example.org", "blog.example.org"),
        ("https://Blog.example.org/", "blog.example.org"),
        ("http://localhost:8001", "localhost:8001"),
    ],
)
def test_a_site_is_made_by_its_host_or_its_address(say: Say, given: str, kept: str) -> None:
    said = say("site", "create", "My blog", given)
    made = json.loads(said.stdout)
    assert made["domain"] == kept
    public, secret, _, script, element, *_ = said.stderr.splitlines()
    assert public.split()[-1] == made["api_key_public"]
    assert made["api_key_secret"] in secret
    assert 'src="http://127.0.0.1:8000/components/comments.js"' in script
    assert element == f'<ts-comments site="{made["api_key_public"]}"></ts-comments>'
    refused = say("site", "create", "My blog", f"{given.rstrip('/')}/path")
    assert refused.exit_code == 1
    assert "pass the host name of the site" in refused.stderr


def test_settings_are_taken_back_as_they_are_shown(say: Say, tmp_path: Path) -> None:
    site = json.loads(say("site", "create", "My blog", "blog.example.org").stdout)["id"]
    shown = json.loads(say("site", "show", site).stdout)
    shown["settings"]["allowed_origins"] = ["http://localhost:8001"]
    file = tmp_path / "site.json"
    file.write_text(json.dumps(shown))
    changed = say("site", "settings", site, str(file))
    assert json.loads(changed.stdout)["settings"] == shown["settings"]
    file.write_text('{"settings": {"moderation": "maybe"}}')
    assert "moderation" in say("site", "settings", site, str(file)).stderr
    assert json.loads(say("site", "show", site).stdout)["settings"] == shown["settings"]
