"""Comments without JavaScript: an HTML page with a form."""

from secrets import token_hex
from typing import Annotated

from msgspec import Meta

from townsquare.api import AnyEndpoint, Call, Content
from townsquare.kit.templates import NOTHING, fill
from townsquare.problems import Problem
from townsquare.routes import Routes
from townsquare.services.threads import problems
from townsquare.services.threads.models.comments import Comment
from townsquare.services.threads.models.sites import SiteConfig, Sort, Viewer
from townsquare.services.threads.page_urls import page_address
from townsquare.services.threads.pages import translated
from townsquare.services.threads.pages.embed import HTML, Draft, EmbedPage
from townsquare.services.threads.routes.access import SiteAccess, site_of, viewer_of
from townsquare.services.threads.routes.comments import OfPage
from townsquare.services.threads.service import Threads
from townsquare.services.threads.spam import Submission

PART, DEPTH = 30, 6  # comments in one part, and levels of replies

Language = Annotated[str, Meta(max_length=35, description="en or ja; else as the browser asks")]


class EmbedQuery(OfPage, kw_only=True):
    sort: Sort | None = None
    cursor: str | None = None
    comment: Annotated[str | None, Meta(description="a comment to answer, with its replies")] = None
    lang: Language = ""
    notice: str = ""


class EmbedForm(EmbedQuery, kw_only=True):
    content: str = ""
    name: str = ""
    website: str = ""


def embed_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    routes = Routes("/threads/v1", tag="threads", unknown="ignore", documented=False, on_problem=problem_page)

    @routes.get("/embed", auth=access.reading, errors=(problems.BadApiKey, problems.BadPage))
    async def read_embed(call: Call, asked: EmbedQuery) -> Content:
        """The comments of a page as HTML, with a form."""
        return await show(call, asked)

    @routes.post(
        "/embed",
        auth=access.writing,
        errors=(problems.BadApiKey, problems.OriginNotAllowed, problems.BadPage),
    )
    async def write_embed(call: Call, given: EmbedForm) -> Content:
        """Write a comment with the form. If it is refused, the form contains the text again."""
        try:
            comment = await write(call, given)
        except Problem as problem:
            wrong = translated(EmbedPage(call, links(given)).lang, problem)
            draft = Draft(name=given.name, content=given.content, wrong=wrong, status=problem.status)
            return await show(call, given, draft)
        notice = "posted" if comment.status == "approved" else "held"
        where = EmbedPage(call, links(given)).address(notice=notice)
        return Content(b"", HTML, 303, {"Location": f"{where}#comment-{comment.id}"})

    async def write(call: Call, given: EmbedForm) -> Comment:
        site = site_of(call)
        page = page_address(site, given.page_url, given.page_key)
        threads.comments.preview(given.content)  # refuse a bad text before an account is created
        writer = await threads.sign_in.visitor(site, token_hex(16), given.name)
        viewer = Viewer(site_id=site.site_id, user_id=writer.id)
        made = await threads.comments.create(
            viewer,
            site,
            page,
            given.content,
            parent_id=given.comment or None,
            submission=Submission(
                honeypot=given.website, solves_challenges=False, ip=call.ip, user_agent=call.user_agent
            ),
        )
        return made.comment

    async def show(call: Call, asked: EmbedQuery, draft: Draft | None = None) -> Content:
        site, viewer = site_of(call), viewer_of(call)
        page = page_address(site, asked.page_url, asked.page_key)
        embed = EmbedPage(call, links(asked))
        above = None
        if asked.comment:
            placed = await threads.reading.one(viewer, site.settings, asked.comment)
            above = placed.comment
            order: Sort = "new" if (asked.sort or site.settings.default_sort) == "new" else "old"
            part = await threads.reading.replies(
                viewer, site.settings, asked.comment, sort=order, cursor=asked.cursor, limit=PART, depth=DEPTH
            )
        else:
            part = await threads.reading.thread(
                viewer, site.settings, page.id, sort=asked.sort, cursor=asked.cursor, limit=PART, depth=DEPTH
            )
        notice = embed.words[asked.notice] if asked.notice in ("posted", "held") else ""
        return embed.thread(
            part, page.url, may_write=may_write(threads, site), above=above, notice=notice, draft=draft
        )

    return routes.endpoints


def may_write(threads: Threads, site: SiteConfig) -> bool:
    return "anonymous" in threads.sign_in.methods(site) and not site.settings.posting_disabled


def links(asked: EmbedQuery) -> dict[str, str]:
    """The parameters that every link of the page repeats."""
    kept = {name: getattr(asked, name) for name in ("site", "page_url", "page_key", "sort", "lang")}
    return {name: value for name, value in kept.items() if value}


def problem_page(problem: Problem, call: Call) -> Content:
    page = EmbedPage(call, {"lang": call.query.get("lang", "")})
    draft = Draft(wrong=translated(page.lang, problem), status=problem.status)
    return page.answer(fill("$title", title=page.words["problem"]), NOTHING, draft=draft)
