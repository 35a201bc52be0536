"""Which column is the query, which the item, which the score."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Literal, Protocol, TypeGuard

from rankmark.dataclassing import dataclass
from rankmark.errors import ColumnError, UsageError, did_you_mean
from rankmark.inputs.names import NORMAL_ALIASES, fitting, listed, misread, nearest, normal

__all__ = [
    "VALUE_OF",
    "AnyColumns",
    "Chosen",
    "ColumnNames",
    "Roles",
    "Side",
    "TableName",
    "are_column_names",
    "check_names",
    "columns_said",
    "find_item",
    "find_query",
    "find_roles",
    "is_of_lists",
    "missing_role",
    "said_of",
    "said_outright",
    "says_aspect",
]

Side = Literal["qrels", "run"]
TableName = Side | Literal["predictions", "items"]
ColumnNames = Mapping[str, str | Sequence[str] | None]

SIDES: Mapping[str, tuple[Side, ...]] = {
    "query": ("qrels", "run"),
    "item": ("qrels", "run"),
    "items": ("qrels", "run"),
    "relevance": ("qrels",),
    "aspect": ("qrels",),
    "aspect_weight": ("qrels",),
    "stratum": ("qrels",),
    "probability": ("qrels",),
    "score": ("run",),
    "rank": ("run",),
}
ABOUT_ITEMS: Mapping[str, tuple[str, ...]] = {"items": ("item",), "train": ("query", "item")}
"""The roles of the tables that measures of what is recommended know, which can be said with a prefix."""
VALUE_OF: Mapping[Side, str] = {"qrels": "relevance", "run": "score"}
"""What the numbers of a table are."""


def is_of_lists(table: TableName) -> TypeGuard[Side]:
    """Whether it is a table of judgements or of results."""
    return table in VALUE_OF


class Chosen(Protocol):
    """Columns that have been chosen from a table, to be read."""

    @property
    def names(self) -> list[str]:
        """Every one of them."""

    @property
    def numbers(self) -> list[str]:
        """Those that hold numbers."""

    def instead(self, name: str) -> str:
        """What to do where one of these holds texts, besides correcting them."""


@dataclass(frozen=True, slots=True)
class AnyColumns:
    """Columns that are read whatever they hold: a `Chosen`."""

    columns: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """All of them."""
        return list(self.columns)

    @property
    def numbers(self) -> list[str]:
        """None has to hold numbers before it is looked at."""
        return []

    def instead(self, name: str) -> str:
        """As `Chosen.instead`."""
        return f"name another column than {name!r}"


@dataclass(frozen=True, slots=True)
class Roles:
    """Columns by what they are for; several items are the ranked columns of a wide table."""

    query: str
    items: tuple[str, ...]
    wide: bool
    value: str | None
    rank: str | None
    aspect: str | None = None
    aspect_weight: str | None = None
    stratum: str | None = None
    probability: str | None = None
    _names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _numbers: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        of_numbers = (self.value, self.rank, self.aspect_weight, self.probability)
        numbers = tuple(name for name in of_numbers if name is not None)
        # Those that only some measures look at; a file of text has them all as texts.
        others = filter(None, (self.aspect, self.stratum))
        object.__setattr__(self, "_numbers", numbers)
        object.__setattr__(self, "_names", (self.query, *self.items, *numbers, *others))

    @property
    def names(self) -> list[str]:
        """Every column that has a role."""
        return [*self._names]

    @property
    def numbers(self) -> list[str]:
        """Those that hold numbers."""
        return [*self._numbers]

    def instead(self, _: str) -> str:
        """As `Chosen.instead`."""
        return "name another column with columns={…} (on the command line --column ROLE=NAME)"


def columns_said(columns: ColumnNames | None) -> ColumnNames:
    """What `columns` says, which is nothing where it is None.

    Raises:
        UsageError: it is no dict of names by roles.

    """
    if columns is None:
        return {}
    if not isinstance(columns, Mapping) or not all(isinstance(key, str) for key in columns):
        raise UsageError(
            f"columns={columns!r} is no dict of columns' names by what they hold, such as "
            '{"query": "user_id"}'
        )
    return columns


def said_of(columns: ColumnNames | None, table: str) -> ColumnNames:
    """What `columns` says of one of the tables that are neither judgements nor results, without prefixes."""
    everywhere = {key: name for key, name in columns_said(columns).items() if "." not in key}
    own = {key: name for key, name in columns_said(columns).items() if key.startswith(f"{table}.")}
    return everywhere | {key.removeprefix(f"{table}."): name for key, name in own.items()}


def find_roles(names: Sequence[str], side: Side, columns: ColumnNames | None, where: str) -> Roles:
    """The roles of a table's columns, said outright or found by their names; `where` is for messages."""
    if columns:
        return _Finder(names, side, columns, where).roles()
    return _known_roles(tuple(names), side, where)


@lru_cache(maxsize=256)
def _known_roles(names: tuple[str, ...], side: Side, where: str) -> Roles:
    """Those found by the names alone, which tables mostly share with many others."""
    return _Finder(names, side, None, where).roles()


