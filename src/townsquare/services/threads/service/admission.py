"""Who may write, vote and report on a site. Every way to write a comment passes `Admission.admit`."""

from collections.abc import Sequence

from townsquare.services.threads import keys, problems
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.sites import SignInMethod, SiteConfig, SiteSettings, Viewer
from townsquare.services.threads.scripts import ReadAuthorState
from townsquare.services.threads.service.commenters import Commenters
from townsquare.services.threads.service.proof_of_work import Proofs
from townsquare.services.threads.service.request_limits import RequestLimits
from townsquare.services.threads.spam import Submission
from townsquare.store.store import Store


class Admission:
    def __init__(self, store: Store, commenters: Commenters, proofs: Proofs, limits: RequestLimits) -> None:
        self._store = store
        self._commenters = commenters
        self._proofs = proofs
        self._limits = limits

    async def admit(
        self, viewer: Viewer, author_id: str, site: SiteConfig, submission: Submission | None
    ) -> CommenterRecord:
        """Return the author of a new comment. Raise if the author may not write now.

        The rate limit and the proof of work do not apply to the owner of the site and to callers of the
        library, who pass no submission.
        """
        author = await self._commenters.get(author_id)
        require_may_write(viewer, site.settings, author)
        if submission is not None and not viewer.owner:
            await self._proofs.require(viewer, site, author, submission)
            await self._limits.count_comment(site, author, submission.ip)
        return author

    async def admit_edit(self, viewer: Viewer, author_id: str, settings: SiteSettings) -> CommenterRecord:
        """Return the author of an edited comment. Raise if the author may not write now."""
        author = await self._commenters.get(author_id)
        require_may_write(viewer, settings, author)
        if await self._store.call("SISMEMBER", keys.site_blocked(viewer.site_id), author.id):
            await self._require_ended_ban(viewer.site_id, author.id)
        return author

    async def read_author_state(self, site_id: str, user_id: str, digest: str) -> tuple[bool, Sequence[str]]:
        """Whether a user is shadow-banned on a site, and the user's recent comments with the same text.

        One round trip. Raises if the user is banned.
        """
        found = await self._store.run(ReadAuthorState(site_id=site_id, user_id=user_id, fingerprint=digest))
        if found.banned:
            raise problems.Banned()
        return found.shadowed, found.duplicates

    async def require_may_judge(self, viewer: Viewer, settings: SiteSettings, user_id: str) -> None:
        """Raise if a user may not vote on comments, or report them.

        The commenter is not read from the client cache: each vote changes the karma in its record.
        """
        if not keys.USER_ID.matches(user_id):
            raise problems.CommenterNotFound()
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
            raise problems.Banned()


def require_may_write(viewer: Viewer, settings: SiteSettings, author: CommenterRecord) -> None:
    if viewer.moderates:
        return
    if settings.posting_disabled:
        raise problems.PostingClosed()
    if author.global_banned:
        raise problems.Banned()
    require_way_in(viewer, settings, author.provider)
    if settings.require_verified and not (author.email_verified or author.phone_verified):
        raise problems.VerifyFirst()


def allows(settings: SiteSettings, method: SignInMethod) -> bool:
    """Whether a site allows users to sign in by this method."""
    return method in settings.sign_in and (method != "anonymous" or settings.anonymous)


def require_way_in(viewer: Viewer, settings: SiteSettings, provider: str) -> None:
    """Raise if the site does not allow the way in which this user signed in."""
    if viewer.moderates:
        return
    if provider == "anonymous":
        if not allows(settings, "anonymous"):
            raise problems.SignInToComment("This site requires you to sign in")
    elif provider.startswith("sso:"):
        if "sso" not in settings.sign_in:
            raise problems.SignInToComment()
    elif not {"code", "password", "google", "github"} & {*settings.sign_in}:
        raise problems.SignInToComment()
