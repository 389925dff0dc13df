"""Repairs what was confirmed: guarded by what was seen, so that a newer write is never overwritten."""

from pathlib import Path
from typing import Any

from townsquare.integrity.confirm import Confirmed, Confirmer, Observed, spelled, unique_names
from townsquare.integrity.findings import SetAside, Start, Write
from townsquare.integrity.reads import Read, Target
from townsquare.integrity.store_reader import StoreReader, raw
from townsquare.keyspace import AnyKey, DeclarationError, mint_id
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.keys import quarantine
from townsquare.store.scripts.folder import SCRIPTS
from townsquare.store.wire.connection import Arg, ReplyError

WRITE_IF_UNCHANGED = (Path(__file__).parent / "lua" / "mend.lua").read_text()
COPIES = 9  # of one name in quarantine at a time


class Refused(Exception):
    """The repair cannot be done; says why."""


class Repairer:
    def __init__(self, reader: StoreReader, confirmer: Confirmer, jobs: Jobs | None = None) -> None:
        """Without `jobs` the jobs that repair something are started, and done by a running server."""
        self._reader = reader
        self._confirmer = confirmer
        self._jobs = jobs

    async def repair(self, confirmed: Confirmed) -> bool:
        """Whether it was done; False if something changed since it was seen."""
        repair = confirmed.fault.repair
        if isinstance(repair, Write):
            return await self._write(repair, confirmed.seen[self._reader.group(repair.target)])
        if isinstance(repair, SetAside):
            return await self._set_aside(repair)
        if isinstance(repair, Start):
            return await self._start(repair)
        raise DeclarationError(f"nothing repairs {confirmed.fault}")

    async def _start(self, start: Start) -> bool:
        """Not guarded by what was seen: the job looks at what is there."""
        store, script = self._reader.store, SCRIPTS[start.script]
        given = {
            **start.target.params,
            "found": start.found,
            "job": mint_id(start.target.bucket),
            "now": store.clock.now_ms(),
        }
        try:
            job = await store.run_script(script, tuple(given[name] for name, _ in script.inputs))
            if self._jobs:
                await self._jobs.run(job)
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
            raise Refused(f"Redis says: {error}") from None

    async def _set_aside(self, aside: SetAside) -> bool:
        """Copied first, removed second and only if unchanged: works from any slot to any other."""
        if not aside.fields:
            return await self._move(Read("DUMP", aside.target), Write("UNLINK", aside.target), "")
        moved = [
            await self._move(
                Read("HGET", aside.target, (field,)),
                Write("HDEL", aside.target, (field,)),
                f"#{field.decode(errors='backslashreplace')}",
            )
            for field in aside.fields
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
