"""Widgets as SVG."""

from townsquare.services.widgets.drawing.digits import DIGIT_THEMES
from townsquare.services.widgets.drawing.lists import draw_board, draw_ranking
from townsquare.services.widgets.drawing.numbers import ICONS, draw_like, draw_number
from townsquare.services.widgets.drawing.themes import THEMES

__all__ = ["DIGIT_THEMES", "ICONS", "THEMES", "draw_board", "draw_like", "draw_number", "draw_ranking"]
