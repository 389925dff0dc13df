"""Bare ASGI applications that do the same Redis work as an endpoint, and nothing else."""
