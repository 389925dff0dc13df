"""What was read, as the response that a search works with."""

from collections.abc import Sequence

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
from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.names import OWNERS, Meant
from townsquare.services.search.understanding.local.ranges import Minutes, Range, Years
from townsquare.services.search.understanding.local.reading import QueryReading, Wish
from townsquare.services.search.understanding.local.settle import Settled
from townsquare.services.search.understanding.local.tables import AgeRating, Genre, Keyword, Origin
from townsquare.services.search.understanding.local.texts import Aspect
from townsquare.services.search.understanding.local.tokens import without_possessive

WHY = "its words speak of it"


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
                f"{channel}_data": Subquery(justification=WHY, relevant_subquery_text=aspect.text)
                for channel, aspect in aspects.items()
            }
        ),
        vector_weights=VectorWeights(
            **{
                f"{channel}_data": SubqueryWeight(relevance=aspect.relevance, justification=WHY)
                for channel, aspect in aspects.items()
            }
        ),
        similar_to=similar,
    )


def _doubted(reading: QueryReading, wish: Wish, settled: Settled) -> Wish:
    """Words that may as well be a title set no limit; a small "romance" is the genre all the same."""
    for name in settled.doubtful():
        if name.start < wish.end and wish.start < name.end:
            genre = isinstance(wish.value, Genre) and name.end - name.start == 1
            if not genre or reading.tokens[name.start].capital:
                return wish._replace(stated=False)
    return wish


def _candidate(reading: QueryReading, name: Meant, names: Sequence[Meant]) -> EntityCandidate:
    start, end = _alternatives(reading, name, names)
    phrase = reading.text(start, end)
    return EntityCandidate(
        candidate_entity_phrase=without_possessive(phrase) if name.category in OWNERS else phrase,
        most_likely_category=name.category,
        exclude_from_results=name.unwanted,
        corrected_and_normalized_entity=name.name,
        stated=name.unwanted or not name.doubtful,
    )


def _alternatives(reading: QueryReading, name: Meant, names: Sequence[Meant]) -> tuple[int, int]:
    """The words of a name, or of all that "or" stands between: one phrase that may mean each of them."""
    start, end = name.start, name.end
    for other in names:
        if other.unwanted or name.unwanted or other.category != name.category:
            continue
        if other.start == end + 1 and reading.form(end) in tables.EITHER:
            end = other.end
        elif other.end == start - 1 and reading.form(other.end) in tables.EITHER:
            start = other.start
    return start, end


def _preferences(wishes: list[Wish]) -> MetadataPreferences:
    standings = {wish.value for wish in wishes if isinstance(wish.value, str) and not wish.unwanted}
    years, minutes = _range(wishes, Years), _range(wishes, Minutes)
    reception = ReceptionPreference()
    if "poor" in standings:
        reception = ReceptionPreference(reception_type="poorly_received")
    elif "acclaimed" in standings:
        reception = ReceptionPreference(reception_type="critically_acclaimed")
    return MetadataPreferences(
        release_date_preference=ReleaseDatePreference(
            result=_date_range(years) if years else None,
            without=[_date_range(Range(*gap)) for gap in _gaps(wishes, Years)],
        ),
        duration_preference=DurationPreference(
            result=_number_range(minutes) if minutes else None,
            without=[_number_range(Range(*gap)) for gap in _gaps(wishes, Minutes)],
        ),
        genres_preference=ChoicePreference(result=_genres(wishes)),
        audio_languages_preference=ChoicePreference(result=_origins(wishes, "languages")),
        countries_preference=ChoicePreference(result=_origins(wishes, "countries")),
        keywords_preference=keywords_of(wishes),
        maturity_rating_preference=ChoicePreference(result=_ratings(wishes)),
        popular_trending_preference=PopularTrendingPreference(
            prefers_trending_movies="trending" in standings,
            prefers_popular_movies="popular" in standings,
        ),
        reception_preference=reception,
    )


