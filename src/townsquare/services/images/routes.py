"""Upload, read and delete images over HTTP."""

from pathlib import Path
from typing import Annotated

import msgspec

from townsquare.api import READ, AnyEndpoint, Auth, Call, Content, Limit, Nothing, by_user
from townsquare.kit.files import tagged
from townsquare.problems import Forbidden, PayloadTooLarge, RequestTimeout, Unauthorized
from townsquare.routes import Routes
from townsquare.services.accounts.problems import UserNotFound
from townsquare.services.accounts.routes.common import member
from townsquare.services.images import problems
from townsquare.services.images.models import AltText, Image, ImagePolicy
from townsquare.services.images.service import PREFIX, Images

LARGEST = 12 << 20  # bytes of an upload
UPLOAD = Limit("upload", 60, 3_600, key=by_user)
FOREVER = "public, max-age=31536000, immutable"  # another image has another id
WEBP = "image/webp"
TYPES = ("image/jpeg", "image/png", WEBP, "image/gif")


class NewImage(msgspec.Struct):
    alt: AltText = ""


class OneImage(msgspec.Struct):
    id: str


class OneFile(msgspec.Struct):
    id: str
    name: str


def endpoints(images: Images) -> list[AnyEndpoint]:
    bad = (problems.BadImage, problems.TooManyImages, problems.ImagesBusy, problems.ImagesNotOffered)
    refused = (Unauthorized, Forbidden, UserNotFound, PayloadTooLarge, RequestTimeout, *bad)
    routes = Routes(PREFIX, tag="images", auth=Auth.USER, limit=UPLOAD, upload_limit=LARGEST, errors=refused)

    @routes.post("", status=201)
    async def upload_image(call: Call, given: NewImage, upload: Path) -> Image:
        """Upload an image for a post. It is deleted after a day unless a post shows it."""
        user = member(call).user_id
        return await images.upload(user, upload, "post", base_url=call.base_url, alt=given.alt)

    @routes.put("/avatar")
    async def upload_avatar(call: Call, given: Nothing, upload: Path) -> Image:
        """Upload an image as the avatar of the caller; its middle is cut to a square."""
        return await images.set_avatar(member(call).user_id, upload, base_url=call.base_url)

    @routes.delete("/avatar", status=204)
    async def delete_avatar(call: Call, given: Nothing) -> None:
        """Remove the avatar of the caller."""
        await images.remove_avatar(member(call).user_id)

    @routes.delete("/{id}", status=204, errors=(*refused, problems.ImageNotFound))
    async def delete_image(call: Call, given: OneImage) -> None:
        """Delete an image of the caller."""
        await images.delete(member(call).user_id, given.id)

    files = Routes(PREFIX, tag="images", limit=None, open_to_any_origin=True)

    @files.get("", limit=READ)
    async def show_image_policy(call: Call, given: Nothing) -> ImagePolicy:
        """Which images can be uploaded."""
        return ImagePolicy(images.accepted, LARGEST, TYPES)

    @files.get("/{id}/{name}", unknown="ignore", errors=(problems.ImageNotFound,))
    async def read_image(call: Call, given: OneFile) -> Annotated[Content, "image/webp"]:
        """The file of one size of an image."""
        body = await images.read(given.id, given.name)
        return tagged(call, body, WEBP, FOREVER, tag=f'"{given.id}.{given.name}"')

    return [*routes.endpoints, *files.endpoints]
