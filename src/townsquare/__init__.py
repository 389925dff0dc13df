"""The community layer for any website or app, on one Redis."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from townsquare.square import Square, open

__all__ = ["Square", "open"]


def __getattr__(name: str) -> Any:
    """Import the services when somebody asks for them: `townsquare --help` does not."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from townsquare import square

    return getattr(square, name)
