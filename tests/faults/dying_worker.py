"""A worker that is killed, with its server, after a script has run and before its effects are applied."""

import os
import signal

from townsquare.store.coordination.effects import Effects
from townsquare.web.process.worker import main


async def die(self: Effects, bucket: str) -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    Effects.drain = die  # type: ignore[method-assign]
    main()
