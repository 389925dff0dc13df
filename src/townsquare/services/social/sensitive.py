"""Names of fields that would hold a password, a national id, a card or a bank account.

A name is read as words (`myCardNo2`: my, card, no, 2). Some leave no doubt wherever they stand, also in
pieces (`pass_word`) or inside another (`userpassword`). Others do so only where the name ends with them or
goes on with what such things have: `card_number` and `bank2`, but not `business_card_style`.
"""

import re
from functools import lru_cache
from itertools import accumulate

WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
WORD_IN_ANY_CASE = re.compile(r"[a-z]+|[0-9]+")

NAME_LENGTH = 64  # of a field; its words are compared piece by piece
WHOLE_BEGINS = re.compile(r"(?=((?:pwd|ssn|iban|cvv))(s?))")  # whole words only: libanese does not match
ANYWHERE = re.compile(
    r"passwor[dt]|passwd|passphrase|passcode|socialsecurity|creditcard|debitcard|cardnumber|ccnumber"
    r"|bankaccount|accountnumber|routingnumber"
)
ANYWHERE_BEGINS = re.compile(f"(?={ANYWHERE.pattern})")
LONGEST_END = len("routingnum")
AT_THE_END = re.compile(r"(?:cards?|banks?|cvc|(?:card|cc|account|routing)(?:num|no|nr))")
BELONGING = frozenset(
    {"number", "numbers", "num", "no", "nr", "id", "code", "pin", "digits", "last", "first", "key", "token"}
    | {"name", "holder", "owner", "type", "brand", "branch", "account", "swift", "bic", "data", "detail"}
    | {"details", "info", "information", "value", "expiry", "expires", "expiration", "exp", "date", "month"}
    | {"year", "on", "file", "old", "new", "backup", "primary", "secondary", "encrypted", "plain", "hash"}
)


def is_sensitive(name: str) -> bool:
    """Whether a profile must not store a field of this name."""
    return len(name) > NAME_LENGTH or is_sensitive_name(name)


@lru_cache(4_096)
def is_sensitive_name(name: str) -> bool:
    readings = ([word.lower() for word in WORD.findall(name)], WORD_IN_ANY_CASE.findall(name.lower()))
    return any(leaves_no_doubt(words) or ends_so(words) for words in readings)


def leaves_no_doubt(words: list[str]) -> bool:
    if any(ANYWHERE.search(word) for word in words):
        return True
    together = "".join(words)
    ends = set(accumulate(map(len, words)))
    begins = {0, *ends}
    if any(found.start() in begins for found in ANYWHERE_BEGINS.finditer(together)):
        return True
    return any(
        found.start() in begins and not ends.isdisjoint((found.end(1), found.end(2)))
        for found in WHOLE_BEGINS.finditer(together)
    )


def ends_so(words: list[str]) -> bool:
    """Whether the name ends with such a word, or with one and words of `BELONGING`."""
    for end in range(len(words), 0, -1):
        nearest = range(max(0, end - LONGEST_END), end)
        if any(AT_THE_END.fullmatch("".join(words[first:end])) for first in nearest):
            return True
        if words[end - 1] not in BELONGING and not words[end - 1].isdigit():
            return False
    return False
