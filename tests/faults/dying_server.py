"""`townsquare` with workers that die before they drain."""

from townsquare.cli import main
from townsquare.web.process import workers

if __name__ == "__main__":
    workers.MODULE = "tests.faults.dying_worker"
    main()
