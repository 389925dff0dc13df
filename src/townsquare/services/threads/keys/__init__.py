"""Every key of the threads service."""

from townsquare.services.threads.keys.comments import *  # noqa: F403 - `keys.comment(id)`
from townsquare.services.threads.keys.common import *  # noqa: F403
from townsquare.services.threads.keys.pages import *  # noqa: F403  # noqa: F403
from townsquare.services.threads.keys.sites import *  # noqa: F403
from townsquare.services.threads.keys.users import *  # noqa: F403
