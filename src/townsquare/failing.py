"""How a program of ours ends when it cannot run: one line on stderr and an exit code."""

import os
import sys
from typing import NoReturn

CANNOT_RUN, WRONG_SETTINGS = 1, 2


def fail(reason: object, code: int) -> NoReturn:
    red, plain = ("\x1b[31m", "\x1b[0m") if os.isatty(2) else ("", "")
    print(f"{red}{reason}{plain}", file=sys.stderr)  # noqa: T201
    sys.exit(code)
