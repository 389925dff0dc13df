"""Digest of a text with its white space folded."""

import hashlib

DIGEST_LENGTH = 16  # hex digits: 64 bits, so a collision among a billion texts is unlikely


def folded(text: str) -> str:
    """Trimmed, inner white space as one space. Never lower case: the film "It" is not the word "it"."""
    return " ".join(text.split())


def text_digest(text: str) -> str:
    """The first 16 hex digits of the SHA-256 of the text with its white space folded."""
    return hashlib.sha256(folded(text).encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]
