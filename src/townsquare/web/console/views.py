"""The views of the console, each from at most two round trips to Redis."""

import asyncio
from collections import defaultdict
from typing import Any, NamedTuple, cast

import msgspec

from townsquare.api import Call, Nothing
from townsquare.backup.folder import backup_files, backup_folder
from townsquare.clock import iso
from townsquare.keyspace import Role
from townsquare.kit.templates import NOTHING, Markup, fill, joined
from townsquare.services.accounts.keys import user as user_key
from townsquare.services.accounts.models import AccountStatus, User, UserRole, name_of
from townsquare.services.accounts.problems import UserNotFound
from townsquare.services.accounts.service import Accounts
from townsquare.settings import OFF
from townsquare.square import Square
from townsquare.store.wire.connection import NodeConnection, ReplyError
from townsquare.web.console import markup
from townsquare.web.console.markup import Cell, chart, chip, code, facts, form, heading, link, moment, table
from townsquare.web.metric_totals import Minute
from townsquare.web.metrics import Metrics

SAMPLED = 300  # keys of a store whose memory is measured
SAMPLE_MEMORY = """
local sample = {}
for _ = 1, tonumber(ARGV[1]) do
  local name = redis.call('RANDOMKEY')
  if not name then break end
  local bytes = redis.call('MEMORY', 'USAGE', name)
  if bytes then
    sample[#sample + 1] = name
    sample[#sample + 1] = bytes
  end
end
return sample
"""  # no script of a service: it reads any key of a node
PAGE_LENGTH = 50
ROLES = [*UserRole]
STATUSES = [*AccountStatus]


class ConsoleContext(NamedTuple):
    square: Square
    metrics: Metrics
    call: Call

    @property
    def accounts(self) -> Accounts:
        return self.square.service(Accounts)


class UserQuery(msgspec.Struct):
    q: str = ""
    status: str = ""
    role: str = ""
    cursor: str | None = None


class ShownUser(msgspec.Struct):
    id: str


class PageQuery(msgspec.Struct):
    cursor: str | None = None


async def overview(context: ConsoleContext, given: Nothing) -> Markup:
    minutes, memory = await asyncio.gather(context.metrics.history(), memory_by_service(context.square))
    return joined([traffic(minutes), heading("Memory by service"), memory])


def traffic(minutes: list[Minute]) -> Markup:
    begin = iso(minutes[0].at * 60_000)[11:16] + " UTC" if minutes else ""
    requests = [one.requests / 60 for one in minutes]
    p95 = [one.quantile(0.95) * 1000 for one in minutes]
    errors = [float(one.errors) for one in minutes]
    hits = [100 * one.hits / ((one.hits + one.misses) or 1) for one in minutes]
    connections = [float(one.connections) for one in minutes]

    def drawn(title: str, values: list[float], unit: str, *, bad: bool = False) -> Markup:
        form = "{:,.1f}{}" if any(value % 1 for value in values) else "{:,.0f}{}"
        now, top = values[-1] if values else 0, max(values, default=0)
        return chart(
            title, form.format(now, unit), values, form.format(top, unit), begin, bad=bad and top > 0
        )

    return fill(
        '<p class="small">One point a minute, this server, since its start: the last three hours at most.'
        '</p><div class="charts">$charts</div>',
        charts=joined(
            [
                drawn("Requests per second", requests, ""),
                drawn("Latency, 95 % are below", p95, " ms"),
                drawn("Errors (5xx) per minute", errors, "", bad=True),
                drawn("Client cache hit rate", hits, " %"),
                drawn("Live connections", connections, ""),
            ]
        ),
    )


async def memory_by_service(square: Square) -> Markup:
    """Estimated from random keys: one round trip."""
    found: defaultdict[str, float] = defaultdict(float)
    used = 0
    for role, side in square.store.role_stores.items():
        if role is not Role.DATA and side.nodes is square.store.role_stores[Role.DATA].nodes:
            continue
        samples = await asyncio.gather(*(sampled(connection) for connection in side.nodes.connections()))
        for sizes, keys, memory in samples:
            used += memory
            for name, size in sizes:
                key = square.store.registry.parse(name.decode(errors="replace"), side.layout)
                found[key.declared.service if key else "not declared"] += size * keys / len(sizes)
    rows = sorted(found.items(), key=lambda row: -row[1])
    return joined(
        [
            markup.bars([(name, size, markup.size(size)) for name, size in rows]),
            fill(
                '<p class="small">Estimated from $sampled random keys of each store. '
                "Redis uses $used in all.</p>",
                sampled=SAMPLED,
                used=markup.size(used),
            ),
        ]
    )


