"""Images: decoded anew, bounded, owned by their user, deleted with what shows them."""

import asyncio
import os
import struct
import zlib
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path

import httpx
import pytest
from PIL import Image

from tests.services.accounts.door import LAPTOP, PASSWORD
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean, bearer, client_of, open_square
from townsquare.services.accounts.models import UserProfile
from townsquare.services.accounts.signin.models import SignedIn
from townsquare.services.images import keys
from townsquare.services.images.files import image_folder
from townsquare.services.social.problems import PostNotFound
from townsquare.square import Square
from townsquare.web.site import site_of

EXIF_ORIENTATION, TURNED_RIGHT = 0x0112, 6
SCRIPT = b"<script>alert(1)</script>"


def picture(format: str = "JPEG", size: tuple[int, int] = (1200, 800), **options: object) -> bytes:
    out = BytesIO()
    Image.new("RGB", size, (200, 30, 60)).save(out, format, **options)
    return out.getvalue()


def png_that_claims(width: int, height: int) -> bytes:
    """A PNG of a few bytes whose header has these dimensions."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")


@pytest.fixture
async def square(place: Place, clock: PinnedClock, tmp_path: Path) -> AsyncIterator[Square]:
    async with open_square(place, clock, image_dir=str(tmp_path / "images")) as square:
        yield square


@pytest.fixture
async def http(square: Square) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(site_of(square)) as http:
        yield http


async def signed_up(square: Square, name: str) -> SignedIn:
    profile = UserProfile(email=f"{name}@example.org", username=name)
    return await square.accounts.password.sign_up(profile, PASSWORD, LAPTOP)


@pytest.fixture
async def ann(square: Square) -> SignedIn:
    return await signed_up(square, "ann")


def files_in(square: Square) -> list[str]:
    return sorted(path.name for path in image_folder(square.settings).rglob("*") if path.is_file())


async def test_an_image_is_decoded_anew(square: Square, http: httpx.AsyncClient, ann: SignedIn) -> None:
    exif = Image.Exif()
    exif[EXIF_ORIENTATION] = TURNED_RIGHT
    exif[0x010E] = "taken at home"
    http.headers.update(bearer(ann.access_token))
    response = await http.post("/images?alt=A+red+wall", content=picture(exif=exif) + SCRIPT)
    image = response.json()
    assert (response.status_code, image["width"], image["height"], image["alt"]) == (
        201,
        800,
        1200,
        "A red wall",
    )
    assert [(size["width"], size["height"]) for size in image["sizes"]] == [
        (800, 1200),
        (640, 960),
        (320, 480),
    ]
    for size in image["sizes"]:
        file = await http.get(size["url"], headers={"Authorization": ""})
        assert (file.status_code, file.headers["content-type"]) == (200, "image/webp")
        assert file.headers["x-content-type-options"] == "nosniff"
        assert file.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert b"taken at home" not in file.content
        assert SCRIPT not in file.content
        with Image.open(BytesIO(file.content)) as stored:
            assert (stored.format, stored.size, dict(stored.getexif())) == (
                "WEBP",
                (size["width"], size["height"]),
                {},
            )
    unchanged = await http.get(
        image["url"], headers={"If-None-Match": file.headers["etag"].replace("small", "800x1200")}
    )
    assert unchanged.status_code == 304
    await assert_clean(square.store)


@pytest.mark.parametrize(
    "upload",
    [
        b"",
        b"GIF89a" + SCRIPT,
        b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        b"%PDF-1.4 " + SCRIPT,
        picture("BMP"),
        picture("TIFF"),
        picture()[:400],
        png_that_claims(60_000, 60_000),
        png_that_claims(16_000, 16_000),
        png_that_claims(7_000, 7_000),
        b"\x89PNG\r\n\x1a\n" + os.urandom(5_000),
        b"RIFF\xff\xff\xff\x7fWEBPVP8L" + os.urandom(2_000),
    ],
    ids=["empty", "gif", "svg", "pdf", "bmp", "tiff", "cut", "huge", "bomb", "short", "noise", "webp"],
)
async def test_what_is_no_image_is_refused(
    square: Square, http: httpx.AsyncClient, ann: SignedIn, upload: bytes
) -> None:
    response = await http.post("/images", content=upload, headers=bearer(ann.access_token))
    assert (response.status_code, response.json()["code"]) == (422, "bad_image"), response.text
    assert files_in(square) == []
    assert await square.images.of_user(ann.user.id) == {}


async def test_only_accounts_upload_and_only_so_much(square: Square, http: httpx.AsyncClient) -> None:
    assert (await http.post("/images", content=picture())).status_code == 401
    visitor = await square.accounts.sign_in_anonymously("a-device", LAPTOP)
    as_visitor = bearer(visitor.access_token)
    assert (await http.post("/images", content=picture(), headers=as_visitor)).status_code == 403
    long = {**as_visitor, "Content-Length": str(1 << 30)}
    assert (await http.post("/images", content=b"x", headers=long)).status_code == 413


async def test_a_picture_goes_with_its_post(square: Square, http: httpx.AsyncClient, ann: SignedIn) -> None:
    http.headers.update(bearer(ann.access_token))
    image = (await http.post("/images?alt=a+wall", content=picture("PNG"))).json()
    made = await http.post(
        "/social/posts", json={"content": "look", "media_url": image["url"], "media_alt": "a wall"}
    )
    post = made.json()
    assert (post["media_url"], post["media_alt"]) == (image["url"], "a wall")
    changed = await http.patch(f"/social/posts/{post['id']}", json={"media_alt": "a red wall"})
    assert changed.json()["media_alt"] == "a red wall"
    await square.images.sweep()
    assert (await http.get(image["url"])).status_code == 200
    await http.delete(f"/social/posts/{post['id']}")
    assert (await http.get(image["url"])).status_code == 404
    assert (files_in(square), await square.images.of_user(ann.user.id)) == ([], {})
    with pytest.raises(PostNotFound):
        await square.social.posts.get(post["id"])


async def test_images_of_others_are_out_of_reach(
    square: Square, http: httpx.AsyncClient, ann: SignedIn
) -> None:
    image = (await http.post("/images", content=picture(), headers=bearer(ann.access_token))).json()
    http.headers.update(bearer((await signed_up(square, "bob")).access_token))
    assert (await http.delete(f"/images/{image['id']}")).status_code == 404
    taken = await http.post("/social/posts", json={"content": "mine", "media_url": image["url"]})
    assert (taken.status_code, taken.json()["code"]) == (404, "image_not_found")
    for path in (
        "..%2f..%2fetc/passwd",
        f"{image['id']}/..%2f..%2fnew",
        f"{image['id']}/x.webp",
        "new/small.webp",
    ):
        assert (await http.get(f"/images/{path}")).status_code in (404, 422), path
    assert (await http.get(image["url"])).status_code == 200


async def test_an_avatar_is_the_same_everywhere(
    square: Square, http: httpx.AsyncClient, ann: SignedIn
) -> None:
    http.headers.update(bearer(ann.access_token))
    await square.threads.commenters.get(ann.user.id)
    first = (await http.put("/images/avatar", content=picture())).json()
    second = (await http.put("/images/avatar", content=picture("WEBP"))).json()
    assert (second["width"], second["height"]) == (400, 400)
    assert (await square.accounts.users.get(ann.user.id)).avatar == second["url"]
    assert (await square.social.profiles.get("ann")).avatar == second["url"]
    assert (await square.threads.commenters.get(ann.user.id)).avatar_url == second["url"]
    assert (await http.get(first["url"])).status_code == 404
    assert (await http.delete("/images/avatar")).status_code == 204
    assert (await square.social.profiles.get("ann")).avatar is None
    assert files_in(square) == []


async def test_abandoned_uploads_expire(square: Square, http: httpx.AsyncClient, ann: SignedIn) -> None:
    image = (await http.post("/images", content=picture(), headers=bearer(ann.access_token))).json()
    mark = image_folder(square.settings) / "new" / image["id"]
    now = square.store.clock.now_ms() / 1000
    os.utime(mark, (now, now))
    await square.images.sweep()
    assert (await http.get(image["url"])).status_code == 200
    os.utime(mark, (now - keys.UNUSED_MS / 1000 - 1,) * 2)
    await square.images.sweep()
    assert (files_in(square), await square.images.of_user(ann.user.id)) == ([], {})


async def test_images_leave_with_the_account(square: Square, http: httpx.AsyncClient, ann: SignedIn) -> None:
    http.headers.update(bearer(ann.access_token))
    await http.put("/images/avatar", content=picture())
    await http.post("/images?alt=a+wall", content=picture())
    export = (await square.accounts.privacy.export(ann.user.id)).services["images"]
    assert {(one["purpose"], one.get("alt", "")) for one in export} == {("avatar", ""), ("post", "a wall")}
    await square.accounts.privacy.delete(ann.user.id)
    assert files_in(square) == []
    await assert_clean(square.store)


@pytest.mark.slow
async def test_many_uploads_at_once_wait_or_are_refused(
    square: Square, http: httpx.AsyncClient, ann: SignedIn
) -> None:
    headers = bearer(ann.access_token)
    sent = [http.post("/images", content=picture(size=(64, 64)), headers=headers) for _ in range(100)]
    statuses = [response.status_code for response in await asyncio.gather(*sent)]
    assert set(statuses) <= {201, 503}
    assert len(await square.images.of_user(ann.user.id)) == statuses.count(201) >= 20
    await assert_clean(square.store)
