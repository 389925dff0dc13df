"""Public ids of widgets (example.com → example-100680ad), and hashes of visitors, which change every day."""

import hashlib
import re
from datetime import date
from urllib.parse import urlsplit

import msgspec

from townsquare.kit.urls import is_web_url
from townsquare.services.widgets.problems import BadUrl

LABEL_LENGTH = 40
NOT_IN_LABEL = re.compile(r"[^a-z0-9-]")


def checked_url(url: str) -> str:
    """The URL, if it is valid."""
    if not is_web_url(url):
        raise BadUrl()
    return url


def label_of(url: str) -> str:
    """The readable part of an id: the first label of the host, without `www.`."""
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    try:
        host = host.encode("idna").decode()
    except UnicodeError:
        host = ""
    label = NOT_IN_LABEL.sub("", host.split(".")[0])[:LABEL_LENGTH].strip("-")
    return label or "site"


class Visitor(msgspec.Struct, frozen=True):
    ip: str
    user_agent: str

    def hash(self, day: date, secret: str) -> str:
        source = "\n".join((self.ip, self.user_agent, day.isoformat(), secret))
        return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:16]


NOBODY = "0" * 16  # the hash of an unknown reader
