"""Names that were written in part: "grand budapest", "cuckoos nest", "keanu"."""

from townsquare.services.search.parts import EntityMatch, LexicalIndex
from townsquare.services.search.understanding.local.names import Meant
from townsquare.services.search.understanding.local.ordinary import is_ordinary
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.settle import NameInQuery, Settled
from townsquare.services.search.understanding.local.tokens import forms
from townsquare.services.search.understanding.local.vocabulary import KNOWN

LONGEST_PART = 6  # words: who writes more tells a story
SHORTEST_WORD = 5  # letters of a name that stands alone
ALONE = 0.8  # likeness of a title that one word stands for: most of its letters
TOGETHER = 0.58  # of one that several words stand for
ORDINARY = 0.75  # the same, for words that could mean just themselves: "lock stock"
FIRST_NAME = 0.6  # of a person who is called by it: "keanu"
LOOKED_AT = 5
LONG_WORD = 6  # letters of a word that stands for the one title with it


async def find_shortened(index: LexicalIndex, reading: QueryReading, settled: Settled) -> Settled:
    """If nothing in a short query is a name yet, what is left of it may be a part of one."""
    if settled.likes or settled.unknown_likes or any(not name.meant.doubtful for name in settled.names):
        return settled
    left = [at for at, claim in enumerate(reading.claims) if claim is None]
    if not left or len(left) > LONGEST_PART or left[-1] - left[0] + 1 != len(left):
        return settled
    start, end = left[0], left[-1] + 1
    content = [reading.form(at) for at in left if not reading.is_light(at)]
    ordinary = all(word in KNOWN or word.isdecimal() for word in content)
    if ordinary and len(content) < 2:
        return settled
    for match in await index.entities(reading.text(start, end), limit=LOOKED_AT):
        if _is_meant(content, match, ORDINARY if ordinary else TOGETHER):
            settled.names.append(NameInQuery(Meant(start, end, match.category, match.name)))
            reading.claim(start, end, "name")
            return settled
    for at in left:
        if found := await _only_title_with(index, reading, at):
            settled.names.append(NameInQuery(Meant(at, at + 1, "movie_title", found.name, doubtful=True)))
            break
    return settled


async def _only_title_with(index: LexicalIndex, reading: QueryReading, at: int) -> EntityMatch | None:
    """A word that is in one title and nowhere else: the "mononoke" of "mononoke hime"."""
    word = reading.form(at)
    if len(word) < LONG_WORD or word in KNOWN or is_ordinary(word):
        return None
    matches = [one for one in await index.entities(word, limit=LOOKED_AT) if word in forms(one.name)]
    alone = len(matches) == 1 and matches[0].category == "movie_title"
    return matches[0] if alone else None


def _is_meant(content: list[str], match: EntityMatch, together: float) -> bool:
    if len(content) == 1:
        word = content[0]
        if len(word) < SHORTEST_WORD:
            return False
        if match.category == "person":
            return match.likeness >= FIRST_NAME and len(match.film_ids) > 1 and word in forms(match.name)
        return match.likeness >= ALONE
    return match.category in ("movie_title", "franchise") and match.likeness >= together
