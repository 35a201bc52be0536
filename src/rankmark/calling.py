"""Functions that are called otherwise than they can be: what is wrong, and how they are called."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from rankmark.errors import CallError, did_you_mean

__all__ = ["clear_functions", "clear_methods", "refuse_elsewhere", "refuse_unknown", "with_clear_calls"]

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)
SHOWN = 6
"""So many arguments that are given by name are shown at most."""


def clear_functions(module: dict[str, Any]) -> None:
    """Gives the public functions of a module clear calls; `module` is what ``globals()`` is there."""
    for name in module["__all__"]:
        if inspect.isfunction(module[name]):
            module[name] = with_clear_calls(module[name], module["__name__"])


def clear_methods(cls: C) -> C:
    """Gives the public methods of a class, and how it is made, clear calls; those it inherits stay."""
    for name, found in list(vars(cls).items()):
        public = not name.startswith("_") or name == "__init__"
        if public and inspect.isfunction(found) and not hasattr(found, "__wrapped__"):
            setattr(cls, name, with_clear_calls(found, found.__module__))
    return cls


def refuse_unknown(called: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Refuses the first of the names that what is called does not take.

    Raises:
        CallError: it takes no such argument.

    """
    takes = list(known)
    for name in names:
        if name not in takes:
            raise CallError(f"{called}() {_unknown(name, takes)}")


OF_COMPARISONS: Mapping[str, str] = {
    "anova": "comparison.anova(measure)",
    "margin": "comparison.equivalence(measure, margin)",
    "rope": "comparison.bayes(measure, rope=…)",
    "movers": "comparison.movers(count)",
    "details": "comparison.format(details=True)",
}
"""Where in Python there is what these options of the command line show of a comparison."""


def refuse_elsewhere(called: str, names: Iterable[str]) -> None:
    """Refuses what is a method of a comparison and no argument of what makes one.

    Raises:
        CallError: a name is such.

    """
    for name in names:
        if name in OF_COMPARISONS:
            raise CallError(f"{called}() {_elsewhere(name)}")


def _elsewhere(name: str) -> str:
    return f"takes no {name}=; of a comparison there is {OF_COMPARISONS[name]}"


def _unknown(name: str, known: Iterable[str]) -> str:
    if name in OF_COMPARISONS and "test_options" in known:
        return _elsewhere(name)
    return f"got an unexpected keyword argument {name!r}{did_you_mean(name, known)}"


def with_clear_calls(function: F, module: str) -> F:
    """A public function of `module` that, called with arguments that it does not take, says how it is called.

    Any other error is raised as it is.
    """

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError:
            problem = _problem(function, args, kwargs)
            if problem is None:
                raise
        raise CallError(problem)

    called.__module__ = module  # where it is found, so that it can be sent to other processes
    return called  # type: ignore[return-value]


def _problem(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
    """What is wrong with the arguments; None if the function takes them."""
    signature = inspect.signature(function)
    if next(iter(signature.parameters), "") == "self":
        signature = inspect.Signature([*signature.parameters.values()][1:])
        args = args[1:]
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        wrong = _wrong(signature.parameters, args, kwargs) or str(error)
    else:
        return None
    return "".join(
        (f"{_called(function)}() {wrong}", *_instead(signature.parameters, args), _example(function))
    )


def _called(function: Callable[..., Any]) -> str:
    """What is called: a function, or the class that it makes an object of."""
    return function.__qualname__.split(".")[-2] if function.__name__ == "__init__" else function.__name__


def _wrong(
    parameters: Mapping[str, inspect.Parameter], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> str | None:
    by_place = [name for name, each in parameters.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    by_name = [name for name, each in parameters.items() if each.kind is each.KEYWORD_ONLY]
    if len(args) > len(by_place):
        arguments = "argument" if len(by_place) == 1 else "arguments"
        shown = ", ".join(f"{name}=" for name in by_name[:SHOWN]) + (" …" if len(by_name) > SHOWN else "")
        takes = f"{len(by_place)} {arguments} by position ({', '.join(by_place)})"
        return f"takes {takes if by_place else 'no argument by position'}, and {len(args)} were given" + (
            f"; others are given by name: {shown}" if shown else ""
        )
    open_ended = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    if not open_ended and (unknown := [name for name in kwargs if name not in parameters]):
        return _unknown(unknown[0], parameters)
    there = {*by_place[: len(args)], *kwargs}
    missing = [
        name if name in by_place else f"{name}="
        for name in (*by_place, *by_name)
        if name not in there and parameters[name].default is inspect.Parameter.empty
    ]
    return f"lacks {' and '.join(missing)}" if missing else None


def _instead(parameters: Mapping[str, inspect.Parameter], args: Sequence[Any]) -> Iterator[str]:
    """What users of other libraries mean by their arguments, as it is said here."""
    first = next(iter(parameters), None)
    columns = len(args) > 1 and all(map(_is_column, args[:2]))
    if first == "table" and columns:
        yield '; labels and scores are columns of one table, {"label": labels, "score": scores}'
    if first == "differences" and columns:
        yield "; give the differences of two systems, a number a query: values - other_values"
    if "runs" in parameters and len(args) > 2 and not isinstance(args[1], Mapping):
        yield '; runs are given together, by their names: {"first": run, "second": other_run}'


def _is_column(given: Any) -> bool:
    """Whether it is a list, an array or a series of values."""
    if isinstance(given, list | tuple):
        return not any(isinstance(each, list | tuple | Mapping) for each in given[:1])
    return getattr(given, "ndim", 0) == 1 or (hasattr(given, "dtype") and not hasattr(given, "columns"))


def _example(function: Callable[..., Any]) -> str:
    """The first call of the function on its page, if there is one."""
    for source in _statements(inspect.getdoc(function) or ""):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and _name(node.func) == function.__name__:
                call = ast.get_source_segment(source, node) or ""
                return f"; for example {' '.join(call.split())}"
    return ""


def _statements(page: str) -> Iterator[str]:
    """The statements of a page's examples."""
    import textwrap  # for messages alone

    lines: list[str] = []
    for line in map(str.strip, page.splitlines()):
        if lines and not line.startswith("..."):
            yield textwrap.dedent("\n".join(lines))
            lines = []
        if line.startswith(">>> ") or (lines and line.startswith("...")):
            lines.append(line[4:])
    if lines:
        yield textwrap.dedent("\n".join(lines))


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
