"""Lua that deletes a record, written from the relations that name it.

A script whose header says `Deletes: post(id)` gets the function `delete_post(id, job, begin, chunk, now)`. It deals
with up to `chunk` members of the record's collections. If there are more it marks the record with the job that
goes on, else the record goes with all that it owns. It answers how many members were dealt with, and the job that
is open ("": nothing is left). Without `begin` it only continues what this job has begun.

`Deletes: post(id) but places, reasons` leaves to the script what only it can do: `places` are the indexes, groups and
orders that the record is in, any other name is a collection, which must be empty before the record goes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from townsquare.keyspace import AnyDeclared, DeclarationError, Groups, Indexes, Orders
from townsquare.keyspace.deletion import (
    Consequence,
    Emptied,
    ListedKey,
    NamedElsewhere,
    OtherSide,
    Plan,
    collection_of,
)
from townsquare.keyspace.parts import Integer
from townsquare.keyspace.relations import ByScript

MARK = "deleting"  # the field of a record that names the job
PLACES = "places"

Inputs = Callable[[str], Sequence[str]]  # of a script that runs elsewhere, by its name
REMOVE = {"set": "SREM", "zset": "ZREM"}
TAKE = {"set": "take_from_set", "zset": "take_from_sorted_set"}


def job_kind(record: AnyDeclared) -> str:
    return f"{record.service}.delete_{record.name}"


class DeletionSource:
    def __init__(self, plan: Plan, left_to_script: Sequence[str], inputs: Inputs) -> None:
        self._plan = plan
        self._record = plan.record
        self._params = ", ".join(plan.record.names)
        self._inputs = inputs
        self._places = () if PLACES in left_to_script else plan.places
        self._emptied = [one for one in plan.emptied if one.collection.name not in left_to_script]
        known = {one.name for one in plan.owned}
        if unknown := set(left_to_script) - known - {PLACES}:
            raise DeclarationError(f"{self._record} owns no {sorted(unknown)}")
        by_hand = [one for one in plan.owned if one.name in left_to_script]
        self._waited_for = [*(one.collection for one in plan.children), *by_hand]

    def text(self) -> str:
        return "\n".join([*self._header(), *self._function(), ""])

    def _header(self) -> Iterator[str]:
        effects: dict[str, AnyDeclared] = {}
        runs: list[str] = []
        for step in (step for one in self._emptied for step in one.consequences):
            if isinstance(step, OtherSide) and not step.by_script:
                effects[step.collection.name] = step.collection
            elif not isinstance(step, ListedKey) and step.by_script:
                runs.append(step.by_script.script)
        for place in self._places:
            if isinstance(place, Indexes):
                effects[place.index.name] = place.index
            elif place.removal:
                runs.append(place.removal.script)
            elif collection_of(place) not in self._plan.keys:
                effects[collection_of(place).name] = collection_of(place)
        yield f"--[[\n  Generated from the relations of {self._record.full_name}."
        yield f"  Keys: {uses(self._plan.keys)}"
        if effects:
            yield f"  Effects: {uses(effects.values())}"
        if runs:
            yield f"  Runs: {', '.join(dict.fromkeys(runs))}"
        yield "  Include: jobs, deletion\n]]"

    def _function(self) -> Iterator[str]:
        yield f"local function delete_{self._record.name}({self._params}, job, begin, chunk, now)"
        yield f"  local open = {self._read_mark()}"
        yield "  if not begin and open ~= job then"
        yield "    finish_job(job)"
        yield "    return 0, ''"
        yield "  end"
        yield "  local room, members = chunk, nil"
        for emptied in self._emptied:
            yield from self._empty(emptied)
        counts = [f"redis.call('{one.kind.cardinality or 'EXISTS'}', {self._key(one)})" for one in self._waited_for]
        left = " or ".join(["room <= 0", *(f"{count} > 0" for count in counts)])
        yield f"  if {left} then"
        yield "    if not open then"
        yield "      open = job"
        yield f"      {self._write_mark()}"
        yield f"      start_job(job, '{job_kind(self._record)}', {{values = {{{self._params}}}, job = job}}, now)"
        yield f"      redis.call('HSET', key.job(job), 'total', {self._total()})"
        yield "    end"
        yield "    return chunk - room, open"
        yield "  end"
        yield from self._leave_places()
        yield f"  redis.call('UNLINK', {', '.join(self._key(one) for one in (self._record, *self._plan.owned))})"
        yield "  if open then finish_job(open) end"
        yield "  return chunk - room, ''"
        yield "end"

    def _key(self, declared: AnyDeclared, *more: str) -> str:
        return f"key.{declared.name}({', '.join([*(name for name in declared.names if name in self._record.names), *more])})"

    def _empty(self, emptied: Emptied) -> Iterator[str]:
        take = TAKE[emptied.collection.kind.redis_type]
        yield f"  members = {take}({self._key(emptied.collection)}, room)"
        yield "  for _, member in ipairs(members) do"
        yield from (f"    {self._consequence(step)}" for step in emptied.consequences)
        yield "  end"
        yield "  room = room - #members"

    def _consequence(self, step: Consequence) -> str:
        if isinstance(step, ListedKey):
            values = ["member" if name == step.member else name for name in step.key.names]
            return f"redis.call('DEL', key.{step.key.name}({', '.join(values)}))"
        if isinstance(step, NamedElsewhere):
            return self._run(step.by_script, "", "member", self._owner)
        if step.by_script:
            (param,) = step.collection.names
            return self._run(step.by_script, param, "member", self._owner)
        remove = REMOVE[step.collection.kind.redis_type]
        return f"emit('{remove}', key.{step.collection.name}(member), {self._owner})"

    @property
    def _owner(self) -> str:
        """The name that others know the record by."""
        (param,) = self._record.names
        return param

    def _run(self, by: ByScript, param: str, home: str, gone: str) -> str:
        """Its first input is where it runs, unless one is named as the parameter there."""
        inputs, given = list(self._inputs(by.script)), dict(by.given)
        param = param if param in inputs else inputs[0]
        filled = {param: home, "now": "now", **{name: f"'{value}'" for name, value in given.items()}}
        open_inputs = [name for name in inputs if name not in filled]
        if len(open_inputs) != 1 or set(given) - set(inputs):
            raise DeclarationError(
                f"{by.script} takes {inputs}: one more than {sorted(filled)} is for the name that goes"
            )
        filled[open_inputs[0]] = gone
        return f"run.{by.script}({', '.join(filled[name] for name in inputs)})"

    def _read_mark(self) -> str:
        kind, key = self._record.kind, self._key(self._record)
        if kind.redis_type == "hash":
            return f"redis.call('HGET', {key}, '{MARK}')"
        if kind.model is not None:
            return f"mark_in_json({key})"
        return f"redis.call('GET', {key})"

    def _write_mark(self) -> str:
        kind, key = self._record.kind, self._key(self._record)
        if kind.redis_type == "hash":
            return f"redis.call('HSET', {key}, '{MARK}', job)"
        if kind.model is not None:
            return f"mark_json({key}, job)"
        return f"redis.call('SET', {key}, job)"

    def _total(self) -> str:
        collections = [*(one.collection for one in self._emptied), *self._waited_for]
        counts = [f"redis.call('{one.kind.cardinality or 'EXISTS'}', {self._key(one)})" for one in collections]
        return " + ".join(counts) or "0"

    def _leave_places(self) -> Iterator[str]:
        if not self._places:
            return
        fields = list(dict.fromkeys(field for place in self._places for field in self._fields(place)))
        if fields and self._record.kind.model is not None:
            yield f"  local record = cjson.decode(redis.call('GET', {self._key(self._record)}))"
        elif fields:
            names = ", ".join(f"'{field}'" for field in fields)
            yield "  local record = {}"
            yield f"  local found = redis.call('HMGET', {self._key(self._record)}, {names})"
            for place, field in enumerate(fields, 1):
                yield f"  record.{field} = found[{place}]"
        for place in self._places:
            yield from self._leave(place)

    def _fields(self, place: Indexes | Groups | Orders) -> list[str]:
        sources = list(place.params.values())
        if any(not isinstance(source, str) for source in sources):
            raise DeclarationError(
                f"{self._record} is found in {place} by a function: a script of its own must take it out (but places)"
            )
        return [source for source in sources if isinstance(source, str)]

    def _leave(self, place: Indexes | Groups | Orders) -> Iterator[str]:
        target = place.index if isinstance(place, Indexes) else collection_of(place)
        values, indent = [], "  "
        for name in target.names:
            if name not in place.params:
                values.append(name)
                continue
            yield f"{indent}for _, {name}_value in ipairs(values_in({field_of(str(place.params[name]))})) do"
            values.append(f"{name}_value")
            indent += "  "
        yield indent + self._leave_one(place, target, values)
        for depth in range(len(indent) // 2 - 1, 0, -1):
            yield f"{'  ' * depth}end"

    def _leave_one(self, place: Indexes | Groups | Orders, target: AnyDeclared, values: list[str]) -> str:
        key = f"key.{target.name}({', '.join(values)})"
        if isinstance(place, Indexes):
            return f"emit('DELIFEQ', {key}, {place.owner})"
        if place.removal:
            (param,) = target.names
            return self._run(place.removal, param, values[0], place.member)
        command = REMOVE[target.kind.redis_type]
        return f"redis.call('{command}', {key}, {place.member})" if target in self._plan.keys else f"emit('{command}', {key}, {place.member})"


def field_of(path: str) -> str:
    """A field of the record, or one within: `providers.google`."""
    outer, dot, inner = path.partition(".")
    return f"(record.{outer} or {{}}).{inner}" if dot else f"record.{outer}"


def uses(keys: Iterable[AnyDeclared]) -> str:
    return ", ".join(f"{one.name}({', '.join('*' for _ in one.names)})" for one in keys)


def generic_script(record: AnyDeclared) -> str:
    """For a record with nothing particular. A mark by itself is made by the deletion."""
    params = ", ".join(record.names)
    name = f"{record.name}({params})"
    inputs = ", ".join(f"{one} {'integer' if isinstance(part, Integer) else 'string'}" for one, part in record.parts.items())
    absent = "" if is_mark(record) else f"if redis.call('EXISTS', key.{name}) == 0 then return {{0, ''}} end\n"
    return f"""--[[
  Delete a {record.name} with everything of its own.

  Keys:    {name}
  Deletes: {name}
  Input:   {inputs}, job string, begin boolean, chunk integer, now integer
  Output:  taken integer, job string
]]
{absent}return {{delete_{record.name}({params}, job, begin, chunk, now)}}
"""


def is_mark(record: AnyDeclared) -> bool:
    """Whether there is no record but only the mark of its deletion."""
    return record.kind.redis_type == "string" and record.kind.model is None
