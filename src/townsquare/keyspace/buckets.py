"""Homes, buckets and the ids that carry them.

All keys of one home share a bucket, and on a cluster the bucket is the hash tag: same bucket, same slot.
"""

import hashlib
import inspect
import os
import random
import uuid
from binascii import crc_hqx  # CRC-16/XMODEM: the one Redis Cluster uses
from collections.abc import Callable

from townsquare.keyspace.parts import BadPart

BUCKETS = 1024  # enough to spread over a large cluster, few enough to sweep every outbox in one pass
SLOTS = 16384
UUID4_BITS = 0x8000 << 48 | 0x4000 << 64  # variant and version of a random UUID
RANDOM_BITS = ~(0xC000 << 48 | 0xF000 << 64)


def bucket_of(home: str) -> str:
    return f"{crc_hqx(home.encode(), 0) % BUCKETS:03x}"


def carried_bucket(minted: str) -> str:
    """The bucket in the last three hex digits of an id that `mint_id` made."""
    try:
        number = int(minted[-3:], 16)
    except ValueError:
        raise BadPart(f"{minted[-3:]!r} is not the end of an id with a bucket") from None
    return f"{number % BUCKETS:03x}"


def carried_by(param: str) -> Callable[[str], str]:
    """A home for declarations: the bucket that the id in this parameter carries."""

    def home(minted: str) -> str:
        return carried_bucket(minted)

    home.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(param, inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    )
    return home


def mint_id(bucket: str, source: random.Random | None = None) -> str:
    """A random UUID whose last three hex digits are the bucket that it lives in."""
    bits = source.getrandbits(128) if source else int.from_bytes(os.urandom(16))
    digits = f"{bits & RANDOM_BITS | UUID4_BITS:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:29]}{bucket}"


def derived_id(*names: str, bucket: str | None = None) -> str:
    """The UUID derived from these names, in the given bucket or in one derived from the names."""
    text = "".join(f"{len(name)}:{name}" for name in names)  # differs for different lists of names
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    follows = f"{int.from_bytes(digest[16:]) % BUCKETS:03x}"
    return str(uuid.UUID(bytes=digest[:16], version=5))[:-3] + (follows if bucket is None else bucket)


ALL_BUCKETS = tuple(f"{number:03x}" for number in range(BUCKETS))
SLOT_OF_BUCKET = {bucket: crc_hqx(bucket.encode(), 0) % SLOTS for bucket in ALL_BUCKETS}
