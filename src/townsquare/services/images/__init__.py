"""Images that users upload: avatars, and pictures of posts."""

from typing import TYPE_CHECKING

from townsquare.keyspace import HOUR
from townsquare.service import Imported, Privacy, Service
from townsquare.services.images import keys

if TYPE_CHECKING:
    from townsquare.service_resources import Resources
    from townsquare.services.images.service import Images


def build(square: "Resources") -> "Images":
    from townsquare.services.accounts.service import Accounts
    from townsquare.services.images.service import Images

    images = Images(square.store, square.service(Accounts), square.settings)
    square.background.in_one_process(HOUR, "images", images.sweep)
    return images


SERVICE: "Service[Images]" = Service(
    name="images",
    keyspace=keys.images,
    build=build,
    endpoints=Imported("townsquare.services.images.routes:endpoints"),
    privacy=Privacy(
        export=lambda images, user: images.export(user),
        delete=lambda images, user: images.forget(user),
    ),
)
