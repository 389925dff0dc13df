"""The entries of a site's moderation log."""

import uuid

import msgspec

from townsquare.clock import iso
from townsquare.services.threads.models.moderation import Action, LogEntry
from townsquare.services.threads.models.sites import Viewer


def log_entry(viewer: Viewer, action: Action, target: str, now: int, details: str = "") -> str:
    """The log entry of an action, as JSON for the script that acts."""
    entry = LogEntry(
        id=str(uuid.uuid4()),
        action=action,
        moderator_id=viewer.user_id,
        target=target,
        details=details,
        created_at=iso(now),
    )
    return msgspec.json.encode(entry).decode()
