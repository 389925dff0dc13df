"""An outside issuer whose tokens are accepted, with one key and one algorithm."""

from dataclasses import dataclass

import msgspec
from jwt import PyJWK, PyJWTError
from jwt.algorithms import get_default_algorithms, has_crypto

from townsquare.kit.jwt import HS256, OPENID

ALGORITHMS = (HS256, "RS256", "ES256", "ES384", "ES512")
SHORTEST_SECRET = 32  # characters of a secret, bytes of a JWK


@dataclass(frozen=True)
class OutsideIssuer:
    issuer: str
    audience: str
    key: str | PyJWK
    algorithm: str

    @classmethod
    def of(cls, issuer: str, audience: str, key: str) -> "OutsideIssuer | None":
        """From the settings: a PEM public key (RSA or EC), a JWK, or a secret of at least 32 characters.

        Raises ValueError.
        """
        if not issuer:
            return None
        text = key.strip().replace("\\n", "\n")
        if text.startswith(("-----BEGIN", "{")):
            found = _from_pem(text) if text.startswith("-") else _from_json(text)
            return cls(issuer, audience, found, found.algorithm_name)
        if len(text) < SHORTEST_SECRET:
            raise ValueError("the key of an outside issuer is a PEM, a JWK or a secret of 32 characters")
        return cls(issuer, audience, text, HS256)


def _from_json(text: str) -> PyJWK:
    try:
        fields = msgspec.json.decode(text, type=dict)
        if fields.get("kty") != "oct":
            _require_cryptography()
        found = PyJWK(fields)
    except (PyJWTError, msgspec.MsgspecError) as error:
        raise ValueError(str(error)) from None
    if found.algorithm_name not in ALGORITHMS:
        raise ValueError("the key of an outside issuer is RSA, P-256, P-384, P-521 or a secret")
    if found.algorithm_name == HS256 and len(found.key) < SHORTEST_SECRET:
        raise ValueError(f"a secret has at least {SHORTEST_SECRET} bytes")
    return found


def _from_pem(text: str) -> PyJWK:
    _require_cryptography()
    for name in ALGORITHMS[1:]:
        algorithm = get_default_algorithms()[name]
        try:
            return PyJWK(algorithm.to_jwk(algorithm.prepare_key(text), as_dict=True), name)
        except (PyJWTError, ValueError, TypeError):
            continue
    raise ValueError("the key of an outside issuer cannot be read")


def _require_cryptography() -> None:
    if not has_crypto:
        raise ValueError(f"an RSA or EC key requires the package cryptography: pip install '{OPENID}'")
