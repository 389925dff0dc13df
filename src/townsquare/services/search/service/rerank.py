"""The order of a response: a weighted sum of evidence, `w_L·lexical + w_V·vector + w_M·metadata` and priors.

No signal is a verdict: only limits and exclusions remove a film. The weights are fitted
(`weights.json`, written by `bench.search_weights`)."""

from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from operator import mul
from pathlib import Path
from typing import NamedTuple

import msgspec

from townsquare.services.search.models.films import CHANNELS, Channel, Film, VectorName
from townsquare.services.search.models.results import RerankWeights
from townsquare.services.search.models.understanding import (
    QueryUnderstandingResponse,
    Relevance,
    VectorWeights,
)
from townsquare.services.search.parts import EVERYTHING, FilmFilter
from townsquare.services.search.service.limits import holds
from townsquare.services.search.service.preferences import limited_facts, metadata_score, tell_of

RELEVANCE: Mapping[Relevance, float] = {"not_relevant": 0, "small": 1 / 3, "medium": 2 / 3, "large": 1}
# nothing was understood: the sentence itself is all there is, and its words may be those of a title
NOTHING_UNDERSTOOD = RerankWeights(lexical=1.0, vector=1.0, metadata=0.0)

# how much a channel counts that understanding calls small, medium or large; a wrong guess must not hide the
# channel that is right, so that even a small one keeps most of its score
CHANNEL_TRUST: Mapping[Relevance, float] = {"not_relevant": 0.0, "small": 0.85, "medium": 0.95, "large": 1.0}
LIKE_SHARE = 0.6  # of "like X but Y", the rest is Y; the sentence alone finds 75 of 100, X's own vectors 92
# films are alike if most of what is said of them is: over 674 films the mean of these channels brings 55 of
# 100 films of a series together, the best channel 51, since prizes and shoots of any films are told alike
LIKE_CHANNELS: tuple[Channel, ...] = CHANNELS[:5]
LIKE_GENRES = 0.1  # for the same genres: half of the distance between an average film and the nearest of 100
LIKE_SERIES = 0.05  # for the same series; with both, 96 of 100 films of a series come together

NAMED_TITLE = 100.0  # above all other evidence together: a named film comes first
SHOWN_PENALTY = 2.0  # for each time it was shown, so that the second look begins with other films
MOST_SHOWN_TIMES = 3  # more often makes no difference: it is at the end already
UNWANTED_TOPIC = 50.0  # a film whose texts tell of an unwanted topic comes after all that do not
SAME_SCORE = 3  # digits: what differs by less is a tie, which quality decides


FILE = Path(__file__).with_name("weights.json")


