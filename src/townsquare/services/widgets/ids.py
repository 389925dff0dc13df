"""From a URL to the public id of its widget: example.com → example-100680ad."""

import re
from urllib.parse import urlsplit

from townsquare.services.widgets.problems import BadUrl

URL_LENGTH = 2_048
LABEL_LENGTH = 40
CONTROL_OR_SPACE = re.compile(r"[\x00-\x20\x7f\s]")
NOT_IN_LABEL = re.compile(r"[^a-z0-9-]")


def checked_url(url: str) -> str:
    """The URL as given, if it can have a widget."""
    if not url or len(url) > URL_LENGTH or CONTROL_OR_SPACE.search(url):
        raise BadUrl()
    try:
        url.encode()
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise BadUrl() from None
    if parts.scheme.lower() not in ("http", "https") or not host:
        raise BadUrl()
    return url


def label_of(url: str) -> str:
    """The first label of the host, without `www.`: what makes an id readable."""
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    try:
        host = host.encode("idna").decode()
    except UnicodeError:
        host = ""
    label = NOT_IN_LABEL.sub("", host.split(".")[0])[:LABEL_LENGTH].strip("-")
    return label or "site"
