"""Follow a page by mail, turn mail about replies on or off, unsubscribe."""

from pathlib import Path

import msgspec

from townsquare.api import AnyEndpoint, Call, HtmlPage
from townsquare.kit.templates import NOTHING, Markup, Templates, fill
from townsquare.problems import Unauthorized
from townsquare.routes import Routes
from townsquare.services.threads import problems
from townsquare.services.threads.routes.access import SiteAccess, site_of, viewer_of
from townsquare.services.threads.routes.comments import ACCESS, PageKey, PageUrl
from townsquare.services.threads.service import Threads

templates = Templates(Path(__file__).parent.parent / "pages")


class PageNamed(msgspec.Struct, kw_only=True):
    page_url: PageUrl = None
    page_key: PageKey = None


class PageFollowed(msgspec.Struct, kw_only=True):
    page_id: str
    following: bool
    changed: bool


class MailPreference(msgspec.Struct, kw_only=True):
    replies: bool


class MailLink(msgspec.Struct, kw_only=True):
    token: str


def mail_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    writes = Routes("/threads/v1", tag="threads", auth=access.writing, open_to_any_origin=True)
    links = Routes("/threads/v1/mail", tag="threads")
    known = (*ACCESS, Unauthorized, problems.BadPage, problems.CommenterNotFound)

    @writes.post(
        "/pages/follow",
        errors=(*known, problems.PageNotFound, problems.OtherSite, problems.TooManyFollows),
        example={"page_url": "/hello"},
    )
    async def follow_page(call: Call, given: PageNamed) -> PageFollowed:
        """Follow a page: get mail about new comments."""
        page = await threads.pages.find(site_of(call), given.page_url, given.page_key)
        changed = await threads.mailing.follow(viewer_of(call), page.id)
        return PageFollowed(page_id=page.id, following=True, changed=changed)

    @writes.delete("/pages/follow", errors=known, example={"page_url": "/hello"})
    async def unfollow_page(call: Call, given: PageNamed) -> PageFollowed:
        """Unfollow a page."""
        page = await threads.pages.find(site_of(call), given.page_url, given.page_key)
        changed = await threads.mailing.unfollow(viewer_of(call), page.id)
        return PageFollowed(page_id=page.id, following=False, changed=changed)

    @writes.put("/notifications/mail", errors=(*ACCESS, Unauthorized, problems.CommenterNotFound))
    async def set_reply_mails(call: Call, given: MailPreference) -> MailPreference:
        """Turn mail about replies and mentions on or off."""
        await threads.mailing.set_replies(viewer_of(call), given.replies)
        return given

    @links.page("/unsubscribe")
    async def ask_unsubscribe(call: Call, given: MailLink) -> HtmlPage:
        threads.mailing.check_link(given.token)
        form = fill(
            '<form method="post"><input type="hidden" name="token" value="$token">'
            '<button type="submit">Unsubscribe</button></form>',
            token=given.token,
        )
        return page("Unsubscribe", "You get no more of these mails.", form)

    @links.post("/unsubscribe", unknown="ignore", documented=False)
    async def unsubscribe(call: Call, given: MailLink) -> HtmlPage:
        await threads.mailing.unsubscribe(given.token)
        return page("Unsubscribed", "You will get no more of these mails.", NOTHING)

    return [*writes.endpoints, *links.endpoints]


def page(title: str, text: str, form: Markup) -> HtmlPage:
    return HtmlPage(
        title=title,
        body=templates.fill("unsubscribe.html", title=title, text=text, form=form),
        headers={"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"},
        listed=False,
    )
