"""HTML of the views: tables, facts, forms and small charts. All text is escaped."""

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlencode

from townsquare.clock import iso
from townsquare.kit.templates import NOTHING, Markup, fill, joined

Cell = str | int | Markup
WIDTH, HEIGHT = 300, 60  # of a chart, in its own units


def table(heads: Sequence[str], rows: Iterable[Sequence[Cell]], empty: str) -> Markup:
    body = joined(fill("<tr>$cells</tr>", cells=joined(map(_cell, row))) for row in rows)
    if not body:
        return fill('<p class="empty">$empty</p>', empty=empty)
    head = joined(fill('<th scope="col">$head</th>', head=one) for one in heads)
    return fill(
        '<div class="scroll" tabindex="0" role="region" aria-label="$label">'
        "<table><thead><tr>$head</tr></thead><tbody>$body</tbody></table></div>",
        label=", ".join(filter(None, heads)),
        head=head,
        body=body,
    )


def _cell(value: Cell) -> Markup:
    if isinstance(value, int):
        return fill('<td class="number">$text</td>', text=f"{value:,}")
    return fill("<td>$text</td>", text=value)


def facts(values: Mapping[str, Cell]) -> Markup:
    rows = (
        fill("<dt>$name</dt><dd>$value</dd>", name=name, value=value)
        for name, value in values.items()
        if value != ""
    )
    return fill('<dl class="facts sheet">$rows</dl>', rows=joined(rows))


def heading(text: str) -> Markup:
    return fill("<h2>$text</h2>", text=text)


def link(path: str, text: str, **query: str) -> Markup:
    return fill('<a href="$href">$text</a>', href=f"{path}?{urlencode(query)}" if query else path, text=text)


def more(path: str, cursor: str | None, **query: str) -> Markup:
    if not cursor:
        return NOTHING
    return fill('<p class="more">$link</p>', link=link(path, "Older", cursor=cursor, **query))


def code(text: str) -> Markup:
    return fill("<code>$text</code>", text=text)


def chip(text: str, *, bad: bool = False) -> Markup:
    return fill('<span class="$kind">$text</span>', kind="chip bad" if bad else "chip", text=text)


def moment(at: str | int) -> Markup:
    """A time, ISO 8601 or in ms, which the browser shows in its own zone."""
    text = iso(at) if isinstance(at, int) else at
    return fill('<time datetime="$at">$at</time>', at=text) if text else NOTHING


def form(send: str, button: str, inside: Markup = NOTHING, *, quiet: bool = True, **data: str) -> Markup:
    """A form that the script sends: see console.js."""
    return fill(
        '<form method="post" data-send="$send"$data>$inside<button$kind>$button</button></form>',
        send=send,
        data=joined(fill(' data-$name="$value"', name=name, value=value) for name, value in data.items()),
        inside=inside,
        kind=Markup(' class="quiet"') if quiet else NOTHING,
        button=button,
    )


def hidden(name: str, value: str) -> Markup:
    return fill('<input type="hidden" name="$name" value="$value">', name=name, value=value)


def choice(name: str, label: str, values: Iterable[str], chosen: str) -> Markup:
    options = joined(
        fill(
            '<option value="$value"$chosen>$text</option>',
            value=value,
            chosen=Markup(" selected") if value == chosen else NOTHING,
            text=value or f"any {label.lower()}",
        )
        for value in values
    )
    return fill(
        '<select name="$name" aria-label="$label">$options</select>', name=name, label=label, options=options
    )


def chart(
    title: str, now: str, values: Sequence[float], top: str, begin: str, *, bad: bool = False
) -> Markup:
    """A figure with its course as an SVG. `top` labels the highest value, `begin` the first."""
    if len(values) < 2:  # a line needs two points
        values = [*values, *values] or [0, 0]
    highest = max(values, default=0) or 1
    step = WIDTH / max(1, len(values) - 1)
    points = " ".join(
        f"{number * step:.1f},{HEIGHT - value / highest * HEIGHT:.1f}" for number, value in enumerate(values)
    )
    return fill(
        '<figure class="$kind"><figcaption>$title<b>$now</b></figcaption>'
        '<svg viewBox="0 0 $width $height" preserveAspectRatio="none" role="img" aria-label="$label">'
        '<polygon class="area" points="0,$height $points $width,$height"/>'
        '<polyline class="line" points="$points"/></svg>'
        "<small><span>$begin</span><span>at most $top</span></small></figure>",
        kind="chart bad" if bad else "chart",
        title=title,
        now=now,
        width=WIDTH,
        height=HEIGHT,
        label=f"{title}: now {now}, at most {top}, since {begin}",
        points=Markup(points),
        begin=begin,
        top=top,
    )


def bars(rows: Sequence[tuple[str, float, str]]) -> Markup:
    """Names with their share as a bar."""
    highest = max((value for _, value, _ in rows), default=0) or 1
    body = joined(
        fill(
            '<dt>$name</dt><dd><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
            '<rect class="of" width="100" height="10"/><rect width="$width" height="10"/></svg></dd>'
            "<dd>$text</dd>",
            name=name,
            width=f"{value / highest * 100:.1f}",
            text=text,
        )
        for name, value, text in rows
    )
    return fill('<dl class="bars sheet">$body</dl>', body=body)


def size(count: float) -> str:
    """A number of bytes, for people."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
