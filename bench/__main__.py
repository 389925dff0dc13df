"""scripts/bench [NAME …] [--keep]: run measurements; --keep writes them to docs/performance.md."""

import argparse
import importlib
import pkgutil

from rich.console import Console

import bench
from bench.report import Result, keep

NOT_MEASUREMENTS = {"__main__", "report", "load", "hostile_requests"}


def main() -> None:
    names = sorted(
        found.name
        for found in pkgutil.iter_modules(bench.__path__)
        if not found.ispkg and found.name not in NOT_MEASUREMENTS
    )
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*names, []], help=f"of {', '.join(names)}; default: all")
    parser.add_argument("--keep", action="store_true", help="write the results to docs/performance.md")
    given = parser.parse_args()
    console = Console()
    for name in given.names or names:
        console.rule(name)
        results: list[Result] = importlib.import_module(f"bench.{name}").run()
        for result in results:
            result.show(console)
        if given.keep:
            keep(name, results)


if __name__ == "__main__":
    main()
