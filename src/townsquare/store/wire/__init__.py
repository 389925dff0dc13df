"""Connections to Redis: one node, a cluster or behind sentinels, and the channels on them."""
