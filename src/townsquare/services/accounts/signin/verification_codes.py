"""Six-digit codes that prove access to a mailbox or phone: single use, five tries, ten minutes.

Nobody can use up the codes of another person (decision 008). A request while a code is valid sends the same
code again, or nothing if enough messages were sent. Tries are counted per client address.
"""

import hashlib
import hmac
import math
import secrets

from townsquare.clock import iso
from townsquare.keyspace import derived_id
from townsquare.kit.addresses import customer_of
from townsquare.services.accounts.keys import CODE_SENDS_SECONDS, verify
from townsquare.services.accounts.problems import TooManyCodes, WrongCode
from townsquare.services.accounts.scripts import CountCodeSend, IssueCode, TryCode
from townsquare.services.accounts.signin.failures import log_failed_sign_in
from townsquare.services.accounts.signin.models import VerificationType
from townsquare.store.store import Store

DIGITS = 6
PER_ASKER = 10  # codes per hour and client address


class VerificationCodes:
    def __init__(self, store: Store, secret: str, former_secret: str = "") -> None:
        self._store = store
        self._secret = secret.encode()
        self._former = VerificationCodes(store, former_secret) if former_secret else None

    async def issue(self, target: str, kind: VerificationType, user_id: str | None, ip: str) -> str | None:
        """The code to send to this target; None if it is not sent again.

        Raises TooManyCodes after too many requests, or if the last code was used up recently.
        """
        asker, now = asker_of(ip), self._store.clock.now_ms()
        await self._count_asker(asker, now)
        salt = secrets.token_hex(16)
        issued = await self._store.run(
            IssueCode(
                target=target,
                target_hash=derived_id(self._mac("target", target).hex(), bucket=verify(target).bucket),
                kind=kind,
                salt=salt,
                code=self._hash(target, kind, self._digits(target, kind, salt)),
                user_id=user_id,
                asker=asker,
                now=now,
                now_iso=iso(now),
                since_iso=iso(now - CODE_SENDS_SECONDS * 1000),
            )
        )
        if issued.wait:
            raise TooManyCodes(retry_after=math.ceil(issued.wait / 1000))
        return self._digits(target, kind, issued.salt) if issued.send else None

    async def use(
        self, target: str, kind: VerificationType, code: str, ip: str, *, keep: bool = False
    ) -> str | None:
        """Use a code, or only check it with `keep`; returns the user that it was issued for, if any."""
        former = self._former._hash(target, kind, code) if self._former else None
        code = self._hash(target, kind, code)
        tried = await self._store.run(
            TryCode(target=target, kind=kind, code=code, former=former, asker=asker_of(ip), keep=keep)
        )
        if not tried.right:
            method = "password_reset" if kind is VerificationType.PASSWORD_RESET else "code"
            log_failed_sign_in(method, tried.user_id, ip)
            raise WrongCode()
        return tried.user_id

    async def _count_asker(self, asker: str, now: int) -> None:
        send = await self._store.run(
            CountCodeSend(
                who=asker,
                send=secrets.token_hex(8),
                now=now,
                window=CODE_SENDS_SECONDS * 1000,
                most=PER_ASKER,
            )
        )
        if not send.allowed:
            raise TooManyCodes(retry_after=max(1, math.ceil(send.wait / 1000)))

    def _digits(self, target: str, kind: VerificationType, salt: str) -> str:
        """Derived from the salt and our secret, so the code can be sent again without storing it."""
        number = int.from_bytes(self._mac("digits", kind, target, salt), "big")
        return f"{number % 10**DIGITS:0{DIGITS}}"

    def _hash(self, target: str, kind: VerificationType, code: str) -> str:
        return self._mac("code", kind, target, code).hex()

    def _mac(self, *parts: str) -> bytes:
        message = "\n".join(parts).encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, message, hashlib.sha256).digest()


def asker_of(ip: str) -> str:
    return customer_of(ip) or "unknown"