async def sampled(connection: NodeConnection) -> tuple[list[tuple[bytes, int]], int, int]:
    """The bytes of random keys, the number of keys and the memory of one node, in one round trip."""
    commands = [("INFO", "memory"), ("DBSIZE",), ("EVAL", SAMPLE_MEMORY, 0, SAMPLED)]
    replies = await connection.execute_many(commands)
    if any(isinstance(reply, ReplyError) for reply in replies):  # some hosters do not permit it
        return [], 0, 0
    info, keys, sample = cast("tuple[bytes, int, list[Any]]", replies)
    used = next(line for line in info.split(b"\r\n") if line.startswith(b"used_memory:"))
    return list(zip(sample[::2], sample[1::2], strict=True)), keys, int(used[12:])


async def users(context: ConsoleContext, given: UserQuery) -> Markup:
    found, following = await found_users(context.accounts, given)
    rows = [
        [
            link("/console/user", name_of(user), id=user.id),
            user.email or user.phone or "",
            chip(user.role, bad=False),
            chip(user.account_status, bad=user.account_status == AccountStatus.SUSPENDED),
            moment(user.created_at),
        ]
        for user in found
    ]
    search = fill(
        '<form class="find" role="search"><input name="q" value="$q" aria-label="Find a user" '
        'placeholder="id, username, email or phone" autocapitalize="none" spellcheck="false">'
        "$status$role<button>Find</button></form>",
        q=given.q,
        status=markup.choice("status", "Status", ["", *STATUSES], given.status),
        role=markup.choice("role", "Role", ["", *ROLES], given.role),
    )
    query = {"status": given.status} if given.status else {"role": given.role} if given.role else {}
    return joined(
        [
            search,
            table(["Name", "Address", "Role", "Status", "Since"], rows, "Nobody is found."),
            markup.more("/console/users", following, **query),
        ]
    )


async def found_users(accounts: Accounts, given: UserQuery) -> tuple[list[User], str | None]:
    if given.q.strip():
        user = await accounts.users.find_by_any(given.q.strip())
        return [user] if user else [], None
    if given.status:
        page = await accounts.users.list("status", given.status, limit=PAGE_LENGTH, cursor=given.cursor)
    elif given.role:
        page = await accounts.users.list("role", given.role, limit=PAGE_LENGTH, cursor=given.cursor)
    else:
        page = await accounts.users.list(limit=PAGE_LENGTH, cursor=given.cursor)
    return list(page.items), page.next


async def user(context: ConsoleContext, given: ShownUser) -> Markup:
    accounts = context.accounts
    identity = context.call.identity
    found, sessions = await asyncio.gather(
        accounts.users.find_by_any(given.id),
        accounts.sessions.list(given.id, identity.session_id if identity else ""),
    )
    if found is None:
        raise UserNotFound()
    path = f"/accounts/users/{found.id}"
    suspended = found.account_status == AccountStatus.SUSPENDED
    rows = [
        [
            one.user_agent or "unknown",
            one.ip,
            one.method,
            moment(one.last_used),
            chip("this session") if one.current else form(f"DELETE {path}/sessions/{one.id}", "End"),
        ]
        for one in sessions
    ]
    deeds = [
        form(
            f"PATCH {path}",
            "Activate" if suspended else "Suspend",
            markup.hidden("status", "active" if suspended else "suspended"),
            ask=f"Activate {name_of(found)} again?"
            if suspended
            else f"Suspend {name_of(found)}? Their sessions end at once.",
        ),
        form(
            f"PATCH {path}",
            "Set the role",
            markup.choice("role", "Role", ROLES, found.role),
            ask=f"Change the role of {name_of(found)}? Their sessions end.",
        ),
        form(f"DELETE {path}/sessions", "End all sessions", ask=f"End all sessions of {name_of(found)}?"),
        form(f"POST {path}/export", "Export", save=f"{found.id}.json", done="Exported."),
        form(
            f"DELETE {path}",
            "Delete",
            ask=f"Delete {name_of(found)} for good?",
            preview=f"/console/views/user/deletion?id={found.id}",
            done="The deletion has begun: see Jobs.",
        ),
    ]
    return joined(
        [
            facts(
                {
                    "Name": name_of(found),
                    "Id": code(found.id),
                    "Email": found.email or "",
                    "Phone": found.phone or "",
                    "Role": chip(found.role),
                    "Status": chip(found.account_status, bad=suspended),
                    "Trust": found.trust_score,
                    "Fraud flags": len(found.fraud_flags),
                    "Since": moment(found.created_at),
                    "Being deleted": chip("yes", bad=True) if found.deleting else "",
                }
            ),
            fill('<div class="deeds">$deeds</div>', deeds=joined(deeds)),
            heading("Sessions"),
            table(
                ["Browser", "Address", "Signed in with", "Last used", "Action"], rows, "No session is open."
            ),
        ]
    )


