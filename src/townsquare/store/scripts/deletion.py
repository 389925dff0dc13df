"""Lua that deletes a record, generated from the relations that name it.

A script with `Deletes: post(id)` in its header gets the function `delete_post(id, job, begin, chunk, now)`.
The function removes the record from its places: the indexes, groups and orders that list it. Then it handles
up to `chunk` members of its collections. If members are left, it marks the record with the job that
continues; else it deletes the record with all that it owns. It returns the number of members that it handled,
and the open job ("": nothing is left). Without `begin` it only continues a deletion of this job.

With `Deletes: post(id) but places` the script removes the places itself. It can also call the parts:
`start_delete_post(id, job, now)`, `count_post_members(id)` and `unlink_post(id)`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from string import Template

import msgspec

from townsquare.keyspace import AnyDeclared, DeclarationError, Groups, Indexes, Orders
from townsquare.keyspace.deletion import Consequence, ListedKey, NamedElsewhere, Plan
from townsquare.keyspace.key_relations import collection_of
from townsquare.keyspace.parts import Integer
from townsquare.keyspace.relations import ByScript, Value

MARK = "deleting"  # the field of a record with the id of the job
PLACES = "places"
DELETER_INPUTS = {"job", "begin", "chunk", "now"}  # besides the parameters of the record

REMOVE = {"set": "SREM", "zset": "ZREM"}
TAKE = {"set": "take_from_set", "zset": "take_from_sorted_set"}

Place = Indexes | Groups | Orders
InputsOf = Callable[[str], Sequence[str]]  # from the name of a script on another home to its inputs

TAKE_MEMBERS = """  members = {take}({collection}, budget)
  for _, member in ipairs(members) do
    {consequences}
  end
  budget = budget - #members"""
UNLESS_THERE = """if begin and redis.call('EXISTS', key.{use}) == 0 then return refuse('not_found') end
"""


class DeletionShare(msgspec.Struct, array_like=True):
    """The result of a script that deletes a record."""

    taken: int  # members that were removed
    job: str  # that continues; "" if nothing is left


def job_kind(record: AnyDeclared) -> str:
    return f"{record.service}.delete_{record.name}"


def is_mark(record: AnyDeclared) -> bool:
    """Whether the record is gone and only the mark of its deletion is left."""
    return record.kind.redis_type == "string" and record.kind.model is None


def general_deletion(record: AnyDeclared) -> str:
    """The script for a record without rules of its own."""
    params = ", ".join(record.names)
    use = f"{record.name}({params})"
    types = ["integer" if isinstance(part, Integer) else "string" for part in record.parts.values()]
    return template(
        "general_deletion",
        name=record.name,
        use=use,
        params=params,
        inputs=", ".join(f"{name} {type}" for name, type in zip(record.names, types, strict=True)),
        errors="" if is_mark(record) else "not_found",
        unless_there="" if is_mark(record) else UNLESS_THERE.format(use=use),
    )


