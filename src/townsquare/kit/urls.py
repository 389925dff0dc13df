"""Validation of URLs and origins."""

import re
import unicodedata
from urllib.parse import urlsplit

from townsquare.settings import Settings

URL_LENGTH = 2_048
SPACE_OR_CONTROL = re.compile(r"[\x00-\x20\x7f]")
ORIGIN = re.compile(
    r"https?://(?:[a-z0-9_](?:[a-z0-9_.-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?", re.IGNORECASE
)


def is_web_url(text: str) -> bool:
    """Whether this is an http or https URL with a host, without invisible characters."""
    if len(text) > URL_LENGTH or SPACE_OR_CONTROL.search(text) or (not text.isascii() and has_unseen(text)):
        return False
    try:
        parts = urlsplit(text)
        if "\\" in parts.netloc:  # a browser reads it as a slash, so the host differs
            return False
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # unbalanced brackets, an invalid port
        return False


def is_origin(text: str) -> bool:
    """Whether this is an origin as browsers send it: scheme, ASCII host and an optional port.

    A browser reads a backslash as a slash: `https://a.example\\.b.example` is a page of a.example.
    """
    return ORIGIN.fullmatch(text) is not None and is_web_url(text)


def origin_of(url: str) -> str:
    """Scheme and host, as a browser sends them."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def has_credentials(url: str) -> bool:
    return "@" in urlsplit(url).netloc


def has_unseen(text: str) -> bool:
    """Whether the text contains invisible characters, so that two addresses could look the same."""
    return any(unicodedata.category(character)[0] in "CZ" for character in text)


def server_url(settings: Settings, port: int = 0) -> str:
    """The URL of the server, without a slash; empty if it listens on a free port that is not given."""
    port = port or settings.port
    if settings.public_url or not port:
        return settings.public_url.rstrip("/")
    host = "localhost" if settings.host in ("0.0.0.0", "::") else settings.host  # noqa: S104 - compared
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
