"""The order of an answer, from scores that are given."""

from typing import Any

import msgspec
import pytest

from tests.services.search.memory_parts import film
from townsquare.services.search.models.films import VectorName
from townsquare.services.search.models.understanding import (
    ChannelWeights,
    Choice,
    ChoicePreference,
    DateRange,
    DurationPreference,
    MetadataPreferences,
    NumberRange,
    PopularTrendingPreference,
    QueryUnderstandingResponse,
    ReleaseDatePreference,
    Relevance,
    SubqueryWeight,
    VectorWeights,
)
from townsquare.services.search.parts import EVERYTHING, FilmFilter
from townsquare.services.search.service.preferences import metadata_score
from townsquare.services.search.service.rerank import (
    FilmCandidate,
    Scored,
    channel_trust,
    fitted,
    rerank,
    vector_score,
    weights_of,
)

ANYTHING = EVERYTHING


def understood(
    lexical: Relevance = "small", vector: Relevance = "large", metadata: Relevance = "small", **more: Any
) -> QueryUnderstandingResponse:
    weights = ChannelWeights(
        lexical_relevance=lexical,
        vector_relevance=vector,
        metadata_relevance=metadata,
    )
    return QueryUnderstandingResponse(channel_weights=weights, **more)


def candidate(id: int, anchor: float = 0.5, **more: Any) -> FilmCandidate:
    facts = more.pop("facts", {})
    return FilmCandidate(film=film(id, f"Film {id}", **facts), texts={"anchor": anchor}, **more)


def order(scored: list[Scored]) -> list[int]:
    return [one.film.id for one in scored]


def test_evidence_counts_by_its_relevance() -> None:
    weights = weights_of(understood("small", "large", "medium"))
    assert (weights.lexical, weights.vector, weights.metadata) == pytest.approx((1 / 3, 1, 2 / 3))
    nothing = weights_of(QueryUnderstandingResponse())
    assert nothing.vector > 0
    assert nothing.lexical > 0


def test_a_film_is_its_anchor_and_its_best_channel() -> None:
    trust = channel_trust(VectorWeights())
    found = vector_score({"anchor": 0.4, "plot_events": 0.8, "reception": 0.1}, trust)
    assert found == (0.4, 0.8, "plot_events")


def test_a_channel_that_a_film_lacks_is_no_zero() -> None:
    trust = channel_trust(VectorWeights())
    whole = vector_score({"anchor": 0.5, "plot_events": 0.5, "reception": 0.5}, trust)
    part = vector_score({"anchor": 0.5, "reception": 0.5}, trust)
    without_anchor = vector_score({"plot_events": 0.5}, trust)
    without_channels = vector_score({"anchor": 0.5}, trust)
    assert whole[:2] == part[:2] == without_anchor[:2] == without_channels[:2] == (0.5, 0.5)
    assert vector_score({}, trust) == (0.0, 0.0, None)


def test_only_channels_that_understanding_is_sure_of_count() -> None:
    weights = VectorWeights(viewer_experience_data=SubqueryWeight(relevance="large"))
    cosines: dict[VectorName, float] = {"anchor": 0.5, "plot_events": 0.9, "viewer_experience": 0.5}
    assert vector_score(cosines, channel_trust(weights)) == (0.5, 0.5, "viewer_experience")


def test_a_title_wins_whatever_the_weights_say_and_so_does_a_misspelt_one() -> None:
    weights = understood("not_relevant", "large", "large")
    misspelt = candidate(1, 0.1, title_likeness=0.75)
    assert order(rerank([candidate(2, 0.9), misspelt], weights, ANYTHING, trending={2})) == [1, 2]


def test_films_that_tell_of_it_in_the_same_words_come_before_their_equals() -> None:
    films = [candidate(1, 0.5), candidate(2, 0.5, words=8.0), candidate(3, 0.1, words=8.0)]
    weights = understood("not_relevant", "large", "not_relevant")
    assert order(rerank(films, weights, ANYTHING)) == [2, 1, 3]


