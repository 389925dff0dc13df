"""Six digits that prove who reads a mailbox or holds a phone: used once, tried five times, soon gone."""

import hashlib
import hmac
import math
import secrets

import msgspec

from townsquare.clock import iso
from townsquare.kit.addresses import customer_of
from townsquare.services.accounts.keys import CODE_SECONDS, CODE_SENDS_SECONDS, verify
from townsquare.services.accounts.problems import TooManyCodes, WrongCode
from townsquare.services.accounts.signin.models import VerificationType, VerifyCode
from townsquare.services.accounts.signin.scripts import CountCodeSend, TryCode
from townsquare.store.store import Store

DIGITS = 6
TRIES = 5
PER_TARGET, PER_ADDRESS = 3, 10  # codes in any hour


class VerificationCodes:
    def __init__(self, store: Store, secret: str) -> None:
        self._store = store
        self._secret = secret.encode()

    async def count_send(self, target: str, ip: str) -> None:
        """Count one code for this target and this address, or refuse: exact in every rolling hour."""
        await self._count("ip", customer_of(ip) or "unknown", PER_ADDRESS)
        await self._count("target", target, PER_TARGET)

    async def make(self, target: str, kind: VerificationType, user_id: str | None) -> str:
        """A new code for this target; the one before it counts no more."""
        code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
        kept = VerifyCode(
            code=self._hash(target, kind, code),
            user_id=user_id,
            verification_type=kind,
            created_at=iso(self._store.clock.now_ms()),
        )
        await self._store.call("SET", verify(target), msgspec.json.encode(kept), "EX", CODE_SECONDS)
        return code

    async def use(self, target: str, kind: VerificationType, code: str) -> str | None:
        """Use the code up; answers the user that it was made for, if there was one."""
        tried = await self._store.run(
            TryCode(target=target, kind=kind, code=self._hash(target, kind, code), most=TRIES)
        )
        if not tried.right:
            raise WrongCode()
        return tried.user_id

    async def _count(self, per: str, who: str, most: int) -> None:
        send = await self._store.run(
            CountCodeSend(
                per=per,
                who=who,
                send=secrets.token_hex(8),
                now=self._store.clock.now_ms(),
                window=CODE_SENDS_SECONDS * 1000,
                most=most,
            )
        )
        if not send.allowed:
            raise TooManyCodes(retry_after=max(1, math.ceil(send.wait / 1000)))

    def _hash(self, target: str, kind: VerificationType, code: str) -> str:
        told = "\n".join(("code", kind, target, code)).encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, told, hashlib.sha256).hexdigest()
