"""The processes of a server: a parent that owns port and engines, and workers that answer."""
