"""`townsquare` with workers that die before they drain."""

from townsquare import cli
from townsquare.cli import serve
from townsquare.web.process import workers
from townsquare.web.process.__main__ import supervise

if __name__ == "__main__":
    workers.MODULE = "tests.faults.dying_worker"
    serve.become_supervisor = supervise  # type: ignore[assignment]
    cli.main()
