"""A get-or-compute cache: callers share one computation, and values are stored complete or not at all."""

from townsquare.cache.cache import Cache
from townsquare.cache.counts import CacheCounts
from townsquare.cache.namespaces import CacheNamespace
from townsquare.cache.semantic import NearestEntry, SemanticNamespace
from townsquare.cache.text import folded, text_digest

__all__ = [
    "Cache",
    "CacheCounts",
    "CacheNamespace",
    "NearestEntry",
    "SemanticNamespace",
    "folded",
    "text_digest",
]
