"""Understanding by rules and the catalogue's own names: no network, a few milliseconds.

Names first, since a title may contain any other word ("No Country for Old Men", "Scary Movie"); then films
that the wanted one resembles; then limits, each with what turns it around; what is left tells which texts
to compare with.
"""

from msgspec.structs import replace

from townsquare.clock import Clock, SystemClock, moment
from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.services.search.parts import LexicalIndex
from townsquare.services.search.understanding.local.channel_queries import aspects, wanted_text
from townsquare.services.search.understanding.local.comparatives import Compared, find_compared
from townsquare.services.search.understanding.local.constraints import find_wishes
from townsquare.services.search.understanding.local.exclusions import opposites
from townsquare.services.search.understanding.local.meaning import compose, said_by_dates
from townsquare.services.search.understanding.local.misspelt import (
    find_misspelt,
    find_shortened,
    find_small_characters,
)
from townsquare.services.search.understanding.local.names import look_up
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.resolve_names import Settled, settle_names
from townsquare.services.search.understanding.local.unverifiable import (
    drop_unwanted_words,
    find_not_held,
    topics_of_names,
)

LONGEST_QUERY = 200  # characters; more is not read


class LocalUnderstanding:
    def __init__(self, index: LexicalIndex, clock: Clock | None = None) -> None:
        self._index = index
        self._clock = clock or SystemClock()

    async def understand(self, query: str) -> QueryUnderstandingResponse:
        reading = QueryReading(" ".join(query[:LONGEST_QUERY].split()))
        names = await look_up(self._index, reading) if reading.tokens else []
        settled = settle_names(reading, names, self._this_year())
        not_held = find_not_held(reading)
        compared = await self._compared(reading, settled)
        wishes = [*find_wishes(reading, self._this_year()), *compared.wishes]
        instead = opposites(reading)
        await find_shortened(self._index, reading, settled)
        await find_misspelt(self._index, reading, settled)
        find_small_characters(reading, names, settled)
        in_prose = wanted_text(reading, settled.names)  # what a story lacks is a part of the story
        named = topics_of_names(reading, settled.names)
        topics = [*instead.topics, *named, *drop_unwanted_words(reading)]
        similar = await self._titles(settled)
        added = [*instead.moods, *compared.moods, *not_held.instead, *said_by_dates(wishes)]
        return replace(
            compose(reading, settled, similar, wishes, aspects(reading, added)),
            wanted_text=in_prose if reading.is_prose else wanted_text(reading, settled.names),
            unwanted_topics=topics,
            without_sequels=bool(not_held.sequels),
            not_held=not_held.said,
        )

    def _this_year(self) -> int:
        return moment(self._clock.now_ms()).year

    async def _compared(self, reading: QueryReading, settled: Settled) -> Compared:
        titles = [title for name in settled.likes if (title := name.of("movie_title"))]
        films = await self._index.films(titles[0].film_ids[:1]) if titles else []
        return find_compared(reading, films[0]) if films else Compared([], [])

    async def _titles(self, settled: Settled) -> list[str]:
        """Of what the wanted film is like; a series stands for its two best-known films."""
        titles: list[str] = []
        for name in settled.likes:
            if title := name.of("movie_title"):
                titles.append(title.name)
            elif series := name.of("franchise"):
                titles += [film.title for film in await self._index.films(series.film_ids[:2])]
        return list(dict.fromkeys(titles))
