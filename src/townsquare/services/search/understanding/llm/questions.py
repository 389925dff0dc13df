"""The questions that one query is asked: two dozen, independent of each other, all at once."""

from typing import NamedTuple, get_args

from townsquare.services.search.models.films import CHANNELS
from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.understanding.llm import answers, prompts

CATEGORIES: tuple[EntityCategory, ...] = get_args(EntityCategory)


class Question(NamedTuple):
    name: str  # of the schema as well
    prompt: str
    answer: type[answers.ModelAnswer]


QUESTIONS: tuple[Question, ...] = (
    Question("channel_weights", prompts.CHANNEL_WEIGHTS, answers.WeightsAnswer),
    *(
        Question(
            f"entities_{category}",
            prompts.ENTITIES.format(what=prompts.NAMED[category]),
            answers.EntitiesAnswer,
        )
        for category in CATEGORIES
    ),
    Question("similar_to", prompts.SIMILAR_TO, answers.TitlesAnswer),
    Question("release_date", prompts.RELEASE_DATE, answers.DateAnswer),
    Question("duration", prompts.DURATION, answers.DurationAnswer),
    Question("genres", prompts.GENRES, answers.GenresAnswer),
    Question("audio_languages", prompts.LANGUAGES, answers.LanguagesAnswer),
    Question("countries", prompts.COUNTRIES, answers.CountriesAnswer),
    Question("watch_providers", prompts.PROVIDERS, answers.ProvidersAnswer),
    Question("maturity_rating", prompts.MATURITY, answers.CertificatesAnswer),
    Question("popular_trending", prompts.POPULAR, answers.PopularAnswer),
    Question("reception", prompts.RECEPTION, answers.ReceptionAnswer),
    *(
        Question(
            f"subquery_{channel}", prompts.SUBQUERY.format(what=prompts.TOLD[channel]), answers.SubqueryAnswer
        )
        for channel in CHANNELS
    ),
    Question("vector_weights", prompts.WEIGHTS, answers.ChannelWeightsAnswer),
)
