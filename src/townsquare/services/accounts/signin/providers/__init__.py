"""Signing in through somebody who knows the person: Google, GitHub."""
