"""Results as tables: on the terminal, and in docs/performance.md between markers."""

import re
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

PAGE = Path(__file__).parent.parent / "docs" / "performance.md"


@dataclass
class Result:
    title: str
    says: str
    columns: list[str]
    rows: list[list[str]]

    def show(self, console: Console) -> None:
        table = Table(title=self.title, caption=self.says)
        for place, column in enumerate(self.columns):
            table.add_column(column, justify="left" if place == 0 else "right")
        for row in self.rows:
            table.add_row(*row)
        console.print(table)

    def markdown(self) -> str:
        lines = [f"### {self.title}", "", self.says, ""]
        lines.append("| " + " | ".join(self.columns) + " |")
        lines.append("|" + "|".join(["---", *["--:"] * (len(self.columns) - 1)]) + "|")
        lines += ["| " + " | ".join(row) + " |" for row in self.rows]
        return "\n".join(lines)


def keep(name: str, results: list[Result]) -> None:
    """Replace what the page says between the markers of this benchmark."""
    begin, end = f"<!-- bench:{name} -->", f"<!-- /bench:{name} -->"
    body = "\n\n".join(result.markdown() for result in results)
    block = f"{begin}\n{body}\n{end}"
    page = PAGE.read_text() if PAGE.exists() else "# Performance\n"
    found = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    page = found.sub(lambda _: block, page) if found.search(page) else f"{page.rstrip()}\n\n{block}\n"
    PAGE.write_text(page)
