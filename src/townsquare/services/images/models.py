"""Models of images."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Purpose = Literal["avatar", "post"]
ALT_LENGTH = 1_000
AltText = Annotated[str, Meta(max_length=ALT_LENGTH, description="for those who cannot see the image")]


class StoredFile(msgspec.Struct, frozen=True):
    """One size of an image. The largest is named by its size: `1600x900.webp`."""

    name: str
    width: int
    height: int


class ImageRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An image as it is stored, under its id."""

    purpose: Purpose
    files: tuple[StoredFile, ...]  # the largest first
    at: int  # ms
    alt: str = ""
    used: bool = False  # by a post, a comment or an account; else it is deleted after a day


class ImagePolicy(msgspec.Struct):
    accepted: bool  # whether users can upload images here
    largest: int  # bytes
    types: tuple[str, ...]


class ImageSize(msgspec.Struct):
    url: str
    width: int
    height: int


class Image(msgspec.Struct, kw_only=True):
    id: str
    url: str  # of the largest size
    width: int
    height: int
    alt: str
    sizes: list[ImageSize]
