"""The pictures of the demo data, drawn as SVG: each name of `demo.json` is a scene with its own colours."""

import json
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import townsquare.cli
import townsquare.web

CONTENT = Path(townsquare.cli.__path__[0]) / "demo.json"
FOLDER = Path(townsquare.web.__path__[0]) / "pages" / "assets" / "demo"
WIDTH, HEIGHT = 640, 400

Shapes = Iterator[str]
Draw = Callable[[random.Random, list[str]], Shapes]


def rect(x: float, y: float, width: float, height: float, colour: str, more: str = "") -> str:
    return f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" fill="{colour}"{more}/>'


def disc(x: float, y: float, radius: float, colour: str, more: str = "") -> str:
    return f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius:.0f}" fill="{colour}"{more}/>'


def path(d: str, colour: str, more: str = "") -> str:
    return f'<path d="{d}" fill="{colour}"{more}/>'


def wave(source: random.Random, y: float, high: float, colour: str, more: str = "", *, step: int = 40) -> str:
    """Everything below a line of hills or waves."""
    phase, length = source.random() * 6, source.uniform(90, 190)
    points = [
        f"{x} {y + high * (math.sin(x / length + phase) + 0.4 * math.sin(x / length * 2.7)):.0f}"
        for x in range(0, WIDTH + 1, step)
    ]
    return path(f"M0 {HEIGHT}L{'L'.join(points)}L{WIDTH} {HEIGHT}z", colour, more)


def sky(source: random.Random, colours: list[str]) -> Shapes:
    yield (
        f'<defs><linearGradient id="s" x2="0" y2="1"><stop stop-color="{colours[0]}"/>'
        f'<stop offset="1" stop-color="{colours[1]}"/></linearGradient></defs>'
    )
    yield rect(0, 0, WIDTH, HEIGHT, "url(#s)")
    yield disc(source.uniform(90, 550), source.uniform(60, 140), source.uniform(24, 46), "#fff5d6")


def land(source: random.Random, colours: list[str]) -> Shapes:
    yield from sky(source, colours)
    for number, colour in enumerate(colours[2:]):
        yield wave(source, 210 + 52 * number, 34 - 6 * number, colour)


def sea(source: random.Random, colours: list[str]) -> Shapes:
    yield from sky(source, colours)
    yield rect(0, 225, WIDTH, 175, colours[2])
    for number in range(6):
        clear = f' opacity="{0.2 + number * 0.1:.1f}"'
        yield wave(source, 240 + 26 * number, 3 + number, colours[3], clear, step=20)


def lighthouse(source: random.Random, colours: list[str]) -> Shapes:
    yield from sea(source, colours)
    yield path("M420 270L500 250L610 265L640 300V400H380z", "#39424e")
    yield path("M478 262L490 90H526L538 262z", "#f6f1e7")
    yield path("M484 176L487 132H529L532 176z", "#c8443a")
    yield rect(488, 62, 40, 30, "#ffd76a")
    yield path("M482 62L508 38L534 62z", "#c8443a")
    yield path("M488 76L0 20V130z", "#ffe9a8", ' opacity=".35"')


def pier(source: random.Random, colours: list[str]) -> Shapes:
    yield from sea(source, colours)
    yield path("M0 300L360 262V276L0 330z", "#6b4e37")
    for x in range(20, 360, 56):
        yield rect(x, 300 - x / 10, 9, 80, "#55402f")
    yield path("M300 262v-34h16v22q20 2 22 14z", "#c8343a")


def night(source: random.Random, colours: list[str]) -> Shapes:
    yield from sky(source, colours)
    x = 0.0
    while x < WIDTH:
        width, top = source.uniform(46, 92), source.uniform(90, 240)
        yield rect(x, top, width + 1, HEIGHT, source.choice(colours[2:]))
        for wx in range(int(x) + 10, int(x + width) - 12, 18):
            for wy in range(int(top) + 14, 330, 26):
                if source.random() < 0.4:
                    yield rect(wx, wy, 8, 12, "#ffd98a")
        x += width
    yield rect(0, 350, WIDTH, 50, "#20242c")
    yield rect(0, 366, WIDTH, 3, "#8b8f98")


