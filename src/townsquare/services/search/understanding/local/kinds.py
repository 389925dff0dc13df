"""Words for kinds of films and where they stand: what decides whether "new" is a date."""

from typing import Any

from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.dates import DECADE, YEAR, is_time
from townsquare.services.search.understanding.local.phrases import FoundPhrase
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.tables import markers, words

# as good as "film": "german silent", "italian classics", "war epic"
WORDS_FOR_FILMS = words("words_for_films", "kinds")
OF = words("of", "kinds")
FROM_A_TIME = markers("from_a_time", "kinds")
ADJECTIVES_BETWEEN = 3  # "a short, tense, clever thriller"


class Kinds:
    """Words for kinds of films and where they stand: what decides whether "new" is a date."""

    def __init__(self, reading: QueryReading) -> None:
        self._reading = reading
        self.genres = tables.GENRES.find(reading.tokens)
        self.origins = tables.ORIGINS.find(reading.tokens)
        kinds: list[FoundPhrase[Any]] = [*self.genres, *self.origins]
        self._starts = {found.start for found in kinds}
        self._ends = {found.end for found in kinds}
        self._adjectives = {
            at: found.end
            for at in range(len(reading))
            if (found := tables.CHANNEL_CUES.at(reading.tokens, at)) and found.value == "viewer_experience"
        }

    @property
    def _inside(self) -> set[int]:
        adjectives = {at for start, end in self._adjectives.items() for at in range(start, end)}
        kinds: list[FoundPhrase[Any]] = [*self.genres, *self.origins]
        return adjectives | {at for found in kinds for at in range(found.start, found.end)}

    def follows(self, end: int) -> bool:
        """A kind of film is named from there on, with at most some adjectives between."""
        for _ in range(ADJECTIVES_BETWEEN):
            form = self._reading.form(end)
            if form == "の":  # "フランスのコメディ"
                end += 1
                form = self._reading.form(end)
            if form in tables.FILM or form in WORDS_FOR_FILMS or end in self._starts:
                return True
            if end in self._adjectives:
                end = self._adjectives[end]
            elif form in tables.LIST_WORDS:
                end += 1
            else:
                return False
        return False

    def is_adjective(self, at: int) -> bool:
        return at in self._inside

    def beside(self, start: int, end: int) -> bool:
        reading = self._reading
        if reading.form(start - 1) in ("year", "years"):  # "five year old"
            return False
        before = reading.form(start - 1)
        if self.follows(end) or start in self._ends or before in tables.FILM:
            return True
        if before in OF and reading.form(start - 2) in tables.FILM:  # "films de guerre"
            return True
        from_a_time = FROM_A_TIME.at(reading.tokens, end)
        if is_time(reading.tokens, from_a_time.end if from_a_time else end):
            return True
        adjective = start - 1 not in self._inside and not reading.is_light(start - 1)
        if adjective and start - 1 in self._ends:  # "thriller psicológico coreano"
            return True
        if DECADE.fullmatch(before) or YEAR.fullmatch(before):
            return True
        alone = all(reading.is_light(at) for at in range(start))
        return reading.ends_clause(end) and alone
