"""`townsquare serve`"""

from typing import Annotated

import typer

from townsquare.kit.commands import Config, Data, Env
from townsquare.settings import Settings


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[
        int | None, typer.Option(help="Port to listen on, 0 for any free one.", show_default="8000")
    ] = None,
    data: Data = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="Server processes.", show_default="1")
    ] = None,
    env: Env = None,
    config: Config = None,
    log_format: Annotated[
        str | None, typer.Option(metavar="auto|json|console", help="How to write logs.", show_default="auto")
    ] = None,
) -> None:
    """Run the server, with its own store unless the settings name a Redis.

    [bold]Examples[/bold]

    townsquare serve

    townsquare serve --port 9000 --data /var/lib/townsquare --workers 4

    TOWNSQUARE_DATA_URL=redis://db:6379 TOWNSQUARE_CACHE_URL=redis://cache:6379 townsquare serve

    Every option is also a setting: TOWNSQUARE_PORT=9000, or port = 9000 in townsquare.toml.
    """
    settings = Settings.load(
        config, host=host, port=port, data_dir=data, workers=workers, env=env, log_format=log_format
    )
    from townsquare.square import check_settings  # imports the services, which --help does not need
    from townsquare.web.process.server import serve as run

    check_settings(settings)
    run(settings)
