"""The page of a comment: one thread per page, however its URL is written.

Scheme, default port, fragment and tracking parameters are ignored, so a site that moves to https keeps its
threads. Of the path, dots and escapes are normalised. `/a` and `/a/` are different pages; a site for which
they are the same passes a page key.
"""

import re
from functools import lru_cache
from ipaddress import IPv6Address
from urllib.parse import quote, unquote, urlsplit

import idna
import msgspec

from townsquare.keyspace import derived_id
from townsquare.kit.text import BadText, one_line
from townsquare.kit.urls import URL_LENGTH, has_credentials, is_web_url
from townsquare.services.threads.models.sites import SiteConfig
from townsquare.services.threads.problems import BadPage

KEY_LENGTH = 255
PAGES_REMEMBERED = 1_024
DEFAULT_PORTS = (None, 80, 443)
TRACKING = frozenset(
    {"fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "gad_source", "gad_campaignid"}
    | {"srsltid", "msclkid", "yclid", "ysclid", "twclid", "ttclid", "igshid", "igsh", "li_fat_id"}
    | {"scclid", "epik", "rdt_cid", "mc_cid", "mc_eid", "mkt_tok", "vero_id", "vero_conv"}
    | {"wickedid", "oly_anon_id", "oly_enc_id", "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp"}
    | {"hsctatracking", "_ga", "_gl", "_openstat", "ml_subscriber", "s_cid", "irclickid"}
    | {"_branch_match_id", "_kx", "ref_src", "ref_url", "__s", "rb_clickid", "guccounter"}
    | {"pk_campaign", "pk_kwd", "pk_keyword", "pk_source", "pk_medium", "pk_content", "pk_cid"}
)
TRACKING_FAMILIES = ("utm_", "mtm_", "matomo_", "piwik_", "hsa_", "stm_", "guce_referrer")

ESCAPE = re.compile(r"%(?:([0-9A-Fa-f]{2}))?")
UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
LEFT_IN_A_PATH = "/:@!$&'()*+,;=~%"
LEFT_IN_A_QUERY = LEFT_IN_A_PATH + "?"
HOST = re.compile(r"(?=.{1,253}\Z)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*")


class PageAddress(msgspec.Struct, frozen=True):
    """A page, identified by a key that the site has chosen, or else by its URL."""

    id: str
    key: str
    url: str
    post_id: str | None = None  # of a post of the community


def page_address(site: SiteConfig, page_url: str | None, page_key: str | None = None) -> PageAddress:
    """The page of a site by its URL, or by a key that the site has chosen. Links use the URL."""
    url = normalised_url(page_url, site.domain) if page_url else ""
    key = checked_page_key(page_key) if page_key else url
    if not key:
        raise BadPage()
    address = url or f"https://{site.domain}/"
    if page_url and page_url.lstrip().lower().startswith("http://"):  # the scheme is not part of the id
        address = address.replace("https:", "http:", 1)
    return PageAddress(page_id_of(site.site_id, key), key, address)


@lru_cache(PAGES_REMEMBERED)
def normalised_url(url: str, site_domain: str) -> str:
    """The normalised URL of a page. A path is relative to the domain of the site."""
    if len(url) > URL_LENGTH:
        raise BadPage(f"the address of a page has at most {URL_LENGTH:,} characters")
    text = whole_url(url.strip(), site_domain)
    if not is_web_url(text) or has_credentials(text):
        raise BadPage("the address of a page is an http or https URL, or a path that begins with /")
    parts = urlsplit(text)
    port = "" if parts.port in DEFAULT_PORTS else f":{parts.port}"
    path = without_dots(quote(unescaped(parts.path), safe=LEFT_IN_A_PATH))
    query = without_tracking(quote(unescaped(parts.query), safe=LEFT_IN_A_QUERY))
    host = ipv6_host if "[" in parts.netloc else named_host
    normalised = f"https://{host(parts.hostname or '')}{port}{path}{'?' if query else ''}{query}"
    if len(normalised) > URL_LENGTH:
        raise BadPage(f"the address of a page has at most {URL_LENGTH:,} characters when it is escaped")
    return normalised


def checked_page_key(key: str) -> str:
    """The stored form of a page key."""
    try:
        kept = one_line(key, KEY_LENGTH)
    except BadText:
        kept = ""
    if not kept:
        raise BadPage(f"a page key is one line of 1 to {KEY_LENGTH} characters")
    return kept


def name_of(address: str) -> str:
    """The normalised URL of a shown URL, which has http if the site has no https."""
    return address.replace("http:", "https:", 1) if address.startswith("http:") else address


@lru_cache(PAGES_REMEMBERED)
def page_id_of(site_id: str, page_key_or_url: str) -> str:
    """The id of a page, derived from its key or else its normalised URL; the last digits are its bucket."""
    return derived_id("page", site_id, page_key_or_url)


def whole_url(text: str, site_domain: str) -> str:
    if text.startswith("//"):
        return f"https:{text}"
    if text.startswith(("/", "?")):
        return f"https://{site_domain}{text}"
    return text


def ipv6_host(host: str) -> str:
    try:
        address = IPv6Address(host)
    except ValueError:
        raise BadPage("the host is not an address") from None
    if address.scope_id:
        raise BadPage("the host is an IPv6 address with a zone id")
    return f"[{address}]"


def named_host(host: str) -> str:
    try:
        ascii_host = host if host.isascii() else idna.encode(host, uts46=True).decode()
    except (idna.IDNAError, ValueError):
        raise BadPage("the host is not a name") from None
    name = ascii_host.lower().removesuffix(".")
    if not HOST.fullmatch(name):
        raise BadPage("the host is not a name")
    return name


def unescaped(text: str) -> str:
    """Normalise escapes: letters unescaped, others in upper case, a lone % as %25."""

    def spelled(escape: re.Match[str]) -> str:
        if escape[1] is None:
            return "%25"
        character = chr(int(escape[1], 16))
        return character if character in UNRESERVED else f"%{escape[1].upper()}"

    return ESCAPE.sub(spelled, text)


def without_dots(path: str) -> str:
    """RFC 3986, 5.2.4: `/a/./b/../c` is `/a/c`."""
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments and segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def without_tracking(query: str) -> str:
    return "&".join(pair for pair in query.split("&") if pair and not is_tracking(pair.partition("=")[0]))


def is_tracking(parameter: str) -> bool:
    name = unquote(parameter).lower()
    return name in TRACKING or name.startswith(TRACKING_FAMILIES)
