"""IP addresses: parsing, grouping by customer, detection of private addresses."""

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

IpAddress = IPv4Address | IPv6Address

REMEMBERED = 4_096  # addresses whose customer is cached
WRAPPED_V4 = {  # IPv6 networks that carry an IPv4 address, by the bits to its right
    ip_network("64:ff9b::/96"): 0,
    ip_network("64:ff9b:1::/48"): 0,
    ip_network("2002::/16"): 80,
}


def parse_address(text: str) -> IpAddress | None:
    """An address with or without brackets and port; zone dropped, mapped IPv4 unmapped."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


@lru_cache(REMEMBERED)
def customer_of(ip: str) -> str:
    """The group of an address for rate limits: one IPv6 customer has a whole /64."""
    address = parse_address(ip)
    if isinstance(address, IPv6Address):
        return str(ip_network((address, 64), strict=False))
    return str(address or ip)


def is_public(address: IpAddress) -> bool:
    """Whether the address is reachable from the internet, including IPv4 addresses embedded in IPv6."""
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
