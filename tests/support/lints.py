"""The rules that no linter knows, each a function from a source text to what breaks it.

A read of a whole collection that cannot grow says why, on its line or the one before:
`# bounded: the limit on follows` in Python, `-- bounded: …` in Lua.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from townsquare.keyspace import AnyDeclared
from townsquare.keyspace.declare import PLACEHOLDER

WHOLE_STORE = {"KEYS", "FLUSHALL", "FLUSHDB"}
WHOLE_COLLECTION = {
    "SMEMBERS",
    "HGETALL",
    "HKEYS",
    "HVALS",
    "SINTER",
    "SUNION",
    "SDIFF",
    "ZINTER",
    "ZUNION",
    "ZDIFF",
}
BY_PLACE = {"LRANGE", "ZRANGE", "ZREVRANGE"}
BY_VALUE = {"ZRANGEBYSCORE", "ZREVRANGEBYSCORE", "ZRANGEBYLEX", "ZREVRANGEBYLEX", "XRANGE", "XREVRANGE"}
CUT_BY = {"LIMIT", "COUNT"}

LUA_COMMENT = re.compile(r"--\[\[.*?\]\]|--[^\n]*", re.DOTALL)
LUA_STRING = re.compile(r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"|\[\[(.*?)\]\]", re.DOTALL)
LUA_CALL = re.compile(r"redis\.p?call\s*\(")
UNBOUNDED_LOOP = re.compile(r"\b(?:while|repeat|goto)\b")
LUA_FOR = re.compile(r"\bfor\b.*?\bdo\b", re.DOTALL)
BOUNDED = re.compile(r"(--|#) bounded: \w")
FROM_THE_END = re.compile(r"-\s*\d+")


def whole_reads_in_python(source: str) -> list[str]:
    """Commands that read a collection whole, as calls (`store.call("SMEMBERS", key)`) or as tuples."""
    lines = source.splitlines()
    found = []
    for node in ast.walk(ast.parse(source)):
        parts = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.Tuple) else []
        if reads_whole([ast.unparse(part) for part in parts]):
            assert isinstance(node, ast.expr)
            if not BOUNDED.search("\n".join(lines[max(node.lineno - 2, 0) : node.end_lineno])):
                found.append(ast.unparse(node))
    return found


def whole_reads_in_lua(source: str) -> list[str]:
    code = without_lua_comments(source)
    lines = source.splitlines()
    found = []
    for call in LUA_CALL.finditer(code):
        words, end = lua_arguments(code, call.end())
        first, last = (code.count("\n", 0, place) for place in (call.start(), end))
        if reads_whole(words) and not BOUNDED.search("\n".join(lines[max(first - 1, 0) : last + 1])):
            found.append(code[call.start() : end])
    return found


def reads_whole(words: list[str]) -> bool:
    """Whether a command, given as expressions, answers as many members as there are."""
    if len(words) < 2:
        return False
    verb, *rest = (unquoted(word) for word in words)
    if verb in WHOLE_COLLECTION:
        return True
    if verb in BY_VALUE or {"BYSCORE", "BYLEX"} & set(rest):
        return not CUT_BY & set(rest)
    if verb in BY_PLACE or not is_quoted(words[0]):  # a verb that is chosen at run time may be one of these
        return len(rest) > 2 and bool(FROM_THE_END.fullmatch(rest[2])) and rest[1].isdecimal()
    return False


def is_quoted(word: str) -> bool:
    return word[:1] in ("'", '"')


def unquoted(word: str) -> str:
    return word[1:-1].upper() if is_quoted(word) else word


def lua_arguments(code: str, start: int) -> tuple[list[str], int]:
    """What stands between the parentheses, cut at its commas, and where it ends."""
    depth, words, word = 0, [], ""
    place = start
    while place < len(code):
        text = LUA_STRING.match(code, place)
        character = text[0] if text else code[place]
        place += len(character)
        if character == ")" and depth == 0:
            break
        depth += (character in ("(", "{", "[")) - (character in (")", "}", "]"))
        if character == "," and depth == 0:
            words.append(word.strip())
            word = ""
        else:
            word += character
    return [*words, word.strip()], place


def unbounded_loops_in_lua(source: str) -> list[str]:
    """Loops whose number of rounds is not known when they begin: such a script can hold Redis for ever."""
    code = LUA_STRING.sub("''", without_lua_comments(source))
    return [
        *UNBOUNDED_LOOP.findall(code),
        *(one[0] for one in LUA_FOR.finditer(code) if "math.huge" in one[0]),
    ]


def without_lua_comments(source: str) -> str:
    return LUA_COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), source)


def whole_store_in_python(source: str) -> list[str]:
    """Commands that walk or empty the whole store, of our client's or of redis-py."""
    methods = {
        node.func.attr
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr.upper() in WHOLE_STORE
        and (node.args or node.func.attr != "keys")  # a dict has keys() too
    }
    return [*methods, *(text for text in python_texts(source) if whole_store_command(text))]


def whole_store_in_lua(source: str) -> list[str]:
    return [text for text in lua_texts(source) if whole_store_command(text.upper())]


def whole_store_command(text: str) -> bool:
    return text.partition(" ")[0] in WHOLE_STORE


def keys_in_python(source: str, declared: Iterable[AnyDeclared]) -> list[str]:
    return spelled_keys(python_texts(source), declared)


def keys_in_lua(source: str, declared: Iterable[AnyDeclared]) -> list[str]:
    return spelled_keys(lua_texts(source), declared)


def spelled_keys(texts: Iterable[str], declared: Iterable[AnyDeclared]) -> list[str]:
    """Texts that are a declared key or begin as one does (`counter:`, `prod:social:tmp:home:`)."""
    known = list(declared)
    services = "|".join({one.service for one in known})
    prefix = re.compile(rf"(?:[\w-]*:)?(?:{services}):(?:\{{\w*\}}:)?")
    starts = {start for one in known if (start := PLACEHOLDER.split(one.pattern)[0]).endswith(":")}
    whole = {one.pattern for one in known if ":" in one.pattern and "{" not in one.pattern}
    begins, found = tuple(starts), []
    for text in texts:
        bare = prefix.sub("", text, count=1) if prefix.match(text) else text
        if any(one.startswith(begins) or one in whole for one in (text, bare)):
            found.append(text)
    return found


def python_texts(source: str) -> Iterator[str]:
    """Its string literals, docstrings left out."""
    tree = ast.parse(source)
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value


def lua_texts(source: str) -> Iterator[str]:
    for text in LUA_STRING.finditer(without_lua_comments(source)):
        yield text[1] or text[2] or text[3] or ""


def classes_defined_twice(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Names of classes that several modules define, with those modules."""
    found: dict[str, list[str]] = defaultdict(list)
    for module, source in sources.items():
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(module)
    return {name: modules for name, modules in found.items() if len(modules) > 1}


def looks_at_the_layout(source: str) -> bool:
    return "clustered" in source


def is_too_long(source: str, most: int) -> bool:
    return len(source.splitlines()) > most
