"""Ids of users and of their records; all contain the bucket of the user."""

import secrets

from townsquare.keyspace import Matching, carried_bucket, mint_id
from townsquare.keyspace.buckets import ALL_BUCKETS

CARRYING = r"[0-9a-f]{29}[0-3][0-9a-f]{2}"
USER_ID = Matching(rf"usr_{CARRYING}")
SESSION_ID = Matching(rf"ses_{CARRYING}")


def new_user_id() -> str:
    return f"usr_{minted(secrets.choice(ALL_BUCKETS))}"


def new_session_id(user_id: str) -> str:
    return f"ses_{minted(carried_bucket(user_id))}"


def new_flag_id(user_id: str) -> str:
    return f"flag_{minted(carried_bucket(user_id))}"


def minted(bucket: str) -> str:
    return mint_id(bucket).replace("-", "")
