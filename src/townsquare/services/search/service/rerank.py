"""The order of an answer: `w_L·lexical + w_V·vector + w_M·metadata`, in memory, from what was fetched.

Figures behind the constants are in docs/search.md; `bench/search_evaluation.py` measures them again.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from townsquare.services.search.models.films import CHANNELS, Channel, Film, VectorName
from townsquare.services.search.models.results import RerankWeights
from townsquare.services.search.models.understanding import (
    QueryUnderstandingResponse,
    Relevance,
    VectorWeights,
)
from townsquare.services.search.parts import FilmFilter
from townsquare.services.search.service.limits import holds
from townsquare.services.search.service.preferences import metadata_score
from townsquare.services.search.service.wording import same_words, tell_of

RELEVANCE: Mapping[Relevance, int] = {"not_relevant": 0, "small": 1, "medium": 2, "large": 3}
# nothing was understood: the sentence itself is all there is, and its words may be those of a title
NOTHING_UNDERSTOOD = RerankWeights(lexical=0.25, vector=0.75, metadata=0.0)

# of the anchor, the rest is the best channel: of 195 described films 165 are found with 0.5, 167 with 0.6
ANCHOR_SHARE = 0.6
# for a film that tells of it in the same words, beside the vectors' 1: with it 173 of those 195 are found
SAME_WORDS = 0.5
QUALITY = 0.2  # for the best film there is: people mean films that are good, 175 of 195
# how much a channel counts that understanding calls small, medium or large; a wrong guess must not hide the
# channel that is right, so that even a small one keeps most of its score
CHANNEL_TRUST: Mapping[Relevance, float] = {"not_relevant": 0.0, "small": 0.85, "medium": 0.95, "large": 1.0}
LIKE_SHARE = 0.6  # of "like X but Y", the rest is Y; the sentence alone finds 75 of 100, X's own vectors 92
# films are alike if most of what is said of them is: over 674 films the mean of these channels brings 55 of
# 100 films of a series together, the best channel 51, since prizes and shoots of any films are told alike
LIKE_CHANNELS: tuple[Channel, ...] = CHANNELS[:5]
LIKE_GENRES = 0.1  # for the same genres: half of the distance between an average film and the nearest of 100
LIKE_SERIES = 0.05  # for the same series; with both, 96 of 100 films of a series come together

WORDS_AT_MOST = 0.3  # a lexical text score beside vectors: words of a title are often words of a mood
NAMED_TITLE = 2.0  # above all that weights and bonuses can reach: who names a film gets it first
TRENDING_BONUS = 0.15  # lifts a film over its equals, not over films that match better by a whole channel
SHOWN_PENALTY = 0.25  # for each time it was shown, so that the second look begins with other films
# for a film whose texts tell of what is not wanted: behind all that do not, unless it was named
UNWANTED_TOPIC = 1.0
MOST_SHOWN_TIMES = 3  # more often makes no difference: it is at the end already
SAME_SCORE = 3  # digits: what differs by less is a tie, which quality decides


class FilmCandidate(msgspec.Struct, kw_only=True):
    """A film that some search found, with what each said of it."""

    film: Film
    title_likeness: float = 0.0  # 1: the query names it; less: misspells it
    name_likeness: float = 0.0  # of a person, character, studio or franchise
    words: float = 0.0  # lexical text score, the best of the answer is 1
    texts: Mapping[VectorName, float] = {}  # cosines to what was asked
    like: Mapping[VectorName, float] = {}  # cosines to the film that it shall be like
    kinship: float = 0.0  # what it has in common with that film besides


class Scored(msgspec.Struct, kw_only=True):
    candidate: FilmCandidate
    score: float
    lexical: float
    vector: float
    metadata: float
    bonus: float = 0.0
    best_channel: Channel | None = None
    trending: bool = False

    @property
    def film(self) -> Film:
        return self.candidate.film


class Exclusions(msgspec.Struct, frozen=True, kw_only=True):
    """What never appears, looked for in the record itself, whichever search found it."""

    where: FilmFilter
    certifications: frozenset[str] = frozenset()

    def spare(self, film: Film) -> bool:
        return holds(self.where, film) and film.certification not in self.certifications


def weights_of(understanding: QueryUnderstandingResponse) -> RerankWeights:
    """0, 1, 2 and 3, so divided that they are 1 together."""
    said = understanding.channel_weights
    parts = [
        RELEVANCE[said.lexical_relevance],
        RELEVANCE[said.vector_relevance],
        RELEVANCE[said.metadata_relevance],
    ]
    total = sum(parts)
    return RerankWeights(*(part / total for part in parts)) if total else NOTHING_UNDERSTOOD


def channel_trust(weights: VectorWeights) -> dict[Channel, float]:
    """Which channels count and how much; where understanding is not sure of any, all of them alike."""
    found = {channel: CHANNEL_TRUST[relevance_of(weights, channel)] for channel in CHANNELS}
    sure = {channel: trust for channel, trust in found.items() if trust}
    return sure or dict.fromkeys(CHANNELS, 1.0)


def relevance_of(weights: VectorWeights, channel: Channel) -> Relevance:
    relevance: Relevance = getattr(weights, f"{channel}_data").relevance
    return relevance


def vector_score(
    cosines: Mapping[VectorName, float], trust: Mapping[Channel, float]
) -> tuple[float, Channel | None]:
    """Its anchor and its best channel, and which that was; a channel that it lacks is no zero."""
    channels = {name: cosines[name] * weight for name, weight in trust.items() if name in cosines}
    best = max(channels, key=channels.__getitem__, default=None)
    anchor = cosines.get("anchor")
    if anchor is None:
        return (channels[best], best) if best else (0.0, None)
    if best is None:
        return anchor, None
    return ANCHOR_SHARE * anchor + (1 - ANCHOR_SHARE) * channels[best], best


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


def lexical_score(candidate: FilmCandidate, *, beside_vectors: bool) -> float:
    """An exact or misspelt name counts whole, mere words little where vectors know more."""
    words = candidate.words * (WORDS_AT_MOST if beside_vectors else 1.0)
    return max(candidate.title_likeness, candidate.name_likeness, words)


def scaled(scores: Sequence[float]) -> list[float]:
    """Cosines of one answer from 0 to 1: the best is 1, the mean of all candidates 0.

    Cosines of a sentence to texts about films lie close together; without this a difference in facts would
    always count for more.
    """
    seen = [score for score in scores if score > 0]
    if not seen:
        return [0.0] * len(scores)
    best, floor = max(seen), sum(seen) / len(seen)
    if best - floor < 1e-6:
        return [1.0 if score > 0 else 0.0 for score in scores]
    return [min(1.0, max(0.0, (score - floor) / (best - floor))) for score in scores]


def rerank(
    candidates: Iterable[FilmCandidate],
    understanding: QueryUnderstandingResponse,
    exclusions: Exclusions,
    *,
    described: str = "",
    trending: Collection[int] = (),
    shown: Mapping[int, int] | None = None,
) -> list[Scored]:
    """All candidates that may appear, the best first; `described` is what was said of the film."""
    allowed = [one for one in candidates if exclusions.spare(one.film)]
    weights = weights_of(understanding)
    trust = channel_trust(understanding.vector_weights)
    preferences = understanding.metadata_preferences
    raw = [combined_vector_score(one, trust) for one in allowed]
    vectors = scaled([score for score, _ in raw])
    beside_vectors = any(vectors)
    wordings = same_words(described, [one.film for one in allowed])
    unwanted = tell_of(understanding.unwanted_topics, [one.film for one in allowed])
    prefers_trending = preferences.popular_trending_preference.prefers_trending_movies
    scored = []
    for candidate, vector, (_, best), wording, sinks in zip(
        allowed, vectors, raw, wordings, unwanted, strict=True
    ):
        lexical = lexical_score(candidate, beside_vectors=beside_vectors)
        metadata = metadata_score(candidate.film, preferences)
        is_trending = prefers_trending and candidate.film.id in trending
        bonus = bonus_of(candidate, is_trending, (shown or {}).get(candidate.film.id, 0))
        bonus -= UNWANTED_TOPIC * sinks
        wording *= (1 - LIKE_SHARE) if candidate.like else 1.0
        told = vector + SAME_WORDS * wording + QUALITY * candidate.film.quality / 100
        total = weights.lexical * lexical + weights.vector * told + weights.metadata * metadata
        scored.append(
            Scored(
                candidate=candidate,
                score=total + bonus,
                lexical=lexical,
                vector=vector,
                metadata=metadata,
                bonus=bonus,
                best_channel=best,
                trending=is_trending,
            )
        )
    return sorted(scored, key=place)


def combined_vector_score(
    candidate: FilmCandidate, trust: Mapping[Channel, float]
) -> tuple[float, Channel | None]:
    by_text, best = vector_score(candidate.texts, trust)
    if not candidate.like:
        return by_text, best
    by_film, nearest = like_score(candidate.like, candidate.kinship)
    if not candidate.texts:
        return by_film, nearest
    return LIKE_SHARE * by_film + (1 - LIKE_SHARE) * by_text, nearest


def bonus_of(candidate: FilmCandidate, is_trending: bool, times_shown: int) -> float:
    named = NAMED_TITLE * candidate.title_likeness
    trending = TRENDING_BONUS if is_trending else 0.0
    return named + trending - SHOWN_PENALTY * min(times_shown, MOST_SHOWN_TIMES)


def place(scored: Scored) -> tuple[float, int, int, int]:
    film = scored.film
    return -round(scored.score, SAME_SCORE), -film.quality, -film.fame, film.id
