"""Pages that need no JavaScript: templates, rankings, boards, and the redirects of forms."""

from pathlib import Path

from townsquare.api import Call, Content, HtmlPage
from townsquare.kit.templates import NOTHING, Markup, Templates, Texts, fill, joined
from townsquare.services.widgets.drawing import THEMES
from townsquare.services.widgets.models import Board, Message, ShownMessage, Standings
from townsquare.services.widgets.service.board_rules import AUTHOR_LENGTH, MESSAGE_LENGTH

templates = Templates(Path(__file__).parent)
words_for = Texts(templates.folder / "words.json")


def page(
    call: Call,
    template: str,
    /,
    *,
    title: str,
    lang: str = "",
    status: int = 200,
    scripts: tuple[str, ...] = (),
    **values: object,
) -> HtmlPage:
    """A template as a whole page, with the texts of the reader's language and the given values."""
    lang, words = words_for(lang or call.language)
    theme = call.query.get("theme", "")
    themed = f"?theme={theme}" if theme in THEMES else ""
    words = {f"{name}_word": word for name, word in words.items()}
    return HtmlPage(
        title=title,
        body=templates.fill(
            "frame.html", content=templates.fill(template, **words, title=title, themed=themed, **values)
        ),
        lang=lang,
        scripts=scripts,
        styles=("/widgets/assets/widgets.css", *([f"/widgets/themes/{theme}.css"] if themed else [])),
        status=status,
        headers={"Cache-Control": "no-store"},
        listed=False,
    )


def moved(to: str) -> Content:
    """Redirect to the page after a form."""
    return Content(b"", "text/html; charset=utf-8", 303, {"Location": to})


BLANK = Message(id="", timestamp="", author="", message="", user_hash="")


def show_ranking(call: Call, shown: Standings) -> HtmlPage:
    _, words = words_for(call.language)
    row = "<tr><td>$rank</td><td><bdi>$name</bdi></td><td><bdi>$score</bdi></td></tr>"
    rows = [
        fill(row, rank=one.rank, name=one.name, score=one.display_score or one.score) for one in shown.entries
    ]
    return page(
        call,
        "ranking.html",
        title=shown.title or words["ranking"],
        url=shown.url,
        description=shown.description,
        rows=joined(rows) or fill('<tr><td colspan="3">$empty</td></tr>', empty=words["empty"]),
    )


def show_board(call: Call, board: Board) -> HtmlPage:
    """A page of the board; after a post with the edit token."""
    _, words = words_for(call.language)
    notice = NOTHING
    if board.edit_token:
        notice = fill(
            '<p class="notice" role="status">$notice <code>$token</code></p>',
            notice=words["keep_token"],
            token=board.edit_token,
        )
    messages = [
        message_item(board.id, message, words, own=message.user_hash == board.current_user_hash)
        for message in board.messages
    ]
    return page(
        call,
        "board.html",
        title=board.title or words["board"],
        id=board.id,
        url=board.url,
        notice=notice,
        fields=message_fields(board, words, BLANK),
        messages=joined(messages) or fill("<li>$none</li>", none=words["no_messages"]),
        pager=pager(board, words, call.query.get("theme", "")),
    )


def show_message(call: Call, board: Board, message: Message) -> HtmlPage:
    """A form to edit or delete one message."""
    _, words = words_for(call.language)
    return page(
        call,
        "message.html",
        title=board.title or words["board"],
        id=board.id,
        message_id=message.id,
        fields=message_fields(board, words, message),
    )


def message_item(board_id: str, message: ShownMessage, words: dict[str, str], *, own: bool) -> Markup:
    item = (
        '<li><header>$icon <b dir="auto">$author</b> <time datetime="$stamp">$time</time> '
        "<span>ID:$user</span> $selects $edit</header>"
        '<p dir="auto">$message</p></li>'
    )
    selects = (
        fill('<span dir="auto">$label: $option</span>', label=label, option=option)
        for label, option in message.selects.items()
    )
    return fill(
        item,
        icon=fill("<span>$icon</span>", icon="🖼" if "://" in message.icon else message.icon)
        if message.icon
        else NOTHING,
        author=message.author,
        stamp=message.timestamp,
        time=message.timestamp[:16].replace("T", " "),
        user=message.user_hash[:8],
        selects=joined(selects),
        edit=fill(
            '<a href="/widgets/bbs/$board/messages/$id">$edit</a>',
            board=board_id,
            id=message.id,
            edit=words["edit"],
        )
        if own
        else NOTHING,
        message=message.message,
    )


def message_fields(board: Board, words: dict[str, str], message: Message) -> Markup:
    fields = [
        fill(
            '<label class="field"><span>$label</span>'
            '<input name="author" maxlength="$longest" value="$author" autocomplete="nickname"></label>',
            label=words["author"],
            longest=AUTHOR_LENGTH,
            author=message.author,
        )
    ]
    if board.settings.icons:
        fields.append(choice("icon", words["icon"], board.settings.icons, message.icon, words))
    for place, select in enumerate(board.settings.selects):
        picked = message.selects.get(select.label, "")
        fields.append(choice(f"select{place}", select.label, select.options, picked, words))
    fields.append(
        fill(
            '<label class="field"><span>$label</span>'
            '<textarea name="message" rows="4" maxlength="$longest" required>\n$text</textarea></label>',
            label=words["message"],
            longest=MESSAGE_LENGTH,
            text=message.message,
        )
    )
    return joined(fields)


def choice(name: str, label: str, options: list[str], chosen: str, words: dict[str, str]) -> Markup:
    listed = [fill('<option value="">$none</option>', none=words["none"])]
    for option in options:
        selected = Markup(" selected") if option == chosen else NOTHING
        listed.append(
            fill('<option value="$option"$selected>$option</option>', option=option, selected=selected)
        )
    return fill(
        '<label class="field"><span>$label</span><select name="$name">$options</select></label>',
        label=label,
        name=name,
        options=joined(listed),
    )


def pager(board: Board, words: dict[str, str], theme: str) -> Markup:
    if board.total_pages == 1:
        return NOTHING
    link = '<a href="/widgets/bbs/$id?page=$page&amp;theme=$theme">$word</a>'
    if theme not in THEMES:
        link = link.replace("&amp;theme=$theme", "")
    newer = fill(link, id=board.id, page=board.current_page - 1, word=words["newer"], theme=theme)
    older = fill(link, id=board.id, page=board.current_page + 1, word=words["older"], theme=theme)
    return fill(
        '<nav class="pager"><span>$newer</span><span>$page / $pages</span><span>$older</span></nav>',
        newer=newer if board.pagination.has_prev else NOTHING,
        older=older if board.pagination.has_next else NOTHING,
        page=board.current_page,
        pages=board.total_pages,
    )
