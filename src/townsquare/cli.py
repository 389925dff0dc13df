"""The `townsquare` command."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from townsquare.settings import Settings, SettingsError

CANNOT_RUN, WRONG_SETTINGS = 1, 2

app = typer.Typer(
    name="townsquare",
    help="The community layer for any website or app, on one Redis.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Config = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="Settings file, otherwise ./townsquare.toml.")
]


def show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"townsquare {version('townsquare')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[
        int | None, typer.Option(help="Port to listen on, 0 for any free one.", show_default="8000")
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Folder of the embedded store.", show_default="townsquare-data"),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="Server processes.", show_default="1")
    ] = None,
    env: Annotated[
        str | None, typer.Option(metavar="NAME", help="First part of every key.", show_default="prod")
    ] = None,
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
    from townsquare.web.server import serve as run  # imports the engine, which --help does not need

    run(settings)


def fail(reason: object, code: int) -> None:
    """One red line, and out."""
    typer.secho(str(reason), fg=typer.colors.RED, err=True)
    sys.exit(code)


def main() -> None:
    try:
        app()
    except SettingsError as error:
        fail(error, WRONG_SETTINGS)
    except Exception as error:
        from townsquare.store.engine import EngineError
        from townsquare.web.workers import CannotServe

        if not isinstance(error, CannotServe | EngineError):
            raise
        fail(error, CANNOT_RUN)


if __name__ == "__main__":
    main()
