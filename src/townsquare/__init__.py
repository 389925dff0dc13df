"""The community layer for any website or app, on one Redis."""

from townsquare.square import Square, open

__all__ = ["Square", "open"]