def test_a_name_that_is_only_likely_counts_by_its_likeness() -> None:
    films = [candidate(1, 0.5), candidate(2, 0.5, name_likeness=0.9), candidate(3, 0.5, name_likeness=0.6)]
    assert order(rerank(films, understood("large"), ANYTHING)) == [2, 3, 1]
    assert order(rerank(films, understood("not_relevant"), ANYTHING)) == [1, 2, 3]


def test_a_score_is_the_weighted_sum_of_its_evidence() -> None:
    (scored,) = rerank([candidate(1, 0.5, words=3.0, name_likeness=0.9)], understood("large"), ANYTHING)
    weights = msgspec.structs.asdict(fitted().weights)
    assert scored.score == pytest.approx(
        sum(weights[name] * value for name, value in scored.evidence._asdict().items())
    )


def test_films_outside_of_a_relaxed_limit_come_last() -> None:
    films = [candidate(1, 0.9, facts={"year": 1999}), candidate(2, 0.1, facts={"year": 1985})]
    within = FilmFilter(first_year=1980, last_year=1989)
    assert order(rerank(films, understood(), ANYTHING, within=within)) == [2, 1]


def test_the_fitted_weights_are_all_positive() -> None:
    weights = msgspec.structs.asdict(fitted().weights)
    assert all(value > 0 for value in weights.values())


def test_what_is_excluded_never_appears_from_any_channel() -> None:
    where = FilmFilter(without_genres=("horror",), without_certifications=("R",), without_ids=(3,))
    films = [
        candidate(1, 0.9, title_likeness=1.0, facts={"genres": ("horror",)}),
        candidate(2, 0.1, facts={"certification": "R"}),
        candidate(3, 0.9, name_likeness=1.0),
        candidate(4, 0.1),
    ]
    assert order(rerank(films, understood(), where)) == [4]


def test_trending_helps_only_who_asks_for_it() -> None:
    films = [candidate(1, 0.50, facts={"quality": 90}), candidate(2, 0.50)]
    assert order(rerank(films, understood(), ANYTHING, trending={2})) == [1, 2]
    asks = MetadataPreferences(
        popular_trending_preference=PopularTrendingPreference(prefers_trending_movies=True)
    )
    assert order(rerank(films, understood(metadata_preferences=asks), ANYTHING, trending={2})) == [2, 1]


def test_films_that_were_shown_sink_and_ties_go_by_quality() -> None:
    films = [candidate(1, facts={"quality": 70}), candidate(2, facts={"quality": 90}), candidate(3)]
    assert order(rerank(films, understood(), ANYTHING)) == [2, 1, 3]
    assert order(rerank(films, understood(), ANYTHING, shown={2: 2, 1: 1})) == [3, 1, 2]


def test_like_a_film_counts_its_vectors_before_the_words() -> None:
    near = FilmCandidate(film=film(1, "Near"), like={"anchor": 0.9}, texts={"anchor": 0.2})
    far = FilmCandidate(film=film(2, "Far"), like={"anchor": 0.2}, texts={"anchor": 0.9})
    assert order(rerank([far, near], understood(), ANYTHING)) == [1, 2]


@pytest.mark.parametrize(("year", "score"), [(1980, 1.0), (1989, 1.0), (1994, 0.5), (1979, 0.9), (1960, 0.0)])
def test_a_preference_for_years_has_grace_around_it(year: int, score: float) -> None:
    eighties = DateRange(first_date="1980-01-01", match_operation="between", second_date="1989-12-31")
    preferences = MetadataPreferences(release_date_preference=ReleaseDatePreference(result=eighties))
    assert metadata_score(film(1, "Some", year), preferences) == pytest.approx(score)


def test_facts_are_the_mean_of_what_is_asked() -> None:
    preferences = MetadataPreferences(
        genres_preference=ChoicePreference(result=Choice(should_include=["Sci-Fi", "drama"])),
        duration_preference=DurationPreference(
            result=NumberRange(first_value=100, match_operation="at_most")
        ),
    )
    some = film(1, "Some", genres=("science fiction",), runtime=115)
    assert metadata_score(some, preferences) == pytest.approx((0.5 + 0.5) / 2)
    assert metadata_score(film(2, "Unknown"), preferences) == 0.0
    assert metadata_score(some, MetadataPreferences()) == 0.0
