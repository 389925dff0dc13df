"""All words that some table knows: Japanese is cut by them; what is none of them may be a misspelt name.

Short names of films are no such words, unless they are Japanese.
"""

from townsquare.services.search.understanding.local import dates, lengths, ranges, tables
from townsquare.services.search.understanding.local.phrases import Phrases
from townsquare.services.search.understanding.local.tokens import Tokeniser

MODULES = (dates, lengths, ranges, tables)


def _known_words() -> frozenset[str]:
    found: set[str] = set()
    for module in MODULES:
        for value in vars(module).values():
            if isinstance(value, Phrases) and value is not tables.ALIASES:
                found.update(value.words())
            elif isinstance(value, frozenset):
                found.update(value)
    return frozenset(found | JAPANESE_ALIASES)


JAPANESE_ALIASES = frozenset(word for word in tables.ALIASES.words() if not word.isascii())
KNOWN = _known_words()
TOKENISER = Tokeniser(KNOWN)
