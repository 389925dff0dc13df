"""Mending what was confirmed: guarded by what was seen, so that a newer write is never overwritten."""

from pathlib import Path
from typing import Any

from townsquare.integrity.confirm import Confirmed, Observed, Witness, spelled, unique_names
from townsquare.integrity.findings import SetAside, Write
from townsquare.integrity.reads import Ground, Read, Target, raw
from townsquare.keyspace import AnyKey, DeclarationError
from townsquare.store.keys import quarantine
from townsquare.store.wire.connection import Arg, ReplyError

MEND = (Path(__file__).parent / "lua" / "mend.lua").read_text()
COPIES = 9  # of one name in quarantine at a time


class Refused(Exception):
    """The repair cannot be done; says why."""


class Mender:
    def __init__(self, ground: Ground, witness: Witness) -> None:
        self._ground = ground
        self._witness = witness

    async def mend(self, confirmed: Confirmed) -> bool:
        """Whether it was done; False if something changed since it was seen."""
        mend = confirmed.fault.mend
        if isinstance(mend, Write):
            return await self._write(mend, confirmed.seen[self._ground.group(mend.target)])
        if isinstance(mend, SetAside):
            return await self._set_aside(mend)
        raise DeclarationError(f"nothing mends {confirmed.fault}")

    async def _write(self, write: Write, seen: Observed) -> bool:
        names = unique_names(self._ground, [write, *seen.reads])
        words = self._ground.command(write)
        guard = spelled(self._ground, seen.reads)
        arguments: list[Arg] = [seen.digest, len(words), *words, *guard]
        return bool(await self._execute(write.target, "EVAL", MEND, len(names), *names, *arguments))

    async def _execute(self, target: Target, *command: Arg) -> Any:
        try:
            return await self._ground.side(target).nodes.execute(self._ground.slot(target), *command)
        except ReplyError as error:
            raise Refused(f"Redis says: {error}") from None

    async def _set_aside(self, mend: SetAside) -> bool:
        """Copied first, removed second and only if unchanged: works from any slot to any other."""
        if not mend.fields:
            return await self._move(Read("DUMP", mend.target), Write("UNLINK", mend.target), "")
        moved = [
            await self._move(
                Read("HGET", mend.target, (field,)),
                Write("HDEL", mend.target, (field,)),
                f"#{field.decode(errors='backslashreplace')}",
            )
            for field in mend.fields
        ]
        return all(moved)

    async def _move(self, read: Read, removal: Write, suffix: str) -> bool:
        seen, _ = await self._witness.observe([read])
        observed = seen[self._ground.group(read.target)]
        content = observed.replies[read]
        if content is None:
            return False
        name = raw(self._ground.name(read.target)).decode(errors="backslashreplace") + suffix
        copy = await self._keep(name, read.verb, content)
        removed = await self._write(removal, observed)
        if not removed:
            await self._execute(copy, "DEL", self._ground.name(copy))
        return removed

    async def _keep(self, name: str, verb: str, content: bytes) -> AnyKey:
        seconds = quarantine(name).declared.lifetime.seconds or 0
        for number in range(1, COPIES + 1):
            copy = quarantine(name if number == 1 else f"{name}~{number}")
            place = self._ground.name(copy)
            if verb == "HGET":
                if await self._execute(copy, "SET", place, content, "NX", "EX", seconds):
                    return copy
                continue
            try:
                await self._execute(copy, "RESTORE", place, seconds * 1000, content)
            except Refused as refused:
                if "BUSYKEY" not in str(refused):
                    raise
            else:
                return copy
        raise Refused(f"quarantine has {COPIES} keys of this name already")
