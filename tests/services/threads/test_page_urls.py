import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from townsquare.keyspace import carried_bucket
from townsquare.keyspace.buckets import ALL_BUCKETS
from townsquare.kit.urls import URL_LENGTH
from townsquare.services.threads.page_urls import checked_page_key, normalised_url, page_id_of
from townsquare.services.threads.problems import BadPage

SITE = "blog.example"


@pytest.mark.parametrize(
    ("written", "normalised"),
    [
        ("https://blog.example/a", "https://blog.example/a"),
        ("HTTP://Blog.Example:80/a", "https://blog.example/a"),
        ("https://blog.example:443/a#comments", "https://blog.example/a"),
        ("http://localhost:8000/a", "https://localhost:8000/a"),
        ("//blog.example/a", "https://blog.example/a"),
        ("https://blog.example.", "https://blog.example/"),
        (" /a ", "https://blog.example/a"),
        ("/a?", "https://blog.example/a"),
        ("?p=1", "https://blog.example/?p=1"),
        ("/A/b/", "https://blog.example/A/b/"),
        ("/a/./b/../c/", "https://blog.example/a/c/"),
        ("/a/%2e%2E/b", "https://blog.example/b"),
        ("/../../a", "https://blog.example/a"),
        ("/a/..", "https://blog.example/"),
        ("/a//b", "https://blog.example/a//b"),
        ("/?utm_source=x&p=1&fbclid=y&UTM_Medium=z&gclid", "https://blog.example/?p=1"),
        ("/?utm%5Fsource=x", "https://blog.example/"),
        ("/?b=2&a=1&&b=3", "https://blog.example/?b=2&a=1&b=3"),
        ("/?utmost=1&ref=x", "https://blog.example/?utmost=1&ref=x"),
        ("/日本", "https://blog.example/%E6%97%A5%E6%9C%AC"),
        ("/%e6%97%a5%E6%9c%ac", "https://blog.example/%E6%97%A5%E6%9C%AC"),
        ("/%7Ea%2Fb", "https://blog.example/~a%2Fb"),
        ("/100%", "https://blog.example/100%25"),
        ("/a\\b", "https://blog.example/a%5Cb"),
        ("https://例え.jp/", "https://xn--r8jz45g.jp/"),
        ("https://XN--R8JZ45G.jp/", "https://xn--r8jz45g.jp/"),
        ("https://my_site.example/", "https://my_site.example/"),
        ("http://[2001:DB8::0001]:8080/", "https://[2001:db8::1]:8080/"),
    ],
)
def test_one_page_has_one_address(written: str, normalised: str) -> None:
    assert normalised_url(written, SITE) == normalised


@pytest.mark.parametrize(
    "url",
    [
        *("", " ", "blog.example/a", "a", "#a", "javascript:alert(1)", "ftp://a.example", "mailto:a@b.c"),
        *("https://", "https:///a", "https://a b.example", "https://u:p@a.example/", "https://a.example:0/"),
        *(
            "https://a.example:99999/",
            "https://[::1",
            "https://[v1.x]/",
            "https://-a.example/",
            "https://a..b/",
        ),
        *(
            "https://xn--\u0301.example/",
            "https://%41.example/",
            "https://a\\b.example/",
            "https://a.example:b/",
        ),
        *("/a\x00", "/a\nb", "/a\u202e", "/\ud800", "/" + "a" * URL_LENGTH, "/" + "漢" * 1_000),
        *("https://" + "a" * 64 + ".example/", "https://" + ".".join(["a"] * 200) + "/"),
    ],
)
def test_nonsense_is_refused(url: str) -> None:
    with pytest.raises(BadPage):
        normalised_url(url, SITE)


anything = st.text(max_size=60) | st.text(
    st.sampled_from("https://?#[]@:%.&=+;\\aA漢0123456789eE-_~\u0301\u3002\uff0e\u200d\x00\ud800 "),
    max_size=60,
)


@pytest.mark.slow
@given(url=anything | anything.map(lambda text: f"/{text}") | anything.map(lambda text: f"https://{text}"))
@settings(max_examples=500, deadline=None)
def test_any_text_is_normalised_once_or_refused(url: str) -> None:
    try:
        normalised = normalised_url(url, SITE)
    except BadPage:
        return
    assert normalised.isascii()
    assert len(normalised) <= URL_LENGTH
    assert normalised_url(normalised, SITE) == normalised


def test_a_page_id_follows_from_site_and_key() -> None:
    one = page_id_of("site-1", "https://blog.example/a")
    assert one == page_id_of("site-1", "https://blog.example/a")
    others = {page_id_of("site-2", "https://blog.example/a"), page_id_of("site-1", "https://blog.example/b")}
    assert one not in others
    assert len(one) == 36


def test_page_ids_are_spread_over_the_buckets_that_they_carry() -> None:
    ids = [page_id_of("site", f"/{number}") for number in range(2_000)]
    assert all(id[-3:] in ALL_BUCKETS and carried_bucket(id) == id[-3:] for id in ids)
    assert len({carried_bucket(id) for id in ids}) > 800


def test_a_page_key_is_one_line() -> None:
    assert checked_page_key(" post-1 ") == "post-1"
    for bad in ("", " ", "a\nb", "\x00", "\ud800", "x" * 256):
        with pytest.raises(BadPage):
            checked_page_key(bad)
