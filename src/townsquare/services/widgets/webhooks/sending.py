"""One POST to a public address. The name is resolved once, every address is judged, and the connection goes
to the address that was judged: neither a name that changes its mind nor a redirect leads into our network.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

import httpx

from townsquare.services.widgets.webhooks.deliveries import Delivery, Undeliverable

SECONDS = 5.0  # for one try, from the name server to the answer
WRAPPED_V4 = {  # IPv6 networks that carry an IPv4 address, by the bits to its right
    ip_network("64:ff9b::/96"): 0,
    ip_network("64:ff9b:1::/48"): 0,
    ip_network("2002::/16"): 80,
}

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[list[str]]]
Allows = Callable[[Address], bool]


def is_public(address: Address) -> bool:
    """Whether anybody on the internet could reach it, by every way of writing it."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped
        for network, shift in WRAPPED_V4.items():
            if address in network:
                inner = IPv4Address((int(address) >> shift) & 0xFFFFFFFF)
        if address.teredo is not None:
            return False
        if inner is not None:
            return is_public(inner)
        if address.is_site_local or int(address) >> 32 == 0:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


async def resolve(host: str, port: int) -> list[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(one[4][0]) for one in found]


class HttpSender:
    def __init__(self, resolve: Resolve = resolve, allows: Allows = is_public) -> None:
        self._resolve = resolve
        self._allows = allows

    def check(self, url: str) -> None:
        parts = urlsplit(url)
        host = parts.hostname or ""
        if parts.username or parts.password or host == "localhost" or host.endswith(".localhost"):
            raise Undeliverable("not a public host")
        written = as_address(host)
        if written and not self._allows(written):
            raise Undeliverable("not a public address")

    async def send(self, delivery: Delivery) -> None:
        self.check(delivery.url)
        async with asyncio.timeout(SECONDS):
            url = httpx.URL(delivery.url)
            port = url.port or (443 if url.scheme == "https" else 80)
            address = await self._judged(url.host, port)
            async with httpx.AsyncClient(trust_env=False, follow_redirects=False, timeout=SECONDS) as client:
                request = client.build_request(
                    "POST",
                    url.copy_with(host=str(address), fragment=None),
                    content=delivery.body,
                    headers={**delivery.headers, "Host": url.netloc.decode("ascii")},
                    extensions={"sni_hostname": url.raw_host.decode("ascii")},
                )
                answer = await client.send(request, stream=True)
                await answer.aclose()
        if answer.status_code in (408, 425, 429) or answer.status_code >= 500:
            raise ConnectionError(f"answered {answer.status_code}")
        if answer.status_code >= 300:
            raise Undeliverable(f"answered {answer.status_code}")

    async def _judged(self, host: str, port: int) -> Address:
        found = [ip_address(one.partition("%")[0]) for one in await self._resolve(host, port)]
        if not found:
            raise ConnectionError("the name has no address")
        if not all(self._allows(one) for one in found):
            raise Undeliverable("not a public address")
        return found[0]


def as_address(host: str) -> Address | None:
    try:
        return ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return None
