"""The address of the client, and our own base URL as the client sees it.

Anybody can send forwarding headers, so they count only if the peer is a trusted proxy.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from ipaddress import ip_network
from typing import Any
from urllib.parse import quote

import msgspec

from townsquare.kit.addresses import parse_address

LOCAL = "127.0.0.1"  # the address of a peer on a unix socket
REMEMBERED = 4_096  # addresses and hosts that are parsed once
LONGEST_HOST = 262  # a name, a colon and a port
HOST = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
FORWARDED_FOR = re.compile(r'(?:^|;)\s*for\s*=\s*"?([^";]*)"?', re.IGNORECASE)

Scope = Mapping[str, Any]
RawHeaders = Mapping[bytes, bytes]


class ClientAddress(msgspec.Struct, gc=False):
    ip: str
    base_url: str


class Clients:
    def __init__(self, trusted_proxies: Sequence[str] = (), public_url: str = "") -> None:
        self._networks = [ip_network(cidr, strict=False) for cidr in trusted_proxies]
        self._public_url = public_url.rstrip("/")
        self.trusts = lru_cache(REMEMBERED)(self._is_trusted)

    def address(self, scope: Scope) -> str:
        """The IP address of the client; see `locate`."""
        peer = scope.get("client")
        if self._networks:
            return self.locate(scope, dict(scope["headers"])).ip
        return peer[0] if peer else LOCAL

    def is_proxied(self, scope: Scope) -> bool:
        """Whether the peer is a trusted proxy, so that forwarding headers count."""
        peer = scope.get("client")
        return bool(self._networks) and (not peer or self.trusts(peer[0]))

    def locate(self, scope: Scope, headers: RawHeaders) -> ClientAddress:
        peer = scope.get("client")
        ip = peer[0] if peer else LOCAL
        if self.is_proxied(scope):
            return self._behind_proxy(ip, scope, headers)
        if self._public_url:
            return ClientAddress(ip, self._public_url)
        base = base_url(scope["scheme"], headers.get(b"host", b""))
        return ClientAddress(ip, base + prefix_of(scope) if scope.get("root_path") else base)

    def _behind_proxy(self, ip: str, scope: Scope, headers: RawHeaders) -> ClientAddress:
        hops = _hops(scope["headers"])
        for hop in reversed(hops):
            address = parse_address(hop)
            if address is None:
                break
            ip = str(address)
            if not self.trusts(ip):
                break
        if self._public_url:
            return ClientAddress(ip, self._public_url)
        scheme = _last(headers.get(b"x-forwarded-proto", b"")).decode("latin-1").lower()
        host = _last(headers.get(b"x-forwarded-host", b"")) or headers.get(b"host", b"")
        scheme = scheme if scheme in ("http", "https") else scope["scheme"]
        return ClientAddress(ip, base_url(scheme, host) + prefix_of(scope))

    def _is_trusted(self, ip: str) -> bool:
        address = parse_address(ip)
        return address is not None and any(address in network for network in self._networks)


def prefix_of(scope: Scope) -> str:
    """The prefix where another application mounts this one: /community, or nothing."""
    root = scope.get("root_path")
    return quote(root.rstrip("/")) if root else ""


def base_url(scheme: str, host: bytes) -> str:
    """Our own address; an invalid Host header becomes localhost."""
    return _base_url(scheme, host if len(host) <= LONGEST_HOST else b"")


@lru_cache(REMEMBERED)
def _base_url(scheme: str, host: bytes) -> str:
    text = host.decode("latin-1")
    return f"{scheme}://{text if HOST.fullmatch(text) else 'localhost'}"


def _hops(headers: Sequence[tuple[bytes, bytes]]) -> list[str]:
    """The addresses that proxies appended, the nearest last."""
    chain = _joined(headers, b"x-forwarded-for")
    if chain:
        return chain.split(",")
    hops = (FORWARDED_FOR.search(element) for element in _joined(headers, b"forwarded").split(","))
    return [hop[1] for hop in hops if hop]


def _joined(headers: Sequence[tuple[bytes, bytes]], wanted: bytes) -> str:
    return b",".join(value for name, value in headers if name == wanted).decode("latin-1")


def _last(value: bytes) -> bytes:
    return value.rpartition(b",")[2].strip()
