"""Keys of the images service. The files are outside Redis, in the folder `image_dir` of the settings."""

from typing import Annotated

from townsquare.keyspace import DAY, Keyspace, Matching, Owns, Visibility, carried_by
from townsquare.services.accounts.ids import CARRYING
from townsquare.services.accounts.keys import UserId
from townsquare.services.accounts.keys import user as account

images = Keyspace("images", "Uploaded images of users.")

IMAGES_PER_USER = 2_000
UNUSED_MS = DAY * 1000  # after which an upload that nothing uses is deleted
IMAGE_ID = Matching(rf"img_{CARRYING}")

ImageId = Annotated[str, IMAGE_ID]


@images.hash("user:{id}:images", custom=Visibility.PRIVATE, home=carried_by("id"))
def user_images(id: UserId) -> None:
    """The images of a user, at most 2,000: JSON with sizes, alternative text and use, by id."""


images.relate(Owns(account, (user_images,), account=account))
