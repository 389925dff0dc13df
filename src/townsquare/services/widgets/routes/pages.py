"""Pages: create a widget, show its themes, and use it without JavaScript."""

import gzip
from functools import cache
from typing import Annotated, Literal
from urllib.parse import quote

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Call, Content, HtmlPage, Nothing
from townsquare.kit.files import CACHE, MEDIA_TYPES, REVALIDATED, tagged
from townsquare.kit.templates import NOTHING, Markup, fill, joined
from townsquare.problems import Problem
from townsquare.routes import Routes
from townsquare.services.widgets.drawing import DIGIT_THEMES, ICONS, THEMES, draw_number
from townsquare.services.widgets.drawing.themes import page_css, theme_title, themes_module
from townsquare.services.widgets.models import Board
from townsquare.services.widgets.pages import moved, page, show_board, show_message, show_ranking, words_for
from townsquare.services.widgets.routes.actions import visitor_of
from townsquare.services.widgets.service import Widgets

THEMES_MODULE = themes_module().encode()
THEMES_PACKED = gzip.compress(THEMES_MODULE, mtime=0)
PATHS = {"counter": "visit", "like": "like", "ranking": "ranking", "bbs": "bbs"}


class Demo(msgspec.Struct):
    kind: Literal["counter", "like", "ranking", "bbs"] = "counter"
    id: str = ""


class OneWidget(msgspec.Struct):
    id: str


class BoardPage(msgspec.Struct):
    id: str
    page: Annotated[int, Meta(ge=1)] = 1


class Writing(msgspec.Struct, kw_only=True):
    """The form of a message; selects by position."""

    id: str
    message: str = ""
    author: str = ""
    icon: str = ""
    select0: str = ""
    select1: str = ""
    select2: str = ""

    def selects(self, board: Board) -> dict[str, str]:
        given = (self.select0, self.select1, self.select2)
        return {
            select.label: option
            for select, option in zip(board.settings.selects, given, strict=False)
            if option
        }


class OneMessage(msgspec.Struct, rename={"message_id": "messageId"}):
    id: str
    message_id: str


class Rewriting(Writing, rename={"message_id": "messageId", "edit_token": "editToken"}, kw_only=True):
    message_id: str
    edit_token: str = ""
    deed: Literal["save", "delete"] = "save"


