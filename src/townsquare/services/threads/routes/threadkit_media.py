"""Uploads of the original ThreadKit client: multipart forms with one file."""

from asyncio import to_thread
from pathlib import Path

import msgspec

from townsquare.api import AnyEndpoint, Call, Limit, Nothing, by_user
from townsquare.kit.multipart import BadMultipart, extract_file
from townsquare.problems import BadRequest
from townsquare.services.events import ImageNotFound, ImageStore
from townsquare.services.threads.routes.access import SiteAccess, viewer_of
from townsquare.services.threads.routes.threadkit_common import threadkit_routes
from townsquare.services.threads.service.comments import signed_in

UPLOAD = Limit("threadkit_upload", 30, 3_600, key=by_user)
LARGEST = 12 << 20  # bytes


class UploadedImage(msgspec.Struct, rename={"media_id": "mediaId"}):
    media_id: str
    url: str
    width: int
    height: int


class MediaPath(msgspec.Struct):
    id: str


def threadkit_media_endpoints(images: ImageStore, access: SiteAccess) -> list[AnyEndpoint]:
    _, writes = threadkit_routes(access)

    async def uploaded(call: Call, upload: Path, purpose: str) -> UploadedImage:
        user_id = signed_in(viewer_of(call))
        try:
            await to_thread(extract_file, upload, call.headers.get("content-type", ""), "file")
        except BadMultipart as bad:
            raise BadRequest(str(bad)) from None
        image = await images.upload(user_id, upload, purpose, base_url=call.base_url)
        return UploadedImage(image.id, image.url, image.width, image.height)

    @writes.post("/upload/avatar", limit=UPLOAD, upload_limit=LARGEST)
    async def threadkit_upload_avatar(call: Call, given: Nothing, upload: Path) -> UploadedImage:
        """Upload a picture of the signed-in user, who then sets it as `avatar_url`."""
        return await uploaded(call, upload, "avatar")

    @writes.post("/upload/image", limit=UPLOAD, upload_limit=LARGEST)
    async def threadkit_upload_image(call: Call, given: Nothing, upload: Path) -> UploadedImage:
        """Upload an image for a comment. It is deleted after a day unless a comment shows it."""
        return await uploaded(call, upload, "post")

    @writes.delete("/media/{id}", status=204, errors=(ImageNotFound,))
    async def threadkit_delete_media(call: Call, given: MediaPath) -> None:
        """Delete an image of the signed-in user."""
        await images.delete(signed_in(viewer_of(call)), given.id)

    return writes.endpoints
