import pytest

from townsquare.kit.urls import URL_LENGTH, has_credentials, is_origin, is_web_url


@pytest.mark.parametrize(
    "url",
    [
        *("http://a", "https://example.com/", "HTTPS://Example.com:8080/a?b=c#d", "http://[::1]:1/"),
        *("https://例え.jp/パス", "https://user:pw@example.com", "https://e.com/" + "x" * (URL_LENGTH - 14)),
    ],
)
def test_web_addresses_are_known(url: str) -> None:
    assert is_web_url(url)


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "example.com", "//example.com", "javascript:alert(1)", "ftp://a", "http://", "http:///a"),
        *(
            "http://a b",
            " http://a",
            "http://a\n",
            "http://a\x00",
            "http://a\x7f",
            "http://a\\.example.org",
            "http://a:b",
            "http://a:0",
        ),
        *("http://a:99999", "http://[::1", "http://a/\u200b", "http://a/\u202e", "http://a/\u3000"),
        *("http://a/\ud800", "http://a/\u2028", "https://e.com/" + "x" * (URL_LENGTH - 13)),
    ],
)
def test_others_are_refused(text: str) -> None:
    assert not is_web_url(text)


@pytest.mark.parametrize(
    ("url", "has"),
    [
        ("https://user:pw@e.com/", True),
        ("https://user@e.com/", True),
        ("https://@e.com/", True),
        ("https://e.com/@a", False),
    ],
)
def test_credentials_are_seen(url: str, has: bool) -> None:
    assert has_credentials(url) is has


@pytest.mark.parametrize(
    "text", ["https://example.org", "http://127.0.0.1:8000", "http://[::1]:1", "https://A-b.c"]
)
def test_origins_are_known(text: str) -> None:
    assert is_origin(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "null", "example.org", "https://example.org/", "https://u@example.org", "https://a.org?x"),
        *("https://evil.org\\.example.org", "https://evil.org%23.example.org", "https://a;b.example.org"),
        *('https://"><script>.example.org', "https://e&x.example.org", "https://a.org:0"),
    ],
)
def test_what_a_browser_would_not_send_is_no_origin(text: str) -> None:
    assert not is_origin(text)
