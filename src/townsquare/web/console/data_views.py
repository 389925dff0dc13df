"""Views of the data: the tree of keys, one key, and the integrity of all."""

import asyncio

import msgspec

from townsquare.api import Nothing
from townsquare.explorer.key_tree import KeyTree, list_keys, tree_of
from townsquare.kit.templates import NOTHING, Markup, fill, joined
from townsquare.store.keys import CheckDetails, CheckFinding, check_details, last_check, lease
from townsquare.web.console import markup
from townsquare.web.console.context import ConsoleContext
from townsquare.web.console.markup import Cell, chip, code, facts, form, heading, link, moment, table
from townsquare.web.scheduled_checks import LEASE

LONGEST_VALUE = 20_000  # characters
DONE = ("repaired", "quarantined")


class KeyQuery(msgspec.Struct):
    name: str = ""
    of: str = ""  # a declaration, whose keys are listed
    cursor: str = ""


async def keys(context: ConsoleContext, given: KeyQuery) -> Markup:
    search = fill(
        '<form class="find" role="search"><input name="name" value="$name" aria-label="Name of a key" '
        'placeholder="social:user:alice" autocapitalize="none" spellcheck="false">'
        "<button>Show</button></form>",
        name=given.name,
    )
    if given.name.strip():
        shown = await one_key(context, given.name.strip())
    elif given.of:
        shown = await keys_of(context, given)
    else:
        shown = await tree(context)
    return joined([search, shown])


async def one_key(context: ConsoleContext, name: str) -> Markup:
    """One key, with the declaration, lifetime and related keys; values that are secret are hidden."""
    from townsquare.explorer.show_key import read_key

    found = await read_key(context.square.store, name)
    lifetime = "" if found.lifetime_ms is None else f"{found.lifetime_ms / 1000:,.0f} s left"
    value = msgspec.json.format(msgspec.json.encode(found.value, enc_hook=str), indent=2).decode()
    declared = found.declaration
    related: list[list[Cell]] = [
        [link("/console/keys", one.name, name=one.name), chip("exists" if one.exists else "absent")]
        for one in found.related
    ]
    return joined(
        [
            facts(
                {
                    "Key": code(found.name),
                    "Exists": "yes" if found.exists else "no",
                    "Declaration": link(
                        "/console/keys",
                        f"{declared.service} {declared.pattern}",
                        of=f"{declared.service}.{declared.name}",
                    ),
                    "Type": declared.type,
                    "For": declared.description,
                    "Lifetime": lifetime or "does not expire",
                    "Size": markup.size(found.bytes),
                    "Members": "" if found.members is None else found.members,
                }
            ),
            heading("Value"),
            fill('<pre class="sheet value" tabindex="0">$value</pre>', value=value[:LONGEST_VALUE]),
            heading("Relations"),
            table(["Relation"], [[one] for one in declared.relations], "None."),
            heading("Related keys"),
            table(["Key", "State"], related, "None."),
        ]
    )


async def keys_of(context: ConsoleContext, given: KeyQuery) -> Markup:
    """Keys of one declaration, found by one step of a scan."""
    found = await list_keys(context.square.store, given.of, given.cursor)
    rows: list[list[Cell]] = [[link("/console/keys", name, name=name)] for name in found.names]
    following = (
        fill(
            '<p class="more">$link</p>', link=link("/console/keys", "Next", of=given.of, cursor=found.cursor)
        )
        if found.cursor
        else NOTHING
    )
    empty = "None in this part of the key space." if found.cursor or given.cursor else "None."
    return joined([heading(given.of), table(["Key"], rows, empty), following])


async def tree(context: ConsoleContext) -> Markup:
    """All declarations with the number of their keys, as the last check by the server counted them."""
    store = context.square.store
    last, details = await asyncio.gather(store.get(last_check()), store.get(check_details()))
    if last is None or details is None:
        return joined([fill('<p class="empty">The keys have not been counted yet.</p>'), check_form()])
    counted = fill(
        '<p class="small">Counted by the check of $when: $keys keys.</p>',
        when=moment(last.finished_at),
        keys=f"{last.keys:,}",
    )
    found = tree_of(store.registry, details.counts)
    return joined([counted, *(branch(service) for service in found.children.values()), check_form()])


def branch(node: KeyTree, before: str = "") -> Markup:
    """A part of the tree, which opens and closes without a script. One with one child is one line with it."""
    text = f"{before}{node.name}"
    children = list(node.children.values())
    if len(children) == 1 and not node.declared:
        return branch(children[0], f"{text}:")
    name = (
        link("/console/keys", text, of=node.declared)
        if node.declared
        else fill("<span>$text</span>", text=text)
    )
    if not children:
        return fill(
            '<div class="leaf">$name<span class="number">$keys</span></div>', name=name, keys=f"{node.keys:,}"
        )
    return fill(
        '<details class="branch"><summary>$name<span class="number">$keys</span></summary>$below</details>',
        name=name,
        keys=f"{node.keys:,}",
        below=joined(map(branch, children)),
    )


async def integrity(context: ConsoleContext, given: Nothing) -> Markup:
    store = context.square.store
    last, details, running = await asyncio.gather(
        store.get(last_check()), store.get(check_details()), store.get(lease(LEASE))
    )
    shown: dict[str, Cell] = {"Scheduled": context.square.settings.integrity_every}
    if last is not None:
        shown |= {
            "Last check": moment(last.finished_at),
            "Keys": f"{last.keys:,}",
            "Findings": chip(f"{last.findings:,}", bad=last.findings > 0),
            "Took": f"{(last.finished_at - last.began_at) / 1000:,.1f} s",
        }
    if running:
        shown["Now"] = Markup('<span class="chip" data-runs>a check runs</span>')  # the page is loaded again
    return joined(
        [
            facts(shown),
            NOTHING if running else check_form(repair=last is not None and last.findings > 0),
            listed_findings(details),
        ]
    )


def check_form(*, repair: bool = False) -> Markup:
    check = form("POST /console/integrity", "Check now", done="The check has begun.")
    if not repair:
        return fill('<div class="deeds">$check</div>', check=check)
    return fill(
        '<div class="deeds">$check$repair</div>',
        check=check,
        repair=form(
            "POST /console/integrity/repair",
            "Repair",
            ask="Repair the findings? Derived keys are built again from primary ones. What does not belong "
            "anywhere moves to quarantine for seven days.",
            done="The repair has begun.",
        ),
    )


def listed_findings(details: CheckDetails | None) -> Markup:
    if details is None:
        return NOTHING
    rows = [finding_row(one) for one in details.findings]
    return joined(
        [heading("Findings"), table(["Kind", "Key", "Problem", "Outcome"], rows, "The check found nothing.")]
    )


def finding_row(one: CheckFinding) -> list[Cell]:
    outcome = chip(one.outcome, bad=one.outcome not in DONE)
    return [
        one.kind,
        code(one.key),
        one.problem,
        joined([outcome, fill("<br>$note", note=one.note)]) if one.note else outcome,
    ]
