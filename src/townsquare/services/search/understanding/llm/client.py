"""One question to an OpenAI-compatible API: in time, once again if that may help, its answer validated."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import msgspec

from townsquare.problems import Problem
from townsquare.services.search.understanding.llm.questions import (
    PROMPTS,
    QUESTIONS,
    ModelAnswer,
    Question,
    strict_schema,
)

DEFAULT_URL = "https://api.openai.com/v1"
SAMPLING: dict[str, Any] = {"temperature": 0, "top_p": 1, "seed": 7, "max_tokens": 600}
CALL_SECONDS = 8.0  # for one try
TRIES = 2
PAUSE = 0.3  # seconds before the second try
LONGEST_PAUSE = 2.0  # of what a server asks for: somebody waits for the films
LARGEST_ANSWER = 64_000  # bytes
TRY_AGAIN = frozenset((408, 409, 425, 429, 500, 502, 503, 504))

Sleep = Callable[[float], Awaitable[Any]]


class UnderstandingUnavailable(Problem):
    """The model did not answer all questions; nothing of what it answered is used."""

    code, status, title = "understanding_unavailable", 503, "The language model does not answer"


class _Failure(Exception):
    """Of one try. `final`: another one would be the same."""

    def __init__(self, why: str, *, final: bool = False, pause: float = PAUSE) -> None:
        super().__init__(why)
        self.final = final
        self.pause = pause


class ChatMessage(msgspec.Struct):
    content: str | None = None


class Completion(msgspec.Struct):
    message: ChatMessage
    finish_reason: str | None = None


class Completions(msgspec.Struct):
    choices: list[Completion]


class LlmClient:
    def __init__(
        self, url: str, key: str, model: str, *, seconds: float = CALL_SECONDS, sleep: Sleep = asyncio.sleep
    ) -> None:
        self.model = model
        self._seconds = seconds
        self._sleep = sleep
        self._schemas = {question.name: strict_schema(question.answer) for question in QUESTIONS}
        self._client = httpx.AsyncClient(
            base_url=(url or DEFAULT_URL).rstrip("/") + "/",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=seconds,
            limits=httpx.Limits(max_connections=4 * len(QUESTIONS), max_keepalive_connections=len(QUESTIONS)),
        )

    async def close(self) -> None:
        await self._client.aclose()

    async def ask(self, question: Question, query: str) -> ModelAnswer:
        """The answer, or UnderstandingUnavailable."""
        for left in range(TRIES - 1, -1, -1):
            try:
                async with asyncio.timeout(self._seconds):
                    return await self._try(question, query)
            except _Failure as failure:
                problem = failure
            except TimeoutError:
                problem = _Failure("no answer in time")
            if problem.final or not left:
                break
            await self._sleep(problem.pause)
        raise UnderstandingUnavailable(f"{question.name}: {problem}")

    async def _try(self, question: Question, query: str) -> ModelAnswer:
        content = await self._post(self.request(question, query))
        try:
            completion = msgspec.json.decode(content, type=Completions).choices[0]
            if completion.finish_reason not in (None, "stop"):
                raise _Failure(f"it stopped by {completion.finish_reason}")
            return msgspec.json.decode(completion.message.content or "", type=question.answer)
        except (msgspec.MsgspecError, UnicodeDecodeError, IndexError):
            raise _Failure("an answer that does not fit") from None

    async def _post(self, request: dict[str, Any]) -> bytes:
        try:
            async with self._client.stream("POST", "chat/completions", json=request) as answer:
                if answer.status_code != 200:
                    raise _Failure(
                        f"answered {answer.status_code}",
                        final=answer.status_code not in TRY_AGAIN,
                        pause=_pause(answer.headers.get("retry-after")),
                    )
                content = bytearray()
                async for part in answer.aiter_bytes():
                    content += part
                    if len(content) > LARGEST_ANSWER:
                        raise _Failure("an answer that is too large")
                return bytes(content)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _Failure(type(error).__name__) from None

    def request(self, question: Question, query: str) -> dict[str, Any]:
        return {
            "model": self.model,
            "messages": [
                {"role": "system", "content": PROMPTS["task"] + question.prompt},
                {"role": "user", "content": PROMPTS["question"].format(query=as_data(query))},
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {
                    "name": question.name,
                    "strict": True,
                    "schema": self._schemas[question.name],
                },
            },
            **SAMPLING,
        }


def as_data(query: str) -> str:
    """A query cannot end the marks around it."""
    return query.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _pause(retry_after: str | None) -> float:
    try:
        return min(LONGEST_PAUSE, max(PAUSE, float(retry_after or "")))
    except ValueError:
        return PAUSE
