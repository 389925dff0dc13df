from typing import Any

import pytest

from tests.web.asking import app_with, ask, endpoint, remembering
from townsquare.api import Call
from townsquare.settings import Settings

PROXIES = Settings(trusted_proxies=("10.0.0.0/8", "fd00::/8"))
PROXY = ("10.0.0.1", 1)


async def seen(
    headers: list[tuple[bytes, bytes]],
    client: tuple[str, int] | None = PROXY,
    settings: Settings = PROXIES,
    scheme: str = "http",
) -> Call:
    calls: list[tuple[Call, Any]] = []
    app = app_with(endpoint(run=remembering(calls)), settings=settings)
    await ask(app, "GET", "/thing", headers=headers, client=client, scheme=scheme)
    return calls[0][0]


@pytest.mark.parametrize(
    ("forwarded", "ip"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("198.51.100.7, 10.0.0.2", "198.51.100.7"),
        ("1.2.3.4, 198.51.100.7, 10.0.0.2", "198.51.100.7"),
        ("198.51.100.7:5000", "198.51.100.7"),
        ("[2001:db8::1]:5000", "2001:db8::1"),
        ("2001:db8::1", "2001:db8::1"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("10.0.0.3, 10.0.0.2", "10.0.0.3"),
        ("nonsense", "10.0.0.1"),
        ("198.51.100.7, nonsense", "10.0.0.1"),
        ("", "10.0.0.1"),
    ],
)
async def test_behind_a_trusted_proxy_the_nearest_stranger_is_the_client(forwarded: str, ip: str) -> None:
    assert (await seen([(b"x-forwarded-for", forwarded.encode())])).ip == ip


async def test_a_header_sent_twice_is_one_chain() -> None:
    call = await seen([(b"x-forwarded-for", b"1.2.3.4"), (b"x-forwarded-for", b"198.51.100.7")])
    assert call.ip == "198.51.100.7"


@pytest.mark.parametrize(
    ("forwarded", "ip"),
    [
        ("for=198.51.100.7", "198.51.100.7"),
        ('for="[2001:db8::1]:4711";proto=https', "2001:db8::1"),
        ("for=1.2.3.4, proto=https;for=198.51.100.7", "198.51.100.7"),
        ("for=unknown", "10.0.0.1"),
        ("for=_hidden", "10.0.0.1"),
    ],
)
async def test_the_standard_header_is_understood(forwarded: str, ip: str) -> None:
    assert (await seen([(b"forwarded", forwarded.encode())])).ip == ip


SPOOFED = [
    (b"x-forwarded-for", b"1.2.3.4"),
    (b"forwarded", b"for=1.2.3.4"),
    (b"x-forwarded-proto", b"https"),
    (b"x-forwarded-host", b"evil.example"),
]


@pytest.mark.parametrize("settings", [Settings(), PROXIES], ids=["no proxies", "other proxies"])
async def test_a_stranger_cannot_pose_as_another(settings: Settings) -> None:
    call = await seen(SPOOFED, client=("203.0.113.9", 1), settings=settings)
    assert (call.ip, call.base_url) == ("203.0.113.9", "http://testserver")


async def test_a_trusted_proxy_tells_scheme_and_host() -> None:
    call = await seen([(b"x-forwarded-proto", b"https"), (b"x-forwarded-host", b"square.example")])
    assert call.base_url == "https://square.example"


async def test_a_peer_on_a_unix_socket_is_local_and_trusted_like_a_proxy() -> None:
    forwarded = [(b"x-forwarded-for", b"198.51.100.7")]
    assert (await seen(forwarded, client=None)).ip == "198.51.100.7"
    assert (await seen(forwarded, client=None, settings=Settings())).ip == "127.0.0.1"


@pytest.mark.parametrize("host", ["evil.example/path", "a b", "<script>", "a:b:c", "", "é", "a" * 300])
async def test_a_host_that_is_none_never_gets_into_our_address(host: str) -> None:
    call = await seen([(b"host", host.encode("latin-1"))], client=("203.0.113.9", 1))
    assert call.base_url == "http://localhost"


@pytest.mark.parametrize("host", ["square.example", "square.example:8080", "[::1]:8000", "127.0.0.1"])
async def test_a_real_host_does(host: str) -> None:
    call = await seen([(b"host", host.encode())], client=("203.0.113.9", 1), scheme="https")
    assert call.base_url == f"https://{host}"


async def test_a_public_url_wins() -> None:
    settings = Settings(public_url="https://square.example/", trusted_proxies=("10.0.0.0/8",))
    for client in (PROXY, ("203.0.113.9", 1)):
        call = await seen([(b"x-forwarded-host", b"other.example")], client=client, settings=settings)
        assert call.base_url == "https://square.example"


@pytest.mark.parametrize(
    ("header", "language"),
    [(b"ja-JP,en;q=0.5", "ja"), (b"EN", "en"), (b"*", ""), (b"", ""), (b"\xff", "")],
)
async def test_the_first_language_counts(header: bytes, language: str) -> None:
    assert (await seen([(b"accept-language", header)])).language == language
