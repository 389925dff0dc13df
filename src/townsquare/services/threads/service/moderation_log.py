"""The entries of a site's moderation log."""

import uuid

import msgspec

from townsquare.clock import iso
from townsquare.services.threads.models.moderation import Action, LogEntry
from townsquare.services.threads.models.sites import Viewer


def log_entry(viewer: Viewer, action: Action, target: str, now: int, details: str = "") -> str:
    """What is written down when a moderator acts, by the script that does it."""
    entry = LogEntry(
        id=str(uuid.uuid4()),
        action=action,
        moderator_id=viewer.user_id,
        target=target,
        details=details,
        created_at=iso(now),
    )
    return msgspec.json.encode(entry).decode()
