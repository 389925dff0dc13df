"""python -m bench.floor MODULE PORT: serve its `app` as a worker serves the real site."""

import asyncio
import importlib
import sys

import uvicorn
import uvloop

from townsquare.web.process.uvicorn_server import freeze_gc, server_config


async def serve(module: str, port: str) -> None:
    config = server_config(importlib.import_module(module).app)
    config.host, config.port = "127.0.0.1", int(port)
    freeze_gc()
    await uvicorn.Server(config).serve()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(*sys.argv[1:]))
