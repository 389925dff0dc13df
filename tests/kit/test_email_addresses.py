import pytest

from townsquare.kit.email_addresses import BadEmailAddress, EmailAddress


@pytest.mark.parametrize(
    ("typed", "mailbox"),
    [
        ("  Alice@Example.ORG ", "alice@example.org"),
        ("re\u0301ne\u0301@example.org", "r\u00e9n\u00e9@example.org"),
        ("J\u030c@example.org", "\u01f0@example.org"),
        ("\u01f0@example.org", "\u01f0@example.org"),
        ("STRASSE@example.org", "strasse@example.org"),
        ("Straße@example.org", "straße@example.org"),
        ("ÜMIT@example.org", "Ümit@example.org"),
        ("a+tag@sub.example.co.uk", "a+tag@sub.example.co.uk"),
        ("o'brien.{x}@example.org", "o'brien.{x}@example.org"),
        ("user@MÜNCHEN.de", "user@xn--mnchen-3ya.de"),
        ("user@xn--MNCHEN-3ya.de", "user@xn--mnchen-3ya.de"),
        ("user@faß.de", "user@xn--fa-hia.de"),
        ("max@straße.example", "max@xn--strae-oqa.example"),
        ("max@STRASSE.example", "max@strasse.example"),
        ("max@STRAẞE.example", "max@xn--strae-oqa.example"),
        ("user@intranet.local", "user@intranet.local"),
    ],
)
def test_one_mailbox_has_one_spelling(typed: str, mailbox: str) -> None:
    assert EmailAddress.parse(typed).mailbox == mailbox


def test_what_was_typed_stays() -> None:
    address = EmailAddress.parse(" Jürgen.Groß@MÜNCHEN.de ")
    assert (address.typed, address.envelope) == (
        "Jürgen.Groß@MÜNCHEN.de", "Jürgen.Groß@xn--mnchen-3ya.de",
    )  # fmt: skip


NOT_ADDRESSES = [
    "",
    "@",
    "alice",
    "alice@",
    "@example.org",
    "alice@example",
    "a b@example.org",
    "a@b@example.org",
    "alice,bob@example.org",
    "alice@example.org,bob@example.org",
    "alice@example.org, bob@example.org",
    "alice@example.org;bob@example.org",
    "alice(comment)@example.org",
    "alice@example.org(comment)",
    "group:alice@example.org;",
    "<alice@example.org>",
    "Alice <alice@example.org>",
    '"alice"@example.org',
    '"a,b"@example.org',
    "alice\\@example.org",
    ".alice@example.org",
    "alice.@example.org",
    "a..b@example.org",
    "alice@[192.0.2.1]",
    "alice@example.org\nBcc: bob@example.org",
    "alice@example.org\r\nBcc: bob@example.org",
    "alice@-example.org",
    "alice@exa_mple.org",
    "alice@.org",
    "alice@example..org",
    "alice@example.org.",
    "alice@☃.org",
    "alice\x00@example.org",
    "al\u200bice@example.org",
    "al\u00a0ice@example.org",
    "alice\n@example.org",
    "\ud800@example.org",
    "a" * 65 + "@example.org",
    "a@" + "b" * 64 + ".org",
    "a@" + ".".join(["b" * 60] * 5),
    "a@" + "é" * 250,
    "a" * 100_000,
]


@pytest.mark.parametrize("typed", NOT_ADDRESSES, ids=lambda typed: repr(typed[:40]))
def test_what_is_no_address_is_refused(typed: str) -> None:
    with pytest.raises(BadEmailAddress):
        EmailAddress.parse(typed)
