"""The images of users: uploaded, used by posts and accounts, deleted with them."""

import asyncio
import re
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from townsquare.keyspace import carried_bucket
from townsquare.problems import Forbidden
from townsquare.services.accounts.ids import minted
from townsquare.services.accounts.models import User, UserProfile
from townsquare.services.accounts.service import Accounts
from townsquare.services.images import keys
from townsquare.services.images.files import ImageFiles, image_folder
from townsquare.services.images.models import ALT_LENGTH, Image, ImageRecord, ImageSize, Purpose
from townsquare.services.images.problems import BadImage, ImageNotFound
from townsquare.services.images.scripts import DeleteImage, SaveImage, UseImage
from townsquare.settings import Settings
from townsquare.store.store import Store

PREFIX = "/images"
FILE = re.compile(r"[0-9a-z]{1,16}\.webp")
ADDRESS_IN_TEXT = re.compile(rf"{PREFIX}/({keys.IMAGE_ID.pattern})/{FILE.pattern}")
DELETED_AT_ONCE = 50

_decode = msgspec.json.Decoder(ImageRecord).decode


class Images:
    def __init__(self, store: Store, accounts: Accounts, settings: Settings) -> None:
        self._store = store
        self._accounts = accounts
        self.accepted = "images" not in settings.disabled_services and find_spec("PIL") is not None
        self._files = ImageFiles(image_folder(settings))

    async def upload(
        self, user_id: str, upload: Path, purpose: Purpose, *, base_url: str, alt: str = ""
    ) -> Image:
        """Store an image of a user. It is deleted after a day unless something uses it."""
        if len(alt) > ALT_LENGTH:
            raise BadImage(f"alt: use at most {ALT_LENGTH:,} characters")
        owner = await self._accounts.users.get(user_id)
        if not owner.registered or owner.deleting:
            raise Forbidden("Only accounts store images: sign up first")
        id = f"img_{minted(carried_bucket(user_id))}"
        files = await self._files.store(id, user_id, upload, purpose)
        record = ImageRecord(purpose=purpose, files=files, at=self._store.clock.now_ms(), alt=alt.strip())
        try:
            await self._store.run(
                SaveImage(user_id=user_id, id=id, record=msgspec.json.encode(record).decode())
            )
        except BaseException:
            await self._delete_files(id)
            raise
        return image_of(id, record, base_url)

    async def set_avatar(self, user_id: str, upload: Path, *, base_url: str) -> Image:
        """Store an image and make it the avatar of the account; the previous one is deleted."""
        image = await self.upload(user_id, upload, "avatar", base_url=base_url)
        await self.use(user_id, image.id)
        await self._accounts.users.change(user_id, UserProfile(avatar=image.url))
        await self._delete_avatars(user_id, but=image.id)
        return image

    async def remove_avatar(self, user_id: str) -> None:
        """Remove the avatar of the account, uploaded or not."""
        await self._accounts.users.change(user_id, UserProfile(avatar=None))
        await self._delete_avatars(user_id)

    async def _delete_avatars(self, user_id: str, but: str = "") -> None:
        for id, record in (await self.of_user(user_id)).items():
            if record.purpose == "avatar" and record.used and id != but:
                await self.delete(user_id, id)

    async def of_user(self, user_id: str) -> dict[str, ImageRecord]:
        # bounded: the limit on images
        found = await self._store.call("HGETALL", keys.user_images(user_id))
        return {id.decode(): _decode(text) for id, text in found.items()}

    async def use(self, user_id: str, id: str) -> None:
        """Note that an image of the user is used. Raises `ImageNotFound`, also for those of others."""
        if not keys.IMAGE_ID.matches(id):
            raise ImageNotFound()
        if await self._store.run(UseImage(user_id=user_id, id=id)):
            await asyncio.to_thread(self._files.unmark, id)

    async def use_in_text(self, user_id: str, text: str) -> None:
        """Note that a text shows those of its images that are stored here and belong to the user."""
        for found in ADDRESS_IN_TEXT.finditer(text) if PREFIX in text else ():
            with suppress(ImageNotFound):
                await self.use(user_id, found[1])

    async def read(self, id: str, name: str) -> bytes:
        """The file of one size of an image. Large ones have the size as their name."""
        if keys.IMAGE_ID.matches(id) and FILE.fullmatch(name):
            body = await asyncio.to_thread(self._files.read, id, name)
            if body is not None:
                return body
        raise ImageNotFound()

    async def use_in_post(self, username: str, url: str) -> None:
        """Note that a post of this user shows the image at the URL, if it is one of ours."""
        if (id := image_in(url)) and self._files.exists(id):
            await self.use(await self._id_of(username), id)

    async def delete_of_post(self, username: str, url: str) -> None:
        """Delete the image of a post that is deleted or shows another one now."""
        if (id := image_in(url)) and self._files.exists(id):
            await self.delete(await self._id_of(username), id, missing=True)

    async def _id_of(self, username: str) -> str:
        user = await self._accounts.users.find_by("username", username)
        if user is None:
            raise ImageNotFound()
        return user.id

    async def delete(self, user_id: str, id: str, *, missing: bool = False) -> None:
        if not keys.IMAGE_ID.matches(id):
            raise ImageNotFound()
        if not await self._store.call("HEXISTS", keys.user_images(user_id), id):
            if missing:
                return
            raise ImageNotFound()
        await asyncio.to_thread(self._files.mark, id, user_id)
        await self._store.run(DeleteImage(user_id=user_id, id=id, unused_only=False))
        await self._delete_files(id)

    async def _delete_files(self, id: str) -> None:
        await asyncio.to_thread(self._files.delete, id)

    async def export(self, user: User) -> list[dict[str, object]]:
        return [
            {"id": id, **msgspec.to_builtins(record)} for id, record in (await self.of_user(user.id)).items()
        ]

    async def forget(self, user: User) -> int:
        """Delete some images of an account that is being deleted; 0 if there are none."""
        ids = [*await self.of_user(user.id)][:DELETED_AT_ONCE]
        for id in ids:
            await self.delete(user.id, id, missing=True)
        return len(ids)

    async def sweep(self) -> None:
        """Delete abandoned uploads, and files that a crash has left."""
        before = (self._store.clock.now_ms() - keys.UNUSED_MS) / 1000
        for id, owner in await asyncio.to_thread(lambda: [*self._files.marked(before)]):
            kept = await self._store.run(DeleteImage(user_id=owner, id=id, unused_only=True))
            await asyncio.to_thread(self._files.unmark if kept else self._files.delete, id)


def image_of(id: str, record: ImageRecord, base_url: str) -> Image:
    sizes = [
        ImageSize(f"{base_url.rstrip('/')}{PREFIX}/{id}/{file.name}", file.width, file.height)
        for file in record.files
    ]
    largest = sizes[0]
    return Image(
        id=id, url=largest.url, width=largest.width, height=largest.height, alt=record.alt, sizes=sizes
    )


def image_in(url: str) -> str | None:
    """The id in the URL of an image, of this server or another one."""
    path = urlsplit(url).path
    found = ADDRESS_IN_TEXT.search(path)
    return found[1] if found and path.endswith(found[0]) else None
