"""Client-side caching: `ClientCache` holds decoded records, `Barrier` proves that they are current."""

from townsquare.store.client_cache.barrier import Barrier, StaleRead
from townsquare.store.client_cache.cache import ClientCache
from townsquare.store.client_cache.record import CacheKey, Composite, Record, RecordRead, whole_value

__all__ = [
    "Barrier",
    "CacheKey",
    "ClientCache",
    "Composite",
    "Record",
    "RecordRead",
    "StaleRead",
    "whole_value",
]
