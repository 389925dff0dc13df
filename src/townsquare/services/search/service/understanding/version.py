"""Which entries of the cache belong to whom: `v{N}` of `qu:v{N}:{hash}`.

`QU_VERSION` is raised by hand with any change of these; a test keeps their fingerprint and fails otherwise:
- a prompt or a question of the model (`llm/prompts`, `llm/questions`),
- the default model, the sampling parameters,
- the schema of the response or of an answer,
- the normalisation of the query text.
It is raised too when the rules of `local` answer otherwise, if a day of the earlier answers would be noticed.

What an operator sets must not wait for a release: the model by its name, the catalogue by its revision. They
are part of the number.
"""

from zlib import crc32

from townsquare.services.search.keys import QU_VERSION
from townsquare.settings import Settings

DEFAULTS = Settings()
SETTINGS_RANGE = 1_000_000  # digits behind QU_VERSION


def version_of(settings: Settings, catalogue: str = "") -> int:
    """`QU_VERSION` itself for the model and the catalogue that we ship, else a number that begins with it."""
    model = settings.search_llm_model if settings.search_understanding == "llm" else ""
    own_model = model not in ("", DEFAULTS.search_llm_model)
    if not own_model and not catalogue and settings.search_understanding == DEFAULTS.search_understanding:
        return QU_VERSION
    own = f"{settings.search_understanding}\0{model}\0{catalogue}"
    return QU_VERSION * SETTINGS_RANGE + crc32(own.encode()) % SETTINGS_RANGE
