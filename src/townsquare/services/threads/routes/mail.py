"""Mail about replies on or off, unsubscribe, and the page of a link in a mail to a moderator."""

from typing import Literal

import msgspec

from townsquare.api import AnyEndpoint, Call, HtmlPage
from townsquare.kit.templates import Markup, fill
from townsquare.problems import Unauthorized
from townsquare.routes import Routes
from townsquare.services.threads import problems
from townsquare.services.threads.pages import templates
from townsquare.services.threads.routes.access import SiteAccess, site_routes, viewer_of
from townsquare.services.threads.routes.comments import ACCESS
from townsquare.services.threads.service import Threads

DONE = {"approve": "approved", "reject": "rejected", "delete": "deleted"}


class MailPreference(msgspec.Struct, kw_only=True):
    replies: bool


class MailLink(msgspec.Struct, kw_only=True):
    token: str


class AlertAnswer(MailLink, kw_only=True):
    action: Literal["approve", "reject", "delete"]


def mail_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    _, writes = site_routes(access, "/threads/v1")
    links = Routes("/threads", tag="threads")

    @writes.put("/notifications/mail", errors=(*ACCESS, Unauthorized, problems.CommenterNotFound))
    async def set_reply_mails(call: Call, given: MailPreference) -> MailPreference:
        """Turn mail about replies and mentions on or off."""
        await threads.mailing.set_replies(viewer_of(call), given.replies)
        return given

    @links.page("/v1/mail/unsubscribe")
    async def ask_unsubscribe(call: Call, given: MailLink) -> HtmlPage:
        threads.mailing.check_link(given.token)
        form = fill(
            '<form method="post"><input type="hidden" name="token" value="$token">'
            '<button type="submit">Unsubscribe</button></form>',
            token=given.token,
        )
        return page("unsubscribe.html", "Unsubscribe", text="You get no more of these mails.", form=form)

    @links.post("/v1/mail/unsubscribe", unknown="ignore", documented=False)
    async def unsubscribe(call: Call, given: MailLink) -> HtmlPage:
        await threads.mailing.unsubscribe(given.token)
        return page("unsubscribe.html", "Unsubscribed", text="You will get no more of these mails.", form="")

    @links.page("/moderate")
    async def confirm_moderation(call: Call, asked: AlertAnswer) -> HtmlPage:
        site, comment = await threads.alerts.linked(asked.token)
        return page(
            "moderate.html",
            f"A comment on {site.name}",
            name=comment.author.name if comment.author else "",
            content=Markup(comment.content_html),
            token=asked.token,
            action=asked.action,
            button=asked.action.capitalize(),
        )

    @links.post("/moderate", documented=False)
    async def moderate_by_link(call: Call, given: AlertAnswer) -> HtmlPage:
        await threads.alerts.act(given.token, given.action)
        return page("unsubscribe.html", "Done", text=f"The comment is {DONE[given.action]}.", form="")

    return [*writes.endpoints, *links.endpoints]


def page(template: str, title: str, **values: object) -> HtmlPage:
    return HtmlPage(
        title=title,
        body=templates.fill(template, title=title, **values),
        headers={"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"},
        listed=False,
    )
