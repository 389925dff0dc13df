"""The tokens of a session: a short-lived access token and a refresh token."""
