"""Movie search, and the four caches that make it fast."""
