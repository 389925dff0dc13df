"""The background of a picture: paper with pattern and frame, and the bar of a title."""

from townsquare.services.widgets.drawing.themes import Theme

PATTERNS = {  # of the second colour, on the paper
    "dots": '<pattern id="p" width="12" height="12" patternUnits="userSpaceOnUse">'
    '<circle cx="3" cy="3" r="2" fill="{0}"/><circle cx="9" cy="9" r="2" fill="{0}"/></pattern>',
    "gingham": '<pattern id="p" width="12" height="12" patternUnits="userSpaceOnUse">'
    '<path d="M0 0h6v12H0zM0 0h12v6H0z" fill="{0}" opacity=".5"/>'
    '<path d="M0 0h6v6H0z" fill="{0}" opacity=".5"/></pattern>',
    "lines": '<pattern id="p" width="4" height="4" patternUnits="userSpaceOnUse">'
    '<path d="M0 2h4v2H0z" fill="{0}"/></pattern>',
    "gradient": '<linearGradient id="p" x2="0" y2="1"><stop stop-color="{0}"/>'
    '<stop offset="1" stop-color="{0}" stop-opacity="0"/></linearGradient>',
}
DASHES = {"dotted": ' stroke-dasharray="0 4" stroke-linecap="round"', "dashed": ' stroke-dasharray="5 3"'}


def draw_background(style: Theme, width: int, height: int, frame: str = "") -> str:
    """A sheet that fills the picture; the frame has its theme's colour unless another is given."""
    thick = style.edge_width
    drawn = box(thick / 2, width, height, style.corner, f'fill="{style.paper}"')
    if style.pattern:
        drawn += f"<defs>{PATTERNS[style.pattern].format(style.second)}</defs>"
        drawn += box(thick / 2, width, height, style.corner, 'fill="url(#p)"')
    stroke = f'fill="none" stroke="{frame or style.frame}"'
    if style.edge == "double":
        drawn += box(thick + 1.5, width, height, 0, f'{stroke} opacity=".5"')
    dashes = DASHES.get(style.edge, "")
    return drawn + box(thick / 2, width, height, style.corner, f'{stroke} stroke-width="{thick}"{dashes}')


def box(inset: float, width: int, height: int, corner: int, style: str) -> str:
    inner_width, inner_height = width - 2 * inset, height - 2 * inset
    return (
        f'<rect x="{inset:g}" y="{inset:g}" width="{inner_width:g}" height="{inner_height:g}" '
        f'rx="{corner}" {style}/>'
    )


def draw_bar(style: Theme, width: int, height: int) -> str:
    """The frame of a title, on top of the paper."""
    thick, corner = style.edge_width, style.corner
    inside = width - 2 * thick
    return (
        f'<path d="M{thick} {height}V{thick + corner}q0 -{corner} {corner} -{corner}h{inside - 2 * corner}'
        f'q{corner} 0 {corner} {corner}V{height}z" fill="{style.accent}"/>'
    )
