"""`townsquare serve`"""

import json
import os
import sys
from typing import Annotated, Any, NoReturn

from townsquare.kit.command_parameters import Option
from townsquare.kit.commands import Config, Data, Env
from townsquare.settings import Settings


def serve(
    host: Annotated[str | None, Option(help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[
        int | None, Option(help="Port to listen on, 0 for any free one.", show_default="8000")
    ] = None,
    data: Data = None,
    workers: Annotated[int | None, Option(metavar="N", help="Server processes.", show_default="1")] = None,
    env: Env = None,
    config: Config = None,
    log_format: Annotated[
        str | None, Option(metavar="auto|json|console", help="How to write logs.", show_default="auto")
    ] = None,
    demo: Annotated[bool, Option("--demo", help="First fill the store with demo data.")] = False,
    check: Annotated[
        bool,
        Option(
            "--check",
            help="Check the settings, the stores and the mail server, then exit: "
            "0 all are fine, 1 a store or the mail server is not, 2 a setting is invalid.",
        ),
    ] = False,
) -> None:
    """Run the server, with its own store unless the settings name a Redis.

    Examples:

    townsquare serve

    townsquare serve --port 9000 --data /var/lib/townsquare --workers 4

    TOWNSQUARE_DATA_URL=redis://db:6379 TOWNSQUARE_CACHE_URL=redis://cache:6379 townsquare serve

    Every option is also a setting: TOWNSQUARE_PORT=9000, or port = 9000 in townsquare.toml.
    """
    options: dict[str, Any] = {
        "host": host,
        "port": port,
        "data_dir": data,
        "workers": workers,
        "env": env,
        "log_format": log_format,
    }
    settings = Settings.load(config, **options)
    if check:
        from townsquare.cli.serve_check import check_server

        check_server(settings)
        return
    if demo:
        from townsquare.cli.demo import add_demo
        from townsquare.kit.commands import run_to_end

        run_to_end(add_demo(settings))
    become_supervisor({"config": config and str(config), **options})


def become_supervisor(options: dict[str, Any]) -> NoReturn:
    """Continue in this process as the supervisor (`townsquare.web.process`)."""
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "townsquare.web.process", json.dumps(options)])