def find_query(names: Sequence[str], columns: ColumnNames | None, where: str) -> str:
    """The column of queries, in a table of which the others may be anything."""
    return _Finder(names, "qrels", columns, where).need("query")


def find_item(names: Sequence[str], columns: ColumnNames | None, where: str) -> str:
    """The column of items, in a table of which the others may be anything."""
    return _Finder(names, "qrels", columns, where).need("item")


def check_names(columns: ColumnNames | None, tables: Mapping[Side, Sequence[str]]) -> None:
    """Refuses names in `columns` that are in no table that could have them; `tables` are columns' names.

    What is said of a table that is not given is left alone.
    """
    for key, value in columns_said(columns).items():
        sides, role = _parse_key(key)
        if not (sides := tuple(side for side in sides if side in tables)):
            continue
        known = [name for side in sides for name in tables[side]]
        missing = [name for name in _parts(role, value, known) if name not in known]
        if missing:
            whose = "neither qrels nor run has" if len(sides) == 2 else f"{sides[0]} does not have"
            raise ColumnError(
                f"columns={{{key!r}: {value!r}}}: {whose} a column {missing[0]!r}"
                f"{did_you_mean(missing[0], known) or ';'} the columns are {listed(dict.fromkeys(known))}"
            )


def are_column_names(texts: Iterable[str], columns: ColumnNames | None) -> bool:
    """Whether one of the texts is known as a column's name, so that they may be the head of a table."""
    said = {
        name for key, value in columns_said(columns).items() for name in _parts(_parse_key(key)[1], value, ())
    }
    known = {alias for aliases in NORMAL_ALIASES.values() for alias in aliases}
    return any(text in said or normal(text) in known for text in texts)


def says_aspect(columns: ColumnNames | None, name: str | None = None) -> bool:
    """Whether judgements are said to be of aspects, which are in this column if one is named."""
    if not columns:
        return False
    said = [columns_said(columns).get(key) for key in ("aspect", "qrels.aspect")]
    return any(each is not None and name in (None, each) for each in said)


def said_outright(role: str, name: str = "…") -> str:
    """How to say which column has a role, in Python and on the command line."""
    return f'columns={{"{role}": "{name}"}} (on the command line --column {role}={name})'


def _parse_key(key: str) -> tuple[tuple[Side, ...], str]:
    """The tables that a key of `columns` speaks of, and its role."""
    prefix, _, role = key.rpartition(".")
    if role in ABOUT_ITEMS.get(prefix, ()):
        return (), role
    sides = SIDES.get(role, ())
    if prefix:
        sides = tuple(side for side in sides if side == prefix)
    if not sides:
        keys = [*SIDES, *(f"{side}.{role}" for role, sides in SIDES.items() for side in sides)]
        raise UsageError(
            f"columns={{{key!r}: …}}: there is no role {key!r}{did_you_mean(key, keys)}; "
            f"the roles are {listed(SIDES)}, also with 'qrels.' or 'run.' before them, and query and "
            "item with 'train.', item with 'items.'"
        )
    return sides, role


def _parts(role: str, value: str | Sequence[str] | None, names: Sequence[str]) -> list[str]:
    """The column names in a value of `columns`: one, for items a list of them, for no column none."""
    if value is None and role in ("relevance", "score", "rank", "aspect", "stratum", "probability"):
        return []
    if not isinstance(value, str):
        if role != "items" or value is None:
            raise UsageError(f"columns={{{role!r}: …}} takes one column name, not {value!r}")
        return list(value)
    if role == "items" and value not in names:
        return [part.strip() for part in value.split(",")]
    return [value]


# Prefixes by which numbered columns are known as a ranked list.
NORMAL_PREFIXES = {
    *("", "pred", "predicted", "prediction", "rank", "rec", "recommendation", "top"),
    *NORMAL_ALIASES["item"],
}


def missing_role(role: str, names: Sequence[str], where: str, columns: ColumnNames | None) -> ColumnError:
    """The error for a table in which no column can have a role that it needs."""
    asked = [str(value) for key, value in columns_said(columns).items() if key == role]
    hint = nearest(role, names, *asked)
    wanted = "a score or a rank" if role == "score" else f"the {role}"
    which = f"{hint or ';'} its columns are {listed(names)}; say which it is with {said_outright(role)}"
    return ColumnError(f"{where} has no column for {wanted}{misread(names) or which}")


def _may_be_relevance(name: str) -> bool:
    """Whether a column's name comes near a relevance's, or is that of a score, as if a run were the qrels."""
    return normal(name) in NORMAL_ALIASES["score"] or any(
        alias in normal(name) for alias in NORMAL_ALIASES["relevance"] if alias != "gain" and len(alias) > 2
    )