class DeletionSource:
    def __init__(self, plan: Plan, left_to_script: Sequence[str], inputs_of: InputsOf) -> None:
        if unknown := set(left_to_script) - {PLACES}:
            raise DeclarationError(f"{plan.record}: only its places can be left out, not {sorted(unknown)}")
        self._plan = plan
        self._record = plan.record
        self._inputs_of = inputs_of
        self._places = () if left_to_script else plan.places
        self._runs: list[str] = []
        self._effects: list[AnyDeclared] = []

    def text(self) -> str:
        function = self._function()
        lines = [
            f"Generated from the relations of {self._record.full_name}.",
            f"Keys: {uses(self._plan.keys)}",
        ]
        if self._effects:
            lines.append(f"Effects: {uses(dict.fromkeys(self._effects))}")
        if self._runs:
            lines.append(f"Runs: {', '.join(dict.fromkeys(self._runs))}")
        header = "\n  ".join([*lines, "Include: jobs, deletion"])
        return f"--[[\n  {header}\n]]\n{function}"

    def _function(self) -> str:
        plan = self._plan
        children = [self._size(one.collection) for one in plan.children]
        sizes = [*(self._size(one.collection) for one in plan.emptied), *children]
        return template(
            "delete_record",
            name=self._record.name,
            params=", ".join(self._record.names),
            kind=job_kind(self._record),
            read_mark=self._mark("redis.call('HGET', {}, '{}')", "mark_in_json({})", "redis.call('GET', {})"),
            write_mark=self._mark(
                "redis.call('HSET', {}, '{}', job)", "mark_json({}, job)", "redis.call('SET', {}, job)"
            ),
            take_members="\n".join(self._take_members()),
            is_left=" or ".join(["budget <= 0", *(f"{size} > 0" for size in children)]),
            total=" + ".join(sizes) or "0",
            leave_places="\n".join(self._leave_places()),
            owned=", ".join(self._key(one) for one in (self._record, *plan.owned)),
        )

    def _key(self, declared: AnyDeclared) -> str:
        return f"key.{declared.name}({', '.join(declared.names)})"

    def _size(self, collection: AnyDeclared) -> str:
        return f"redis.call('{collection.kind.cardinality}', {self._key(collection)})"

    def _mark(self, of_hash: str, of_json: str, of_string: str) -> str:
        kind = self._record.kind
        of_kind = of_hash if kind.redis_type == "hash" else of_string if kind.model is None else of_json
        return of_kind.format(self._key(self._record), MARK)

    def _take_members(self) -> Iterator[str]:
        for emptied in self._plan.emptied:
            yield TAKE_MEMBERS.format(
                take=TAKE[emptied.collection.kind.redis_type],
                collection=self._key(emptied.collection),
                consequences="\n    ".join(self._consequence(one) for one in emptied.consequences),
            )

    def _consequence(self, step: Consequence) -> str:
        if isinstance(step, ListedKey):
            values = ["member" if name == step.member else name for name in step.key.names]
            return f"redis.call('DEL', key.{step.key.name}({', '.join(values)}))"
        (owner,) = self._record.names
        if isinstance(step, NamedElsewhere):
            return self._run(step.by_script, "member", owner)
        if step.by_script:
            return self._run(step.by_script, "member", owner)
        return self._remove(step.collection, ["member"], owner)

    def _remove(self, collection: AnyDeclared, values: Sequence[str], member: str) -> str:
        self._effects.append(collection)
        command = REMOVE[collection.kind.redis_type]
        return f"emit('{command}', there.{collection.name}({', '.join(values)}), {member})"

    def _run(self, by: ByScript, home: str, gone: str) -> str:
        """The call of a script: the first input is its home, the one left unfilled is the deleted name."""
        self._runs.append(by.script)
        first, *inputs = self._inputs_of(by.script)
        filled = {first: home, "now": "now", **{name: f"'{value}'" for name, value in by.given}}
        unfilled = [name for name in inputs if name not in filled]
        if len(unfilled) != 1:
            raise DeclarationError(f"{by.script}: one of {inputs} must be for the name that goes")
        filled[unfilled[0]] = gone
        return f"run.{by.script}({', '.join(filled[name] for name in (first, *inputs))})"

    def _leave_places(self) -> Iterator[str]:
        fields = list(dict.fromkeys(field for place in self._places for field in self._fields(place)))
        if fields and self._record.kind.model is not None:
            yield f"  local record = cjson.decode(redis.call('GET', {self._key(self._record)}))"
        elif fields:
            names = ", ".join(f"'{field}'" for field in fields)
            yield "  local record = {}"
            yield f"  {', '.join(f'record.{field}' for field in fields)} ="
            yield f"    unpack(redis.call('HMGET', {self._key(self._record)}, {names}))"
        for place in self._places:
            yield from self._leave(place)

    def _fields(self, place: Place) -> list[str]:
        fields = [source for source in place.params.values() if isinstance(source, str)]
        if len(fields) < sum(not isinstance(source, Value) for source in place.params.values()):
            raise DeclarationError(
                f"{self._record}: a function decides {place.describe()}; a script of its own must take it out"
            )
        return fields

    def _leave(self, place: Place) -> Iterator[str]:
        """For every value of the fields that decide."""
        target = place.index if isinstance(place, Indexes) else collection_of(place)
        depth = 1
        for name, source in place.params.items():
            if isinstance(source, Value):
                yield f"{'  ' * depth}local {name}_value = '{source.value}'"
            else:
                yield f"{'  ' * depth}for _, {name}_value in ipairs(values_in({path_to(str(source))})) do"
                depth += 1
        values = [f"{name}_value" if name in place.params else name for name in target.names]
        if isinstance(place, Indexes):
            self._effects.append(target)
            yield f"{'  ' * depth}emit('DELIFEQ', there.{target.name}({', '.join(values)}), {place.owner})"
        elif place.removal:
            yield "  " * depth + self._run(place.removal, values[0], place.member)
        else:
            yield "  " * depth + self._remove(target, values, place.member)
        for level in range(depth - 1, 0, -1):
            yield f"{'  ' * level}end"


def template(name: str, /, **values: str) -> str:
    source = (Path(__file__).parent / "lua" / "templates" / f"{name}.lua").read_text()
    return Template(source).substitute(values)


def path_to(field: str) -> str:
    """A field of the record, or one within: `providers.google`."""
    outer, dot, inner = field.partition(".")
    return f"field_in(record.{outer}, '{inner}')" if dot else f"record.{outer}"


def uses(keys: Iterable[AnyDeclared]) -> str:
    return ", ".join(f"{one.name}({', '.join('*' for _ in one.names)})" for one in keys)