class ScoreWeights(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one unit of each signal adds to a score; cosines, fame and the other shares are 0 to 1."""

    anchor: float  # cosine of the query to all texts of a film together
    best_channel: float  # the highest cosine to one text
    words: float  # BM25 over texts, keywords, genres and title
    fame: float
    quality: float
    name: float  # a name that the query may mean, by its likeness
    title: float  # a title that the query may mean, by its likeness
    similar: float  # cosine to the film that the result shall resemble
    preference: float  # share of the preferences that a film has
    trending: float


class FittedWeights(msgspec.Struct, frozen=True, kw_only=True):
    weights: ScoreWeights
    random_text: float  # the text evidence of the best film for lists of random words, the median
    figures: dict[str, str] = {}


@cache
def fitted() -> FittedWeights:
    return msgspec.json.decode(FILE.read_bytes(), type=FittedWeights)


class Evidence(NamedTuple):
    """The signals of one film, in the units of `ScoreWeights`; the score is their weighted sum."""

    anchor: float = 0.0
    best_channel: float = 0.0
    words: float = 0.0
    fame: float = 0.0
    quality: float = 0.0
    name: float = 0.0
    title: float = 0.0
    similar: float = 0.0
    preference: float = 0.0
    trending: float = 0.0

    def score(self, by: ScoreWeights, *names: str) -> float:
        """Of all signals, or of some."""
        if not names:
            return float(sum(map(mul, self, in_order(by))))
        return float(sum(getattr(self, name) * getattr(by, name) for name in names))


class FilmCandidate(msgspec.Struct, kw_only=True):
    """A film that some search found, with what each said of it."""

    film: Film
    title_likeness: float = 0.0  # 1: the query names it; less: misspells it
    maybe_title: float = 0.0  # the same for a title whose words may mean just themselves
    name_likeness: float = 0.0  # of a person, character, studio or franchise
    name_words: float = 0.0  # share of the query's words in the names of the film
    words: float = 0.0  # BM25 of the description
    texts: Mapping[VectorName, float] = {}  # cosines to the description
    like: Mapping[VectorName, float] = {}  # cosines to the film that it shall be like
    kinship: float = 0.0  # what it has in common with that film besides


class Scored(msgspec.Struct, kw_only=True):
    candidate: FilmCandidate
    evidence: Evidence
    by: ScoreWeights
    score: float
    metadata: float
    bonus: float = 0.0
    best_channel: Channel | None = None
    trending: bool = False
    outside: bool = False  # of a limit that was relaxed

    @property
    def film(self) -> Film:
        return self.candidate.film

    @property
    def lexical(self) -> float:
        return self.evidence.score(self.by, *OF_NAMES)

    @property
    def vector(self) -> float:
        return self.evidence.score(self.by, *OF_TEXTS)


def weights_of(understanding: QueryUnderstandingResponse) -> RerankWeights:
    """How much each kind of evidence counts: nothing, a third, two thirds or all."""
    said = understanding.channel_weights
    weights = RerankWeights(
        RELEVANCE[said.lexical_relevance],
        RELEVANCE[said.vector_relevance],
        RELEVANCE[said.metadata_relevance],
    )
    return weights if any((weights.lexical, weights.vector, weights.metadata)) else NOTHING_UNDERSTOOD


def channel_trust(weights: VectorWeights) -> dict[Channel, float]:
    """Which channels count and how much; where understanding is not sure of any, all of them alike."""
    found = {channel: CHANNEL_TRUST[relevance_of(weights, channel)] for channel in CHANNELS}
    sure = {channel: trust for channel, trust in found.items() if trust}
    return sure or dict.fromkeys(CHANNELS, 1.0)


def relevance_of(weights: VectorWeights, channel: Channel) -> Relevance:
    relevance: Relevance = getattr(weights, f"{channel}_data").relevance
    return relevance


@lru_cache(64)
def in_order(by: ScoreWeights) -> tuple[float, ...]:
    """The weights of the signals of `Evidence`."""
    return tuple(getattr(by, name) for name in Evidence._fields)


OF_TEXTS = ("anchor", "best_channel", "words", "similar")
OF_NAMES = ("name", "title")


def vector_score(
    cosines: Mapping[VectorName, float], trust: Mapping[Channel, float]
) -> tuple[float, float, Channel | None]:
    """The cosines of the anchor and of the best channel, and which that was; a missing one is no zero."""
    channels = {name: cosines[name] * weight for name, weight in trust.items() if name in cosines}
    best = max(channels, key=channels.__getitem__, default=None)
    anchor = cosines.get("anchor")
    if best is None:
        return anchor or 0.0, anchor or 0.0, None
    return channels[best] if anchor is None else anchor, channels[best], best


def like_score(cosines: Mapping[VectorName, float], kinship: float) -> tuple[float, Channel | None]:
    """How like a film is to another: half the anchor, half the mean of the channels that both have."""
    channels: dict[Channel, float] = {name: cosines[name] for name in LIKE_CHANNELS if name in cosines}
    halves = [cosines["anchor"]] if "anchor" in cosines else []
    if channels:
        halves.append(sum(channels.values()) / len(channels))
    nearest = max(channels, key=channels.__getitem__, default=None)
    return (sum(halves) / len(halves) + kinship if halves else 0.0), nearest


def kinship(film: Film, other: Film) -> float:
    genres, others = {*film.genres}, {*other.genres}
    alike = len(genres & others) / len(genres | others) if genres else 0.0
    same_series = bool(film.franchise) and film.franchise == other.franchise
    return LIKE_GENRES * alike + LIKE_SERIES * same_series


def rerank(
    candidates: Iterable[FilmCandidate],
    understanding: QueryUnderstandingResponse,
    where: FilmFilter,
    *,
    within: FilmFilter = EVERYTHING,
    trending: Collection[int] = (),
    shown: Mapping[int, int] | None = None,
    by: ScoreWeights | None = None,
) -> list[Scored]:
    """The candidates of which `where` holds; films `within` the stated limits come first."""
    by = by or fitted().weights
    allowed = [one for one in candidates if holds(where, one.film)]
    weights = weights_of(understanding)
    trust = channel_trust(understanding.vector_weights)
    preferences = understanding.metadata_preferences
    unwanted = tell_of(understanding.unwanted_topics, [one.film for one in allowed])
    limited = limited_facts(preferences)
    prefers_trending = preferences.popular_trending_preference.prefers_trending_movies
    scored = []
    for candidate, sinks in zip(allowed, unwanted, strict=True):
        film = candidate.film
        is_trending = prefers_trending and film.id in trending
        evidence, best = evidence_of(candidate, weights, trust)
        metadata = metadata_score(film, preferences, limited) if weights.metadata else 0.0
        evidence = evidence._replace(preference=weights.metadata * metadata, trending=float(is_trending))
        bonus = bonus_of(candidate, (shown or {}).get(film.id, 0)) - UNWANTED_TOPIC * sinks
        scored.append(
            Scored(
                candidate=candidate,
                evidence=evidence,
                by=by,
                score=evidence.score(by) + bonus,
                metadata=metadata,
                bonus=bonus + by.trending * is_trending,
                best_channel=best,
                trending=is_trending,
                outside=within != EVERYTHING and not holds(within, film),
            )
        )
    return sorted(scored, key=place)


def evidence_of(
    candidate: FilmCandidate, weights: RerankWeights, trust: Mapping[Channel, float]
) -> tuple[Evidence, Channel | None]:
    """What speaks for a film, and the text that does most; `weights` say how much each kind matters."""
    film = candidate.film
    anchor, channel, best = vector_score(candidate.texts, trust)
    share, alike = 1.0, 0.0
    if candidate.like:
        alike, best = like_score(candidate.like, candidate.kinship)
        share = 1 - LIKE_SHARE if candidate.texts else 0.0
    described = weights.vector * share
    return Evidence(
        anchor=described * anchor,
        best_channel=described * channel,
        words=described * candidate.words,
        fame=film.fame / 100,
        quality=film.quality / 100,
        name=weights.lexical * max(candidate.name_likeness, candidate.name_words),
        title=weights.lexical * candidate.maybe_title,
        similar=weights.vector * (1 - share) * alike,
    ), best


def bonus_of(candidate: FilmCandidate, times_shown: int) -> float:
    return NAMED_TITLE * candidate.title_likeness - SHOWN_PENALTY * min(times_shown, MOST_SHOWN_TIMES)


def place(scored: Scored) -> tuple[bool, float, int, int, int]:
    film = scored.film
    return scored.outside, -round(scored.score, SAME_SCORE), -film.quality, -film.fame, film.id
