"""Files generated from the code. `scripts/generate` writes them, `tests/test_generated.py` compares them."""

from pathlib import Path

from scripts.generators import comments_bundle, drawings, reference, script_stubs, stubs

import townsquare
from townsquare.cli.settings import as_markdown as settings_table
from townsquare.exports import PUBLIC_NAMES
from townsquare.integrity.reference import as_markdown as key_reference
from townsquare.integrity.reference import rows
from townsquare.services import registry

DOCS = Path(__file__).parents[2] / "docs"
PACKAGE_STUB = Path(townsquare.__file__).with_suffix(".pyi")
TABLE_STARTS, TABLE_ENDS = "<!-- settings -->\n", "\n<!-- /settings -->"


def generate() -> dict[Path, str]:
    """All generated files by their path."""
    operations = DOCS / "operations.md"
    return {
        DOCS / "keys.md": key_reference(rows(registry())) + "\n",
        operations: with_settings_table(operations.read_text(encoding="utf-8")),
        PACKAGE_STUB: package_stub(),
        stubs.STUB: stubs.generate(),
        **script_stubs.generate(),
        **comments_bundle.generate(),
        **drawings.generate(),
        **reference.generate(),
    }


def with_settings_table(page: str) -> str:
    before, _, rest = page.partition(TABLE_STARTS)
    return before + TABLE_STARTS + settings_table() + TABLE_ENDS + rest.partition(TABLE_ENDS)[2]


def package_stub() -> str:
    """The public names for type checkers; `import X as X` marks a name as public."""
    lines = [
        f"from {module} import {name} as {name}"
        for module, names in PUBLIC_NAMES.items()
        for name in names.split()
    ]
    return "\n".join(
        ['"""The public names; made by `scripts/generate` from `exports.py`."""', "", *lines, ""]
    )
