from ipaddress import ip_address

import pytest

from townsquare.kit.addresses import customer_of, is_public, parse_address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("1.2.3.4", "1.2.3.4"),
        (" 1.2.3.4:80 ", "1.2.3.4"),
        ('"[2001:db8::1]:443"', "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("::ffff:1.2.3.4", "1.2.3.4"),
    ],
)
def test_an_address_is_read_however_it_is_written(text: str, address: str) -> None:
    assert parse_address(text) == ip_address(address)


@pytest.mark.parametrize("text", ["", "unknown", "_hidden", "1.2.3", "example.com", "::1::"])
def test_what_is_no_address_is_none(text: str) -> None:
    assert parse_address(text) is None


@pytest.mark.parametrize(
    ("ip", "customer"),
    [
        ("1.2.3.4", "1.2.3.4"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:1.2.3.4", "1.2.3.4"),
        ("somebody", "somebody"),
        ("", ""),
    ],
)
def test_an_ipv6_customer_has_a_whole_network(ip: str, customer: str) -> None:
    assert customer_of(ip) == customer


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.5.5", "192.168.1.1", "169.254.169.254", "0.0.0.0"),
        *("100.64.0.1", "192.0.2.1", "224.0.0.1", "255.255.255.255", "198.18.0.1", "240.0.0.1"),
        *("::1", "::", "fe80::1", "fc00::1", "fd00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1"),
        *("64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::", "2002:a00:1::1", "::127.0.0.1"),
        *("2001:db8::1", "2001::1", "fec0::1"),
    ],
)
def test_a_private_address_is_seen_through_every_way_of_writing_it(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    "address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "64:ff9b::808:808"]
)
def test_a_public_address_may_be_reached(address: str) -> None:
    assert is_public(ip_address(address))
