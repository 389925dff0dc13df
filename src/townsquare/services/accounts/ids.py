"""Ids of users and of their records; all contain the bucket of the user."""

import secrets
from string import ascii_lowercase, digits

from townsquare.keyspace import Matching, carried_bucket
from townsquare.keyspace.buckets import ALL_BUCKETS

DIGITS = digits + ascii_lowercase[:22]
RANDOM = 13  # digits of 5 bits each
CARRYING = rf"(?:[0-9a-v]{{{RANDOM}}}|[0-9a-f]{{29}})[0-3][0-9a-f]{{2}}"  # earlier versions: 29 digits
USER_ID = Matching(rf"usr_{CARRYING}")
SESSION_ID = Matching(rf"ses_{CARRYING}")


def new_user_id() -> str:
    return f"usr_{minted(secrets.choice(ALL_BUCKETS))}"


def new_session_id(user_id: str) -> str:
    return f"ses_{minted(carried_bucket(user_id))}"


def new_flag_id(user_id: str) -> str:
    return f"flag_{minted(carried_bucket(user_id))}"


def minted(bucket: str) -> str:
    """Half as long as a UUID: an id is in about ten keys and values of an account."""
    bits = secrets.randbits(5 * RANDOM)
    return "".join(DIGITS[bits >> 5 * place & 31] for place in range(RANDOM)) + bucket
