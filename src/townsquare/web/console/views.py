"""The views of the console, each from at most two round trips to Redis."""

import asyncio

import msgspec

from townsquare.api import Nothing
from townsquare.backup.folder import backup_files, backup_folder
from townsquare.kit.templates import NOTHING, Markup, fill, joined
from townsquare.services.accounts.keys import user as user_key
from townsquare.services.accounts.models import AccountStatus, User, UserRole, name_of
from townsquare.services.accounts.problems import UserNotFound
from townsquare.services.accounts.service import Accounts
from townsquare.settings import OFF
from townsquare.web.console import markup
from townsquare.web.console.context import ConsoleContext
from townsquare.web.console.markup import Cell, chip, code, facts, form, heading, link, moment, table

PAGE_LENGTH = 50
ROLES = [*UserRole]
STATUSES = [*AccountStatus]


class UserQuery(msgspec.Struct):
    q: str = ""
    status: str = ""
    role: str = ""
    cursor: str | None = None


class ShownUser(msgspec.Struct):
    id: str


class PageQuery(msgspec.Struct):
    cursor: str | None = None


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
    """What the deletion of a user would delete, without the keys of its posts, comments and so on."""
    from townsquare.integrity.preview import count_deletion

    account = user_key(given.id)
    along = await context.square.deletion.goes_along(account)
    found = await count_deletion(context.square.store, account, *along)
    rows: list[list[Cell]] = [[name, count] for name, count in sorted(found.keys.items())]
    lost: list[list[Cell]] = [[name, count] for name, count in sorted(found.members.items())]
    return joined(
        [
            heading("Records and keys that are deleted"),
            table(["Key", "Number"], rows, "None."),
            fill(
                '<p class="small">$text</p>', text="Each record is deleted with the keys that belong to it."
            ),
            heading("Entries that other keys lose"),
            table(["Key", "Number"], lost, "None."),
        ]
    )


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
    """The findings of `townsquare doctor`, with the latency of one PING."""
    from townsquare.doctor import examine

    rows: list[list[Cell]] = [
        [
            chip(one.severity, bad=one.severity == "critical"),
            joined([fill("<b>$title</b><br>$found", title=one.title, found=one.found)]),
            one.advice,
        ]
        for one in await examine(context.square.store, context.square.settings, pings=1)
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
