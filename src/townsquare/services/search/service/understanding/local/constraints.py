"""What a film must or should be: found in the tables, with what is not wanted told from what is."""

from typing import Any, NamedTuple

from townsquare.services.search.models.films import Channel
from townsquare.services.search.service.understanding.local.cues.channels import (
    ABSENCES_THAT_TELL,
    CHANNEL_CUES,
    OPPOSITES,
)
from townsquare.services.search.service.understanding.local.cues.genres import GENRES, Genre
from townsquare.services.search.service.understanding.local.cues.places import (
    ALSO,
    COUNTRY_NAMES,
    ENGLISH,
    FOREIGN,
    FROM,
    IN,
    LANGUAGE_WORDS,
    LANGUAGES,
    NOT_ENGLISH,
    ORIGINS,
    Origin,
)
from townsquare.services.search.service.understanding.local.cues.ratings import RATINGS, RatingCue
from townsquare.services.search.service.understanding.local.cues.standing import (
    AFTER_BEST,
    BEST,
    STANDINGS,
    Standing,
)
from townsquare.services.search.service.understanding.local.cues.words import (
    BETWEEN_MARKER_AND_TARGET,
    CONTRAST,
    EXCLUDED_BEFORE,
    EXCLUDING,
    FILM,
    LIST_WORDS,
    PLAIN_EXCLUDING,
)
from townsquare.services.search.service.understanding.local.dates import DECADE, YEAR, Years, find_dates
from townsquare.services.search.service.understanding.local.lengths import Minutes, find_lengths
from townsquare.services.search.service.understanding.local.phrases import FoundPhrase, words_of
from townsquare.services.search.service.understanding.local.reading import Claim, QueryReading

ADJECTIVES_BETWEEN = 3  # "a short, tense, clever thriller"
LONGEST_UNWANTED = 3  # words
NOUN_PHRASE_ENDS = words_of(
    "in on at with about set of that who where for from by and or but avec con dans en の"
)
BEFORE_A_SETTING = words_of("set place ambientada passe situé situado")
SETTING = words_of("in of during the around en dans circa")
NO_GENRE_AFTER = words_of("the a an to of this that his her their at in into")  # "goes to war"


class Wish(NamedTuple):
    """One thing that was said of the film, and where."""

    claim: Claim
    start: int
    end: int
    value: Genre | Origin | RatingCue | Standing | Years | Minutes
    stated: bool = True
    unwanted: bool = False
    either: bool = False  # "horror or comedy"


