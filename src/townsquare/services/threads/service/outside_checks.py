"""What others say of a comment, where a site names them: Akismet, Turnstile, OpenAI's moderation, or what
speaks as they do.

All are asked at once, for seconds at most. One that is away loses nothing: the comment waits for a moderator.
"""

import asyncio
from collections.abc import Awaitable, Callable
from urllib.parse import urlencode

import msgspec
import structlog

from townsquare.kit.outgoing import HttpAnswer, HttpPost, HttpSender, NotSent
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.sites import CachedKey, SiteSettings
from townsquare.services.threads.service.screening import Submission
from townsquare.services.threads.spam import SpamVerdict, Status, joined

TRY_SECONDS = 3.0
REST_SECONDS = 10.0  # after a failure, in which nobody waits for it again
MOST_BYTES = 65_536  # of an answer
MOST_RESTING = 10_000
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
FINE = SpamVerdict("approved")
AWAY = SpamVerdict("pending", ("check_is_away",))

log = structlog.get_logger("townsquare.checks")


class BadAnswer(Exception):
    """Not one that we understand."""


class TurnstileAnswer(msgspec.Struct):
    success: bool


class TextResult(msgspec.Struct):
    flagged: bool


class TextAnswer(msgspec.Struct):
    results: list[TextResult]


class OutsideChecks:
    def __init__(self, sender: HttpSender | None = None) -> None:
        self._sender = sender or HttpSender(seconds=TRY_SECONDS)
        self._resting: dict[str, float] = {}  # urls, until when

    async def judge(
        self, site: CachedKey, author: CommenterRecord, page_url: str, text: str, given: Submission | None
    ) -> SpamVerdict:
        """Shown, held or refused, by all whom the site asks. An edit (no submission) proves nothing anew."""
        settings = site.settings
        asked: list[Awaitable[SpamVerdict]] = []
        if settings.turnstile_url and given is not None:
            asked.append(self._turnstile(settings, given))
        if settings.akismet_url:
            asked.append(self._akismet(site, author, page_url, text, given or Submission()))
        if settings.text_check_url:
            asked.append(self._text_check(settings, text))
        verdict = FINE
        for one in await asyncio.gather(*asked):
            verdict = joined(verdict, one)
        return verdict

    async def _turnstile(self, settings: SiteSettings, given: Submission) -> SpamVerdict:
        """Who proves nothing may be a person all the same, behind an older page: a moderator looks."""
        if not given.turnstile:
            return SpamVerdict("pending", ("turnstile",))
        fields = {"secret": settings.turnstile_secret, "response": given.turnstile, "remoteip": given.ip}

        def verdict(answer: HttpAnswer) -> SpamVerdict:
            proved = msgspec.json.decode(answer.body, type=TurnstileAnswer).success
            return FINE if proved else SpamVerdict("refused", ("turnstile",))

        return await self._ask(HttpPost(settings.turnstile_url, FORM, form(fields)), verdict)

    async def _akismet(
        self, site: CachedKey, author: CommenterRecord, page_url: str, text: str, given: Submission
    ) -> SpamVerdict:
        fields = {
            "api_key": site.settings.akismet_key,
            "blog": f"https://{site.domain}/",
            "user_ip": given.ip,
            "user_agent": given.user_agent,
            "permalink": page_url,
            "comment_type": "comment",
            "comment_author": author.name,
            "comment_author_email": author.email or "",
            "comment_content": text,
            "honeypot_field_name": "website",
        }

        def verdict(answer: HttpAnswer) -> SpamVerdict:
            said = answer.body.strip().lower()
            if said not in (b"true", b"false"):
                raise BadAnswer(said[:100].decode(errors="replace"))
            if said == b"false":
                return FINE
            discard = answer.headers.get("x-akismet-pro-tip") == "discard"
            return SpamVerdict(self._doubted(site.settings, sure=discard), ("akismet",))

        return await self._ask(HttpPost(site.settings.akismet_url, FORM, form(fields)), verdict)

    async def _text_check(self, settings: SiteSettings, text: str) -> SpamVerdict:
        asked = {"input": text} | ({"model": settings.text_check_model} if settings.text_check_model else {})
        headers = {"Content-Type": "application/json"}
        if settings.text_check_key:
            headers["Authorization"] = f"Bearer {settings.text_check_key}"

        def verdict(answer: HttpAnswer) -> SpamVerdict:
            results = msgspec.json.decode(answer.body, type=TextAnswer).results
            flagged = any(one.flagged for one in results)
            return SpamVerdict(self._doubted(settings), ("text_check",)) if flagged else FINE

        return await self._ask(
            HttpPost(settings.text_check_url, headers, msgspec.json.encode(asked)), verdict
        )

    @staticmethod
    def _doubted(settings: SiteSettings, *, sure: bool = False) -> Status:
        """Where nobody looks at a queue, what is doubted is refused."""
        return "refused" if sure or settings.moderation == "none" else "pending"

    async def _ask(self, post: HttpPost, verdict: Callable[[HttpAnswer], SpamVerdict]) -> SpamVerdict:
        now = asyncio.get_running_loop().time()
        if self._resting.get(post.url, 0) > now:
            return AWAY
        try:
            return verdict(await self._sender.ask(post, most=MOST_BYTES))
        except (NotSent, BadAnswer, msgspec.MsgspecError, UnicodeDecodeError) as problem:
            log.warning("check is away", url=post.url, why=str(problem))
            if len(self._resting) >= MOST_RESTING:
                self._resting.clear()
            self._resting[post.url] = now + REST_SECONDS
            return AWAY


def asks_others(settings: SiteSettings) -> bool:
    """Whether a site has its comments checked elsewhere."""
    return bool(settings.turnstile_url or settings.akismet_url or settings.text_check_url)


def form(fields: dict[str, str]) -> bytes:
    return urlencode(fields, errors="replace").encode()
