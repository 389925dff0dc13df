"""Addresses of web pages, as people and sites give them."""

import re
import unicodedata
from urllib.parse import urlsplit

URL_LENGTH = 2_048
SPACE_OR_CONTROL = re.compile(r"[\x00-\x20\x7f]")
ORIGIN = re.compile(
    r"https?://(?:[a-z0-9_](?:[a-z0-9_.-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?", re.IGNORECASE
)


def is_web_url(text: str) -> bool:
    """Whether this is an http or https URL with a host, of bounded length, and nothing in it is invisible."""
    if len(text) > URL_LENGTH or SPACE_OR_CONTROL.search(text) or (not text.isascii() and has_unseen(text)):
        return False
    try:
        parts = urlsplit(text)
        if "\\" in parts.netloc:  # a browser reads it as a slash, and finds another host
            return False
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that do not close, a port that is no number
        return False


def is_origin(text: str) -> bool:
    """Whether this is an origin as browsers send one: scheme, host in ASCII, perhaps a port, nothing else.

    A browser reads a backslash as a slash, so that `https://a.example\\.b.example` is a page of a.example.
    """
    return ORIGIN.fullmatch(text) is not None and is_web_url(text)


def origin_of(url: str) -> str:
    """Scheme and host, as a browser sends them."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def has_credentials(url: str) -> bool:
    """Whether a name or a password stands before the host."""
    return "@" in urlsplit(url).netloc


def has_unseen(text: str) -> bool:
    """Whether something in it cannot be seen, so that two addresses could look like one."""
    return any(unicodedata.category(character)[0] in "CZ" for character in text)
