"""Sign-in with Google and GitHub."""