def _range(wishes: list[Wish], kind: type[Years] | type[Minutes]) -> Range | None:
    """All that was said of the years or the length, together; of contradictions the first."""
    ranges: list[Range] = [
        wish.value._replace(stated=wish.stated)
        for wish in wishes
        if isinstance(wish.value, kind) and not wish.unwanted and wish.value[:2] != (None, None)
    ]
    ranges += [
        turned
        for wish in wishes
        if isinstance(wish.value, kind) and wish.unwanted and (turned := _turned_around(wish.value))
    ]
    ranges = [one for one in ranges if one.stated] or ranges
    ranges.sort(key=lambda one: one.vague)
    if not ranges:
        return None
    least, most = ranges[0][:2]
    for one in ranges[1:]:
        highest = max((bound for bound in (least, one.least) if bound is not None), default=None)
        lowest = min((bound for bound in (most, one.most) if bound is not None), default=None)
        if highest is None or lowest is None or highest <= lowest:
            least, most = highest, lowest
    return Range(least, most, stated=ranges[0].stated)


def _turned_around(said: Range) -> Range | None:
    """ "Nothing before 1980", "not short", "nothing before 1950 or after 1960"."""
    if said[:2] == (None, None):
        return Range(*said.gaps[0]) if len(said.gaps) == 1 else None
    if said.least is None and said.most is not None:
        return Range(said.most + 1, None)
    return Range(None, said.least - 1) if said.most is None and said.least is not None else None


def _gaps(wishes: list[Wish], kind: type[Years] | type[Minutes]) -> list[tuple[int, int]]:
    """ "Not from the 80s": years on both sides are as good. "70s or 90s": those between are not."""
    gaps: list[tuple[int, int]] = []
    for wish in wishes:
        if isinstance(wish.value, kind):
            least, most = wish.value.least, wish.value.most
            if not wish.unwanted:
                gaps += wish.value.gaps
            elif least is not None and most is not None:
                gaps.append((least, most))
    return gaps


def _date_range(said: Range) -> DateRange:
    first, last, stated = said.least, said.most, said.stated
    if first is None:
        return DateRange(first_date=f"{(last or 0) + 1}-01-01", match_operation="before", stated=stated)
    if last is None:
        return DateRange(first_date=f"{first - 1}-12-31", match_operation="after", stated=stated)
    return DateRange(
        first_date=f"{first}-01-01", match_operation="between", second_date=f"{last}-12-31", stated=stated
    )


def _number_range(said: Range) -> NumberRange:
    least, most = said.least, said.most
    if least is not None and most is not None:
        return NumberRange(first_value=least, match_operation="between", second_value=most, stated=True)
    if most is not None:
        return NumberRange(first_value=most, match_operation="at_most", stated=True)
    return NumberRange(first_value=least or 1, match_operation="at_least", stated=True)


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
                excluded += tables.STRICTER.get(wish.value.allowed, wish.value.allowed)
            else:  # "not for kids"
                included += [(name, False) for name in tables.LADDER if name not in wish.value.allowed]
    return _choice(included, excluded)


def keywords_of(wishes: list[Wish]) -> ChoicePreference:
    said = [(wish.value, wish.unwanted) for wish in wishes if isinstance(wish.value, Keyword)]
    wanted = [keyword.opposite if unwanted else keyword.name for keyword, unwanted in said]
    excluded = [keyword.name for keyword, unwanted in said if unwanted and keyword.name]
    return ChoicePreference(result=_choice([(name, True) for name in wanted if name], excluded))


def no_sequels(wishes: list[Wish]) -> bool:
    return any(isinstance(wish.value, Keyword) and wish.value.sequels and wish.unwanted for wish in wishes)


def not_held(reading: QueryReading, wishes: list[Wish]) -> list[str]:
    """What was stated and no fact of the catalogue tells."""
    return [
        f"no {text}" if wish.unwanted else text
        for wish in wishes
        if isinstance(wish.value, Keyword) and not wish.value.complete and not wish.value.sequels
        for text in [reading.text(wish.start, wish.end)]
    ]


def _channel_weights(
    settled: Settled,
    similar: list[str],
    wishes: list[Wish],
    aspects: dict[Channel, Aspect],
    *,
    unwanted: bool,
) -> ChannelWeights:
    wanted = [name for name in settled.names if not name.unwanted]
    sure = any(not name.doubtful for name in wanted)
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
