"""Records of an XML file, streamed in bounded memory.

A record is an element at a given path. Its fields are named by the path below it: "author/name" is the text
of an element, "thread@id" an attribute, "@id" an attribute of the record itself. Namespace prefixes are
removed. Text before the first "<" and after the root element, control characters and undecodable bytes are
ignored. A document type is refused, and with it all entities except those of XML itself.

A tag with attributes that only HTML allows (without quotes, without a value, repeated) is read as a browser
reads it and reported with its line.
"""

import codecs
import re
from collections.abc import Iterator, Mapping, Set
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from townsquare.comment_files.models import BadImportFile, Repaired

CHUNK = 1 << 16
HEAD = 1 << 12  # bytes in which the first "<" must be
LONGEST_TAG = 1 << 14  # characters of a tag that can be repaired
DEEPEST = 50
AFTER_THE_END = 9  # expat's XML_ERROR_JUNK_AFTER_DOC_ELEMENT
REPAIRABLE = frozenset({4, 8})  # XML_ERROR_INVALID_TOKEN, XML_ERROR_DUPLICATE_ATTRIBUTE
LONGEST = 200_000  # characters kept of one text

ENCODINGS = frozenset(  # all agree with ASCII, so the declaration can be read
    {"ascii", "big5", "cp1250", "cp1251", "cp1252", "cp932", "euc_jp", "euc_kr", "gb18030", "gb2312", "gbk"}
    | {"iso8859-1", "iso8859-2", "iso8859-15", "koi8-r", "shift_jis", "utf-8"}
)
DECLARED = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]+)""")
UNICODE = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
REFERENCE = re.compile(r"&#(?:x([0-9a-fA-F]{1,8})|([0-9]{1,8}));")
UNFINISHED = re.compile(r"&[#0-9a-zA-Z]{0,10}\Z")
ATTRIBUTE = r"""\s+([^\s=<>/"']+)(?:\s*=\s*("[^"<]*"|'[^'<]*'|[^\s"'<>`][^\s<>]*?(?=\s|/?>|\Z)))?"""
ATTRIBUTES = re.compile(ATTRIBUTE)
TAG = re.compile(rf"<([A-Za-z_][^\s<>/]*)((?:{ATTRIBUTE})*)\s*(/?)>")

Wanted = Mapping[str, Set[str]]  # by the path of the record


class XmlRecord(NamedTuple):
    path: str
    fields: dict[str, str]
    number: int  # among the records of this path, from 1
    within: int  # the number of the record around it, 0 if there is none


def read_records(path: Path, wanted: Wanted) -> Iterator[XmlRecord | Repaired]:
    """The records of the file in the order of their end tags, so inner records come first."""
    reader = XmlReader(wanted)
    for text in texts(path):
        reader.feed(text)
        yield from reader.finished()
    reader.feed("", last=True)
    yield from reader.finished()


class XmlReader:
    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._paths = [""]
        self._names: list[str] = []  # of the open elements, with their prefixes
        self._open: list[XmlRecord] = []
        self._counts = dict.fromkeys(wanted, 0)
        self._field = ""  # the field whose text is read, "" if it is not wanted
        self._text: list[str] = []
        self._room = 0  # characters that it can still take
        self._finished: list[XmlRecord | Repaired] = []
        self._ended = False  # the root element
        self._lines = 0  # before the text of the current parser
        self._fed = 0  # bytes that the current parser got
        self._parser = self._new_parser()

    def _new_parser(self) -> expat.XMLParserType:
        """A parser inside the elements that are open."""
        parser = expat.ParserCreate()
        ancestors = "".join(f"<{name}>" for name in self._names)
        parser.Parse(ancestors, False)
        self._fed = len(ancestors.encode())
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        return parser

    def feed(self, text: str, *, last: bool = False) -> None:
        while not self._ended:
            try:
                self._parser.Parse(text, last)
                self._fed += len(text.encode())
                return
            except expat.ExpatError as wrong:
                if wrong.code == AFTER_THE_END:
                    self._ended = True
                    return
                text = self._repaired(text, wrong)

    def _repaired(self, text: str, wrong: expat.ExpatError) -> str:
        """The text from the tag at the error on, with the tag as XML; raises if the error is another one."""
        line = self._lines + wrong.lineno
        data, offset = text.encode(), self._parser.ErrorByteIndex - self._fed
        start = data.rfind(b"<", 0, offset + 1) if offset >= 0 else -1
        rest = data[start:].decode() if start >= 0 else ""
        found = TAG.match(rest[:LONGEST_TAG])
        repaired = quoted(found) if found else ""
        if wrong.code not in REPAIRABLE or not found or repaired == found[0]:
            says = expat.ErrorString(wrong.code)
            raise BadImportFile(f"The XML is broken in line {line:,}: {says}") from None
        self._finished.append(Repaired(f"line {line:,}: attributes of <{found[1]}> without quotes"))
        self._parser.buffer_text = False  # passes on the text before the tag
        self._lines = line - 1 - data[start:offset].count(b"\n") + found[0].count("\n")
        self._parser = self._new_parser()
        return repaired + rest[found.end() :]

    def finished(self) -> list[XmlRecord | Repaired]:
        found, self._finished = self._finished, []
        return found

    def _refuse_doctype(self, *_: Any) -> None:
        raise BadImportFile("It has a document type, which no export has")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        path = f"{self._paths[-1]}/{local(name)}"
        if len(self._paths) > DEEPEST:
            raise BadImportFile(f"Its elements are nested deeper than {DEEPEST}")
        self._paths.append(path)
        self._names.append(name)
        if path in self._wanted:
            self._counts[path] += 1
            within = self._open[-1].number if self._open else 0
            self._open.append(XmlRecord(path, {}, self._counts[path], within))
        if self._open:
            field = self._field_at(path)
            for attribute, value in attributes.items():
                self._keep(f"{field}@{local(attribute)}", value)
            self._begin(field)

    def _end(self, name: str) -> None:
        path = self._paths.pop()
        self._names.pop()
        if not self._open:
            return
        if self._field:
            self._keep(self._field, "".join(self._text))
        self._begin("")
        if path == self._open[-1].path:
            self._finished.append(self._open.pop())

    def _characters(self, text: str) -> None:
        if self._field and self._room > 0:
            self._text.append(text)
            self._room -= len(text)

    def _field_at(self, path: str) -> str:
        return path[len(self._open[-1].path) + 1 :]

    def _begin(self, field: str) -> None:
        self._field = field if self._open and field in self._wanted[self._open[-1].path] else ""
        self._text.clear()
        self._room = LONGEST

    def _keep(self, field: str, value: str) -> None:
        record = self._open[-1]
        if field in self._wanted[record.path] and field not in record.fields:
            record.fields[field] = value[:LONGEST]


def local(name: str) -> str:
    return name.rpartition(":")[2]


def quoted(tag: re.Match[str]) -> str:
    """A tag of HTML as XML: every value in quotes, the first of repeated attributes."""
    values: dict[str, str] = {}
    for name, value in ATTRIBUTES.findall(tag[2]):
        values.setdefault(name, unescape(value.strip(value[0]) if value[:1] in ("'", '"') else value))
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in values.items())
    return f"<{tag[1]}{attributes}{tag[5]}>"


def texts(path: Path) -> Iterator[str]:
    """The text of the file from its first "<" on, in pieces, without characters that XML forbids."""
    with path.open("rb") as file:
        head = file.read(HEAD)
        decoder = codecs.getincrementaldecoder(encoding_of(head))(errors="replace")
        begun = decoder.decode(head)
        first = begun.find("<")
        if first < 0:
            raise BadImportFile("It is not XML")
        rest = begun[first:]
        while chunk := file.read(CHUNK):
            text, rest = whole(rest + decoder.decode(chunk))
            yield clean(text)
        yield clean(rest + decoder.decode(b"", True))


def whole(text: str) -> tuple[str, str]:
    """The text up to a tag or reference that the end of the chunk cuts in two, and the rest."""
    tag = text.rfind("<")
    if tag >= 0 and len(text) - tag < LONGEST_TAG and ">" not in text[tag:]:
        return text[:tag], text[tag:]
    cut = UNFINISHED.search(text)
    return (text[: cut.start()], text[cut.start() :]) if cut else (text, "")


def clean(text: str) -> str:
    return REFERENCE.sub(lambda found: "" if is_refused(found) else found[0], NOT_XML.sub("", text))


def is_refused(reference: re.Match[str]) -> bool:
    number = int(reference[1], 16) if reference[1] else int(reference[2])
    return number > 0x10FFFF or NOT_XML.match(chr(number)) is not None


def encoding_of(head: bytes) -> str:
    for mark, encoding in UNICODE.items():
        if head.startswith(mark):
            return encoding
    declared = DECLARED.search(head)
    try:
        name = codecs.lookup(declared[1].decode()).name if declared else ""
    except LookupError:
        name = ""
    return name if name in ENCODINGS else "utf-8"