def table(source: random.Random, colours: list[str]) -> Shapes:
    yield rect(0, 0, WIDTH, HEIGHT, colours[0])
    for x in range(0, WIDTH, 80):
        yield rect(x, 0, 1, 290, "#000", ' opacity=".06"')
    yield rect(0, 290, WIDTH, 110, colours[1])
    yield rect(0, 290, WIDTH, 6, "#000", ' opacity=".15"')
    yield path("M150 306h340v14h-340z", "#000", ' opacity=".12"')


def round_thing(source: random.Random, colours: list[str]) -> Shapes:
    """A loaf, or a tomato."""
    yield from table(source, colours)
    yield f'<ellipse cx="320" cy="236" rx="140" ry="82" fill="{colours[2]}"/>'
    yield '<ellipse cx="290" cy="206" rx="70" ry="30" fill="#fff" opacity=".22"/>'
    for x in (250, 300, 350):
        yield path(
            f"M{x} 182q30 28 20 84", "none", f' stroke="{colours[3]}" stroke-width="7" stroke-linecap="round"'
        )


def lamp(source: random.Random, colours: list[str]) -> Shapes:
    yield from table(source, colours)
    yield disc(320, 130, 190, "#fff2b8", ' opacity=".35"')
    yield rect(314, 150, 12, 150, colours[3])
    yield rect(268, 290, 104, 14, colours[3])
    yield path("M236 170L284 70H356L404 170z", colours[2])
    yield disc(320, 176, 16, "#fff8d8")


def pots(source: random.Random, colours: list[str]) -> Shapes:
    yield from table(source, colours)
    for number in range(7):
        x, high = 36 + number * 84, source.uniform(50, 70)
        for _ in range(7):
            yield disc(
                x + 30 + source.uniform(-26, 26),
                300 - high - source.uniform(8, 60),
                source.uniform(9, 17),
                source.choice(colours[2:]),
            )
        yield path(f"M{x} {300 - high:.0f}h60l-9 {high:.0f}h-42z", "#b4633f")


def screen(source: random.Random, colours: list[str]) -> Shapes:
    yield from table(source, colours)
    yield rect(170, 60, 300, 220, "#d9d3c4", ' rx="12"')
    yield rect(196, 84, 248, 160, "#10221a", ' rx="8"')
    for row in range(8):
        yield rect(212, 100 + 17 * row, source.uniform(40, 210), 7, colours[2])
    yield rect(130, 292, 380, 34, "#cfc8b6", ' rx="6"')


def street_map(source: random.Random, colours: list[str]) -> Shapes:
    yield rect(0, 0, WIDTH, HEIGHT, colours[0])
    y = 18.0
    while y < HEIGHT:
        high, x = source.uniform(44, 86), 16.0
        while x < WIDTH:
            width = source.uniform(40, 120)
            yield rect(x, y, width, high, source.choice(colours[1:]), ' rx="4"')
            x += width + source.choice((8, 8, 20))
        y += high + source.choice((8, 18))
    yield '<path d="M0 300Q180 220 330 290T640 210" fill="none" stroke="#8fb8d8" stroke-width="26"/>'
    yield disc(330, 190, 9, "#c8343a")


def pixels(source: random.Random, colours: list[str]) -> Shapes:
    """A cloud of large pixels."""
    yield rect(0, 0, WIDTH, HEIGHT, colours[0])
    for column in range(-9, 10):
        top = 5 - abs(column) * 0.45 + source.uniform(-1.2, 1.2)
        for row in range(int(-top), 3):
            yield rect(
                304 + column * 26, 210 + row * 26, 26, 26, colours[1 + (row + column) % (len(colours) - 1)]
            )


