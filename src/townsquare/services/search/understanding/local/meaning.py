"""What was read, as the response that a search works with."""

from townsquare.services.search.models.films import Channel
from townsquare.services.search.models.understanding import (
    ChannelWeights,
    Choice,
    ChoicePreference,
    DateRange,
    DurationPreference,
    EntityCandidate,
    LexicalEntities,
    MetadataPreferences,
    NumberRange,
    PopularTrendingPreference,
    QueryUnderstandingResponse,
    ReceptionPreference,
    ReleaseDatePreference,
    Relevance,
    Subquery,
    SubqueryWeight,
    VectorSubqueries,
    VectorWeights,
)
from townsquare.services.search.understanding.local.aspects import Aspect
from townsquare.services.search.understanding.local.dates import FIRST_FILM, Years
from townsquare.services.search.understanding.local.lengths import Minutes
from townsquare.services.search.understanding.local.lookup import OWNERS
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.settle import NameInQuery, Settled
from townsquare.services.search.understanding.local.tables import (
    EITHER,
    LADDER,
    STRICTER,
    AgeRating,
    Genre,
    Origin,
)
from townsquare.services.search.understanding.local.tokens import without_possessive
from townsquare.services.search.understanding.local.wishes import Wish


def compose(
    reading: QueryReading,
    settled: Settled,
    similar: list[str],
    wishes: list[Wish],
    aspects: dict[Channel, Aspect],
) -> QueryUnderstandingResponse:
    wishes = [_doubted(reading, wish, settled) for wish in wishes]
    preferences = _preferences(wishes)
    unwanted = any(claim in ("unwanted", "unheld") for claim in reading.claims)
    return QueryUnderstandingResponse(
        channel_weights=_channel_weights(settled, similar, wishes, aspects, unwanted=unwanted),
        lexical_entities=LexicalEntities(
            entity_candidates=[_candidate(reading, name, settled.names) for name in settled.names]
        ),
        metadata_preferences=preferences,
        vector_subqueries=VectorSubqueries(
            **{
                f"{channel}_data": Subquery(justification=aspect.why, relevant_subquery_text=aspect.text)
                for channel, aspect in aspects.items()
            }
        ),
        vector_weights=VectorWeights(
            **{
                f"{channel}_data": SubqueryWeight(relevance=aspect.relevance, justification=aspect.why)
                for channel, aspect in aspects.items()
            }
        ),
        similar_to=similar,
    )


def said_by_dates(wishes: list[Wish]) -> list[tuple[Channel, str]]:
    """Words that say more than when: "silent film"."""
    return [
        ("narrative_techniques", wish.value.text)
        for wish in wishes
        if isinstance(wish.value, Years) and wish.value.text
    ]


def _doubted(reading: QueryReading, wish: Wish, settled: Settled) -> Wish:
    """Words that may as well be a title set no limit; a small "romance" is the genre all the same."""
    for name in settled.doubtful():
        if name.start < wish.end and wish.start < name.end:
            genre = isinstance(wish.value, Genre) and name.end - name.start == 1
            if not genre or reading.tokens[name.start].capital:
                return wish._replace(stated=False)
    return wish


def _candidate(reading: QueryReading, name: NameInQuery, names: list[NameInQuery]) -> EntityCandidate:
    start, end = _alternatives(reading, name, names)
    phrase = reading.text(start, end)
    return EntityCandidate(
        candidate_entity_phrase=without_possessive(phrase) if name.meant.category in OWNERS else phrase,
        most_likely_category=name.meant.category,
        exclude_from_results=name.unwanted,
        corrected_and_normalized_entity=name.meant.name,
        stated=name.unwanted or not name.meant.doubtful,
    )


def _alternatives(reading: QueryReading, name: NameInQuery, names: list[NameInQuery]) -> tuple[int, int]:
    """The words of a name, or of all that "or" stands between: one phrase that may mean each of them."""
    start, end = name.meant.start, name.meant.end
    for other in names:
        if other.unwanted or name.unwanted or other.meant.category != name.meant.category:
            continue
        if other.meant.start == end + 1 and reading.form(end) in EITHER:
            end = other.meant.end
        elif other.meant.end == start - 1 and reading.form(other.meant.end) in EITHER:
            start = other.meant.start
    return start, end


