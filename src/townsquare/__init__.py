"""The community layer for any website or app, on one Redis."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from townsquare.exports import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """Import the services when somebody asks for them: `import townsquare` alone is quick."""
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module("townsquare.exports"), name)
    except AttributeError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


def __dir__() -> list[str]:
    return [*import_module("townsquare.exports").__all__]
