"""Parameters of a command from the signature of its function: `Annotated[int, Option(help="…")]`."""

import inspect
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import click


class ParameterDeclaration(NamedTuple):
    kind: type[click.Parameter]
    names: tuple[str, ...]
    settings: dict[str, Any]  # of click; also min and max of a number, exists and dir_okay of a path


def Option(*names: str, **settings: Any) -> ParameterDeclaration:
    return ParameterDeclaration(click.Option, names, settings)


def Argument(**settings: Any) -> ParameterDeclaration:
    return ParameterDeclaration(click.Argument, (), settings)


class EnumChoice(click.Choice[str]):
    """The values of an enumeration. Click would offer their names."""

    def __init__(self, kind: type[Enum]) -> None:
        super().__init__([one.value for one in kind])
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if isinstance(value, self._kind) else self._kind(super().convert(value, param, ctx))


def as_command(
    function: Callable[..., Any],
    name: str | None = None,
    kind: type[click.Command] = click.Command,
    **more: Any,
) -> Any:
    """The command that calls this function."""
    parameters = list(inspect.signature(function).parameters.values())
    with_context = bool(parameters) and parameters[0].annotation is click.Context
    text = more.pop("help", None) or inspect.getdoc(function) or ""
    return kind(
        name or function.__name__.replace("_", "-"),
        callback=click.pass_context(function) if with_context else function,
        params=[as_parameter(one) for one in parameters[with_context:]],
        help=text,
        short_help=more.pop("short_help", first_sentence(text)),
        **more,
    )


def first_sentence(text: str) -> str:
    """Click cuts a longer one off in the list of commands, unless it is given."""
    line = " ".join(text.split("\n\n")[0].split())
    return line.partition(". ")[0].removesuffix(".") + "." if line else ""


def as_parameter(parameter: inspect.Parameter) -> click.Parameter:
    required = parameter.default is parameter.empty
    hint, declared = parameter.annotation, (Argument() if required else Option())
    if get_origin(hint) is Annotated:
        hint, declared = get_args(hint)
    settings = dict(declared.settings)
    if not required:
        default = parameter.default
        settings["default"] = default.value if isinstance(default, Enum) else default
    if declared.kind is click.Argument:
        return click.Argument(
            [parameter.name], required=required, type=click_type(hint, settings), **without_default(settings)
        )
    names = declared.names or (f"--{parameter.name.replace('_', '-')}",)
    if hint is bool:
        return click.Option([*names, parameter.name], is_flag=True, **settings)
    if get_origin(without_none(hint)) is list:
        return click.Option([*names, parameter.name], multiple=True, **without_default(settings))
    settings.setdefault("show_default", True)
    kind = click_type(hint, settings)
    return click.Option([*names, parameter.name], required=required, type=kind, **settings)


def without_default(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name != "show_default" and value is not None}


def without_none(hint: Any) -> Any:
    if get_origin(hint) in (Union, UnionType):
        (hint,) = (one for one in get_args(hint) if one is not NoneType)
    return hint


def click_type(hint: Any, settings: dict[str, Any]) -> Any:
    hint = without_none(hint)
    if get_origin(hint) is Literal:
        return click.Choice(get_args(hint))
    if issubclass(hint, Enum):
        return EnumChoice(hint)
    if issubclass(hint, Path):
        rules = {name: settings.pop(name) for name in ("exists", "dir_okay") if name in settings}
        return click.Path(**rules, path_type=Path)
    if issubclass(hint, int) and settings.keys() & {"min", "max"}:
        return click.IntRange(settings.pop("min", None), settings.pop("max", None))
    return hint
