"""The file in a multipart/form-data body, as forms and older clients send it."""

import re
from pathlib import Path

BOUNDARY = re.compile(
    r'multipart/form-data\s*;.*?boundary="?([0-9A-Za-z\'()+_,./:=? -]{1,70})"?\s*(?:;|$)', re.I
)
NAME = re.compile(rb'(?im)^content-disposition:\s*form-data\s*;.*?\bname="?([^";\r\n]*)')
HEADERS_END = b"\r\n\r\n"
MOST_PARTS = 20


class BadMultipart(ValueError):
    """The body is not a form with this file."""


def extract_file(body: Path, content_type: str, name: str) -> None:
    """Replace the body by the content of its file with this name."""
    found = BOUNDARY.match(content_type)
    if found is None:
        raise BadMultipart("Send multipart/form-data")
    separator = b"\r\n--" + found[1].rstrip().encode()
    parts = (b"\r\n" + body.read_bytes()).split(separator, MOST_PARTS)
    for part in parts[1:]:
        headers, end, content = part.partition(HEADERS_END)
        named = NAME.search(headers)
        if end and named and named[1] == name.encode():
            body.write_bytes(content)
            return
    raise BadMultipart(f"The form has no file named {name}")
