"""Explore the key space: memory per declaration, counts as a tree, and single keys. Reads only."""
