"""The header of a Lua file: its contract, in a comment that the loader reads.

    --[[
      Count one visit, once per visitor and day.

      Keys:    counter(id), counter_daily(id, day), counter_visit(id, *)
      Effects: counters_index()
      Runs:    add_follower
      Asks:    note_like (profile_not_found)
      Claims:  indexes of user (claims) = id
      Deletes: note(id)
      Include: jobs
      Errors:  counter_not_found
      Input:   id string, day string, visitor string, now integer
      Output:  counted boolean, total integer
    ]]

`Keys` live in the home that the script runs on; a `*` is a value that the script finds itself.
`Derives` are keys that it writes only as derived data, computed from other keys: such a script counts
as reading, and may be repeated.
`Reads` are scripts of other homes that only read. The result of `read.read_viewer_state(…)`, called at most
once, is the output of that name. On one node it runs in the same step, on a cluster in a second round trip.
Without `Output` the script returns nothing.
`Effects` are keys of other homes, for `emit`. `Runs` are scripts of other homes, for `run`. `Claims` are the
unique values of a record, by its `Indexes`: the script is refused with `taken` if another record has one of
them. Its input `claims json` has lists of an index and its values.
`Relations` are records: their indexes, groups and orders are keys of other homes, named by `key[name]`.
`Deletes` gives the script a function that deletes such a record: see `deletion.py`.

`Asks` are scripts of other homes that may refuse, with the codes of their problems. `ask.note_like(…)`
returns the refusal or nil. Call it before the first write: `if refusal then return refusal end`. On a cluster
it is an effect and returns nil. If the other home refuses, the script after `Refused:` in its header undoes
the write on the home that asked. That script may run twice, and clears both sides.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from townsquare.keyspace import DeclarationError

BLOCK = re.compile(r"\A--\[\[(.*?)\]\]", re.DOTALL)
SECTION = re.compile(
    r"^\s*(Keys|Derives|Reads|Effects|Relations|Runs|Asks|Refused|Claims|Deletes|Include|Errors|Input|Output):\s*(.*)$"
)
KEY_USE = re.compile(r"([\w.]+)\s*\(([^)]*)\)(?:\s*=\s*(\w+))?")


@dataclass(frozen=True)
class KeyUse:
    """One key that a script names: `counter_daily(id, day)`."""

    name: str
    params: tuple[str, ...]
    value: str = ""  # of a claim


@dataclass(frozen=True)
class Header:
    says: str
    keys: tuple[KeyUse, ...] = ()
    derives: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    effects: tuple[KeyUse, ...] = ()
    claims: tuple[KeyUse, ...] = ()  # a record, and the input that has the values of its indexes
    relations: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    asks: tuple[KeyUse, ...] = ()  # a script and the error codes of its refusals
    refused: tuple[KeyUse, ...] = ()  # the script that undoes the write, and its values
    deletes: tuple[tuple[KeyUse, tuple[str, ...]], ...] = ()  # with the parts that the script handles itself
    include: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    input: tuple[tuple[str, str], ...] = ()
    output: str = ""


def read_header(path: Path, source: str) -> Header:
    block = BLOCK.match(source)
    if not block:
        raise DeclarationError(f"{path.name} does not begin with a --[[ header ]]")
    sections: dict[str, str] = {}
    says: list[str] = []
    current = None
    for line in block[1].splitlines():
        found = SECTION.match(line)
        if found:
            current = found[1]
            if current in sections:
                raise DeclarationError(f"{path.name}: two sections {current}:")
            sections[current] = found[2]
        elif current:
            sections[current] += " " + line.strip()
        else:
            says.append(line.strip())
    derives, keys = words(sections.get("Derives", "")), key_uses(path, sections.get("Keys", ""))
    if stray := set(derives).difference(use.name for use in keys):
        raise DeclarationError(f"{path.name}: Derives {', '.join(sorted(stray))}, not among its keys")
    return Header(
        says=" ".join(filter(None, says)),
        keys=keys,
        derives=derives,
        reads=words(sections.get("Reads", "")),
        effects=key_uses(path, sections.get("Effects", "")),
        claims=key_uses(path, sections.get("Claims", "").replace("indexes of ", "")),
        relations=words(sections.get("Relations", "")),
        runs=words(sections.get("Runs", "")),
        asks=key_uses(path, sections.get("Asks", "")),
        refused=key_uses(path, sections.get("Refused", "")),
        deletes=deletes(path, sections.get("Deletes", "")),
        include=words(sections.get("Include", "")),
        errors=words(sections.get("Errors", "")),
        input=inputs(path, sections.get("Input", "")),
        output=sections.get("Output", "").strip(),
    )


def words(text: str) -> tuple[str, ...]:
    return tuple(word for word in re.split(r"[,\s]+", text) if word)


def key_uses(path: Path, text: str) -> tuple[KeyUse, ...]:
    uses = tuple(
        KeyUse(name, tuple(part.strip() for part in params.split(",") if part.strip()), value)
        for name, params, value in KEY_USE.findall(text)
    )
    if leftover := KEY_USE.sub("", text).replace(",", "").strip():
        raise DeclarationError(f"{path.name}: cannot read {leftover!r}; write keys as name(parameter, …)")
    return uses


def deletes(path: Path, text: str) -> tuple[tuple[KeyUse, tuple[str, ...]], ...]:
    """`counter(id), like(id)`, or `post(id) but places, reasons`: the exceptions are for all of them."""
    records, _, exceptions = text.partition(" but ")
    return tuple((use, words(exceptions)) for use in key_uses(path, records))


def inputs(path: Path, text: str) -> tuple[tuple[str, str], ...]:
    pairs = []
    for one in filter(None, (piece.strip() for piece in text.split(","))):
        name, _, kind = one.partition(" ")
        if not kind:
            raise DeclarationError(f"{path.name}: input {name!r} has no type")
        pairs.append((name, kind.strip()))
    return tuple(pairs)
