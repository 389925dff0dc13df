"""Records in the memory of this process, kept true by Redis itself."""

from townsquare.store.near.cache import NearCache
from townsquare.store.near.read_request import (
    Outdated,
    ReadRequest,
    holds_until,
    no_part_of_answer,
    stop_recording,
)
from townsquare.store.near.record_read import RecordBundle, RecordRead, Snapshot

__all__ = [
    "NearCache",
    "Outdated",
    "ReadRequest",
    "RecordBundle",
    "RecordRead",
    "Snapshot",
    "holds_until",
    "no_part_of_answer",
    "stop_recording",
]
