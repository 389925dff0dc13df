"""The modules of our pages: who imports what, and that text stays text."""

import re
from pathlib import Path

import pytest

import townsquare.services
from townsquare.web.shell import FOLDER

SERVICES = Path(townsquare.services.__file__).parent
SHARED = FOLDER / "shared"
MODULES = sorted(
    [*SERVICES.glob("*/pages/assets/*.js"), *SHARED.glob("*.js"), *(FOLDER / "assets").glob("*.js")]
)
PAGES = sorted([*SERVICES.glob("*/pages/*.html"), *FOLDER.glob("*.html")])
IMPORT = re.compile(r'^import (?:{ (.*) } from )?"(.*)";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?:async )?(?:function|class|const) (\w+)", re.MULTILINE)
USED = re.compile(r'(?:href|src)="/((?:assets|shared)/[^"]+)"')


def name(path: Path) -> str:
    return str(path.relative_to(FOLDER.parent.parent))


def imported(module: Path) -> list[tuple[list[str], Path]]:
    """What a module takes from which file; nothing but its own folder and the shared one is allowed."""
    text = module.read_text()
    found = IMPORT.findall(text)
    assert len(found) == len(re.findall(r"\bimport\b(?![(.])", re.sub(r"//.*", "", text)))
    return [(re.findall(r"(\w+)(?: as \w+)?", names), file_of(module, address)) for names, address in found]


def file_of(module: Path, address: str) -> Path:
    """By a relative address: the site may be mounted anywhere."""
    if address.startswith("./"):
        return module.parent / address
    if address.startswith("../../components/"):  # the service's own
        return module.parents[2] / address.removeprefix("../../")
    prefix = "../shared/" if module.is_relative_to(FOLDER) else "../../shared/"
    assert address.startswith(prefix), address
    return SHARED / address.removeprefix(prefix)


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_a_page_imports_what_is_its_own_or_shared_and_there(module: Path) -> None:
    for names, source in imported(module):
        assert set(names) <= set(EXPORT.findall(source.read_text())), source


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_no_module_makes_markup_of_text(module: Path) -> None:
    text = module.read_text()
    for danger in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "srcdoc"):
        assert danger not in text


def test_what_is_shared_is_imported_by_more_than_one_service() -> None:
    for shared in SHARED.glob("*.js"):
        users = {module.parent for module in MODULES for _, source in imported(module) if source == shared}
        assert len(users - {SHARED}) > 1, shared


def test_pages_name_only_files_of_the_shell_that_are_there() -> None:
    named = {file for page in PAGES for file in USED.findall(page.read_text())}
    assert {"assets/base.css", "assets/shell.js"} <= named
    assert not [file for file in named if not (FOLDER / file).is_file()]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_form_puts_what_was_typed_into_the_address(page: Path) -> None:
    """Sent before its script is there, a form goes out by GET, with the password in the address."""
    forms = re.findall(r"<form[^>]*>", page.read_text())
    assert all('method="post"' in form or 'role="search"' in form for form in forms), forms