def train(source: random.Random, colours: list[str]) -> Shapes:
    yield from land(source, colours)
    yield rect(0, 352, WIDTH, 5, "#4a4038")
    for number in range(4):
        x = 30 + number * 146
        yield rect(x, 284, 138, 58, "#a8383b" if number else "#2f4858", ' rx="8"')
        for window in range(4):
            yield rect(x + 14 + window * 30, 296, 20, 20, "#ffe3a3", ' rx="3"')
        yield disc(x + 28, 346, 10, "#2b2b2b") + disc(x + 110, 346, 10, "#2b2b2b")


def road(source: random.Random, colours: list[str]) -> Shapes:
    yield from land(source, colours)
    yield path("M300 250h26L470 400H130z", "#5d6168")
    for number in range(5):
        yield rect(308 - number, 262 + number * 28, 4 + number * 2, 14, "#f3efe2")


SCENES: dict[str, tuple[Draw, str]] = {
    "balcony": (pots, "#cfe3ea #9a8b7a #4f8a4c #7fb069 #d9594c #e8b84b"),
    "cafe": (lamp, "#5b4636 #3b2a20 #d8a657 #8c6a3f"),
    "cloud": (pixels, "#5fa8d3 #ffffff #e6f1f7 #cfe2ee"),
    "colanders": (lamp, "#33415c #23293a #b8c4d0 #7a8794"),
    "depot": (night, "#141a2e #3a3f63 #1f2540 #2a3052 #181d33"),
    "hills": (land, "#9cc3d5 #eef3e6 #8aa899 #62876f #47694f #2f4b3a"),
    "lagoon": (sea, "#f6b89a #fde7c9 #c98f8a #f3c6b4"),
    "lake": (sea, "#a9cbd9 #e7f0ea #4f7f8c #86b3b8"),
    "lamp": (lamp, "#2f3b46 #1f272e #e0a33e #b57f2c"),
    "lighthouse": (lighthouse, "#2d4263 #c9a27e #2f4f6b #547a94"),
    "loaf": (round_thing, "#e8d9c0 #8a6244 #b9773a #f0d9ae"),
    "map": (street_map, "#f3ecdc #e2d3b4 #d9c6a0 #cfe0c0 #ead9c4"),
    "oven": (round_thing, "#4a3630 #2c2220 #a8622e #e3bd86"),
    "pier": (pier, "#b8ccd8 #eadfcb #54788a #8fb0bb"),
    "river": (land, "#c9ced2 #eceae4 #aab2b6 #8b979c #6d7b80 #8fa3a8"),
    "road": (road, "#8fc1e3 #f6efd8 #a3b86c #7f9a4f #5d7a3a"),
    "sea": (sea, "#88b4d6 #e4eef2 #2f6690 #81c3d7"),
    "street": (night, "#8a5a44 #e0b184 #6e4636 #5a3a2e #835443"),
    "terminal": (screen, "#3d4250 #2a2d37 #6fd08c"),
    "tinytrain": (train, "#1d2b53 #7e2553 #5f574f #3f3a55 #29213f"),
    "tomato": (round_thing, "#dfe8d8 #7a6a55 #cf3b2e #8f2a22"),
    "train": (train, "#f4c095 #fbe8d3 #c08a6a #8f6a58 #6a5148"),
}


def generate() -> dict[Path, str]:
    wanted = {
        post["picture"]
        for post in json.loads(CONTENT.read_text(encoding="utf-8"))["posts"]
        if "picture" in post
    }
    assert wanted == SCENES.keys(), wanted ^ SCENES.keys()
    return {FOLDER / f"{name}.svg": picture(name) for name in sorted(wanted)}


def picture(name: str) -> str:
    draw, colours = SCENES[name]
    shapes = "".join(draw(random.Random(name), colours.split()))
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{shapes}</svg>\n'
