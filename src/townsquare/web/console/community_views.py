"""Views of the community: sites, what waits for moderators, widgets."""

from typing import Literal

import msgspec

from townsquare.kit.templates import NOTHING, Markup, fill, joined
from townsquare.services.threads.models.moderation import WaitingComment
from townsquare.services.threads.service import Threads
from townsquare.services.widgets import admin_listing
from townsquare.services.widgets.keys import KINDS
from townsquare.web.console import markup
from townsquare.web.console.context import ConsoleContext
from townsquare.web.console.markup import Cell, chip, code, form, hidden, link, moment, table

PAGE_LENGTH = 50
EXCERPT = 300  # characters of a comment


class SiteQuery(msgspec.Struct):
    cursor: str | None = None


class WidgetQuery(msgspec.Struct):
    kind: Literal["counter", "like", "ranking", "bbs"] = "counter"
    url: str = ""
    cursor: str | None = None


async def sites(context: ConsoleContext, given: SiteQuery) -> Markup:
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


async def moderation(context: ConsoleContext, given: SiteQuery) -> Markup:
    """Held and reported comments of many sites, the oldest first."""
    found = await context.square.service(Threads).moderation.across_sites(given.cursor)
    rows = [waiting_row(one) for one in found.items]
    heads = ["Site", "Comment", "Why", "Since", "Action"]
    empty = "Nothing waits on these sites." if found.next or given.cursor else "Nothing waits."
    following = link("/console/moderation", "Sites that were created earlier", cursor=found.next or "")
    return joined(
        [
            table(heads, rows, empty),
            fill('<p class="more">$link</p>', link=following) if found.next else NOTHING,
        ]
    )


def waiting_row(one: WaitingComment) -> list[Cell]:
    author = one.author.name if one.author else "a deleted user"
    comment = fill(
        '<b>$author</b> on <a href="$url" rel="noreferrer nofollow">$url</a><br>$text',
        author=author,
        url=one.page_url,
        text=one.content[:EXCERPT] + ("…" if len(one.content) > EXCERPT else ""),
    )
    here = joined([hidden("site_id", one.site_id), hidden("comment_id", one.comment_id)])
    deeds = [
        form("POST /console/moderation/approve", "Approve", here, done="Approved."),
        form("POST /console/moderation/reject", "Reject", here, done="Rejected."),
    ]
    if one.reporter_id:
        reporter = joined([here, hidden("reporter_id", one.reporter_id)])
        deeds.append(form("POST /console/moderation/dismiss", "Dismiss", reporter, done="Dismissed."))
    why = [chip("reported" if one.reporter_id else "held", bad=bool(one.reporter_id))]
    return [
        one.site_name,
        comment,
        joined([*why, fill(" $why", why=one.why)]),
        moment(one.since),
        fill('<div class="acts">$deeds</div>', deeds=joined(deeds)),
    ]


async def widgets(context: ConsoleContext, given: WidgetQuery) -> Markup:
    store = context.square.store
    found = await admin_listing.overview(store, given.kind, given.url.strip(), given.cursor, PAGE_LENGTH)
    rows: list[list[Cell]] = [
        [
            code(one.id),
            fill('<a href="$url" rel="noreferrer nofollow">$url</a>', url=one.url),
            one.figure,
            moment(one.last or ""),
            moment(one.created),
            form(
                "POST /console/widgets/delete",
                "Delete",
                joined([hidden("kind", one.kind), hidden("id", one.id)]),
                ask=f"Delete the {one.kind} of {one.url} with all its data?",
                done="Deleted.",
            ),
        ]
        for one in found.items
    ]
    search = fill(
        '<form class="find" role="search">$kind<input name="url" value="$url" aria-label="URL of a page" '
        'placeholder="https://example.org/" autocapitalize="none" spellcheck="false">'
        "<button>Find</button></form>",
        kind=markup.choice("kind", "Kind", KINDS, given.kind),
        url=given.url,
    )
    sizes = ", ".join(f"{count:,} {kind}" for kind, count in found.sizes.items())
    heads = ["Id", "Page", admin_listing.FIGURES[given.kind], "Last used", "Since", "Action"]
    return joined(
        [
            search,
            table(heads, rows, "There is no such widget."),
            markup.more("/console/widgets", found.next, kind=given.kind),
            fill('<p class="small">In all: $sizes.</p>', sizes=sizes),
        ]
    )
