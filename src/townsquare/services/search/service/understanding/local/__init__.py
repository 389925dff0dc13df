"""Understanding by rules and the catalogue's own names: no network, a few milliseconds.

Names first, since a title may contain any other word ("No Country for Old Men", "Scary Movie"); then films
that the wanted one resembles; then limits, each with what turns it around; what is left tells which texts
to compare with.
"""

from townsquare.clock import Clock, SystemClock, moment
from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.services.search.parts import LexicalIndex
from townsquare.services.search.service.understanding.local.aspects import aspects
from townsquare.services.search.service.understanding.local.characters import find_small_characters
from townsquare.services.search.service.understanding.local.constraints import find_wishes
from townsquare.services.search.service.understanding.local.exclusions import drop_unwanted_words, opposites
from townsquare.services.search.service.understanding.local.likes import compared_years
from townsquare.services.search.service.understanding.local.lookup import look_up
from townsquare.services.search.service.understanding.local.meaning import compose, said_by_dates
from townsquare.services.search.service.understanding.local.misspelt import find_misspelt
from townsquare.services.search.service.understanding.local.reading import QueryReading
from townsquare.services.search.service.understanding.local.settle import Settled, settle_names
from townsquare.services.search.service.understanding.local.shortened import find_shortened
from townsquare.services.search.service.understanding.local.wishes import Wish

LONGEST_QUERY = 200  # characters; more is not read


class LocalUnderstanding:
    def __init__(self, index: LexicalIndex, clock: Clock | None = None) -> None:
        self._index = index
        self._clock = clock or SystemClock()

    async def understand(self, query: str) -> QueryUnderstandingResponse:
        reading = QueryReading(" ".join(query[:LONGEST_QUERY].split()))
        names = await look_up(self._index, reading) if reading.tokens else []
        settled = settle_names(reading, names, self._this_year())
        wishes = [*find_wishes(reading, self._this_year()), *await self._years_beside(reading, settled)]
        instead = opposites(reading)
        settled = await find_shortened(self._index, reading, settled)
        settled = await find_misspelt(self._index, reading, settled)
        settled = find_small_characters(reading, names, settled)
        drop_unwanted_words(reading)
        similar = await self._titles(settled)
        return compose(
            reading, settled, similar, wishes, aspects(reading, [*instead, *said_by_dates(wishes)])
        )

    def _this_year(self) -> int:
        return moment(self._clock.now_ms()).year

    async def _years_beside(self, reading: QueryReading, settled: Settled) -> list[Wish]:
        titles = [title for name in settled.likes if (title := name.of("movie_title"))]
        films = await self._index.films(titles[0].film_ids[:1]) if titles else []
        return compared_years(reading, films[0].year) if films else []

    async def _titles(self, settled: Settled) -> list[str]:
        """Of what the wanted film is like; a series stands for its two best-known films."""
        titles: list[str] = []
        for name in settled.likes:
            if title := name.of("movie_title"):
                titles.append(title.name)
            elif series := name.of("franchise"):
                titles += [film.title for film in await self._index.films(series.film_ids[:2])]
        return list(dict.fromkeys(titles))
