"""Comments for any page of any site: threads, votes, moderation, live updates."""
