"""The `townsquare` command."""

import gc

from townsquare.failing import CANNOT_RUN, WRONG_SETTINGS, fail
from townsquare.settings import SettingsError


def main() -> None:
    gc.disable()  # until a command runs: scanning imported objects takes a sixth of the start
    try:
        from townsquare.cli.all_commands import application

        application()()
    except SettingsError as error:
        fail(error, WRONG_SETTINGS)
    except Exception as error:
        from townsquare.extensions import ExtensionError
        from townsquare.store.engine import EngineError

        if not isinstance(error, EngineError | ExtensionError):
            raise
        fail(error, CANNOT_RUN)
