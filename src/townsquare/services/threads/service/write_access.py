"""Who may write, vote and report on a site."""

from collections.abc import Sequence

from townsquare.services.threads import keys
from townsquare.services.threads.models.sites import SiteSettings, Viewer
from townsquare.services.threads.problems import Banned, CommenterNotFound, SignInToComment
from townsquare.services.threads.scripts.comments import ReadStanding
from townsquare.services.threads.service.commenters import Commenters
from townsquare.store.store import Store


class WriteAccess:
    def __init__(self, store: Store, commenters: Commenters) -> None:
        self._store = store
        self._commenters = commenters

    async def read_standing(self, site_id: str, user_id: str, digest: str) -> tuple[bool, Sequence[str]]:
        """Whether a user is shadow-banned on a site, and the user's latest comments of this text, in one
        round trip. Raises if the user is banned.
        """
        found = await self._store.run(ReadStanding(site_id=site_id, user_id=user_id, fingerprint=digest))
        if found.banned:
            raise Banned()
        return found.shadowed, found.alike

    async def require_not_banned(self, site_id: str, user_id: str) -> None:
        """Raise if a user is banned on a site."""
        if await self._store.call("SISMEMBER", keys.site_blocked(site_id), user_id):
            await self._require_ended_ban(site_id, user_id)

    async def require_may_judge(self, viewer: Viewer, settings: SiteSettings, user_id: str) -> None:
        """Raise if a user may not vote on comments, or report them.

        The commenter is not read from the client cache: each vote changes the karma in its record.
        """
        if not keys.USER_ID.matches(user_id):
            raise CommenterNotFound()
        blocked, (provider, deleting) = await self._store.pipeline(
            [
                ("SISMEMBER", keys.site_blocked(viewer.site_id), user_id),
                ("HMGET", keys.user(user_id), "provider", "deleting"),
            ]
        )
        if provider is None or deleting:
            require_way_in(viewer, settings, (await self._commenters.get(user_id)).provider)
        else:
            require_way_in(viewer, settings, provider.decode())
        if blocked:
            await self._require_ended_ban(viewer.site_id, user_id)

    async def _require_ended_ban(self, site_id: str, user_id: str) -> None:
        """Raise unless the ban of a user has ended."""
        until_ms = await self._store.call("ZSCORE", keys.site_blocked_until(site_id), user_id)
        if until_ms is None or float(until_ms) > self._store.clock.now_ms():
            raise Banned()


def require_way_in(viewer: Viewer, settings: SiteSettings, provider: str) -> None:
    """Raise if the site does not take users who signed in the way that this one has."""
    if viewer.moderates:
        return
    if provider == "anonymous":
        if not (settings.anonymous and "anonymous" in settings.sign_in):
            raise SignInToComment("This site wants you to sign in to write")
    elif provider.startswith("sso:"):
        if "sso" not in settings.sign_in:
            raise SignInToComment()
    elif not {"code", "password", "google", "github"} & {*settings.sign_in}:
        raise SignInToComment()