async def deletion(context: ConsoleContext, given: ShownUser) -> Markup:
    """What the deletion of a user would delete. It walks through all of it: more than two round trips."""
    from townsquare.integrity.preview import preview_deletion

    account = await context.accounts.users.get(given.id)
    along = await context.square.deletion.goes_along(user_key(account.id))
    found = await preview_deletion(context.square.store, user_key(account.id), *along)
    rows: list[list[Cell]] = [[name, count] for name, count in sorted(found.keys.items())]
    lost: list[list[Cell]] = [[name, count] for name, count in sorted(found.members.items())]
    return joined(
        [
            heading("Keys that are deleted"),
            table(["Key", "Number"], rows, "None."),
            heading("Entries that other keys lose"),
            table(["Key", "Number"], lost, "None."),
        ]
    )


async def sites(context: ConsoleContext, given: PageQuery) -> Markup:
    from townsquare.services.threads.service import Threads

    found = await context.square.service(Threads).sites.overview(given.cursor, PAGE_LENGTH)
    rows: list[list[Cell]] = [
        [
            one.site.name,
            one.site.domain,
            chip(one.site.settings.moderation),
            one.waiting,
            one.reports,
            link("/threads/moderation", "Moderate", site=one.site.api_key_public),
            moment(one.site.created_at),
        ]
        for one in found.items
    ]
    heads = ["Site", "Domain", "Moderation", "Waiting", "Reports", "Action", "Since"]
    return joined([table(heads, rows, "There is no site."), markup.more("/console/sites", found.next)])


async def jobs(context: ConsoleContext, given: Nothing) -> Markup:
    rows = [
        [
            one.kind,
            code(one.id),
            chip(one.state, bad=one.state == "failed"),
            f"{one.done:,} of {one.total:,}" if one.total else f"{one.done:,}",
            moment(one.started_at),
            one.error,
        ]
        for one in await context.square.jobs.list()
    ]
    return table(["Kind", "Job", "State", "Done", "Since", "Trouble"], rows, "No job is open.")


async def backups(context: ConsoleContext, given: Nothing) -> Markup:
    settings = context.square.settings
    if settings.backup_every == OFF:
        return fill(
            '<p class="empty">Backups are not scheduled: set $setting, or run $command.</p>',
            setting=code("backup_every"),
            command=code("townsquare backup FILE"),
        )
    folder = backup_folder(settings)
    listed = [(path, path.stat()) for path in backup_files(settings.env, folder)]
    rows = [
        [code(path.name), markup.size(stat.st_size), moment(int(stat.st_mtime * 1000))]
        for path, stat in sorted(listed, key=lambda one: -one[1].st_mtime)
    ]
    schedule = facts(
        {"Every": settings.backup_every, "Folder": code(str(folder)), "Kept": settings.backup_keep}
    )
    return joined([schedule, heading("Files"), table(["File", "Size", "Made"], rows, "No backup yet.")])


async def doctor(context: ConsoleContext, given: Nothing) -> Markup:
    """The findings of `townsquare doctor`. It measures the latency of the stores: many round trips."""
    from townsquare.doctor import examine

    rows: list[list[Cell]] = [
        [
            chip(one.severity, bad=one.severity == "critical"),
            joined([fill("<b>$title</b><br>$found", title=one.title, found=one.found)]),
            one.advice,
        ]
        for one in await examine(context.square.store, context.square.settings)
    ]
    return table(["Severity", "Finding", "What to do"], rows, "No findings.")


async def settings(context: ConsoleContext, given: Nothing) -> Markup:
    rows = [[code(name), value] for name, value in sorted(context.square.settings.shown().items())]
    return table(["Setting", "Value"], rows, "")


async def audit(context: ConsoleContext, given: PageQuery) -> Markup:
    entries, following = await context.accounts.audit.page(given.cursor)
    ids = list(dict.fromkeys(id for one in entries for id in (one.by, one.target)))
    names = {one.id: name_of(one) for one in await context.accounts.users.get_many(ids) if one}
    rows = [
        [
            moment(one.at),
            named(one.by, names),
            code(one.action),
            named(one.target, names),
            joined([fill("$detail ", detail=one.detail), chip(one.outcome, bad=True)])
            if one.outcome
            else one.detail,
        ]
        for one in entries
    ]
    return joined(
        [
            table(["When", "Admin", "Action", "Target", "Detail"], rows, "No admin has done anything yet."),
            markup.more("/console/audit", following),
        ]
    )


def named(id: str, names: dict[str, str]) -> Markup:
    if id in names:
        return link("/console/user", names[id], id=id)
    return code(id) if id else NOTHING
