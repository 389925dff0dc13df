"""Every key of the social service."""

from townsquare.services.social.keys.common import *  # noqa: F403 - `keys.user_bucket(name)`
from townsquare.services.social.keys.feed_keys import *  # noqa: F403
from townsquare.services.social.keys.posts import *  # noqa: F403
from townsquare.services.social.keys.users import *  # noqa: F403
