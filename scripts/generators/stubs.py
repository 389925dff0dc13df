"""Type stubs of the synchronous library, derived from the types of the services."""

import asyncio
import inspect
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import townsquare
from townsquare.argument_validation import type_variables
from townsquare.services import OURS
from townsquare.settings import Settings

STUB = Path(townsquare.__file__).parent / "blocking_services.pyi"
HEAD = '"""What `townsquare.connect()` offers; made by `scripts/generate`."""\n\n'


class Stub:
    """One file of classes with the methods of the services, not awaited."""

    def __init__(self) -> None:
        self.imports: set[tuple[str, str]] = set()
        self.classes: dict[str, list[str]] = {}

    def add(self, service: Any) -> str:
        """The name of the class for a service, or for a part of one."""
        kind = type(service)
        name = f"Blocking{kind.__name__}"
        generic = get_args(getattr(service, "__orig_class__", None))
        name += "".join(each.__name__ for each in generic)
        if name in self.classes:
            return name
        lines = self.classes[name] = []
        for member in sorted(each for each in dir(service) if not each.startswith("_")):
            lines += self.member(service, member)
        return name

    def member(self, service: Any, name: str) -> list[str]:
        found = getattr(service, name)
        if inspect.ismethod(found):
            return [f"def {name}{self.signature(found)}: ..."]
        if is_part(found):
            return [f"{name}: {self.add(found)}"]
        if isinstance(found, dict):
            return []
        return [f"{name}: {self.spelled(type(found), {})}"]

    def signature(self, method: Callable[..., Any]) -> str:
        owner = method.__self__  # type: ignore[attr-defined]
        meanings = type_variables(getattr(owner, "__orig_class__", None) or type(owner))
        hints = get_type_hints(method)
        parts, keyword_only = ["self"], False
        for one in inspect.signature(method).parameters.values():
            if one.kind is one.KEYWORD_ONLY and not keyword_only:
                parts.append("*")
                keyword_only = True
            default = "" if one.default is one.empty else " = ..."
            parts.append(f"{one.name}: {self.spelled(hints.get(one.name, Any), meanings)}{default}")
        return f"({', '.join(parts)}) -> {self.spelled(hints.get('return', Any), meanings)}"

    def spelled(self, hint: Any, meanings: dict[Any, Any]) -> str:
        if isinstance(hint, TypeVar):
            return self.spelled(meanings.get(hint, Any), {})
        if hint in (None, NoneType):
            return "None"
        if hint is Any:
            return self.named("typing", "Any")
        origin, args = get_origin(hint), get_args(hint)
        if origin is None:
            return self.named(hint.__module__, hint.__name__)
        if origin is Literal:
            return f"{self.named('typing', 'Literal')}[{', '.join(map(repr, args))}]"
        if origin in (Union, UnionType):
            return " | ".join(self.spelled(each, meanings) for each in args)
        inner = [
            f"[{', '.join(self.spelled(one, meanings) for one in each)}]"
            if isinstance(each, list)
            else "..."
            if each is Ellipsis
            else self.spelled(each, meanings)
            for each in args
        ]
        return f"{self.named(origin.__module__, origin.__name__)}[{', '.join(inner)}]"

    def named(self, module: str, name: str) -> str:
        if module == "builtins":
            return f"builtins.{name}"
        self.imports.add((module, name))
        return name

    def text(self, services: dict[str, str]) -> str:
        lines = [f"from {module} import {name} as {name}" for module, name in sorted(self.imports)]
        text = HEAD + "import builtins\n" + "\n".join(lines) + "\n"
        for name, members in self.classes.items():
            text += f"\nclass {name}:\n" + "".join(f"    {line}\n" for line in members)
        attributes = "".join(f"    {name}: {kind}\n" for name, kind in services.items())
        return f"{text}\nclass BlockingServices:\n{attributes}"


def is_part(found: Any) -> bool:
    return type(found).__module__.startswith("townsquare.services.") and not isinstance(found, type)


def generate() -> str:
    return asyncio.run(_generate())


async def _generate() -> str:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.load(environ={}, data_dir=folder)
        async with townsquare.open(settings=settings, background=False) as square:
            stub = Stub()
            return stub.text({name: stub.add(square.services[name]) for name in OURS})
