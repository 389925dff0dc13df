"""The key reference for people and programs: a table, Markdown, JSON."""

from collections.abc import Sequence

import msgspec
from rich.table import Table

from townsquare.integrity.reference import FieldRow, KeyRow, ServiceRows

INTRO = """\
# Keys

Every key that Townsquare has, from the declarations themselves: `townsquare keys --format markdown` writes
this page. A pattern stands after the environment and the service:

    one node   prod:social:post:<id>:likes
    cluster    prod:social:{0a3}:post:<id>:likes

On a cluster the *bucket* of the key's home is inserted as a hash tag, so that all keys of one home are in
one slot. Values in braces are percent-encoded where they could break a name apart.

*Lifetime* is how long a key may live before Redis removes it. *Role* tells which store it is in: **data** is
never evicted, **cache** can be lost without losing anything. *Home* is the entity whose keys live together.
Fields are *public*, *private* (only the owner sees them), *system* (only the service writes them) or
*secret* (nobody sees them).
"""


def as_json(services: Sequence[ServiceRows]) -> str:
    return msgspec.json.format(msgspec.json.encode(services), indent=2).decode()


def as_table(services: Sequence[ServiceRows]) -> Table:
    table = Table("Service", "Pattern", "Type", "Lifetime", "Role", "For")
    for service in services:
        for key in service.keys:
            table.add_row(
                key.service, key.pattern, key.type, key.lifetime, key.role, key.description.partition(". ")[0]
            )
    return table


def as_markdown(services: Sequence[ServiceRows]) -> str:
    return "\n".join([INTRO, *(line for service in services for line in service_lines(service))])


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
        lines += [*(field_line(field) for field in key.fields), *custom_line(key), ""]
    if key.relations:
        lines += [*(f"- {relation}" for relation in key.relations), ""]
    return lines


def field_line(field: FieldRow) -> str:
    marks = ", ".join(filter(None, [field.type, field.visibility, "required" if field.required else ""]))
    about = f": {field.description}" if field.description else ""
    return f"    {field.name} ({marks}){about}"


def custom_line(key: KeyRow) -> list[str]:
    return [f"    and any other field ({key.custom_fields})"] if key.custom_fields else []
