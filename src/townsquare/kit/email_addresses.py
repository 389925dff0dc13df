"""Email addresses: one grammar for who signs up and for who delivers, and one spelling for one mailbox.

The grammar is the plain address of RFC 5321 and 6531, `local@domain`: nothing that a mail header would take
for a name, a comment, a group or a second address. Two spellings are one mailbox if they differ in the case
of ASCII letters, in how characters are composed, or in how the domain is written (IDNA). What else is the
same is for the mail server behind the domain to say: `straße` and `strasse` are two people.
"""

import re
import unicodedata
from dataclasses import dataclass

import idna

from townsquare.kit.urls import has_unseen

ADDRESS_LENGTH, LOCAL_LENGTH, DOMAIN_LENGTH = 254, 64, 253  # RFC 5321

ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\x80-\U0010ffff-]+"
LOCAL_PART = re.compile(rf"{ATOM}(?:\.{ATOM})*")
LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
DOMAIN = re.compile(rf"{LABEL}(?:\.{LABEL})+")


class BadEmailAddress(ValueError):
    pass


@dataclass(frozen=True)
class EmailAddress:
    typed: str  # as it was written, without space around it
    local: str  # as it was written
    domain: str  # in ASCII, lower case: what DNS and mail servers know

    @classmethod
    def parse(cls, text: str) -> "EmailAddress":
        typed = text.strip() if len(text) <= 2 * ADDRESS_LENGTH else text
        if len(typed) > ADDRESS_LENGTH or has_unseen(typed):
            raise BadEmailAddress("this is not an email address")
        typed = unicodedata.normalize("NFC", typed)
        local, _, domain = typed.rpartition("@")
        if len(local) > LOCAL_LENGTH or not LOCAL_PART.fullmatch(local):
            raise BadEmailAddress("this is not an email address")
        return cls(typed, local, ascii_domain(domain))

    @property
    def mailbox(self) -> str:
        """The spelling that all spellings of this mailbox share."""
        local = unicodedata.normalize(
            "NFC", ascii_lower(self.local)
        )  # J has no composed form with U+030C, j has
        return f"{local}@{self.domain}"

    @property
    def envelope(self) -> str:
        """How it is said to a mail server."""
        return f"{self.local}@{self.domain}"


def mailbox_of(text: str) -> str | None:
    """The one spelling of a mailbox; None for what is no address."""
    try:
        return EmailAddress.parse(text).mailbox
    except BadEmailAddress:
        return None


def ascii_domain(domain: str) -> str:
    if not domain.isascii():
        try:
            domain = idna.encode(domain, uts46=True).decode()
        except (idna.IDNAError, UnicodeError):
            raise BadEmailAddress("the domain of this email address cannot be") from None
    if len(domain) > DOMAIN_LENGTH or not DOMAIN.fullmatch(domain):
        raise BadEmailAddress("the domain of this email address cannot be")
    return domain.lower()


def ascii_lower(text: str) -> str:
    return text.lower() if text.isascii() else "".join(c.lower() if c.isascii() else c for c in text)
