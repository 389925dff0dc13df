"""Finds the hashtags of a text and normalises them."""

import re
import unicodedata
from collections.abc import Iterator

from townsquare.kit.text import BadText, check_raw_length, normalized
from townsquare.services.social.problems import BadHashtag

TAGS_PER_POST = 30
TAG_LENGTH = 100

URL = re.compile(r"(?:(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,31}://|\bwww\.)\S+", re.IGNORECASE)
AT_WORD_START = re.compile(r"(?<![\w&/#])#(?=\w)")  # not in a word, an entity (&#39;) or a path
PLAIN_TAG = re.compile(AT_WORD_START.pattern + r"(\w+)", re.ASCII)


def found_in(text: str) -> list[str]:
    """The hashtags of a text, in order, without duplicates, at most 30. Longer tags are ignored."""
    if text.isascii():
        found = PLAIN_TAG.findall(without_urls(text).lower())
        tags = [tag for tag in found if len(tag) <= TAG_LENGTH]
    else:
        plain = without_urls(normalized("NFKC", text))
        tags = [tag for tag in map(spelled, words_after(plain)) if is_tag(tag)]
    return list(dict.fromkeys(tags))[:TAGS_PER_POST]


def without_urls(text: str) -> str:
    return URL.sub(" ", text) if "//" in text or "www." in text.lower() else text


def words_after(text: str) -> Iterator[str]:
    """The text after each # that starts a hashtag."""
    for hash_sign in AT_WORD_START.finditer(text):
        end = hash_sign.end()
        while end < len(text) and belongs_to_a_tag(text[end]):
            end += 1
        yield text[hash_sign.end() : end]


def normalised(text: str) -> str:
    """The stored form of a requested hashtag. Raises `BadHashtag`."""
    try:
        check_raw_length(text, TAG_LENGTH)
    except BadText:
        raise BadHashtag() from None
    tag = spelled(text.strip().removeprefix("#").removeprefix("＃"))
    if not is_tag(tag):
        raise BadHashtag()
    return tag


def spelled(tag: str) -> str:
    return normalized("NFKC", normalized("NFKC", tag).lower())


def is_tag(text: str) -> bool:
    return 0 < len(text) <= TAG_LENGTH and all(belongs_to_a_tag(character) for character in text)


def belongs_to_a_tag(character: str) -> bool:
    """A letter with the marks that belong to it, a digit, or an underscore."""
    return character == "_" or unicodedata.category(character)[0] in "LNM"
