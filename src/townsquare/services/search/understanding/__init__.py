"""What a query means: by rules of our own, or by a language model with the rules to fall back on."""

from townsquare.clock import Clock
from townsquare.services.search.parts import LexicalIndex, Understanding
from townsquare.services.search.understanding.local import LocalUnderstanding
from townsquare.settings import Settings
from townsquare.store.coordination.limits import Limiter

__all__ = ["LocalUnderstanding", "understandings_of"]


def understandings_of(
    settings: Settings, index: LexicalIndex, clock: Clock, limiter: Limiter
) -> tuple[Understanding, Understanding]:
    """Who understands, as the settings say, and who does when they do not answer."""
    local = LocalUnderstanding(index, clock)
    if settings.search_understanding == "local":
        return local, local
    from townsquare.services.search.understanding.cached import limited
    from townsquare.services.search.understanding.llm import LlmUnderstanding

    return limited(LlmUnderstanding.of(settings), limiter, settings), local
