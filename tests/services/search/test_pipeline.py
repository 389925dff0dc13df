"""A whole search, over parts in memory."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.services.search.memory_parts import MemoryParts, film
from townsquare.services.search.models.results import IndexProgress, SearchAnswer, SearchFilters
from townsquare.services.search.models.understanding import (
    ChannelWeights,
    Choice,
    ChoicePreference,
    DateRange,
    EntityCandidate,
    EntityCategory,
    LexicalEntities,
    MetadataPreferences,
    PopularTrendingPreference,
    QueryUnderstandingResponse,
    ReleaseDatePreference,
    Subquery,
    SubqueryWeight,
    VectorSubqueries,
    VectorWeights,
)
from townsquare.services.search.service import presentation
from townsquare.services.search.service.explain import Trace
from townsquare.services.search.service.names import is_meant
from townsquare.services.search.service.pipeline import Pipeline, SearchRequest
from townsquare.services.search.service.rerank import fitted

READY = IndexProgress()


@pytest.fixture
def parts() -> MemoryParts:
    return MemoryParts()


def understood(**more: Any) -> QueryUnderstandingResponse:
    weights = ChannelWeights(lexical_relevance="small", vector_relevance="large", metadata_relevance="small")
    return QueryUnderstandingResponse(channel_weights=weights, **more)


def entity(name: str, category: EntityCategory, *, exclude: bool = False) -> LexicalEntities:
    one = EntityCandidate(
        candidate_entity_phrase=name,
        most_likely_category=category,
        exclude_from_results=exclude,
        corrected_and_normalized_entity=name,
    )
    return LexicalEntities(entity_candidates=[one])


def eighties() -> ReleaseDatePreference:
    return ReleaseDatePreference(
        result=DateRange(
            first_date="1980-01-01", match_operation="between", second_date="1989-12-31", stated=True
        )
    )


async def search(
    parts: MemoryParts,
    query: str,
    means: QueryUnderstandingResponse | None = None,
    *,
    progress: IndexProgress = READY,
    **more: Any,
) -> SearchAnswer:
    if means:
        parts.understanding.says[query] = means
    return await Pipeline(parts.parts()).search(SearchRequest(query=query, **more), progress, Trace())


def titles(answer: SearchAnswer) -> list[str]:
    return [film.title for film in answer.results]


def codes(answer: SearchAnswer) -> list[str]:
    return [notice.code for notice in answer.notices]


async def test_a_mood_finds_films_by_their_texts_and_says_which(parts: MemoryParts) -> None:
    answer = await search(parts, "a robot at war")
    assert titles(answer)[0] == "Robot Wars"
    (why,) = [reason for reason in answer.results[0].why if reason.kind == "channel"]
    assert why.text == "robot war"
    assert not answer.notices


async def test_the_better_of_query_and_subquery_counts_by_how_sure_its_channel_is(parts: MemoryParts) -> None:
    trace = Trace()
    parts.understanding.says["a thing about ghosts"] = understood(
        vector_subqueries=VectorSubqueries(plot_events_data=Subquery(relevant_subquery_text="robot war")),
        vector_weights=VectorWeights(plot_events_data=SubqueryWeight(relevance="large")),
    )
    asked = SearchRequest(query="a thing about ghosts")
    answer = await Pipeline(parts.parts()).search(asked, READY, trace)
    assert {*titles(answer)[:2]} == {"Ghost House", "Robot Wars"}
    uses = [(use.channel, use.text, use.weight) for use in trace.channels if use.text == "robot war"]
    assert uses == [("plot_events", "robot war", 1.0)]


async def test_a_named_title_comes_first(parts: MemoryParts) -> None:
    answer = await search(parts, "Heist", understood(lexical_entities=entity("Heist", "movie_title")))
    assert titles(answer)[:2] == ["Heist", "Second Heist"]
    assert answer.results[0].why[0].kind == "title"


async def test_whoever_is_named_is_in_every_film(parts: MemoryParts) -> None:
    means = understood(lexical_entities=entity("Tom Cruise", "person"))
    answer = await search(parts, "love with Tom Cruise", means)
    assert set(titles(answer)) == {"Robot Wars", "Facts Only"}


@pytest.mark.parametrize(
    ("word", "name", "meant"),
    [
        ("scorcese", "Martin Scorsese", True),
        ("miyazaki", "Hayao Miyazaki", True),
        ("ripley", "Daisy Ridley", False),
        ("brothers", "Scatman Crothers", False),
    ],
)
def test_one_word_is_a_name_only_if_it_is_near_to_it(word: str, name: str, meant: bool) -> None:
    (candidate,) = entity(name, "person").entity_candidates
    assert is_meant(replace(candidate, candidate_entity_phrase=word)) is meant


async def test_who_is_excluded_is_in_none(parts: MemoryParts) -> None:
    means = understood(lexical_entities=entity("Tom Cruise", "person", exclude=True))
    answer = await search(parts, "robot war without Tom Cruise", means)
    assert answer.results
    assert not {"Robot Wars", "Facts Only"} & {*titles(answer)}


async def test_a_stated_decade_holds_for_every_film_and_filters_of_the_request_do_too(
    parts: MemoryParts,
) -> None:
    means = understood(metadata_preferences=MetadataPreferences(release_date_preference=eighties()))
    assert set(titles(await search(parts, "80s", means))) == {"Space Love", "Facts Only"}
    short = SearchFilters(longest=85)
    assert titles(await search(parts, "80s", means, filters=short)) == ["Facts Only"]


async def test_what_holds_for_no_film_is_relaxed_and_told(parts: MemoryParts) -> None:
    horror = ChoicePreference(result=Choice(should_include=["horror"], stated=True))
    preferences = MetadataPreferences(release_date_preference=eighties(), genres_preference=horror)
    answer = await search(parts, "80s horror", understood(metadata_preferences=preferences))
    assert titles(answer) == ["Ghost House"]
    assert codes(answer) == ["relaxed"]
    assert "1980s" in answer.notices[0].detail


async def test_filters_and_exclusions_are_never_relaxed(parts: MemoryParts) -> None:
    means = understood(metadata_preferences=MetadataPreferences(release_date_preference=eighties()))
    assert titles(await search(parts, "80s", means, filters=SearchFilters(last_year=1960))) == []


async def test_like_a_film_uses_its_own_vectors_and_leaves_it_out(parts: MemoryParts) -> None:
    answer = await search(parts, "like Heist", understood(similar_to=["Heist"]))
    assert titles(answer)[0] == "Second Heist"
    assert "Heist" not in titles(answer)
    means = understood(
        similar_to=["Heist"],
        vector_subqueries=VectorSubqueries(plot_events_data=Subquery(relevant_subquery_text="love")),
    )
    answer = await search(parts, "like Heist but with love", means)
    assert titles(answer)[0] == "Second Heist"
    assert parts.embeddings.asked[-1] == ["like Heist but with love", "love"]


async def test_what_is_not_wanted_is_searched_for_by_nobody(parts: MemoryParts) -> None:
    means = understood(wanted_text="heist", unwanted_topics=["love"])
    answer = await search(parts, "heist without love", means)
    assert parts.embeddings.asked[-1] == ["heist"]
    assert {"Space Love", "Second Heist"} == {*titles(answer)[-2:]}
    assert codes(answer) == ["not_held"]
    again = await search(parts, "heist without love", means, ignore=["without_topic:love"])
    assert titles(again)[:2] == ["Heist", "Second Heist"]
    assert codes(again) == []


async def test_where_nothing_is_wanted_no_text_is_compared(parts: MemoryParts) -> None:
    means = understood(wanted_text="", not_held=["no remakes"], without_sequels=True)
    answer = await search(parts, "no remakes, no sequels", means)
    assert parts.embeddings.asked[-1] == []
    assert [(one.code, "no remakes" in one.detail) for one in answer.notices] == [("not_held", True)]
    assert answer.results


async def test_like_a_film_that_nobody_knows_says_so(parts: MemoryParts) -> None:
    answer = await search(parts, "like Nothing", understood(similar_to=["Nothing"]))
    assert codes(answer) == ["unknown_film"]


async def test_trending_is_read_once_and_only_when_wanted(parts: MemoryParts) -> None:
    await search(parts, "ghost")
    assert parts.trending.reads == 0
    parts = MemoryParts(trending=[4])
    preferences = MetadataPreferences(
        popular_trending_preference=PopularTrendingPreference(prefers_trending_movies=True)
    )
    answer = await search(parts, "heist", understood(metadata_preferences=preferences))
    assert parts.trending.reads == 1
    (second,) = [film for film in answer.results if film.title == "Second Heist"]
    assert "trending" in [reason.kind for reason in second.why]
    assert len(parts.lexical.fetched) == 1
    answer = await search(MemoryParts(), "heist", understood(metadata_preferences=preferences))
    assert "trending_missing" in codes(answer)


async def test_what_is_taken_away_does_not_count(parts: MemoryParts) -> None:
    means = understood(metadata_preferences=MetadataPreferences(release_date_preference=eighties()))
    answer = await search(parts, "80s", means)
    assert [(part.part, part.label) for part in answer.understood] == [("release_date", "1980s")]
    again = await search(parts, "80s", means, ignore=["release_date"])
    assert again.understood == []
    assert len(again.results) > len(answer.results)


async def test_a_limit_becomes_a_preference(parts: MemoryParts) -> None:
    means = understood(metadata_preferences=MetadataPreferences(release_date_preference=eighties()))
    answer = await search(parts, "80s", means, prefer=["release_date"])
    assert [part.stated for part in answer.understood] == [False]
    assert len(answer.results) > 2
    named = understood(lexical_entities=entity("Tom Cruise", "person"))
    part = "name:person:Tom Cruise"
    assert len((await search(parts, "with Tom Cruise", named)).results) == 2
    softened = await search(parts, "with Tom Cruise", named, prefer=[part])
    assert len(softened.results) > 2
    excluded = understood(lexical_entities=entity("Tom Cruise", "person", exclude=True))
    still = await search(parts, "no Tom Cruise", excluded, prefer=[part])
    assert not {"Robot Wars", "Facts Only"} & {*titles(still)}


async def test_a_limit_with_few_films_is_filled_up_and_told() -> None:
    films = [film(id, f"Film {id}", 1985 if id < 4 else 1995, text="robot war") for id in range(1, 31)]
    parts = MemoryParts(films)
    means = understood(metadata_preferences=MetadataPreferences(release_date_preference=eighties()))
    answer = await search(parts, "80s robots", means)
    assert {*titles(answer)[:3]} == {"Film 1", "Film 2", "Film 3"}
    assert len(answer.results) > 10
    assert codes(answer) == ["relaxed"]
    assert "Only 3 films" in answer.notices[0].detail


async def test_random_text_says_that_nothing_fits(
    parts: MemoryParts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presentation, "fitted", lambda: replace(fitted(), random_text=1_000.0))
    assert "nothing_fits" in codes(await search(parts, "qwertz asdf"))
    named = understood(lexical_entities=entity("Heist", "movie_title"))
    assert "nothing_fits" not in codes(await search(parts, "Heist", named))


async def test_keywords_of_the_best_films_are_facets_and_filters() -> None:
    films = [
        film(1, "One", text="robot", keywords=("heist", "one take")),
        film(2, "Two", text="robot", keywords=("heist",)),
        film(3, "Three", text="robot"),
    ]
    answer = await search(MemoryParts(films), "robot")
    assert [(one.keyword, one.films) for one in answer.keywords] == [("heist", 2)]
    narrowed = await search(MemoryParts(films), "robot", filters=SearchFilters(keywords=("heist",)))
    assert {*titles(narrowed)} == {"One", "Two"}


async def test_a_search_answers_without_its_model_embeddings_or_vectors(parts: MemoryParts) -> None:
    parts.understanding.fails = True
    parts.embeddings.fails = True
    answer = await search(parts, "Heist")
    assert codes(answer) == ["understanding_degraded", "embeddings_degraded"]
    assert titles(answer)[0] == "Heist"
    parts = MemoryParts()
    parts.vectors.fails = True
    answer = await search(parts, "heist")
    assert codes(answer) == ["vectors_degraded"]
    assert titles(answer)[0] == "Heist"


async def test_while_vectors_are_made_the_answer_says_so(parts: MemoryParts) -> None:
    progress = IndexProgress(films=6, texts_done=2, texts_total=5, ready=False)
    answer = await search(parts, "heist", progress=progress)
    assert codes(answer) == ["indexing"]
    assert "2 of 5 texts" in answer.notices[0].detail


async def test_while_texts_are_being_read_nobody_waits_for_the_model(parts: MemoryParts) -> None:
    parts.embeddings.at_once = False
    means = understood(lexical_entities=entity("Heist", "movie_title"))
    answer = await search(parts, "Heist", means, progress=IndexProgress(ready=False, texts_total=9))
    assert titles(answer)[0] == "Heist"
    assert "indexing" in codes(answer)
    assert not parts.embeddings.asked
    await search(parts, "Heist", means)
    assert parts.embeddings.asked
