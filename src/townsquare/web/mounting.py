"""Responses below the prefix where another application mounts this one.

Pages, redirects and cookies are written for the root of the host. The prefix is added here.
"""

import re
from urllib.parse import urlsplit

from msgspec.structs import replace

from townsquare.api import Content

LEADS = re.compile(r'(\s(?:href|src|action|formaction|data-signed-in)=")/(?!/)')
COOKIE_PATH = re.compile(r"(;\s*path=)/", re.IGNORECASE)


def prefix_in(base_url: str) -> str:
    return urlsplit(base_url).path.rstrip("/")


def page_below(markup: str, prefix: str) -> str:
    """A page with the prefix in its links, forms and files. User content is escaped."""
    return LEADS.sub(rf"\1{prefix}/", markup) if prefix else markup


def below_prefix(content: Content, base_url: str) -> Content:
    """The content with the prefix in its redirect and cookie."""
    if not content.headers.keys() & {"Location", "Set-Cookie"}:
        return content
    prefix = prefix_in(base_url)
    if not prefix:
        return content
    headers = dict(content.headers)
    if headers.get("Location", "").startswith("/"):
        headers["Location"] = prefix + headers["Location"]
    if "Set-Cookie" in headers:
        headers["Set-Cookie"] = COOKIE_PATH.sub(rf"\1{prefix}/", headers["Set-Cookie"])
    return replace(content, headers=headers)