class Kinds:
    """Words for kinds of films and where they stand: what decides whether "new" is a date."""

    def __init__(self, reading: QueryReading) -> None:
        self._reading = reading
        self.genres = GENRES.find(reading.tokens)
        self.origins = ORIGINS.find(reading.tokens)
        kinds: list[FoundPhrase[Any]] = [*self.genres, *self.origins]
        self._starts = {found.start for found in kinds}
        self._ends = {found.end for found in kinds}
        self._adjectives = {
            at: found.end
            for at in range(len(reading))
            if (found := CHANNEL_CUES.at(reading.tokens, at)) and found.value == "viewer_experience"
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
            if form in FILM or end in self._starts:
                return True
            if end in self._adjectives:
                end = self._adjectives[end]
            elif form in LIST_WORDS:
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
        if self.follows(end) or start in self._ends or before in FILM:
            return True
        if DECADE.fullmatch(before) or YEAR.fullmatch(before):
            return True
        alone = all(reading.is_light(at) for at in range(start))
        return reading.ends_clause(end) and alone


def find_wishes(reading: QueryReading, this_year: int) -> list[Wish]:
    """From left to right; names are claimed already."""
    kinds = Kinds(reading)
    wishes = [
        *_lengths(reading, kinds),
        *_ratings(reading),
        *_dates(reading, kinds, this_year),
        *_languages(reading, kinds),
        *_standings(reading, kinds),
        *_genres(reading, kinds),
        *_origins(reading, kinds),
    ]
    free: list[Wish] = []
    for wish in wishes:
        if reading.is_free(wish.start, wish.end):
            reading.claim(wish.start, wish.end, wish.claim)
            free.append(wish)
    return _with_exclusions(reading, sorted(free, key=lambda wish: wish.start))


def _lengths(reading: QueryReading, kinds: Kinds) -> list[Wish]:
    found = find_lengths(reading.tokens, kinds.beside)
    return [Wish("length", *one) for one in found if not (reading.is_prose and _is_a_stretch(one, kinds))]


def _is_a_stretch(found: FoundPhrase[Minutes], kinds: Kinds) -> bool:
    """ "Three hours of rain": a length without "under" or "over" that no film has."""
    return found.value.least is not None and found.value.most is not None and not kinds.follows(found.end)


def _ratings(reading: QueryReading) -> list[Wish]:
    return [
        Wish("rating", found.start, found.end, found.value, found.value.stated)
        for found in RATINGS.find(reading.tokens)
        if not any(reading.form(at) in ("too", "unsuitable") for at in range(found.start - 3, found.start))
    ]


def _dates(reading: QueryReading, kinds: Kinds, this_year: int) -> list[Wish]:
    return [
        Wish("date", found.start, found.end, found.value, found.value.stated)
        for found in find_dates(reading.tokens, this_year, kinds.beside)
        if not _is_setting(reading, found, kinds)
    ]


def _is_setting(reading: QueryReading, found: FoundPhrase[Years], kinds: Kinds) -> bool:
    """ "Set in the 80s", "in 1944 a boy": when the story plays, not when the film came out."""
    if reading.form(found.start - 1) in BEFORE_A_SETTING:
        return True
    placed = (
        found.value.bare
        or reading.form(found.start) in SETTING
        or DECADE.fullmatch(reading.form(found.start))
    )
    return reading.is_prose and bool(placed) and not kinds.beside(found.start, found.end)


def _standings(reading: QueryReading, kinds: Kinds) -> list[Wish]:
    said = [Wish("standing", *found) for found in STANDINGS.find(reading.tokens)]
    best = [
        Wish("standing", *found)
        for found in BEST.find(reading.tokens)
        if kinds.beside(found.start, found.end)
        or reading.form(found.end) in AFTER_BEST
        or reading.form(found.end).isdecimal()
    ]
    return said + best


def _languages(reading: QueryReading, kinds: Kinds) -> list[Wish]:
    wishes = [
        Wish("origin", at, at + 1, Origin(languages=("en",)), unwanted=True)
        for at in range(len(reading))
        if reading.form(at) in FOREIGN and kinds.beside(at, at + 1)
    ]
    wishes += [
        Wish("origin", found.start, found.end, Origin(languages=("en",)), unwanted=True)
        for found in NOT_ENGLISH.find(reading.tokens)
    ]
    wishes += [
        Wish("origin", found.start, found.end, Origin(languages=("en",)))
        for found in ENGLISH.find(reading.tokens)
    ]
    for found in LANGUAGES.find(reading.tokens):
        said_in = reading.form(found.start - 1) in IN and reading.ends_clause_or_joins(found.end)
        named = reading.form(found.end) in LANGUAGE_WORDS
        if said_in or named or reading.form(found.start).endswith("語"):
            start = found.start - 1 if said_in else found.start
            languages = ALSO.get(found.value, (found.value,))
            wishes.append(Wish("origin", start, found.end + named, Origin(languages=languages)))
    for country in COUNTRY_NAMES.find(reading.tokens):
        if reading.form(country.start - 1) in FROM and not reading.is_prose:
            wishes.append(Wish("origin", country.start - 1, country.end, country.value))
    return wishes


def _origins(reading: QueryReading, kinds: Kinds) -> list[Wish]:
    wishes = []
    for found in kinds.origins:
        if reading.form(found.start) == "us" and reading.tokens[found.start].text != "US":
            continue
        if any(one.start <= found.start and found.end < one.end for one in kinds.genres):  # "korean war"
            continue
        beside = found.value.only_films or kinds.beside(found.start, found.end)
        last = reading.ends_clause(found.end) and not _is_excluding(reading, found.start)
        if beside or _is_excluding(reading, found.start):
            wishes.append(Wish("origin", *found))
        elif last and reading.is_light(found.start - 1):
            wishes.append(Wish("origin", *found, stated=False))
    return wishes


def is_unwanted_at(reading: QueryReading, start: int, end: int) -> bool:
    """What stands there is not wanted; the words that say so are claimed."""
    if reading.tokens[start].struck_out:
        return True
    if after := EXCLUDED_BEFORE.at(reading.tokens, end):
        reading.claim(after.start, after.end, "unwanted")
        return True
    after = EXCLUDED_BEFORE.at(reading.tokens, end + 1)
    if after and reading.form(end) in BETWEEN_MARKER_AND_TARGET:
        reading.claim(end, after.end, "unwanted")
        return True
    marker = _marker_before(reading, start)
    if marker is None:
        return False
    reading.claim(marker, start, "unwanted")
    return True


def _is_excluding(reading: QueryReading, start: int) -> bool:
    return _marker_before(reading, start) is not None


def _marker_before(reading: QueryReading, start: int) -> int | None:
    """Where the words begin that say that what follows is not wanted."""
    at = start
    while at > 0:
        for begin in range(max(0, at - 4), at):
            found = EXCLUDING.at(reading.tokens, begin)
            if found and found.end == at:
                return begin
        if reading.form(at - 1) not in BETWEEN_MARKER_AND_TARGET or reading.tokens[at].after_break:
            return None
        at -= 1
    return None


def _genres(reading: QueryReading, kinds: Kinds) -> list[Wish]:
    wishes = []
    for number, found in enumerate(kinds.genres):
        genre = found.value
        stated = genre.stated and _is_head(reading, kinds, found.start, found.end)
        if genre.in_prose and not _names_a_genre(reading, kinds, found.start, found.end):
            before = reading.form(found.start - 1)
            ends = reading.ends_clause(found.end) or reading.form(found.end) in NOUN_PHRASE_ENDS
            if not ends or before in NO_GENRE_AFTER:
                continue
            stated = False
        either = any(
            other.end + 1 == found.start and reading.form(other.end) in ("or", "ou", "o", "u")
            for other in kinds.genres[:number]
        ) or any(
            found.end + 1 == other.start and reading.form(found.end) in ("or", "ou", "o", "u")
            for other in kinds.genres[number + 1 :]
        )
        claim: Claim = "aspect" if genre.says_more or (genre.in_prose and not stated) else "genre"
        wishes.append(Wish(claim, found.start, found.end, genre, stated, either=either))
    return wishes


def _is_head(reading: QueryReading, kinds: Kinds, start: int, end: int) -> bool:
    """In a story: the genre stands before what is told of it, or is said by itself ("a western about …")."""
    if not reading.is_prose or _is_excluding(reading, start) or reading.tokens[start].struck_out:
        return True
    ends = reading.ends_clause(end) or reading.is_light(end) or kinds.follows(end)
    return ends and all(reading.is_light(at) or kinds.is_adjective(at) for at in range(start))


def _names_a_genre(reading: QueryReading, kinds: Kinds, start: int, end: int) -> bool:
    alone = all(start <= at < end or reading.is_light(at) for at in range(len(reading)))
    return (
        alone or kinds.beside(start, end) or _is_excluding(reading, start) or reading.tokens[start].struck_out
    )


def _with_exclusions(reading: QueryReading, wishes: list[Wish]) -> list[Wish]:
    """The same wishes, those marked that are not wanted; the markers are claimed with them."""
    by_start = {wish.start: number for number, wish in enumerate(wishes)}
    by_end = {wish.end: number for number, wish in enumerate(wishes)}
    unwanted: set[int] = set()
    at = 0
    while at < len(reading):
        marker = EXCLUDING.at(reading.tokens, at)
        if marker and reading.is_free(marker.start, marker.end):
            at = _exclude_after(reading, marker.start, marker.end, wishes, by_start, unwanted)
            continue
        if at in by_start and reading.tokens[at].struck_out:
            unwanted.add(by_start[at])
        if (after := EXCLUDED_BEFORE.at(reading.tokens, at)) and reading.is_free(after.start, after.end):
            target = at
            while (
                target > 0 and target not in by_end and reading.form(target - 1) in BETWEEN_MARKER_AND_TARGET
            ):
                target -= 1
            if target in by_end:
                unwanted.add(by_end[target])
                reading.claim(target, after.end, "unwanted")
        at += 1
    for number in unwanted:
        reading.claim(wishes[number].start, wishes[number].end, "unwanted")
    return [
        wish._replace(unwanted=not wish.unwanted, stated=True) if number in unwanted else wish
        for number, wish in enumerate(wishes)
    ]


def _exclude_after(
    reading: QueryReading,
    start: int,
    end: int,
    wishes: list[Wish],
    by_start: dict[int, int],
    unwanted: set[int],
) -> int:
    """Marks what follows a marker, and lists of its kind: "no horror or musicals". Answers where to go on."""
    target = _target(reading, end, by_start)
    if target is None:
        return end
    number = by_start[target]
    unwanted.add(number)
    reading.claim(start, target, "unwanted")
    while True:
        end = wishes[number].end
        following = end
        while following < len(reading) and (
            reading.form(following) in FILM or reading.form(following) in LIST_WORDS
        ):
            following += 1
        joined = any(reading.form(at) in LIST_WORDS for at in range(end, following))
        same = following in by_start and type(wishes[by_start[following]].value) is type(wishes[number].value)
        listed = (
            same
            and reading.tokens[following].after_break
            and _list_goes_on(reading, by_start, wishes, following)
        )
        if not same or not (joined or listed):
            return end
        number = by_start[following]
        unwanted.add(number)
        reading.claim(end, following, "unwanted")


def _list_goes_on(reading: QueryReading, by_start: dict[int, int], wishes: list[Wish], at: int) -> bool:
    """ "no horror, musicals or westerns": a comma joins where "or" follows."""
    end = wishes[by_start[at]].end
    return reading.form(end) in ("or", "nor", "ni", "ou", "o") and end + 1 in by_start


def _target(reading: QueryReading, at: int, by_start: dict[int, int]) -> int | None:
    while at < len(reading):
        if at in by_start:
            return at
        if reading.form(at) not in BETWEEN_MARKER_AND_TARGET:
            return None
        at += 1
    return None


def opposites(reading: QueryReading) -> list[tuple[Channel, str]]:
    """What to look for instead of moods that are not wanted; their words are claimed."""
    found: list[tuple[Channel, str]] = []
    for mood in OPPOSITES.find(reading.tokens):
        if reading.is_free(mood.start, mood.end) and _is_excluding(reading, mood.start):
            start = _marker_before(reading, mood.start)
            reading.claim(mood.start if start is None else start, mood.end, "unwanted")
            if mood.value:
                found.append(("viewer_experience", mood.value))
    return found


def drop_unwanted_words(reading: QueryReading) -> None:
    """ "no zombies": nothing filters by it, but to search for its words would find them."""
    for marker in PLAIN_EXCLUDING.find(reading.tokens):
        before = marker.start - 1
        begins = (
            before < 0
            or reading.tokens[marker.start].after_break
            or reading.claims[before] is not None
            or reading.form(before) in FILM
            or reading.form(before) in CONTRAST
            or reading.form(before) in LIST_WORDS
        )
        end = marker.end
        while (
            end < len(reading) and end - marker.end < LONGEST_UNWANTED and not reading.tokens[end].after_break
        ):
            if reading.claims[end] is not None or reading.form(end) in NOUN_PHRASE_ENDS:
                break
            end += 1
        tells = any(ABSENCES_THAT_TELL.at(reading.tokens, at) for at in range(marker.end, end))
        if begins and end > marker.end and not tells and reading.is_free(marker.start, marker.end):
            reading.claim(marker.start, end, "unwanted")
