"""The page of a link in a mail to a moderator: the comment, and a button to confirm."""

from typing import Literal

import msgspec

from townsquare.api import AnyEndpoint, Call, HtmlPage
from townsquare.kit.templates import NOTHING, Markup
from townsquare.routes import Routes
from townsquare.services.threads.routes.mail import page, templates
from townsquare.services.threads.service import Threads

DONE = {"approve": "approved", "reject": "rejected", "delete": "deleted"}


class AlertAnswer(msgspec.Struct, kw_only=True):
    token: str
    action: Literal["approve", "reject", "delete"]


def alert_endpoints(threads: Threads) -> list[AnyEndpoint]:
    routes = Routes("/threads", tag="threads")

    @routes.page("/moderate")
    async def confirm_moderation(call: Call, asked: AlertAnswer) -> HtmlPage:
        site, comment = await threads.alerts.linked(asked.token)
        answer = page(f"A comment on {site.name}", "", NOTHING)
        answer.body = templates.fill(
            "moderate.html",
            title=answer.title,
            name=comment.author.name if comment.author else "",
            content=Markup(comment.content_html),
            token=asked.token,
            action=asked.action,
            button=asked.action.capitalize(),
        )
        return answer

    @routes.post("/moderate", documented=False)
    async def moderate_by_link(call: Call, given: AlertAnswer) -> HtmlPage:
        await threads.alerts.act(given.token, given.action)
        return page("Done", f"The comment is {DONE[given.action]}.", NOTHING)

    return routes.endpoints
