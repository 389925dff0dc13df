"""TMDB on this machine: as quick, slow, busy or broken as a test wants."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

HEAT: dict[str, Any] = {
    "id": 949,
    "title": "Heat",
    "original_title": "Heat",
    "overview": "Obsessive master thief Neil McCauley leads a crew.",
    "tagline": "A Los Angeles crime saga.",
    "runtime": 170,
    "release_date": "1995-12-15",
    "imdb_id": "tt0113277",
    "budget": 60_000_000,
    "revenue": 0,
    "poster_path": "/poster.jpg",
    "backdrop_path": None,
    "belongs_to_collection": None,
    "adult": False,
    "genres": [{"id": 28, "name": "Action"}, {"id": 80, "name": "Crime"}],
    "production_companies": [{"id": number, "name": f"Company {number}"} for number in range(30)],
    "production_countries": [{"iso_3166_1": "US", "name": "United States of America"}],
    "spoken_languages": [{"iso_639_1": "en", "name": "English"}, {"iso_639_1": "es", "name": "Español"}],
    "credits": {
        "cast": [
            {"name": f"Actor {order}", "character": f"Part {order}", "order": order, "profile_path": None}
            for order in reversed(range(80))
        ],
        "crew": [
            {"name": "Art Linson", "job": "Producer"},
            {"name": "A Driver", "job": "Driver"},
            {"name": "Michael Mann", "job": "Writer"},
            {"name": "Michael Mann", "job": "Director", "profile_path": "/mann.jpg"},
            {"name": "Michael Mann", "job": "Director"},
        ],
    },
    "videos": {
        "results": [
            {"site": "Vimeo", "key": "1", "type": "Trailer", "official": True},
            {"site": "YouTube", "key": "teaser", "type": "Teaser", "official": True, "name": "Teaser"},
            {"site": "YouTube", "key": "fan", "type": "Trailer", "official": False, "name": "By a fan"},
            {"site": "YouTube", "key": "best", "type": "Trailer", "official": True, "name": "Trailer"},
        ]
    },
    "release_dates": {
        "results": [
            {"iso_3166_1": "DE", "release_dates": [{"certification": "16", "type": 3}]},
            {
                "iso_3166_1": "US",
                "release_dates": [
                    {"certification": "", "type": 1},
                    {"certification": "NR", "type": 4},
                    {"certification": "R", "type": 3},
                ],
            },
        ]
    },
    "watch/providers": {
        "results": {
            "US": {"link": "https://example.org/watch", "flatrate": [{"provider_name": "Hulu"}], "rent": []},
            "DE": {"link": "", "buy": [{"provider_name": "Kino"}]},
        }
    },
    "images": {"backdrops": [{"file_path": f"/{number}.jpg"} for number in range(40)], "logos": []},
}


class TmdbStandIn:
    """`answers` come first, one a request: a status, a delay, bytes, or None for no answer at all."""

    def __init__(self) -> None:
        self.port = 0
        self.answers: list[int | float | bytes | None] = []
        self.headers: dict[str, str] = {}
        self.movies: dict[int, dict[str, Any]] = {949: HEAT}
        self.trending: list[list[dict[str, Any]]] = []
        self.asked: list[str] = []  # paths
        self.keys: set[str] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/3"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                place = urlsplit(head.split()[1])
                query = {name: values[0] for name, values in parse_qs(place.query).items()}
                self.keys.add(query.get("api_key", ""))
                path = place.path.removeprefix("/3/")
                self.asked.append(path)
                status, body = await self._answer(path, query)
                extra = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
                writer.write(
                    f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n{extra}\r\n".encode() + body
                )
                await writer.drain()
        writer.close()

    async def _answer(self, path: str, query: dict[str, str]) -> tuple[int, bytes]:
        wanted = self.answers.pop(0) if self.answers else 200
        if wanted is None:
            await asyncio.Event().wait()
        if isinstance(wanted, bytes):
            return 200, wanted
        if isinstance(wanted, float):
            await asyncio.sleep(wanted)
        elif wanted != 200:
            return wanted or 500, b"{}"
        found = self._found(path, query)
        return (200, json.dumps(found).encode()) if found is not None else (404, b"{}")

    def _found(self, path: str, query: dict[str, str]) -> Any:
        kind, _, rest = path.partition("/")
        if kind == "movie":
            return self.movies.get(int(rest))
        if kind == "find":
            return {"movie_results": [one for one in self.movies.values() if one["imdb_id"] == rest]}
        if kind == "search":
            return {"results": [one for one in self.movies.values() if query["query"] in one["title"]]}
        page = int(query["page"])
        return {"results": self.trending[page - 1], "total_pages": len(self.trending)}


@contextlib.asynccontextmanager
async def tmdb_stand_in() -> AsyncIterator[TmdbStandIn]:
    stand_in = TmdbStandIn()
    serving: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        serving.add(task)
        try:
            await stand_in.serve(reader, writer)
        except asyncio.CancelledError:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    stand_in.port = server.sockets[0].getsockname()[1]
    try:
        yield stand_in
    finally:
        server.close()
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
