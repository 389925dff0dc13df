"""Understanding by rules and the catalogue's own names: no network, a few milliseconds.

Each pass takes the reading of the query, and returns what it found with the reading in which its words are
claimed. Names first, since a title may contain any other word ("No Country for Old Men", "Scary Movie"), with
the films that the wanted one resembles; then limits, each with what turns it around; what is left tells which
texts to compare with.
"""

from msgspec.structs import replace

from townsquare.clock import Clock, SystemClock, moment
from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.services.search.parts import LexicalIndex
from townsquare.services.search.understanding.local.exclusions import (
    drop_unwanted_words,
    find_unless,
    opposites,
    topics_of_names,
)
from townsquare.services.search.understanding.local.limits import Compared, find_compared, find_wishes
from townsquare.services.search.understanding.local.meaning import compose, no_sequels, not_held
from townsquare.services.search.understanding.local.misspelt import (
    find_misspelt,
    find_shortened,
    find_small_characters,
)
from townsquare.services.search.understanding.local.names import look_up
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.settle import Settled, settle_names
from townsquare.services.search.understanding.local.texts import find_aspects, wanted_text

LONGEST_QUERY = 200  # characters; more is not read


class LocalUnderstanding:
    def __init__(self, index: LexicalIndex, clock: Clock | None = None) -> None:
        self._index = index
        self._clock = clock or SystemClock()

    async def understand(self, query: str) -> QueryUnderstandingResponse:
        this_year = moment(self._clock.now_ms()).year
        reading = QueryReading.of(" ".join(query[:LONGEST_QUERY].split()))
        names = await look_up(self._index, reading) if reading.tokens else []
        settled, reading = settle_names(reading, names, this_year)
        unless, reading = find_unless(reading)
        compared, reading = await self._compared(reading, settled)
        wishes, reading = find_wishes(reading, this_year)
        instead, reading = opposites(reading)
        settled, reading = await find_shortened(self._index, reading, settled)
        settled, reading = await find_misspelt(self._index, reading, settled)
        settled, reading = find_small_characters(reading, names, settled)
        in_prose = wanted_text(reading, settled.names)  # what a story lacks is a part of the story
        named = topics_of_names(reading, settled.names)
        topics, reading = drop_unwanted_words(reading)
        wishes = [*wishes, *compared.wishes]
        similar = await self._titles(settled)
        aspects = find_aspects(reading, (*instead.moods, *compared.moods))
        return replace(
            compose(reading, settled, similar, wishes, aspects),
            wanted_text=in_prose if reading.is_prose else wanted_text(reading, settled.names),
            unwanted_topics=[*instead.topics, *named, *topics],
            without_sequels=no_sequels(wishes),
            not_held=[*not_held(reading, wishes), *unless],
        )

    async def _compared(self, reading: QueryReading, settled: Settled) -> tuple[Compared, QueryReading]:
        titles = [title for name in settled.likes if (title := name.of("movie_title"))]
        films = await self._index.films(titles[0].film_ids[:1]) if titles else []
        return find_compared(reading, films[0]) if films else (Compared(), reading)

    async def _titles(self, settled: Settled) -> list[str]:
        """Of what the wanted film is like; a series stands for its two best-known films."""
        titles: list[str] = []
        for name in settled.likes:
            if title := name.of("movie_title"):
                titles.append(title.name)
            elif series := name.of("franchise"):
                titles += [film.title for film in await self._index.films(series.film_ids[:2])]
        return list(dict.fromkeys(titles))
