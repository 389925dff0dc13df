"""An outside issuer whose tokens are accepted, with one key and one algorithm."""

from dataclasses import dataclass

import msgspec
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, Key, OctKey, RSAKey, import_key


@dataclass(frozen=True)
class OutsideIssuer:
    issuer: str
    audience: str
    key: Key
    algorithm: str

    @classmethod
    def of(cls, issuer: str, audience: str, key: str) -> "OutsideIssuer | None":
        """From the settings: a PEM public key (RSA or EC), a JWK, or a secret of at least 32 characters.

        Raises ValueError, TypeError or KeyError.
        """
        if not issuer:
            return None
        text = key.strip().replace("\\n", "\n")
        if text.startswith("-----BEGIN"):
            found = _from_pem(text)
        elif text.startswith("{"):
            try:
                found = import_key(msgspec.json.decode(text, type=dict))
            except JoseError as error:
                raise ValueError(str(error)) from None
        elif len(text) >= 32:
            found = OctKey.import_key(text)
        else:
            raise ValueError("the key of an outside issuer is a PEM, a JWK or a secret of 32 characters")
        return cls(issuer, audience, found, _algorithm_of(found))


def _from_pem(text: str) -> Key:
    for kind in (RSAKey, ECKey):
        try:
            return kind.import_key(text)
        except (JoseError, ValueError, TypeError):
            continue
    raise ValueError("the key of an outside issuer cannot be read")


def _algorithm_of(key: Key) -> str:
    if isinstance(key, OctKey):
        return "HS256"
    if isinstance(key, RSAKey):
        return "RS256"
    curves = {"P-256": "ES256", "P-384": "ES384", "P-521": "ES512"}
    if not isinstance(key, ECKey) or key.curve_name not in curves:
        raise ValueError("the key of an outside issuer is RSA, P-256, P-384, P-521 or a secret")
    return curves[key.curve_name]
