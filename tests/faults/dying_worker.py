"""A worker that is killed, with its server, after a script has run and before its effects are applied."""

import os
import signal

from townsquare.services.widgets.keys import counter
from townsquare.store.coordination.effects import Effects
from townsquare.web.process.worker import main

ID = "example-100680ad"  # of the counter whose creation it does not survive

drain = Effects.drain


async def die(self: Effects, bucket: str) -> None:
    if bucket == counter(ID).bucket:
        os.kill(os.getppid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)
    await drain(self, bucket)


if __name__ == "__main__":
    Effects.drain = die  # type: ignore[method-assign]
    main()
