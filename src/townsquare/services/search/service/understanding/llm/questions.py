"""The questions that one query is asked: two dozen, independent of each other, all at once."""

from typing import NamedTuple, get_args

from townsquare.services.search.models.films import CHANNELS
from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.service.understanding.llm import answers
from townsquare.services.search.service.understanding.llm.prompts import facts, names, texts

CATEGORIES: tuple[EntityCategory, ...] = get_args(EntityCategory)


class Question(NamedTuple):
    name: str  # of the schema as well
    prompt: str
    answer: type[answers.ModelAnswer]


QUESTIONS: tuple[Question, ...] = (
    Question("channel_weights", names.CHANNEL_WEIGHTS, answers.WeightsAnswer),
    *(
        Question(
            f"entities_{category}", names.ENTITIES.format(what=names.WHAT[category]), answers.EntitiesAnswer
        )
        for category in CATEGORIES
    ),
    Question("similar_to", names.SIMILAR_TO, answers.TitlesAnswer),
    Question("release_date", facts.RELEASE_DATE, answers.DateAnswer),
    Question("duration", facts.DURATION, answers.DurationAnswer),
    Question("genres", facts.GENRES, answers.GenresAnswer),
    Question("audio_languages", facts.LANGUAGES, answers.LanguagesAnswer),
    Question("countries", facts.COUNTRIES, answers.CountriesAnswer),
    Question("watch_providers", facts.PROVIDERS, answers.ProvidersAnswer),
    Question("maturity_rating", facts.MATURITY, answers.CertificatesAnswer),
    Question("popular_trending", facts.POPULAR, answers.PopularAnswer),
    Question("reception", facts.RECEPTION, answers.ReceptionAnswer),
    *(
        Question(
            f"subquery_{channel}", texts.SUBQUERY.format(what=texts.WHAT[channel]), answers.SubqueryAnswer
        )
        for channel in CHANNELS
    ),
    Question("vector_weights", texts.WEIGHTS, answers.ChannelWeightsAnswer),
)
