"""A stand-in for a Qdrant server: its REST paths that we use, over Qdrant Edge."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import qdrant_edge as qdrant
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

INDEXES = {"keyword": qdrant.PayloadSchemaType.Keyword, "integer": qdrant.PayloadSchemaType.Integer}


class QdrantStandIn:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shards: dict[str, Any] = {}
        self.requests: list[str] = []
        self.broken = False  # answers 500 to everything
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def app(self) -> Starlette:
        below = "/collections/{name}"
        return Starlette(
            routes=[
                Route(f"{below}/exists", self.exists),
                Route(below, self.create, methods=["PUT"]),
                Route(f"{below}/index", self.index, methods=["PUT"]),
                Route(f"{below}/points", self.upsert, methods=["PUT"]),
                Route(f"{below}/points", self.retrieve, methods=["POST"]),
                Route(f"{below}/points/query", self.query, methods=["POST"]),
                Route(f"{below}/points/scroll", self.scroll, methods=["POST"]),
                Route(f"{below}/points/delete", self.delete, methods=["POST"]),
            ]
        )

    def answer(self, request: Request, result: Any) -> JSONResponse:
        self.requests.append(f"{request.method} {request.url.path}")
        if self.broken:
            return JSONResponse({"status": {"error": "broken"}}, 500)
        return JSONResponse({"status": "ok", "time": 0.0, "result": result})

    async def exists(self, request: Request) -> JSONResponse:
        return self.answer(request, {"exists": request.path_params["name"] in self.shards})

    async def create(self, request: Request) -> JSONResponse:
        name, wanted = request.path_params["name"], (await request.json())["vectors"]
        sizes = {
            vector: qdrant.EdgeVectorParams(size=params["size"], distance=qdrant.Distance.Cosine)
            for vector, params in wanted.items()
        }
        folder = self.folder / name
        folder.mkdir()
        self.shards[name] = qdrant.EdgeShard.create(str(folder), qdrant.EdgeConfig(vectors=sizes))
        return self.answer(request, True)

    async def index(self, request: Request) -> JSONResponse:
        wanted = await request.json()
        kind = INDEXES[wanted["field_schema"]]
        self.shard(request).update(qdrant.UpdateOperation.create_field_index(wanted["field_name"], kind))
        return self.answer(request, DONE)

    async def upsert(self, request: Request) -> JSONResponse:
        points = [
            qdrant.Point(id=point["id"], vector=point["vector"], payload=point["payload"])
            for point in (await request.json())["points"]
        ]
        self.shard(request).update(qdrant.UpdateOperation.upsert_points(points))
        return self.answer(request, DONE)

    async def delete(self, request: Request) -> JSONResponse:
        self.shard(request).update(qdrant.UpdateOperation.delete_points((await request.json())["points"]))
        return self.answer(request, DONE)

    async def retrieve(self, request: Request) -> JSONResponse:
        ids = (await request.json())["ids"]
        found = self.shard(request).retrieve(point_ids=ids, with_payload=False, with_vector=True)
        return self.answer(request, [{"id": point.id, "vector": point.vector} for point in found])

    async def query(self, request: Request) -> JSONResponse:
        wanted = await request.json()
        query = qdrant.Query.Nearest(wanted["query"]["nearest"], using=wanted["using"])
        found = self.shard(request).search(
            qdrant.SearchRequest(query=query, limit=wanted["limit"], filter=filter_of(wanted.get("filter")))
        )
        points = [{"id": point.id, "score": point.score, "version": point.version} for point in found]
        return self.answer(request, {"points": points})

    async def scroll(self, request: Request) -> JSONResponse:
        wanted = await request.json()
        found, after = self.shard(request).scroll(
            qdrant.ScrollRequest(offset=wanted.get("offset"), limit=wanted["limit"], with_payload=True)
        )
        points = [{"id": point.id, "payload": point.payload} for point in found]
        return self.answer(request, {"points": points, "next_page_offset": after})

    def shard(self, request: Request) -> Any:
        return self.shards[request.path_params["name"]]


DONE = {"operation_id": 1, "status": "completed"}


def filter_of(wanted: dict[str, Any] | None) -> Any:
    if not wanted:
        return None
    return qdrant.Filter(
        must=[condition_of(one) for one in wanted.get("must") or []],
        must_not=[condition_of(one) for one in wanted.get("must_not") or []],
    )


def condition_of(wanted: dict[str, Any]) -> Any:
    if "has_id" in wanted:
        return qdrant.HasIdCondition(set(wanted["has_id"]))
    if wanted.get("match"):
        return qdrant.FieldCondition(key=wanted["key"], match=qdrant.MatchAny(wanted["match"]["any"]))
    bounds = wanted["range"]
    return qdrant.FieldCondition(
        key=wanted["key"], range=qdrant.RangeFloat(gte=bounds.get("gte"), lte=bounds.get("lte"))
    )


@contextlib.asynccontextmanager
async def qdrant_stand_in(folder: Path) -> AsyncIterator[QdrantStandIn]:
    stand_in = QdrantStandIn(folder)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        stand_in.port = listening.getsockname()[1]
        config = uvicorn.Config(stand_in.app(), log_config=None, lifespan="off")
        server = uvicorn.Server(config)
        server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment]
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield stand_in
        finally:
            server.should_exit = True
            await serving
            for shard in stand_in.shards.values():
                shard.close()
