"""Anonymous visitors: a hash that changes every day."""

import hashlib
from datetime import date

import msgspec


class Visitor(msgspec.Struct, frozen=True):
    ip: str
    user_agent: str

    def hash(self, day: date, secret: str) -> str:
        source = "\n".join((self.ip, self.user_agent, day.isoformat(), secret))
        return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:16]


NOBODY = "0" * 16  # the hash of an unknown reader
