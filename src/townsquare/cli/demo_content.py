"""The texts of the demo data: `demo.json`."""

from importlib.resources import files

import msgspec
from msgspec import Struct


class DemoPerson(Struct):
    username: str
    display_name: str
    bio: str
    city: str


class DemoPost(Struct):
    by: str
    text: str
    picture: str = ""
    comments: list[tuple[str, str]] = []


class DemoComment(Struct):
    by: str
    text: str
    replies: list["DemoComment"] = []


class DemoPage(Struct):
    path: str
    title: str
    comments: list[DemoComment]


class DemoMessage(Struct):
    by: str
    icon: str
    text: str


class DemoContent(Struct):
    people: list[DemoPerson]
    posts: list[DemoPost]
    pages: list[DemoPage]
    board: list[DemoMessage]
    scores: list[tuple[str, int]]


def content() -> DemoContent:
    return msgspec.json.decode(files(__package__).joinpath("demo.json").read_bytes(), type=DemoContent)
