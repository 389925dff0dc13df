"""Ids of users and of what is theirs; all carry the bucket that the user lives in."""

import random
import secrets

from townsquare.keyspace import Matching, carried_bucket, mint_id
from townsquare.keyspace.buckets import ALL_BUCKETS

CARRYING = r"[0-9a-f]{29}[0-3][0-9a-f]{2}"
USER_ID = Matching(rf"usr_{CARRYING}")
SESSION_ID = Matching(rf"ses_{CARRYING}")


def new_user_id(source: random.Random | None = None) -> str:
    bucket = source.choice(ALL_BUCKETS) if source else secrets.choice(ALL_BUCKETS)
    return f"usr_{minted(bucket, source)}"


def new_session_id(user_id: str, source: random.Random | None = None) -> str:
    return f"ses_{minted(carried_bucket(user_id), source)}"


def new_flag_id(user_id: str, source: random.Random | None = None) -> str:
    return f"flag_{minted(carried_bucket(user_id), source)}"


def minted(bucket: str, source: random.Random | None) -> str:
    return mint_id(bucket, source).replace("-", "")
