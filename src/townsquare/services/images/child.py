"""The process that decodes one uploaded image, with limits on its memory and CPU time.

It writes the sizes of the image as WebP, without any metadata, and prints their names as JSON. Only the first
frame of an animation is stored. `decoding` starts it.
"""

import resource
import sys
import warnings
from io import BytesIO
from pathlib import Path

import msgspec
from PIL import Image, ImageCms, ImageOps, UnidentifiedImageError

from townsquare.kit.child_process import limit
from townsquare.services.images.models import StoredFile

FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
MOST_PIXELS = 50_000_000  # a phone of today takes up to 50 million
LONGEST_SIDE = 16_383  # of WebP
MEMORY = 1 << 30
SECONDS = 20  # of CPU time
QUALITY = 80
SIDES = {"avatar": (("", 400), ("small", 96)), "post": (("", 1_920), ("medium", 960), ("small", 480))}


class NotStorable(Exception):
    """The message says why this is not stored."""


def limit_resources() -> None:
    limit(resource.RLIMIT_DATA, MEMORY)
    limit(resource.RLIMIT_AS, MEMORY)
    limit(resource.RLIMIT_CPU, SECONDS)
    limit(resource.RLIMIT_FSIZE, 32 << 20)
    limit(resource.RLIMIT_NOFILE, 64)
    limit(resource.RLIMIT_CORE, 0)


def decoded(file: Path, purpose: str) -> Image.Image:
    """The upright image in sRGB; an avatar is cut to a square."""
    Image.MAX_IMAGE_PIXELS = None  # checked below, before anything is decoded
    with Image.open(file, formats=FORMATS) as image:
        if image.width * image.height > MOST_PIXELS or max(image.size) > LONGEST_SIDE:
            raise NotStorable(
                f"It has more than {MOST_PIXELS:,} pixels, or a side longer than {LONGEST_SIDE:,}"
            )
        longest = max(side for _, side in SIDES[purpose])
        image.draft("RGB", (2 * longest, 2 * longest))  # JPEG: decode no more than is needed
        image.load()
        upright = ImageOps.exif_transpose(image)
        profile = image.info.get("icc_profile")
    opaque = (
        upright.mode in ("RGB", "L", "CMYK", "YCbCr", "I", "I;16", "F", "1")
        and "transparency" not in upright.info
    )
    plain = in_srgb(upright, profile).convert("RGB" if opaque else "RGBA")
    if purpose == "avatar":
        side = min(plain.size)
        return ImageOps.fit(plain, (side, side))
    return plain


def in_srgb(image: Image.Image, profile: bytes | None) -> Image.Image:
    if not profile or image.mode not in ("RGB", "RGBA", "CMYK"):
        return image
    try:
        source = ImageCms.ImageCmsProfile(BytesIO(profile))
        mode = "RGBA" if image.mode == "RGBA" else "RGB"
        return (
            ImageCms.profileToProfile(image, source, ImageCms.createProfile("sRGB"), outputMode=mode) or image
        )
    except (ImageCms.PyCMSError, OSError):
        return image


def write(image: Image.Image, purpose: str, folder: Path) -> list[StoredFile]:
    files: list[StoredFile] = []
    for name, longest in SIDES[purpose]:
        if name and files and longest >= max(files[-1].width, files[-1].height):
            size = image
        else:
            size = image.copy()
            size.thumbnail((longest, longest), reducing_gap=3.0)
        name = f"{name or f'{size.width}x{size.height}'}.webp"
        clean = Image.new(size.mode, size.size)  # without the metadata of the upload
        clean.paste(size)
        clean.save(folder / name, "WEBP", quality=QUALITY, method=4)
        files.append(StoredFile(name, size.width, size.height))
        image = size
    return files


def main(file: str, purpose: str, folder: str) -> None:
    warnings.simplefilter("ignore")
    limit_resources()
    try:
        answer: object = {"files": write(decoded(Path(file), purpose), purpose, Path(folder))}
    except UnidentifiedImageError:
        answer = {"refused": "Use a JPEG, PNG, WebP or GIF file"}
    except NotStorable as refused:
        answer = {"refused": str(refused)}
    except (OSError, SyntaxError, ValueError, EOFError, IndexError, ArithmeticError, MemoryError, TypeError):
        answer = {"refused": "The file is damaged"}  # decoders raise all of these for invalid files
    sys.stdout.buffer.write(msgspec.json.encode(answer))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3])
