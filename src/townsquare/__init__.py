"""The community layer for any website or app, on one Redis."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from townsquare.exports import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """Import the services on first use, so that `import townsquare` is fast."""
    if name.startswith("_") or find_spec(f"townsquare.{name}"):  # a submodule, which the importer imports
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module("townsquare.exports"), name)
    except AttributeError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


def __dir__() -> list[str]:
    return [name for name in vars(import_module("townsquare.exports")) if not name.startswith("_")]
