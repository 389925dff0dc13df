"""Bearer tokens: the maximum length and the Authorization header."""

LONGEST_TOKEN = 8_192  # characters; checked before anything is decoded


def bearer_token(authorization: str) -> str | None:
    """The token of an Authorization header: None without a header, '' if the header has no usable token."""
    if not authorization:
        return None
    scheme, _, token = authorization.strip().partition(" ")
    token = token.strip()
    usable = scheme.lower() == "bearer" and token.isascii() and len(token) <= LONGEST_TOKEN
    return token if usable else ""
