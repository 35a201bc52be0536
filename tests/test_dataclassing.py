"""What `rankmark.dataclassing` makes is what the standard library makes of the same class."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import Any

import pytest

from rankmark.dataclassing import dataclass

WAYS = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "kw_only": True},
    {"frozen": True, "eq": False, "repr": False},
]


def made(decorator: Any, how: dict[str, bool]) -> Any:
    """A class with every kind of field that is used."""

    @decorator(**how)
    class Point:
        """A point."""

        x: int
        y: float = 0.5
        tags: list[str] = dataclasses.field(default_factory=list, hash=False)
        kept: dict[str, int] = dataclasses.field(init=False, repr=False, compare=False, default_factory=dict)
        length: float = dataclasses.field(init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "length", abs(self.x) + self.y)

    return Point


def called(made: Any, *args: Any, **named: Any) -> Any:
    try:
        return made(*args, **named)
    except TypeError:
        return TypeError


@pytest.mark.parametrize("how", WAYS, ids=lambda how: "-".join(how) or "plain")
def test_a_class_is_the_standard_librarys(how: dict[str, bool]) -> None:
    ours, theirs = made(dataclass, how), made(dataclasses.dataclass, how)
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert ours.__match_args__ == theirs.__match_args__
    assert hasattr(ours, "__slots__") == hasattr(theirs, "__slots__")
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((), {}),
        ((1,), {}),
        ((), {"x": 1}),
        ((), {"x": 1, "y": 2, "tags": ["a"]}),
        ((), {"x": 1, "length": 2}),
    ]
    for args, named in calls:
        own, other = called(ours, *args, **named), called(theirs, *args, **named)
        if other is TypeError:
            assert own is TypeError
            continue
        assert dataclasses.asdict(own) == dataclasses.asdict(other)
        assert (own == called(ours, *args, **named)) == (other == called(theirs, *args, **named))
        assert own != other
        if how.get("repr", True):
            assert repr(own) == repr(other)
        assert (type(own).__hash__ is None) == (type(other).__hash__ is None)
        if how.get("frozen") and how.get("eq", True):
            assert hash(own) == hash(other)
        changed = dataclasses.replace(own, x=7)
        assert (changed.x, changed.length, changed.y) == (7, 7 + own.y, own.y)
        assert dataclasses.asdict(copy.copy(own)) == dataclasses.asdict(own)


def test_defaults_that_are_made_are_made_anew() -> None:
    point = made(dataclass, {"frozen": True})
    assert point(1).tags is not point(1).tags


@pytest.mark.parametrize("slots", [True, False])
def test_what_is_frozen_stays(slots: bool) -> None:
    point = made(dataclass, {"frozen": True, "slots": slots})(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="'x'"):
        point.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match="'x'"):
        del point.x
    assert point.x == 1


@dataclass(frozen=True, slots=True)
class Base:
    """What another is made of."""

    a: int
    b: int = 2

    def __repr__(self) -> str:
        return "mine"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Base)


@dataclass(frozen=True, slots=True)
class Derived(Base):
    """One field more."""

    c: int = 3


def test_fields_are_inherited_and_own_methods_stay() -> None:
    assert dataclasses.astuple(Derived(1, c=4)) == (1, 2, 4)
    assert repr(Base(1)) == "mine"
    assert Base(1) == Base(2)
    assert hash(Base(1)) == hash((1, 2))
    assert Derived(1) != Derived(2)


def test_slots_are_pickled() -> None:
    assert pickle.loads(pickle.dumps(Derived(1, 5))) == Derived(1, 5)
