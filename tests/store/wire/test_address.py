import pytest

from townsquare.store.wire.address import Address, AddressError, Tls, parse


def test_plain_urls() -> None:
    assert parse("redis://").addresses == (Address(host="localhost", port=6379),)
    assert parse("redis://h:7000/2").addresses == (Address(host="h", port=7000, db=2),)
    assert parse("redis://h?db=4").addresses == (Address(host="h", port=6379, db=4),)
    assert parse("redis://[::1]:7000").addresses == (Address(host="::1", port=7000),)


def test_credentials_are_percent_decoded() -> None:
    (address,) = parse("redis://us%40er:p%2F%3A%40w@h").addresses
    assert (address.username, address.password, address.host) == ("us@er", "p/:@w", "h")
    (address,) = parse("redis://:only@h").addresses
    assert (address.username, address.password) == ("", "only")


def test_tls_urls() -> None:
    (address,) = parse("rediss://h").addresses
    assert address.tls == Tls()
    (address,) = parse("rediss://h?ssl_cert_reqs=none&ssl_ca_certs=/ca.pem").addresses
    assert address.tls == Tls(ca_certs="/ca.pem", verify=False)


def test_unix_urls() -> None:
    assert parse("unix:///run/a@b.sock?db=3").addresses == (Address(path="/run/a@b.sock", db=3),)
    (address,) = parse("unix://u:p@/run/r.sock").addresses
    assert (address.username, address.password, address.path) == ("u", "p", "/run/r.sock")


def test_cluster_urls() -> None:
    place = parse("rediss+cluster://u:p@h1:1,h2:2")
    assert place.kind == "cluster"
    assert [str(address) for address in place.addresses] == ["h1:1", "h2:2"]
    assert all(address.password == "p" and address.tls for address in place.addresses)


def test_sentinel_urls() -> None:
    place = parse("redis+sentinel://u:p@s1,s2:7/mymaster/5?sentinel_password=other")
    assert place.kind == "sentinel"
    assert place.service == "mymaster"
    assert [str(address) for address in place.addresses] == ["s1:26379", "s2:7"]
    assert {address.password for address in place.addresses} == {"other"}
    assert (place.node.username, place.node.password, place.node.db) == ("u", "p", 5)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:6379",
        "http://user:hunter2@h",
        "redis://user:hunter2@h:port",
        "redis://user:hunter2",
        "redis://user:hunter2@h/x",
        "redis://user:hunter2/@h",
        "redis://user:hunter2?@h",
        "redis://user:hunter2#@h",
        "redis://user:hunter2[@h",
        "redis://user:hunter2@h1,h2",
        "redis://user:hunter2@h/1/2",
        "redis://user:hunter2@h?ssl_cert_reqs=none",
        "rediss://user:hunter2@h?ssl_cert_reqs=maybe",
        "redis+sentinel://user:hunter2@h",
        "redis+cluster://user:hunter2@h/1",
        "unix://user:hunter2@relative",
    ],
)
def test_a_wrong_url_is_refused_without_telling_its_password(url: str) -> None:
    with pytest.raises(AddressError) as caught:
        parse(url)
    assert "hunter2" not in str(caught.value)


def test_an_address_does_not_show_its_password() -> None:
    assert "hunter2" not in repr(parse("redis://u:hunter2@h").addresses[0])