def page_endpoints(widgets: Widgets) -> list[AnyEndpoint]:
    routes = Routes("/widgets", tag="widgets", documented=False, unknown="ignore", on_problem=problem_page)
    bbs = widgets.bbs

    @routes.get("")
    async def make(call: Call, given: Nothing) -> HtmlPage:
        return page(
            call,
            "make.html",
            lang="en",
            title="Widgets for your page",
            scripts=("/widgets/assets/make.js",),
            themes=theme_choices(),
        )

    @routes.get("/demo")
    async def demo(call: Call, given: Demo) -> HtmlPage:
        _, words = words_for(call.language)
        return page(
            call,
            "themes.html",
            title=words["themes"],
            scripts=(f"/components/{given.kind}.js",),
            themes=joined(
                theme_figure(name, given)
                for name in (*THEMES, *(DIGIT_THEMES if given.kind == "counter" else ()))
            ),
        )

    @routes.get("/like/{id}")
    async def like_page(call: Call, given: OneWidget) -> HtmlPage:
        _, words = words_for(call.language)
        likes = await widgets.like.get(given.id, visitor_of(call))
        return page(
            call,
            "like.html",
            title=words["likes"],
            id=likes.id,
            url=likes.url,
            icon=ICONS.get(likes.icon, likes.icon),
            total=likes.total,
            state="on" if likes.liked else "off",
            verb=words["unlike" if likes.liked else "like"],
        )

    @routes.post("/like/{id}")
    async def press(call: Call, given: OneWidget) -> Content:
        likes = await widgets.like.toggle(given.id, visitor_of(call))
        theme = call.query.get("theme", "")
        return moved(f"/widgets/like/{likes.id}" + (f"?theme={theme}" if theme in THEMES else ""))

    @routes.get("/ranking/{id}")
    async def ranking_page(call: Call, given: OneWidget) -> HtmlPage:
        return show_ranking(call, await widgets.ranking.top(given.id, 100))

    @routes.get("/bbs/{id}")
    async def board_page(call: Call, given: BoardPage) -> HtmlPage:
        return show_board(call, await bbs.page(given.id, given.page, visitor_of(call)))

    @routes.post("/bbs/{id}")
    async def post(call: Call, given: Writing) -> HtmlPage:
        board = await bbs.get(given.id)
        posted = await bbs.post(
            given.id,
            visitor_of(call),
            given.message,
            author=given.author,
            icon=given.icon,
            selects=given.selects(board),
            language=call.language,
        )
        return show_board(call, posted)

    @routes.get("/bbs/{id}/messages/{messageId}")
    async def message_page(call: Call, given: OneMessage) -> HtmlPage:
        message = await bbs.message(given.id, given.message_id)
        return show_message(call, await bbs.get(given.id), message)

    @routes.post("/bbs/{id}/messages/{messageId}")
    async def rewrite(call: Call, given: Rewriting) -> Content:
        board = await bbs.get(given.id)
        edit, owner = await authority(given)
        if given.deed == "delete":
            await bbs.delete_message(given.id, given.message_id, edit_token=edit, token=owner)
            return moved(f"/widgets/bbs/{given.id}")
        await bbs.edit_message(
            given.id,
            given.message_id,
            given.message,
            author=given.author,
            icon=given.icon,
            selects=given.selects(board),
            edit_token=edit,
            token=owner,
        )
        return moved(f"/widgets/bbs/{given.id}")

    async def authority(given: Rewriting) -> tuple[str, str]:
        """The form has one field for both tokens."""
        if await bbs.is_edit_token(given.id, given.message_id, given.edit_token):
            return given.edit_token, ""
        return "", given.edit_token

    modules = Routes(tag="widgets", limit=None, open_to_any_origin=True, documented=False, unknown="ignore")

    def theme_style(theme: str) -> None:
        body = page_css(THEMES[theme]).encode()

        @modules.get(f"/widgets/themes/{theme}.css")
        async def style(call: Call, given: Nothing) -> Content:
            return tagged(call, body, MEDIA_TYPES[".css"], REVALIDATED)

    for theme in THEMES:
        theme_style(theme)

    @modules.get("/components/modules/themes.js")
    async def themes(call: Call, given: Nothing) -> Content:
        return tagged(call, THEMES_MODULE, MEDIA_TYPES[".js"], CACHE, packed=THEMES_PACKED)

    # the targets of badges of the earlier system
    earlier = Routes(tag="widgets", documented=False, on_problem=badge_problem, unknown="ignore", action="")
    earlier.get("/like")(like_page)
    earlier.get("/ranking")(ranking_page)
    earlier.get("/bbs")(board_page)
    return [*routes.endpoints, *modules.endpoints, *earlier.endpoints]


def problem_page(problem: Problem, call: Call) -> HtmlPage:
    _, words = words_for(call.language)
    return page(
        call,
        "problem.html",
        status=problem.status,
        title=words["problem"],
        detail=problem.detail,
    )


def badge_problem(problem: Problem, call: Call) -> HtmlPage | Content:
    """Without an id, redirect to the page that creates widgets."""
    return problem_page(problem, call) if call.query.get("id") else moved("/widgets")


@cache
def theme_choices() -> Markup:
    """Drawn once, the same for all visitors."""
    return joined(theme_choice(name) for name in (*THEMES, *DIGIT_THEMES))


def theme_choice(theme: str) -> Markup:
    """A radio button with a counter in that theme, drawn into the page."""
    choice = (
        '<label data-for="$kinds"><input type="radio" name="theme" value="$theme" $checked> '
        '<span>$title</span><img alt="" src="data:image/svg+xml,$picture"></label>'
    )
    return fill(
        choice,
        theme=theme,
        title=theme_title(theme),
        kinds="counter" if theme in DIGIT_THEMES else "counter like ranking bbs",
        checked=Markup("checked") if theme == "light" else NOTHING,
        picture=quote(draw_number("12345", theme, "visits")),
    )


def theme_figure(theme: str, given: Demo) -> Markup:
    element = (
        '<figure><figcaption>$title</figcaption><ts-$kind id="$id" theme="$theme"></ts-$kind>'
        '<img alt="$title" src="/widgets/$path?action=get&amp;format=image&amp;id=$id&amp;theme=$theme">'
        "</figure>"
    )
    return fill(
        element, theme=theme, title=theme_title(theme), kind=given.kind, id=given.id, path=PATHS[given.kind]
    )
