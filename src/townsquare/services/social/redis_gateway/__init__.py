"""Redis commands of external clients: an allow-list; a refusal names the endpoint to use instead.

All commands of a request are checked before the first is sent.
"""