def _preferences(wishes: list[Wish]) -> MetadataPreferences:
    standings = {wish.value for wish in wishes if wish.claim == "standing" and not wish.unwanted}
    reception = ReceptionPreference()
    if "poor" in standings:
        reception = ReceptionPreference(reception_type="poorly_received")
    elif "acclaimed" in standings:
        reception = ReceptionPreference(reception_type="critically_acclaimed")
    return MetadataPreferences(
        release_date_preference=ReleaseDatePreference(
            result=_dates(wishes), without=_unwanted_stretches(wishes)
        ),
        duration_preference=DurationPreference(result=_duration(wishes), without=_unwanted_lengths(wishes)),
        genres_preference=ChoicePreference(result=_genres(wishes)),
        audio_languages_preference=ChoicePreference(result=_origins(wishes, "languages")),
        countries_preference=ChoicePreference(result=_origins(wishes, "countries")),
        maturity_rating_preference=ChoicePreference(result=_ratings(wishes)),
        popular_trending_preference=PopularTrendingPreference(
            prefers_trending_movies="trending" in standings,
            prefers_popular_movies="popular" in standings,
        ),
        reception_preference=reception,
    )


def _dates(wishes: list[Wish]) -> DateRange | None:
    """All that was said of the time, together; of contradictions the first."""
    dates = [
        (wish.value, wish.stated)
        for wish in wishes
        if isinstance(wish.value, Years) and not wish.unwanted and wish.value[:2] != (None, None)
    ]
    dates += [
        (turned, True)
        for wish in wishes
        if isinstance(wish.value, Years) and wish.unwanted and (turned := _without(wish.value))
    ]
    if any(stated for _, stated in dates):
        dates = [(years, stated) for years, stated in dates if stated]
    dates.sort(key=lambda date: date[0].vague)
    if not dates:
        return None
    first, last, stated = dates[0][0].first, dates[0][0].last, dates[0][1]
    for years, _ in dates[1:]:
        earliest = max((year for year in (first, years.first) if year is not None), default=None)
        latest = min((year for year in (last, years.last) if year is not None), default=None)
        if earliest is None or latest is None or earliest <= latest:
            first, last = earliest, latest
    return _date_range(first, last, stated)


def _without(years: Years) -> Years | None:
    """ "Nothing before 1980", "not old", "nothing before 1950 or after 1960"."""
    if years[:2] == (None, None) and len(years.gaps) == 1:
        return Years(*years.gaps[0])
    if years.first is None and years.last is not None:
        return Years(years.last + 1, None)
    if years.last is None and years.first is not None:
        return Years(None, years.first - 1)
    return None


def _unwanted_stretches(wishes: list[Wish]) -> list[DateRange]:
    """ "Not from the 80s": years on both sides are as good. "70s or 90s": those between are not."""
    stretches: list[tuple[int, int]] = []
    for wish in wishes:
        if isinstance(wish.value, Years):
            first, last = wish.value.first, wish.value.last
            if not wish.unwanted:
                stretches += wish.value.gaps
            elif first is not None and last is not None:
                stretches.append((first, last))
    return [_date_range(first, last, stated=True) for first, last in stretches]


def _date_range(first: int | None, last: int | None, stated: bool) -> DateRange:
    if last is None:
        return DateRange(
            first_date=f"{(first or FIRST_FILM) - 1}-12-31", match_operation="after", stated=stated
        )
    if first is None:
        return DateRange(first_date=f"{last + 1}-01-01", match_operation="before", stated=stated)
    return DateRange(
        first_date=f"{first}-01-01", match_operation="between", second_date=f"{last}-12-31", stated=stated
    )


def _duration(wishes: list[Wish]) -> NumberRange | None:
    least: int | None = None
    most: int | None = None
    for wish in wishes:
        if isinstance(wish.value, Minutes):
            minutes = _other_lengths(wish.value) if wish.unwanted else wish.value
            least = minutes.least if least is None else max(least, minutes.least or least)
            most = minutes.most if most is None else min(most, minutes.most or most)
    if most is not None and least is not None:
        return NumberRange(
            first_value=min(least, most),
            match_operation="between",
            second_value=max(least, most),
            stated=True,
        )
    if most is not None:
        return NumberRange(first_value=most, match_operation="at_most", stated=True)
    if least is not None:
        return NumberRange(first_value=least, match_operation="at_least", stated=True)
    return None


