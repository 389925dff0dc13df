import pytest
from hypothesis import given
from hypothesis import strategies as st

from townsquare.services.social import hashtags
from townsquare.services.social.problems import BadHashtag


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("Hello #Travel", ["travel"]),
        ("#a #A #ａ", ["a"]),
        ("(#x) #y, #z!", ["x", "y", "z"]),
        ("mid#word no", []),
        ("an entity &#39; and &#x27;", []),
        ("https://e.com/#frag http://e.com/a#b www.e.com/#c", []),
        ("path/#no ##no", []),
        ("#日本 #Ünïcode #snake_case #2026", ["日本", "ünïcode", "snake_case", "2026"]),
        ("＃全角", ["全角"]),
        ("#हिन्दी", ["हिन्दी"]),
        ("#ok-not #a.b", ["ok", "a"]),
        ("#" + "x" * 100, ["x" * 100]),
        ("#" + "x" * 101, []),
        ("# #", []),
        ("#İstanbul", ["i̇stanbul"]),
    ],
)
def test_tags_are_found_at_word_starts(text: str, tags: list[str]) -> None:
    assert hashtags.found_in(text) == tags


def test_a_post_has_thirty_tags_at_most() -> None:
    assert len(hashtags.found_in(" ".join(f"#t{number}" for number in range(50)))) == 30


@pytest.mark.parametrize("text", ["", "#", "a b", "a-b", "x" * 101, "a:b", "{x}"])
def test_what_is_no_tag_is_refused(text: str) -> None:
    with pytest.raises(BadHashtag):
        hashtags.normalised(text)


@given(st.text(max_size=200))
def test_a_tag_that_was_found_is_found_again_by_its_name(text: str) -> None:
    for tag in hashtags.found_in("#" + text):
        assert hashtags.normalised(tag) == tag
        assert hashtags.normalised(f"#{tag}") == tag
        assert not set(tag) & set(" :{}#\t\n")
