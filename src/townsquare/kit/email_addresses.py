"""Email addresses: one grammar for sign-up and delivery, and one spelling per mailbox.

The grammar is the plain `local@domain` of RFC 5321 and 6531: nothing that a mail header reads as a name, a
comment, a group or a second address. Two spellings are one mailbox if they differ only in the case of ASCII
letters, in Unicode composition, or in the encoding of the domain (IDNA 2008). All other spellings are
different mailboxes: `straße` and `strasse` can belong to two people.
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
    typed: str  # as entered, without surrounding white space
    local: str  # as entered
    domain: str  # in ASCII and lower case, as in DNS

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
        """The canonical spelling of the mailbox."""
        local = unicodedata.normalize(
            "NFC", ascii_lower(self.local)
        )  # J has no composed form with U+030C, j has
        return f"{local}@{self.domain}"

    @property
    def envelope(self) -> str:
        """The address in the SMTP envelope."""
        return f"{self.local}@{self.domain}"


def mailbox_of(text: str) -> str | None:
    """The canonical spelling of a mailbox; None if the text is not an address."""
    try:
        return EmailAddress.parse(text).mailbox
    except BadEmailAddress:
        return None


def ascii_domain(domain: str) -> str:
    if not domain.isascii():
        try:
            domain = idna.encode(domain, uts46=True).decode()
        except (idna.IDNAError, UnicodeError):
            raise BadEmailAddress("the domain of this email address is not valid") from None
    if len(domain) > DOMAIN_LENGTH or not DOMAIN.fullmatch(domain):
        raise BadEmailAddress("the domain of this email address is not valid")
    return domain.lower()


def ascii_lower(text: str) -> str:
    return text.lower() if text.isascii() else "".join(c.lower() if c.isascii() else c for c in text)
