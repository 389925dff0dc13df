"""Movie search from a terminal."""

from pathlib import Path

import pytest

from tests.support.clock import PinnedClock
from tests.support.commands import commands_on
from tests.support.squares import Place, open_square
from townsquare.services.search.service import MovieSearch


@pytest.mark.parametrize("command", ["query", "explain"])
def test_an_empty_query_is_refused_before_anybody_waits(
    plain_place: Place,
    clock: PinnedClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
) -> None:
    async def waits(_: MovieSearch) -> None:
        raise AssertionError("it waits for the indexes")

    monkeypatch.setattr(MovieSearch, "status", waits)
    with commands_on(lambda: open_square(plain_place, clock, data_dir=str(tmp_path))) as say:
        refused = say("search", command, " ")
    assert refused.exit_code == 1
    assert "Say what you are looking for" in refused.output
