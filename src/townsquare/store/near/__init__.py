"""Records in the memory of this process, kept true by Redis itself."""

from townsquare.store.near.cache import NearCache
from townsquare.store.near.reading import Outdated, Reading
from townsquare.store.near.record_read import RecordBundle, RecordRead, Snapshot

__all__ = ["NearCache", "Outdated", "Reading", "RecordBundle", "RecordRead", "Snapshot"]