class _Finder:
    """Finds the roles of one table's columns."""

    def __init__(self, names: Sequence[str], side: Side, columns: ColumnNames | None, where: str) -> None:
        self.names = names
        self.where = where
        self.side = side
        self.columns = columns_said(columns)
        self.outright: dict[str, list[str]] = {}
        for key, value in self.columns.items():
            sides, role = _parse_key(key)
            if side in sides:
                self._say(key, role, _parts(role, value, names))

    def roles(self) -> Roles:
        query = self.need("query")
        items, wide = self._items({query})
        if self.side == "qrels":
            weight = next(iter(self.outright.get("aspect_weight", [])), None)
            relevance = self._relevance({query, *items})
            return Roles(
                query, items, wide, relevance, None, self._plain("aspect"), weight,
                self._plain("stratum"), self._plain("probability"),
            )  # fmt: skip
        rank_said = "rank" in self.outright and "score" not in self.outright
        score = None if rank_said else self._find("score")
        return Roles(query, items, wide, score, None if score else self._find("rank"))

    def _say(self, key: str, role: str, parts: list[str]) -> None:
        for other, names in self.outright.items():
            if twice := set(names) & set(parts):
                raise ColumnError(
                    f"{self.where}: the column {twice.pop()!r} cannot be both {other} and {role}"
                )
        missing = [part for part in parts if part not in self.names]
        if not missing:
            self.outright[role] = parts
        elif "." in key or len(missing) < len(parts):
            raise ColumnError(
                f"{self.where} has no column {missing[0]!r}, which columns={{{key!r}: …}} asks for"
                f"{did_you_mean(missing[0], self.names) or ';'} its columns are {listed(self.names)}"
            )

    def _find(self, role: str) -> str | None:
        if role in self.outright:
            return next(iter(self.outright[role]), None)
        said = {name for names in self.outright.values() for name in names}
        free = [name for name in self.names if name not in said]
        known = fitting(free, role)
        if len(known) > 1:
            raise ColumnError(
                f"{self.where} has {len(known)} columns that can be the {role}: {listed(known)}; "
                f"say which with {said_outright(role, known[0])}"
            )
        return known[0] if known else None

    def _plain(self, role: str) -> str | None:
        """A column that only some measures look at: none where it is not plain which it is."""
        if role in self.outright:
            return self._find(role)
        said = {name for names in self.outright.values() for name in names}
        free = (name for name in self.names if name not in said)
        found = [name for name in free if normal(name) in NORMAL_ALIASES[role]]
        plain = [name for name in found if not normal(name).startswith("iter")] or found
        return plain[0] if len(plain) == 1 else None

    def _relevance(self, taken: set[str]) -> str | None:
        found = self._find("relevance")
        if found or "relevance" in self.outright:
            return found
        if "corpusid" in map(normal, taken):  # BEIR and MTEB call a grade the score
            found = next((name for name in self.names if normal(name) == "score"), None)
        if found:
            return found
        for name in self.names:
            if name not in taken and _may_be_relevance(name):
                swapped = ""
                if normal(name) in NORMAL_ALIASES["score"]:
                    swapped = "; or are judgements and results swapped?"
                raise ColumnError(
                    f"{self.where} has no column known as the relevance, but {name!r} may be it; say so with "
                    f"{said_outright('relevance', name)}, or, if every row is relevant, that there is none "
                    f'with columns={{"relevance": None}} (on the command line --column relevance=){swapped}'
                )
        return None

    def need(self, role: str) -> str:
        """The one column of a role without which the table is of no use."""
        found = self._find(role)
        if found is None:
            raise missing_role(role, self.names, self.where, self.columns)
        return found

    def _items(self, taken: set[str]) -> tuple[tuple[str, ...], bool]:
        if "items" in self.outright:
            items = tuple(self.outright["items"])
            return items, len(items) > 1
        single = self._find("item")
        if single is not None:
            return (single,), False
        ranked = self._numbered([name for name in self.names if name not in taken])
        return (ranked, True) if ranked else ((self.need("item"),), False)

    def _numbered(self, names: Sequence[str]) -> tuple[str, ...]:
        """The columns of one prefix with consecutive numbers, in their order."""
        groups: dict[str, dict[int, str]] = {}
        for name in names:
            if match := re.fullmatch(r"(.*?)(\d+)", name):
                groups.setdefault(match[1], {})[int(match[2])] = name
        whole = {
            prefix: tuple(group[number] for number in sorted(group))
            for prefix, group in groups.items()
            if sorted(group) in (list(range(len(group))), list(range(1, len(group) + 1)))
        }
        fitting = [prefix for prefix in whole if normal(prefix) in NORMAL_PREFIXES]
        if len(fitting) > 1:
            raise ColumnError(
                f"{self.where} has {len(fitting)} groups of numbered columns that can be the ranked items: "
                f"{listed(whole[prefix][0] + ' …' for prefix in fitting)}; "
                f"say which with {said_outright('items', ','.join(whole[fitting[0]][:2]) + ',…')}"
            )
        if fitting:
            return whole[fitting[0]]
        for columns in (columns for columns in whole.values() if len(columns) > 1):
            raise ColumnError(
                f"{self.where} has no column for the item; if {columns[0]!r}, {columns[1]!r} … are the "
                f"ranked items, say so with {said_outright('items', ','.join(columns))}"
            )
        return ()
