"""Dataclasses that take a tenth of the time to define.

A command imports many of them and uses few, and the standard library compiles six methods for each, which
would be a third of what a small command takes. Here `__init__` is compiled when somebody looks at it, and
the other methods need not be compiled.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, FrozenInstanceError, fields
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        cls: type | None = None,
        /,
        *,
        frozen: bool = False,
        eq: bool = True,
        repr: bool = True,  # noqa: A002 - it is called so there
        **how: bool,
    ) -> Any:
        """As `dataclasses.dataclass`; `how` is ``slots`` or ``kw_only``."""

        def made(cls: type) -> type:
            own = {
                name for name, value in vars(cls).items() if value is not None
            }  # as `__hash__` beside `__eq__`
            made = dataclasses.dataclass(init=False, repr=False, eq=False, **how)(cls)
            made.__init__ = _Init(made)
            methods = _shown(made) if repr else {}
            if eq:
                methods |= _compared(made, frozen=frozen)
            if frozen:
                methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
                methods |= {"__getstate__": _state, "__setstate__": _set_state} if how.get("slots") else {}
            for name in methods.keys() - own:
                setattr(made, name, methods[name])
            return made

        return made if cls is None else made(cls)


class _Init:
    """An `__init__` that compiles itself."""

    def __init__(self, owner: type) -> None:
        self.owner = owner

    def __get__(self, instance: object, owner: type) -> Any:
        self.owner.__init__ = compiled = _compiled(self.owner)  # type: ignore[misc]
        return compiled.__get__(instance, owner)


class _Factory:
    """What stands for a default that is made anew each time."""

    def __repr__(self) -> str:
        return "<factory>"


UNSAID = _Factory()


def _compiled(cls: Any) -> Any:
    """The `__init__` of a dataclass; it sets attributes of those that are frozen, too."""
    from rankmark._native import set_attributes

    scope: dict[str, Any] = {"_set": set_attributes, "_unsaid": UNSAID}
    positional, named = ["self"], list[str]()
    values: dict[str, str] = {}
    for each in fields(cls):
        name, value, default = each.name, each.name, ""
        if each.default_factory is not MISSING:
            scope[f"_make_{name}"] = each.default_factory
            value, default = f"_make_{name}()", "=_unsaid"
            if each.init:
                value = f"{value} if {name} is _unsaid else {name}"
        elif each.default is not MISSING:
            scope[f"_default_{name}"] = each.default
            default = f"=_default_{name}"
        if each.init:
            (named if each.kw_only else positional).append(name + default)
        if each.init or each.default_factory is not MISSING:
            values[name] = value
    # All at once: one by one it would take three times as long.
    scope["_names"] = tuple(values)
    lines = [f" _set(self, _names, ({', '.join(values.values())},))"] if values else []
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    said = ", ".join([*positional, *(["*", *named] if named else [])])
    exec("\n".join([f"def __init__({said}):", *(lines or [" pass"])]), scope)
    init = scope["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {each.name: each.type for each in fields(cls) if each.init} | {"return": None}
    return init


def _shown(cls: Any) -> dict[str, Any]:
    def __repr__(self: Any) -> str:  # noqa: N807
        said = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(cls) if each.repr)
        return f"{type(self).__qualname__}({', '.join(said)})"

    return {"__repr__": __repr__}


def _compared(cls: Any, *, frozen: bool) -> dict[str, Any]:
    compared = [each.name for each in fields(cls) if each.compare]
    hashed = [each.name for each in fields(cls) if (each.compare if each.hash is None else each.hash)]

    def __eq__(self: Any, other: object) -> Any:  # noqa: N807
        if type(other) is not type(self):
            return NotImplemented
        return [getattr(self, name) for name in compared] == [getattr(other, name) for name in compared]

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(tuple([getattr(self, name) for name in hashed]))

    return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}


def _refuse(_: object, name: str, *__: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
