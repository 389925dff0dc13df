"""A server that speaks the chat-completions and embeddings protocols of OpenAI, and misbehaves by rule."""

import asyncio
import contextlib
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, Literal, NamedTuple

Fault = Literal["429", "500", "401", "malformed", "wrong schema", "hang", "cut off", "empty", "too large"]
DIMENSIONS = 16


class LlmRequest(NamedTuple):
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def question(self) -> str:
        """The name of the schema that the answer must have."""
        return str(self.body["response_format"]["json_schema"]["name"])

    @property
    def said(self) -> str:
        return str(self.body["messages"][-1]["content"])


class Behaviour(NamedTuple):
    fault: Fault | None = None
    delay: float = 0.0
    retry_after: str = ""


Rule = Callable[[LlmRequest, int], Behaviour]  # of a request and how many came for that question before


def well(request: LlmRequest, before: int) -> Behaviour:
    return Behaviour()


class LlmStandIn:
    """Answers each question with `answers[name]`, or with the plainest value that its schema allows."""

    def __init__(self) -> None:
        self.rule: Rule = well
        self.answers: dict[str, Any] = {}
        self.requests: list[LlmRequest] = []
        self.port = 0
        self.open = 0  # connections
        self.most_open = 0
        self._seen: dict[str, int] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                await self._answer(await read_request(reader), reader, writer)
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
            self.open -= 1

    async def _answer(
        self, request: LlmRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.requests.append(request)
        name = request.question if request.path.endswith("/chat/completions") else "embeddings"
        before = self._seen.get(name, 0)
        self._seen[name] = before + 1
        does = self.rule(request, before)
        if does.delay:
            await asyncio.sleep(does.delay)
        if does.fault == "hang":
            await reader.read()
            return
        body = json.dumps(self._body(request, name)).encode()
        status, headers = "200 OK", ""
        match does.fault:
            case "429" | "500" | "401":
                status, body = f"{does.fault} No", b'{"error": {"message": "no"}}'
                headers = f"Retry-After: {does.retry_after}\r\n" if does.retry_after else ""
            case "malformed":
                body = body[: len(body) // 2]
            case "wrong schema":
                body = completion('{"something": "else"}')
            case "empty":
                body = completion("")
            case "too large":
                body = completion(" " * 100_000)
        length = len(body) + (100 if does.fault == "cut off" else 0)
        writer.write(
            f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{headers}Content-Length: {length}\r\n"
            "Connection: close\r\n\r\n".encode()
            + body
        )
        await writer.drain()

    def _body(self, request: LlmRequest, name: str) -> dict[str, Any]:
        if name == "embeddings":
            texts = request.body["input"]
            return {
                "data": [
                    {"index": number, "embedding": vector_of(text)}
                    for number, text in enumerate([texts] if isinstance(texts, str) else texts)
                ],
                "model": request.body["model"],
            }
        schema = request.body["response_format"]["json_schema"]["schema"]
        answer = self.answers.get(name, plainest(schema, schema.get("$defs", {})))
        return dict(json.loads(completion(json.dumps(answer))))


def completion(content: str) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    return json.dumps({"object": "chat.completion", "choices": [choice]}).encode()


def vector_of(text: str) -> list[float]:
    return [byte / 255 for byte in hashlib.sha256(text.encode()).digest()[:DIMENSIONS]]


def plainest(schema: dict[str, Any], definitions: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return plainest(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in schema:
        return None
    if "enum" in schema:
        return "not_relevant" if "not_relevant" in schema["enum"] else sorted(schema["enum"])[-1]
    if schema["type"] == "object":
        return {name: plainest(one, definitions) for name, one in schema["properties"].items()}
    return {"array": [], "boolean": False, "string": "", "integer": 1}[schema["type"]]


async def read_request(reader: asyncio.StreamReader) -> LlmRequest:
    head, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return LlmRequest(head.split()[1], headers, json.loads(body))


@contextlib.asynccontextmanager
async def llm_stand_in() -> AsyncIterator[LlmStandIn]:
    stand_in = LlmStandIn()
    async with await asyncio.start_server(stand_in.serve, "127.0.0.1", 0) as listening:
        stand_in.port = listening.sockets[0].getsockname()[1]
        yield stand_in
