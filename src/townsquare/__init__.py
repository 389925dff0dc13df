"""The community layer for any website or app, on one Redis."""

from importlib import import_module
from typing import Any

from townsquare.exports import MODULE_OF


def __getattr__(name: str) -> Any:
    """Import the module of a public name on first use, so that `import townsquare` is fast."""
    if name not in MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return list(MODULE_OF)
