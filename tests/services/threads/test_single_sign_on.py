import base64
import hashlib
import hmac
from typing import Any

import msgspec
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from tests.support.clock import PinnedClock
from townsquare.keyspace import carried_bucket
from townsquare.services.accounts.signin.tokens import access
from townsquare.services.threads.single_sign_on import BadSsoToken, SingleSignOn, is_fit_key, user_id_of

SITE = "5f0c0b8e-0000-4000-8000-000000000001"
KEY, NEXT_KEY = "the first key of the site, long enough", "the second key of the site, long enough"


@pytest.fixture
def clock() -> PinnedClock:
    return PinnedClock()


@pytest.fixture
def sso(clock: PinnedClock) -> SingleSignOn:
    return SingleSignOn(clock)


def claims(clock: PinnedClock, **changes: Any) -> dict[str, Any]:
    told = {"sub": "42", "name": "Ada", "exp": clock.now_ms() // 1000 + 3600, **changes}
    return {name: value for name, value in told.items() if value is not None}


def signed(told: Any, key: str = KEY, **header: Any) -> str:
    """By hand, so that a token can be as wrong as anybody's."""
    parts = [{"alg": "HS256", "typ": "JWT", **header}, told]
    body = ".".join(encoded(part if isinstance(part, bytes) else msgspec.json.encode(part)) for part in parts)
    return f"{body}.{encoded(hmac.new(key.encode(), body.encode(), hashlib.sha256).digest())}"


def encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).decode().rstrip("=")


def test_a_token_of_the_site_says_who(sso: SingleSignOn, clock: PinnedClock) -> None:
    told = claims(
        clock, email="Ada@example.org", avatar="https://a.example/ada.png", role="moderator", iss="x", aud="y"
    )
    user = sso.read(jwt.encode({"alg": "HS256"}, told, OctKey.import_key(KEY)), SITE, [KEY])
    assert (user.sub, user.name, user.email, user.avatar) == (
        "42", "Ada", "Ada@example.org", "https://a.example/ada.png",
    )  # fmt: skip
    assert user.moderator
    assert user.expires_at == told["exp"] * 1000
    assert user.id == user_id_of(SITE, "42")
    assert carried_bucket(user.id) == user.id[-3:]


def test_most_users_have_only_a_name(sso: SingleSignOn, clock: PinnedClock) -> None:
    user = sso.read(
        signed(claims(clock, role="subscriber", email="", exp=clock.now_ms() / 1000 + 60.5)), SITE, [KEY]
    )
    assert (user.email, user.avatar, user.moderator) == (None, None, False)


def test_a_user_of_one_site_is_nobody_on_another(sso: SingleSignOn, clock: PinnedClock) -> None:
    token = signed(claims(clock))
    ours = sso.read(token, SITE, [KEY])
    with pytest.raises(BadSsoToken, match="no key"):
        sso.read(token, "another site", [NEXT_KEY])
    assert sso.read(token, "a site that has the same key", [KEY]).id != ours.id


def test_two_keys_count_while_one_replaces_the_other(sso: SingleSignOn, clock: PinnedClock) -> None:
    old, new = signed(claims(clock)), signed(claims(clock), NEXT_KEY)
    for token in (old, new):
        assert sso.read(token, SITE, [NEXT_KEY, KEY]).sub == "42"
    assert sso.read(new, SITE, [NEXT_KEY]).sub == "42"
    with pytest.raises(BadSsoToken):  # though it was verified a moment ago
        sso.read(old, SITE, [NEXT_KEY])
    with pytest.raises(BadSsoToken):  # a third key counts for nothing
        sso.read(old, SITE, [NEXT_KEY, "x" * 40, KEY])


def test_a_token_counts_until_it_expires(sso: SingleSignOn, clock: PinnedClock) -> None:
    token = signed(claims(clock))
    sso.read(token, SITE, [KEY])
    clock.move(seconds=3604)
    assert sso.read(token, SITE, [KEY]).sub == "42"
    clock.move(seconds=2)
    with pytest.raises(BadSsoToken, match="expired"):
        sso.read(token, SITE, [KEY])


