"""Unverified parts of a JWT: the key id and the issuer."""

import base64
import binascii
from typing import Any

import msgspec

from townsquare.kit.tokens import LONGEST_TOKEN


def key_id(token: str) -> str:
    """The `kid` of a token; '' if it has none."""
    return str(unverified_part(token, 0).get("kid", ""))


def issuer(token: str) -> Any:
    return unverified_part(token, 1).get("iss")


def unverified_part(token: str, place: int) -> dict[str, Any]:
    """The header (0) or the claims (1); {} if they are not readable."""
    if len(token) > LONGEST_TOKEN:
        return {}
    try:
        part = token.split(".")[place]
        return msgspec.json.decode(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)), type=dict)
    except (binascii.Error, ValueError, IndexError, RecursionError, msgspec.MsgspecError):
        return {}
