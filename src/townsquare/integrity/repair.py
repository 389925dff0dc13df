"""Repairs confirmed faults. A write happens only if no key that the rule read has changed since."""

from pathlib import Path
from typing import Any

from townsquare.integrity.confirm import Confirmed, Confirmer, Observed, spelled, unique_names
from townsquare.integrity.findings import Quarantine, RunScript, Write
from townsquare.integrity.store_reader import READ, Read, StoreReader, Target, raw
from townsquare.keyspace import AnyKey, DeclarationError, mint_id
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.keys import quarantine
from townsquare.store.scripts.folder import SCRIPTS
from townsquare.store.wire.connection import Arg, ReplyError

WRITE_IF_UNCHANGED = READ + (Path(__file__).parent / "lua" / "write_if_unchanged.lua").read_text()
COPIES = 9  # of one name in quarantine at a time


class Refused(Exception):
    """The repair is not possible; the message is the reason."""


class Repairer:
    def __init__(self, reader: StoreReader, confirmer: Confirmer, jobs: Jobs | None = None) -> None:
        """Without `jobs`, a running server runs the jobs that a repair starts."""
        self._reader = reader
        self._confirmer = confirmer
        self.jobs = jobs

    async def repair(self, confirmed: Confirmed) -> bool:
        """Whether it was repaired; False if a key has changed since it was read."""
        repair = confirmed.fault.repair
        if isinstance(repair, Write):
            return await self._write(repair, confirmed.seen[self._reader.group(repair.target)])
        if isinstance(repair, Quarantine):
            return await self._quarantine(repair)
        if isinstance(repair, RunScript):
            return await self._run(repair)
        raise DeclarationError(f"nothing repairs {confirmed.fault}")

    async def _run(self, run: RunScript) -> bool:
        """Not guarded by earlier reads: the script reads for itself."""
        store, script = self._reader.store, SCRIPTS[run.script]
        given = {**run.target.params, "job": mint_id(run.target.bucket), "now": store.clock.now_ms()}
        try:
            inputs = tuple(given.get(name, run.found) for name, _ in script.inputs)
            job = await store.run_script(script, inputs)
            if job and self.jobs:
                await self.jobs.run(job)
        except (Unavailable, OutcomeUnknown):
            raise
        except Exception as error:
            raise Refused(f"the job fails: {error}") from None
        return True

    async def _write(self, write: Write, seen: Observed) -> bool:
        names = unique_names(self._reader, [write, *seen.reads])
        words = self._reader.command(write)
        guard = spelled(self._reader, seen.reads)
        arguments: list[Arg] = [seen.digest, len(words), *words, *guard]
        return bool(
            await self._execute(write.target, "EVAL", WRITE_IF_UNCHANGED, len(names), *names, *arguments)
        )

    async def _execute(self, target: Target, *command: Arg) -> Any:
        try:
            return await self._reader.role_store(target).nodes.execute(self._reader.slot(target), *command)
        except ReplyError as error:
            raise Refused(f"Redis replied: {error}") from None

    async def _quarantine(self, what: Quarantine) -> bool:
        """Copy first, then remove if unchanged: source and copy can be in different slots."""
        if not what.fields:
            return await self._move(Read("DUMP", what.target), Write("UNLINK", what.target), "")
        moved = [
            await self._move(
                Read("HGET", what.target, (field,)),
                Write("HDEL", what.target, (field,)),
                f"#{field.decode(errors='backslashreplace')}",
            )
            for field in what.fields
        ]
        return all(moved)

    async def _move(self, read: Read, removal: Write, suffix: str) -> bool:
        seen, _ = await self._confirmer.observe([read])
        observed = seen[self._reader.group(read.target)]
        content = observed.replies[read]
        if content is None:
            return False
        name = raw(self._reader.name(read.target)).decode(errors="backslashreplace") + suffix
        copy = await self._keep(name, read.verb, content)
        removed = await self._write(removal, observed)
        if not removed:
            await self._execute(copy, "DEL", self._reader.name(copy))
        return removed

    async def _keep(self, name: str, verb: str, content: bytes) -> AnyKey:
        seconds = quarantine(name).declared.lifetime.seconds or 0
        for number in range(1, COPIES + 1):
            copy = quarantine(name if number == 1 else f"{name}~{number}")
            place = self._reader.name(copy)
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
