"""Names of fields that would hold a password, a national id, a card or a bank account.

A name is read as words (`myCardNo2`: my, card, no, 2). Some leave no doubt wherever they stand, also in
pieces (`pass_word`) or inside another (`userpassword`). Others do so only where the name ends with them or
goes on with what such things have: `card_number` and `bank2`, but not `business_card_style`.
"""

import re
from functools import lru_cache

WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
WORD_IN_ANY_CASE = re.compile(r"[a-z]+|[0-9]+")

NAME_LENGTH = 64  # of a field; its words are compared piece by piece
WHOLE = frozenset({"pwd", "ssn", "iban", "cvv"})  # libanese is none of them
ANYWHERE = re.compile(
    r"passwor[dt]|passwd|passphrase|passcode|socialsecurity|creditcard|debitcard|cardnumber|ccnumber"
    r"|bankaccount|accountnumber|routingnumber"
)
AT_THE_END = re.compile(r"(?:cards?|banks?|cvc|(?:card|cc|account|routing)(?:num|no|nr))")
BELONGING = frozenset(
    {"number", "numbers", "num", "no", "nr", "id", "code", "pin", "digits", "last", "first", "key", "token"}
    | {"name", "holder", "owner", "type", "brand", "branch", "account", "swift", "bic", "data", "detail"}
    | {"details", "info", "information", "value", "expiry", "expires", "expiration", "exp", "date", "month"}
    | {"year", "on", "file", "old", "new", "backup", "primary", "secondary", "encrypted", "plain", "hash"}
)


def is_sensitive(name: str) -> bool:
    """Whether a field of this name would hold what is not kept in a profile, or nothing that is."""
    return len(name) > NAME_LENGTH or is_sensitive_name(name)


@lru_cache(4_096)
def is_sensitive_name(name: str) -> bool:
    readings = ([word.lower() for word in WORD.findall(name)], WORD_IN_ANY_CASE.findall(name.lower()))
    return any(leaves_no_doubt(words) or ends_so(words) for words in readings)


def leaves_no_doubt(words: list[str]) -> bool:
    if any(ANYWHERE.search(word) for word in words):
        return True
    beginnings = range(len(words))
    tails = ("".join(words[first:]) for first in beginnings)
    if any(ANYWHERE.match(tail) for tail in tails):
        return True
    together = (
        "".join(words[first:last]) for first in beginnings for last in range(first + 1, len(words) + 1)
    )
    return any(piece.removesuffix("s") in WHOLE for piece in together)


def ends_so(words: list[str]) -> bool:
    """Whether it ends with such a word, or with one and what belongs to it."""
    for end in range(len(words), 0, -1):
        if any(AT_THE_END.fullmatch("".join(words[first:end])) for first in range(end)):
            return True
        if words[end - 1] not in BELONGING and not words[end - 1].isdigit():
            return False
    return False
