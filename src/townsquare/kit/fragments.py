"""Models that cache their JSON: a record is encoded once for all responses that contain it."""

from functools import cached_property

import msgspec

encode = msgspec.json.Encoder(enc_hook=str).encode


class Fragment(msgspec.Struct, frozen=True, dict=True):
    """A model whose JSON is part of many responses. It has public fields only."""

    @cached_property
    def json(self) -> bytes:
        """Encoded at first use."""
        return encode(self)
