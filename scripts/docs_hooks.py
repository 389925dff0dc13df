"""Hooks of MkDocs: pages from the top folder, links to files that are no pages, our words after a fence."""

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

PROJECT = Path(__file__).parents[1]
TOP_PAGES = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
FENCE = re.compile(r"^( *```\w+) (?:part|http|square)$", re.M)
TO_TOP = re.compile(rf"\]\((?:\.\./)*({'|'.join(map(re.escape, TOP_PAGES))})")
TO_FILE = re.compile(r"\[([^\]]+)\]\(\.\./(?:deploy|tests)[^)]*\)")  # files that are not on the site


def on_files(files: Files, config: Any) -> Files:
    for name in TOP_PAGES:
        text = (PROJECT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, name.lower(), content=text.replace("](docs/", "](")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    above = "../" * page.file.src_uri.count("/")
    text = TO_TOP.sub(lambda found: f"]({above}{found[1].lower()}", FENCE.sub(r"\1", markdown))
    return TO_FILE.sub(r"`\1`", text)
