"""Movie search from a terminal."""

from pathlib import Path

import pytest

from tests.support.clock import PinnedClock
from tests.support.commands import commands_on
from tests.support.squares import Place, open_square
from townsquare.kit.text import cleaned_line
from townsquare.services.search.commands import show_answer, show_explanation
from townsquare.services.search.models.results import (
    ChannelUse,
    Explanation,
    FoundFilm,
    MatchReason,
    RerankWeights,
    ScoredFilm,
    SearchAnswer,
    SearchNotice,
    UnderstoodPart,
)
from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.services.search.service import MovieSearch
from townsquare.services.search.service.tmdb import TmdbFailed

ODD_TITLES = ["[/x] film", "[red]gone[/red]", "a\0b\x1b[31mc"]


def test_what_people_wrote_is_printed_as_it_is_and_controls_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for title in ODD_TITLES:
        found = FoundFilm(id=1, title=title, year=1999, genres=(title,), why=[MatchReason("title", title)])
        answer = SearchAnswer(
            query=title,
            understood=[UnderstoodPart(part="a", label=title)],
            notices=[SearchNotice(code="relaxed", detail=title)],
            results=[found],
        )
        show_answer(answer)
        scored = ScoredFilm(
            id=1, title=title, year=1999, score=1, lexical=1, vector=1, metadata=1, prior=1, bonus=1
        )
        show_explanation(
            Explanation(
                query=title,
                answer=answer,
                steps=[],
                understanding=QueryUnderstandingResponse(),
                weights=RerankWeights(1, 1, 1),
                channels=[ChannelUse(channel="anchor", text=title, weight=1, found=1)],
                scores=[scored],
            )
        )
        shown = capsys.readouterr().out
        assert shown.count(cleaned_line(title)) == 8
        assert not {"\0", "\x1b"} & {*shown}


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


def test_an_unreachable_tmdb_is_one_line(
    plain_place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(self: MovieSearch) -> int:
        raise TmdbFailed("ConnectError")

    monkeypatch.setattr(MovieSearch, "refresh_trending", fail)
    with commands_on(lambda: open_square(plain_place, clock)) as say:
        told = say("search", "refresh-trending")
    assert told.exit_code == 1
    assert "TMDB cannot be reached (ConnectError); the trending films stay as they are" in told.stderr
