"""The community layer for any website or app, on one Redis."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from townsquare.service import AccountUpdates, Link, Pages, Privacy, Service
    from townsquare.square import Square, open

__all__ = ["AccountUpdates", "Link", "Pages", "Privacy", "Service", "Square", "open"]


def __getattr__(name: str) -> Any:
    """Import the services when somebody asks for them: `import townsquare` alone is quick."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "square" if name in ("Square", "open") else "service"
    return getattr(import_module(f"townsquare.{module}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
