"""External spam checks of a site: Akismet, Turnstile, OpenAI's moderation, or a compatible service.

All checks of a comment run at once, for at most a few seconds. If one is unavailable, the comment is held.
"""

import asyncio
from collections.abc import Awaitable, Callable
from urllib.parse import urlencode

import msgspec

from townsquare.kit.outgoing import HttpPost, HttpResponse, HttpSender, NotSent
from townsquare.logger import get_logger
from townsquare.services.threads.models.sites import SiteSettings
from townsquare.services.threads.spam import CommentDraft, SpamVerdict, Status, Submission, joined

TRY_SECONDS = 3.0
REST_SECONDS = 10.0  # without a request to a service that has failed
MOST_BYTES = 65_536  # of a response
MOST_RESTING = 10_000
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
FINE = SpamVerdict("approved")
AWAY = SpamVerdict("pending", ("check_is_away",))

log = get_logger("townsquare.checks")


class BadAnswer(Exception):
    """The response of a service is not in its format."""


class TurnstileAnswer(msgspec.Struct):
    success: bool


class TextResult(msgspec.Struct):
    flagged: bool


class TextAnswer(msgspec.Struct):
    results: list[TextResult]


class OutsideChecks:
    def __init__(self, sender: HttpSender | None = None) -> None:
        self._sender = sender or HttpSender(seconds=TRY_SECONDS)
        self._resting: dict[str, float] = {}  # URL -> end of its rest, in loop time

    async def judge(self, draft: CommentDraft) -> SpamVerdict:
        """Combine the verdicts of all checks. Turnstile checks new comments only, not edits."""
        settings, given = draft.site.settings, draft.submission
        asked: list[Awaitable[SpamVerdict]] = []
        if settings.turnstile_url and given is not None:
            asked.append(self._turnstile(settings, given))
        if settings.akismet_url:
            asked.append(self._akismet(draft, given or Submission()))
        if settings.text_check_url:
            asked.append(self._text_check(settings, draft.content))
        verdict = FINE
        for one in await asyncio.gather(*asked):
            verdict = joined(verdict, one)
        return verdict

    async def _turnstile(self, settings: SiteSettings, given: Submission) -> SpamVerdict:
        """Without a token the comment is held: an older page of the site may not send one."""
        if not given.turnstile:
            return SpamVerdict("pending", ("turnstile",))
        fields = {"secret": settings.turnstile_secret, "response": given.turnstile, "remoteip": given.ip}

        def verdict(answer: HttpResponse) -> SpamVerdict:
            proved = msgspec.json.decode(answer.body, type=TurnstileAnswer).success
            return FINE if proved else SpamVerdict("refused", ("turnstile",))

        return await self._check(HttpPost(settings.turnstile_url, FORM, form(fields)), verdict)

    async def _akismet(self, draft: CommentDraft, given: Submission) -> SpamVerdict:
        site, author = draft.site, draft.author
        fields = {
            "api_key": site.settings.akismet_key,
            "blog": f"https://{site.domain}/",
            "user_ip": given.ip,
            "user_agent": given.user_agent,
            "permalink": draft.page_url,
            "comment_type": "comment",
            "comment_author": author.name,
            "comment_author_email": author.email or "",
            "comment_content": draft.content,
            "honeypot_field_name": "website",
        }

        def verdict(answer: HttpResponse) -> SpamVerdict:
            verdict = answer.body.strip().lower()
            if verdict not in (b"true", b"false"):
                raise BadAnswer(verdict[:100].decode(errors="replace"))
            if verdict == b"false":
                return FINE
            discard = answer.headers.get("x-akismet-pro-tip") == "discard"
            return SpamVerdict(self._doubted(site.settings, sure=discard), ("akismet",))

        return await self._check(HttpPost(site.settings.akismet_url, FORM, form(fields)), verdict)

    async def _text_check(self, settings: SiteSettings, text: str) -> SpamVerdict:
        asked = {"input": text} | ({"model": settings.text_check_model} if settings.text_check_model else {})
        headers = {"Content-Type": "application/json"}
        if settings.text_check_key:
            headers["Authorization"] = f"Bearer {settings.text_check_key}"

        def verdict(answer: HttpResponse) -> SpamVerdict:
            results = msgspec.json.decode(answer.body, type=TextAnswer).results
            flagged = any(one.flagged for one in results)
            return SpamVerdict(self._doubted(settings), ("text_check",)) if flagged else FINE

        return await self._check(
            HttpPost(settings.text_check_url, headers, msgspec.json.encode(asked)), verdict
        )

    @staticmethod
    def _doubted(settings: SiteSettings, *, sure: bool = False) -> Status:
        """On a site without moderation a doubtful comment is refused: nobody reads its queue."""
        return "refused" if sure or settings.moderation == "none" else "pending"

    async def _check(self, post: HttpPost, verdict: Callable[[HttpResponse], SpamVerdict]) -> SpamVerdict:
        now = asyncio.get_running_loop().time()
        if self._resting.get(post.url, 0) > now:
            return AWAY
        try:
            return verdict(await self._sender.exchange(post, longest=MOST_BYTES))
        except (NotSent, BadAnswer, msgspec.MsgspecError, UnicodeDecodeError) as problem:
            log.warning("check is away", url=post.url, why=str(problem))
            if len(self._resting) >= MOST_RESTING:
                self._resting.clear()
            self._resting[post.url] = now + REST_SECONDS
            return AWAY


def asks_others(settings: SiteSettings) -> bool:
    """Whether a site uses external checks."""
    return bool(settings.turnstile_url or settings.akismet_url or settings.text_check_url)


def form(fields: dict[str, str]) -> bytes:
    return urlencode(fields, errors="replace").encode()
