"""Threads: comments with votes, moderation and live updates."""
