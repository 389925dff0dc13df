"""The supervisor of a server, in an interpreter of its own: `python -m townsquare.web.process OPTIONS`.

`townsquare serve` replaces itself with this program, so that the libraries of the command line do not stay in
memory. The options are those of the command, as JSON.
"""

import json
import sys
from pathlib import Path
from typing import Any


def supervise(options: dict[str, Any]) -> None:
    from townsquare.failing import CANNOT_RUN, WRONG_SETTINGS, fail
    from townsquare.settings import Settings, SettingsError
    from townsquare.store.engine import EngineError
    from townsquare.web.process.server import serve
    from townsquare.web.process.workers import CannotServe

    config = options.pop("config")
    try:
        serve(lambda: Settings.load(Path(config) if config else None, **options))
    except SettingsError as error:
        fail(error, WRONG_SETTINGS)
    except (CannotServe, EngineError) as error:
        fail(error, CANNOT_RUN)


if __name__ == "__main__":
    sys.modules["ssl"] = None  # type: ignore[assignment]  # asyncio works without it, which saves 5 MB
    supervise(json.loads(sys.argv[1]))