def _unwanted_lengths(wishes: list[Wish]) -> list[NumberRange]:
    """Between two ranges: "under 90 or over 180 minutes"."""
    gaps = [
        wish.value.gap
        for wish in wishes
        if isinstance(wish.value, Minutes) and wish.value.gap and not wish.unwanted
    ]
    return [
        NumberRange(first_value=least, match_operation="between", second_value=most, stated=True)
        for least, most in gaps
    ]


def _other_lengths(minutes: Minutes) -> Minutes:
    """ "Not over two hours", "not short", "not under 90 or over 180 minutes"."""
    if minutes.gap:
        return Minutes(*minutes.gap)
    if minutes.least is not None:
        return Minutes(None, minutes.least - 1)
    return Minutes(minutes.most + 1 if minutes.most is not None else None, None)


def _choice(included: list[tuple[str, bool]], excluded: list[str]) -> Choice | None:
    """What was stated is a limit, and then what is only likely is not asked for.

    A comedy but no romantic comedy is a comedy without romance.
    """
    wanted = {name for name, is_stated in included if is_stated}
    excluded = list(dict.fromkeys(name for name in excluded if name not in wanted)) or excluded
    stated = [name for name, is_stated in included if is_stated and name not in excluded]
    names = stated or [name for name, _ in included if name not in excluded]
    if not names and not excluded:
        return None
    return Choice(should_include=list(dict.fromkeys(names)), should_exclude=excluded, stated=bool(stated))


def _genres(wishes: list[Wish]) -> Choice | None:
    included: list[tuple[str, bool]] = []
    excluded: list[str] = []
    for wish in wishes:
        if isinstance(wish.value, Genre):
            if wish.unwanted:
                excluded += wish.value.names if wish.value.unwanted is None else wish.value.unwanted
            else:
                included += [(name, wish.stated and not wish.either) for name in wish.value.names]
        elif isinstance(wish.value, AgeRating) and wish.value.without:
            excluded += ("family",) if wish.unwanted else wish.value.without
            included += [] if wish.unwanted else [(name, True) for name in wish.value.genres]
    return _choice(included, excluded)


def _origins(wishes: list[Wish], which: str) -> Choice | None:
    included: list[tuple[str, bool]] = []
    excluded: list[str] = []
    for wish in wishes:
        if isinstance(wish.value, Origin | Genre):
            names: tuple[str, ...] = getattr(wish.value, which)
            only_language = not wish.value.countries
            if wish.unwanted and isinstance(wish.value, Genre):
                continue  # who wants no anime may want other films from Japan
            if wish.unwanted:
                excluded += names if which == "countries" or only_language else ()
            else:
                included += [(name, wish.stated) for name in names]
    return _choice(included, excluded)


def _ratings(wishes: list[Wish]) -> Choice | None:
    included: list[tuple[str, bool]] = []
    excluded: list[str] = []
    for wish in wishes:
        if isinstance(wish.value, AgeRating):
            if not wish.unwanted:
                included += [(name, wish.stated) for name in wish.value.allowed]
            elif len(wish.value.allowed) == 1:
                excluded += STRICTER.get(wish.value.allowed, wish.value.allowed)
            else:  # "not for kids"
                included += [(name, False) for name in LADDER if name not in wish.value.allowed]
    return _choice(included, excluded)


def _channel_weights(
    settled: Settled,
    similar: list[str],
    wishes: list[Wish],
    aspects: dict[Channel, Aspect],
    *,
    unwanted: bool,
) -> ChannelWeights:
    wanted = [name for name in settled.names if not name.unwanted]
    sure = any(not name.meant.doubtful for name in wanted)
    described = bool(aspects)
    lexical: Relevance = "not_relevant"
    if wanted:
        lexical = "medium" if described or not sure else "large"
    vector: Relevance = "not_relevant"
    if similar:
        vector = "large"
    elif described:
        vector = "medium" if sure else "large"
    elif wanted and not sure:
        vector = "small"
    limits = [wish for wish in wishes if wish.stated or wish.unwanted]
    metadata: Relevance = "not_relevant"
    if wishes or (settled.names and not wanted):
        only = not (wanted or described or similar)
        metadata = "large" if only else "medium" if limits else "small"
    if not (settled.names or described or similar or wishes) and unwanted:
        metadata = "large"  # any film but such: the best ones
    elif not (settled.names or described or similar or wishes):
        lexical, vector = "small", "medium"  # nothing was understood: its words are all there is
    return ChannelWeights(lexical_relevance=lexical, metadata_relevance=metadata, vector_relevance=vector)
