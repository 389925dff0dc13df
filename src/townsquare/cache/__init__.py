"""A get-or-compute cache: callers share one computation, and values are stored complete or not at all."""

from townsquare.cache.cache import Cache as Cache
from townsquare.cache.counts import CacheCounts as CacheCounts
from townsquare.cache.keys import folded as folded
from townsquare.cache.keys import text_digest as text_digest
from townsquare.cache.namespaces import CacheNamespace as CacheNamespace
from townsquare.cache.semantic import NearestEntry as NearestEntry
from townsquare.cache.semantic import SemanticNamespace as SemanticNamespace
