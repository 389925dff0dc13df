"""From a URL to the public id of its widget: example.com → example-100680ad."""

import re
from urllib.parse import urlsplit

from townsquare.kit.urls import is_web_url
from townsquare.services.widgets.problems import BadUrl

LABEL_LENGTH = 40
NOT_IN_LABEL = re.compile(r"[^a-z0-9-]")


def checked_url(url: str) -> str:
    """The URL as given, if it can have a widget."""
    if not is_web_url(url):
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
