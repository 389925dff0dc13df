"""Profiles, follows, posts, feeds, hashtags, ranking and leaderboards (seed 000)."""
