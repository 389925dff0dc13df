import base64
import hashlib
import hmac
from typing import Any

import msgspec
import pytest
from joserfc import jwt as other_library
from joserfc.jwk import ECKey, OctKey, RSAKey
from jwt import PyJWK

from townsquare.kit import jwt

SECRET = "s" * 32
NOW = 1_700_000_000
CLAIMS = {"sub": "alice", "exp": NOW + 60}


def part(value: Any) -> str:
    encoded = value if isinstance(value, bytes) else msgspec.json.encode(value)
    return base64.urlsafe_b64encode(encoded).rstrip(b"=").decode()


def hand_made(header: Any, payload: Any, key: str = SECRET) -> str:
    text = f"{part(header)}.{part(payload)}"
    return f"{text}.{part(hmac.digest(key.encode(), text.encode(), hashlib.sha256))}"


def test_another_library_reads_our_token_and_we_read_its() -> None:
    token = jwt.signed(CLAIMS, SECRET, "k1")
    found = other_library.decode(token, OctKey.import_key(SECRET), algorithms=["HS256"])
    assert found.claims == CLAIMS
    assert found.header == {"alg": "HS256", "kid": "k1", "typ": "JWT"}
    theirs = other_library.encode({"alg": "HS256"}, CLAIMS, OctKey.import_key(SECRET))
    assert jwt.verified(theirs, SECRET, jwt.HS256) == CLAIMS


def test_a_token_of_another_key_is_told_apart_from_one_that_cannot_be_read() -> None:
    with pytest.raises(jwt.BadSignature):
        jwt.verified(jwt.signed(CLAIMS, "x" * 32, "k1"), SECRET, jwt.HS256)


@pytest.mark.parametrize(
    "token",
    [
        hand_made({"alg": "none"}, CLAIMS),
        f"{part({'alg': 'none'})}.{part(CLAIMS)}.",
        hand_made({"alg": "HS384"}, CLAIMS),
        hand_made({"alg": "RS256"}, CLAIMS),
        hand_made({"alg": ["HS256"]}, CLAIMS),
        hand_made({}, CLAIMS),
        hand_made([], CLAIMS),
        hand_made({"alg": "HS256", "crit": ["b64"], "b64": False}, CLAIMS),
        hand_made({"alg": "HS256"}, ["sub"]),
        hand_made({"alg": "HS256"}, b"\xff"),
        hand_made({"alg": "HS256"}, b'{"sub":NaN}'),
        hand_made({"alg": "HS256"}, b"[" * 100_000),
        hand_made(b"[" * 100_000, CLAIMS),
        "",
        "a.b",
        "a.b.c.d",
        "é.é.é",
    ],
)
def test_only_the_expected_algorithm_and_an_object_of_claims_count(token: str) -> None:
    with pytest.raises(jwt.BadToken):
        jwt.verified(token, SECRET, jwt.HS256)


@pytest.mark.parametrize(
    ("key", "algorithm"), [(RSAKey.generate_key(2048), "RS256"), (ECKey.generate_key("P-256"), "ES256")]
)
def test_a_public_key_is_no_secret_of_a_signature(key: RSAKey | ECKey, algorithm: str) -> None:
    public = PyJWK(key.as_dict(private=False), algorithm)
    theirs = other_library.encode({"alg": algorithm}, CLAIMS, key, algorithms=[algorithm])
    assert jwt.verified(theirs, public, algorithm) == CLAIMS
    forged = hand_made({"alg": "HS256"}, CLAIMS, key.as_pem(private=False).decode())
    for expected in (algorithm, jwt.HS256):
        with pytest.raises(jwt.BadToken):
            jwt.verified(forged, public, expected)


def check(claims: dict[str, Any]) -> None:
    jwt.check_claims(
        claims, now=NOW, leeway=10, required=("exp", "sub"), issuers=("https://id",), audience="square"
    )


GOOD = {**CLAIMS, "iss": "https://id", "aud": "square", "nbf": NOW, "iat": NOW - 0.5}


@pytest.mark.parametrize(
    "changes",
    [{}, {"aud": ["other", "square"]}, {"exp": NOW - 9}, {"nbf": NOW + 10}, {"iat": NOW + 10}],
)
def test_good_claims(changes: dict[str, Any]) -> None:
    check(GOOD | changes)


@pytest.mark.parametrize("claim", ["exp", "nbf", "iat"])
@pytest.mark.parametrize("value", ["9999999999", True, None, [], {}, 1e300, 10**30, float("nan")])
def test_a_time_is_a_number_of_seconds(claim: str, value: object) -> None:
    with pytest.raises(jwt.BadToken):
        check(GOOD | {claim: value})


@pytest.mark.parametrize(
    "changes",
    [
        {"nbf": NOW + 11},
        {"iat": NOW + 11},
        {"iss": "https://other"},
        {"iss": ["https://id"]},
        {"aud": "squares"},
        {"aud": ["other"]},
        {"aud": {"square": 1}},
        {"sub": 7},
        {"sub": ""},
        {"jti": 7},
    ],
)
def test_wrong_claims(changes: dict[str, Any]) -> None:
    with pytest.raises(jwt.BadToken):
        check(GOOD | changes)


@pytest.mark.parametrize("claim", ["exp", "sub", "iss", "aud"])
def test_a_missing_claim(claim: str) -> None:
    with pytest.raises(jwt.BadToken):
        check({name: value for name, value in GOOD.items() if name != claim})


def test_expired_is_told_apart() -> None:
    with pytest.raises(jwt.ExpiredToken):
        check(GOOD | {"exp": NOW - 10})
