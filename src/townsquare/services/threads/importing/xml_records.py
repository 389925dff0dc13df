"""Records of an XML file, one after the other: the file is never in memory, however large it is.

A record is an element at a known path; what is kept of it is asked for by the path below it: "author/name"
is the text of an element, "thread@id" an attribute, "@id" one of the record itself. Prefixes of namespaces
are left out. What stands before the first "<" and after the root element does not matter; control
characters and bytes that are no text are left out. A document type is refused, and with it all entities but
those of XML itself.
"""

import codecs
import re
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat

from townsquare.services.threads.importing.problems import BadImportFile

CHUNK = 1 << 16
HEAD = 1 << 12  # the first "<" stands in it
DEEPEST = 50
AFTER_THE_END = 9  # expat's XML_ERROR_JUNK_AFTER_DOC_ELEMENT
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

Wanted = Mapping[str, Set[str]]  # by the path of the record


class XmlRecord(NamedTuple):
    path: str
    fields: dict[str, str]
    number: int  # of records of this path, from 1
    within: int  # the number of the record around it, 0 if there is none


def read_records(path: Path, wanted: Wanted) -> Iterator[XmlRecord]:
    """Every record of the file when it ends, so one within another comes before it."""
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
        self._open: list[XmlRecord] = []
        self._counts = dict.fromkeys(wanted, 0)
        self._field = ""  # whose text is read, "" if nobody wants it
        self._text: list[str] = []
        self._room = 0  # characters that it may still have
        self._finished: list[XmlRecord] = []
        self._ended = False  # the root element; what comes after it does not matter
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters

    def feed(self, text: str, *, last: bool = False) -> None:
        if self._ended:
            return
        try:
            self._parser.Parse(text, last)
        except expat.ExpatError as wrong:
            if wrong.code == AFTER_THE_END:
                self._ended = True
                return
            says = expat.ErrorString(wrong.code)
            raise BadImportFile(f"The XML is broken in line {wrong.lineno:,}: {says}") from None

    def finished(self) -> list[XmlRecord]:
        found, self._finished = self._finished, []
        return found

    def _refuse_doctype(self, *_: Any) -> None:
        raise BadImportFile("It has a document type, which no export has")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        path = f"{self._paths[-1]}/{local(name)}"
        if len(self._paths) > DEEPEST:
            raise BadImportFile(f"Its elements are nested deeper than {DEEPEST}")
        self._paths.append(path)
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


def texts(path: Path) -> Iterator[str]:
    """The text of the file from its first "<", in pieces, without what no XML may have."""
    with path.open("rb") as file:
        head = file.read(HEAD)
        decoder = codecs.getincrementaldecoder(encoding_of(head))(errors="replace")
        begun = decoder.decode(head)
        first = begun.find("<")
        if first < 0:
            raise BadImportFile("This is no XML")
        rest = begun[first:]
        while chunk := file.read(CHUNK):
            text, rest = whole(rest + decoder.decode(chunk))
            yield clean(text)
        yield clean(rest + decoder.decode(b"", True))


def whole(text: str) -> tuple[str, str]:
    """The text without a reference that is cut in two, and this."""
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
