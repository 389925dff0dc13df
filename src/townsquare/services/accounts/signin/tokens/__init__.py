"""The two tokens of a session: a short access token, and the refresh token that gets the next one."""