def test_a_verified_token_is_not_verified_again(
    sso: SingleSignOn, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = signed(claims(clock))
    first = sso.read(token, SITE, [KEY])
    monkeypatch.setattr(jwt, "decode", None)
    assert sso.read(token, SITE, [KEY]) is first


def test_what_is_remembered_is_bounded(
    sso: SingleSignOn, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "REMEMBERED", 3)
    for number in range(5):
        sso.read(signed(claims(clock, sub=str(number))), SITE, [KEY])
    assert len(sso._verified) == 3


@pytest.mark.parametrize(
    "changes",
    [
        *({"sub": None}, {"sub": ""}, {"sub": "x" * 256}, {"sub": 42}),
        *(
            {"name": None},
            {"name": " "},
            {"name": 7},
            {"name": "x" * 101},
            {"name": "a\nb"},
            {"name": "\u202ea"},
        ),
        *({"email": "no address"}, {"email": 5}, {"avatar": "javascript:alert(1)"}, {"avatar": "/a.png"}),
        *({"exp": None}, {"exp": "soon"}, {"exp": True}, {"exp": 0}, {"exp": -1}, {"exp": [1]}),
        *({"exp": 10**18}, {"exp": 1e300}, {"nbf": 10**11}, {"iat": 10**11}),
    ],
)
def test_a_token_with_wrong_claims_is_refused(
    sso: SingleSignOn, clock: PinnedClock, changes: dict[str, Any]
) -> None:
    with pytest.raises(BadSsoToken):
        sso.read(signed(claims(clock, **changes)), SITE, [KEY])


def test_a_token_lives_at_most_a_day(sso: SingleSignOn, clock: PinnedClock) -> None:
    now = clock.now_ms() // 1000
    assert sso.read(signed(claims(clock, exp=now + 86_400)), SITE, [KEY]).sub == "42"
    with pytest.raises(BadSsoToken, match="24 hours"):
        sso.read(signed(claims(clock, exp=now + 86_410)), SITE, [KEY])


def test_only_a_signature_with_hs256_and_a_key_of_the_site_counts(
    sso: SingleSignOn, clock: PinnedClock
) -> None:
    told = claims(clock)
    good = signed(told)
    body, _, signature = good.rpartition(".")
    wrong = [
        *(
            signed(told, "another key that is long enough to be one"),
            f"{body}.",
            f"{body}.{signature[:-2]}AA",
        ),
        *(
            signed(told, alg=alg)
            for alg in ("none", "None", "NONE", "HS384", "HS512", "RS256", "hs256", "", None, 5)
        ),
        signed(told, alg="none").rpartition(".")[0] + ".",
        *(signed(told, crit=crit) for crit in (["exp"], ["b64"], ["alg"], [], "x")),
        signed(told, b64=False, crit=["b64"]),
        signed(claims(clock, sub="43")).rpartition(".")[0] + "." + signature,
    ]
    for token in wrong:
        with pytest.raises(BadSsoToken):
            sso.read(token, SITE, [KEY])
    with pytest.raises(BadSsoToken, match="alg: sign with HS256"):
        sso.read(signed(told, alg="none"), SITE, [KEY])
    assert sso.read(good, SITE, [KEY]).sub == "42"


@pytest.mark.parametrize("keys", [[], [""], ["short"], ["", ""]])
def test_a_site_without_a_fit_key_has_no_users_of_its_own(
    sso: SingleSignOn, clock: PinnedClock, keys: list[str]
) -> None:
    for key in ("", "short"):
        with pytest.raises(BadSsoToken, match="no key"):
            sso.read(signed(claims(clock), key), SITE, keys)


def test_a_token_that_is_huge_deep_or_nonsense_is_refused(sso: SingleSignOn, clock: PinnedClock) -> None:
    deep = b'{"a":' * 900 + b"1" + b"}" * 900
    nan = b'{"sub":"1","name":"a","exp":NaN}'
    huge = nan.replace(b"NaN", b"9" * 400)
    wrong = [
        *("", ".", "..", "a.b.c", "a.b", "a.b.c.d", "\ud800.b.c", "é.é.é", "a" * 10_000_000, "." * 9_000),
        *(signed(part) for part in (deep, nan, huge, b"[]", b"\xff", b"", claims(clock, x="x" * 9_000))),
        *(signed([]), signed("x"), signed(None), f"{encoded(deep)}.{encoded(b'{}')}.x"),
        signed(b'{"sub":"\\ud800","name":"a","exp":%d}' % (clock.now_ms() // 1000 + 60)),
    ]
    for token in wrong:
        with pytest.raises(BadSsoToken):
            sso.read(token, SITE, [KEY])


def test_keys_have_a_length() -> None:
    assert is_fit_key("x" * 32)
    for unfit in ("", "x" * 31, "x" * 513, "x" * 40 + "\n", "-----BEGIN PUBLIC KEY-----" + "x" * 32):
        assert not is_fit_key(unfit)
