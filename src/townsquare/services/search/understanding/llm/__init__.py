"""Understanding by a language model: about two dozen questions at once, and all answers or none."""

import asyncio
from typing import Self

from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.services.search.understanding.llm.client import LlmClient, UnderstandingUnavailable
from townsquare.services.search.understanding.llm.meaning import compose
from townsquare.services.search.understanding.llm.questions import QUESTIONS, ModelAnswer, Question
from townsquare.settings import Settings

WHOLE_SECONDS = 15.0  # for all questions of a query: then the rules answer


class LlmUnderstanding:
    def __init__(self, client: LlmClient, *, seconds: float = WHOLE_SECONDS) -> None:
        self._client = client
        self._seconds = seconds

    @classmethod
    def of(cls, settings: Settings) -> Self:
        return cls(LlmClient(settings.search_llm_url, settings.search_llm_key, settings.search_llm_model))

    async def close(self) -> None:
        await self._client.close()

    async def understand(self, query: str) -> QueryUnderstandingResponse:
        """What all answers say together, or UnderstandingUnavailable: the first failure ends the others."""
        answers: dict[str, ModelAnswer] = {}

        async def ask(question: Question) -> None:
            answers[question.name] = await self._client.ask(question, query)

        try:
            async with asyncio.timeout(self._seconds), asyncio.TaskGroup() as asking:
                for question in QUESTIONS:
                    asking.create_task(ask(question))
        except TimeoutError:
            raise UnderstandingUnavailable("not all answers came in time") from None
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return compose(query, answers)
