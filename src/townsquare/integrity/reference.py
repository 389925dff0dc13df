"""The key reference: every declaration as a row of plain values."""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from townsquare.keyspace import AnyDeclared, Expires, Registry, Relation

JSON_NAMES = {"none": "null", "int": "integer", "float": "number", "str": "string", "bool": "boolean"}


class FieldRow(msgspec.Struct, frozen=True):
    name: str
    type: str = ""  # of a JSON field
    visibility: str = ""  # of a Hash field
    required: bool = False
    description: str = ""


class KeyRow(msgspec.Struct, frozen=True):
    service: str
    name: str
    pattern: str
    type: str
    lifetime: str
    role: str
    home: str
    seed: str
    description: str
    fields: list[FieldRow]
    custom_fields: str  # the visibility of fields that are not declared; empty: there are none
    relations: list[str]


class ServiceRows(msgspec.Struct, frozen=True):
    service: str
    description: str
    keys: list[KeyRow]


def rows(registry: Registry, service: str | None = None) -> list[ServiceRows]:
    """Services by name, keys in the order of their declaration."""
    chosen = [space for space in registry.keyspaces if service in (None, space.service)]
    return [
        ServiceRows(space.service, space.description, [row(key, registry) for key in space.keys.values()])
        for space in sorted(chosen, key=attrgetter("service"))
    ]


def row(declared: AnyDeclared, registry: Registry) -> KeyRow:
    kind = declared.kind
    return KeyRow(
        service=declared.service,
        name=declared.name,
        pattern=declared.pattern,
        type=kind.name,
        lifetime=declared.lifetime.description,
        role=declared.role.value,
        home=home_of(declared),
        seed=declared.seed,
        description=" ".join(declared.description.split()),
        fields=[
            *(
                FieldRow(one.name, "", one.visibility.value, one.required, one.description)
                for one in kind.fields
            ),
            *fields_of_model(kind.model),
        ],
        custom_fields=kind.custom_fields.value if kind.custom_fields else "",
        relations=list(dict.fromkeys(one.describe() for one in registry.relations if names(one, declared))),
    )


def home_of(declared: AnyDeclared) -> str:
    """The pattern of the home, or which parameters a function computes its bucket from."""
    if isinstance(declared.home, str):
        return f"`{declared.home}`"
    return f"follows from {', '.join(f'`{{{name}}}`' for name in declared.home_names)}"


def fields_of_model(model: type[Any] | None) -> Iterator[FieldRow]:
    described = msgspec.inspect.type_info(model) if model else None
    if isinstance(described, msgspec.inspect.StructType):
        for field in described.fields:
            yield FieldRow(field.encode_name, type_name(field.type), "", field.required)


def type_name(described: msgspec.inspect.Type) -> str:
    match described:
        case msgspec.inspect.UnionType(types=types):
            return " or ".join(type_name(one) for one in types)
        case msgspec.inspect.ListType(item_type=item) | msgspec.inspect.VarTupleType(item_type=item):
            return f"list of {type_name(item)}"
        case msgspec.inspect.StructType(cls=cls):
            return cls.__name__
        case _:
            name = type(described).__name__.removesuffix("Type").lower()
            return JSON_NAMES.get(name, name)


def names(relation: Relation, declared: AnyDeclared) -> bool:
    """Whether the relation is about this key, except for its lifetime."""
    if isinstance(relation, Expires):
        return False
    mentioned = [getattr(relation, field) for field in relation.__dataclass_fields__ if field != "account"]
    return any(one is declared or (isinstance(one, tuple) and declared in one) for one in mentioned)


def as_json(services: Sequence[ServiceRows]) -> str:
    return msgspec.json.format(msgspec.json.encode(services), indent=2).decode()


HEADERS = ("Service", "Pattern", "Type", "Lifetime", "Role", "For")


def as_table(services: Sequence[ServiceRows]) -> list[tuple[str, ...]]:
    """Rows with a cell for each of the HEADERS."""
    return [
        (key.service, key.pattern, key.type, key.lifetime, key.role, key.description.partition(". ")[0])
        for service in services
        for key in service.keys
    ]


def as_markdown(services: Sequence[ServiceRows]) -> str:
    intro = Path(__file__).with_name("keys_page.md").read_text()
    return "\n".join([intro, *(line for service in services for line in service_lines(service))])


def service_lines(service: ServiceRows) -> list[str]:
    lines = [f"## {service.service}", "", service.description, ""]
    for key in service.keys:
        lines += key_lines(key)
    return lines


def key_lines(key: KeyRow) -> list[str]:
    facts = [f"**{key.type}**", f"lifetime {key.lifetime}", key.role, f"home {key.home}"]
    if key.seed:
        facts.append("name kept from an earlier system")
    lines = [f"### `{key.pattern}`", "", " · ".join(facts), "", key.description, ""]
    if key.fields:
        others = [f"    and any other field ({key.custom_fields})"] if key.custom_fields else []
        lines += [*(field_line(field) for field in key.fields), *others, ""]
    if key.relations:
        lines += [*(f"- {relation}" for relation in key.relations), ""]
    return lines


def field_line(field: FieldRow) -> str:
    marks = ", ".join(filter(None, [field.type, field.visibility, "required" if field.required else ""]))
    about = f": {field.description}" if field.description else ""
    return f"    {field.name} ({marks}){about}"
