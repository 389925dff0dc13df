"""The embedded Valkey: its data folder, its processes and their owner."""

from townsquare.store.engine.engines import Engines as Engines
from townsquare.store.engine.engines import embedded as embedded
from townsquare.store.engine.engines import located as located
from townsquare.store.engine.folder import DataFolderInUse as DataFolderInUse
from townsquare.store.engine.folder import DataFolderUnusable as DataFolderUnusable
from townsquare.store.engine.folder import EngineError as EngineError
from townsquare.store.engine.process import Engine as Engine
from townsquare.store.engine.process import EngineFailed as EngineFailed
from townsquare.store.engine.process import EngineHealth as EngineHealth
from townsquare.store.engine.process import engine_binary as engine_binary
