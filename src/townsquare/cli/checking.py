"""`townsquare keys` and `townsquare check` with every service."""

from townsquare.cli import integrity
from townsquare.cli.opening import open_checked, open_store
from townsquare.kit.commands import Commands
from townsquare.services import registry


def commands() -> Commands:
    app = Commands()
    integrity.mount(app, registry(), open_store, open_checked)
    return app
