"""The embedded Valkey: its data folder, its processes and their owner."""

from townsquare.store.engine.engines import Engines, embedded, located
from townsquare.store.engine.folder import DataFolderInUse, DataFolderUnusable, EngineError
from townsquare.store.engine.process import Engine, EngineFailed, EngineHealth, engine_binary

__all__ = [
    "DataFolderInUse",
    "DataFolderUnusable",
    "Engine",
    "EngineError",
    "EngineFailed",
    "EngineHealth",
    "Engines",
    "embedded",
    "engine_binary",
    "located",
]
