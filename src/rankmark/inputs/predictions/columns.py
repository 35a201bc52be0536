"""Which column of labelled scores is the label, which the score: said, or known by their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from rankmark.dataclassing import dataclass
from rankmark.errors import ColumnError, UsageError, did_you_mean
from rankmark.inputs.column_checks import Columns
from rankmark.inputs.names import fitting, listed, misread, nearest

__all__ = [
    "NOTHING",
    "WEIGHING",
    "PredictionColumns",
    "check_columns",
    "check_numbers",
    "check_there",
    "check_weighing",
    "find_columns",
    "outright",
]

USUAL: Mapping[str, str] = {
    "label": "relevance",
    "score": "score",
    "query": "query",
    "item": "item",
    "weight": "weight",
}
"""The roles, and what `ALIASES` calls each."""
NOTHING: Mapping[str, str] = MappingProxyType({})
WEIGHING = "weighing "
"""Before the name of a column that measures weigh queries by, where columns are called by their roles."""


@dataclass(frozen=True, slots=True)
class PredictionColumns:
    """Columns by what they are for; None where there is none. Several scores are of a class each.

    Where `decided` is true, `score` holds the class that is predicted. `others` are wanted as they are,
    `compared` are scores of other systems, and `weighing` are numbers that measures name. `system` is the one
    whose scores they are, where there are several systems.
    """

    label: str
    score: str
    query: str | None = None
    item: str | None = None
    weight: str | None = None
    other_scores: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    weighing: tuple[str, ...] = ()
    decided: bool = False
    system: str | None = None

    @property
    def names(self) -> list[str]:
        """Every column that has a role, or is wanted besides."""
        columns = (self.query, self.item, self.label, self.score, *self.other_scores, self.weight)
        named = (name for name in columns if name is not None)
        return list(dict.fromkeys([*named, *self.others, *self.compared, *self.weighing]))

    @property
    def numbers(self) -> list[str]:
        """Those that hold numbers; labels may be words."""
        scores = () if self.decided else (self.score, *self.other_scores)
        named = (name for name in (*scores, self.weight) if name is not None)
        return list(dict.fromkeys([*named, *self.compared, *self.weighing]))

    def instead(self, name: str) -> str:
        """As `Chosen.instead`."""
        if name in self.weighing:
            return f"{ANOTHER} to weigh queries by"
        if name == self.weight:
            return _another("weight", name)
        if name in (self.score, *self.other_scores):
            return _another("score", name, self.system)
        return f"{ANOTHER} with scores={{system: column}} (on the command line --system NAME=COLUMN)"


def find_columns(
    names: Sequence[str],
    said: Mapping[str, str | Sequence[str] | None],
    where: str,
    weighing: Mapping[str, str] = NOTHING,
    system: str | None = None,
) -> PredictionColumns:
    """The columns of a table, or of one of several systems, by their roles: said, or known by their names.

    `weighing` are those that measures name, each with what it is for, in words; they can have no role.

    Raises:
        ColumnError: one is not there, or not to be told from others.

    """
    columns = _Finder(names, said, where, system).columns()
    check_there(weighing, names, where)
    for role in USUAL:
        if getattr(columns, role) in weighing:
            raise ColumnError(
                f"{where}: the column {getattr(columns, role)!r} is the {role} of the rows, and cannot be "
                f"what queries weigh, too{WEIGHTS_OF_ROLES.get(role, '')}"
            )
    return replace(columns, weighing=tuple(weighing))


WEIGHTS_OF_ROLES: Mapping[str, str] = {
    "label": "; for the positive rows it is weight=clicks",
    "weight": '; for its sum it is weight=impressions; if rows have no weights, say weight="" (on the '
    "command line --weight '')",
}
"""How a measure that weighs queries names what a column with a role says of them."""


class _Finder:
    """Finds the columns of one table, said outright or known by their names."""

    def __init__(
        self,
        names: Sequence[str],
        said: Mapping[str, str | Sequence[str] | None],
        where: str,
        system: str | None,
    ) -> None:
        self.names = names
        several = {role: _names(role, name) for role, name in said.items() if name is not None}
        self.said = {role: names[0] for role, names in several.items() if names}
        self.other_scores = several.get("score", ())[1:]
        self.where = where
        self.system = system

    def columns(self) -> PredictionColumns:
        self._check_said()
        decided = bool(self.said.get("predicted"))
        found = {role: self._find(role) for role in USUAL if not (decided and role == "score")}
        if decided:
            found["score"] = self.said["predicted"]
        label, score = (found[role] or self._missing(role, found) for role in ("label", "score"))
        query, item, weight = (found[role] for role in ("query", "item", "weight"))
        return PredictionColumns(
            label, score, query, item, weight, self.other_scores, decided=decided, system=self.system
        )

    def _check_said(self) -> None:
        roles: dict[str, str] = {}
        for role, name in [*self.said.items(), *(("score", name) for name in self.other_scores)]:
            if not name:
                continue
            if name not in self.names:
                which = f"{did_you_mean(name, self.names) or ';'} its columns are {listed(self.names)}"
                raise ColumnError(
                    f"{self.where} has no column {name!r} for the {_called(role)}"
                    f"{misread(self.names) or which}"
                )
            if name in roles:
                if roles[name] == role:
                    raise ColumnError(f"{self.where}: the {role} column {name!r} is said twice")
                raise ColumnError(
                    f"{self.where}: the column {name!r} cannot be both {_called(roles[name])} and "
                    f"{_called(role)}"
                )
            roles[name] = role

    def _find(self, role: str) -> str | None:
        if role in self.said:
            return self.said[role] or None
        taken = {*self.said.values(), *self.other_scores}
        known = fitting((name for name in self.names if name not in taken), USUAL[role])
        if len(known) > 1:
            raise ColumnError(
                f"{self.where} has {len(known)} columns that can be the {role}: {listed(known)}; "
                f"say which with {outright(role, known[0], self.system)}"
            )
        return known[0] if known else None

    def _missing(self, role: str, found: Mapping[str, str | None]) -> str:
        free = [name for name in self.names if name not in {*self.said.values(), *found.values()}]
        said = {name: f"; {name!r} is said to be the {_called(other)}," for other, name in self.said.items()}
        taken = "".join(said[name] for name in fitting(said, USUAL[role]))
        which = (
            f"{nearest(USUAL[role], free) or taken or ';'} its columns are {listed(self.names)}; "
            f"say which it is with {outright(role, system=self.system)}"
        )
        raise ColumnError(f"{self.where} has no column known as the {role}{misread(self.names) or which}")


def _names(role: str, said: object) -> tuple[str, ...]:
    """The columns that are said for a role: one, or for scores several."""
    several = tuple(said) if role == "score" and isinstance(said, Iterable) else (said,)
    names = (said,) if isinstance(said, str) else several
    for name in names:
        if not isinstance(name, str):
            raise UsageError(
                f"{role}={said!r}: a column is called by its name, a text"
                f"{', and several of scores by a list of them' if role == 'score' else ''}"
            )
    return names


def outright(role: str, name: str = "…", system: str | None = None) -> str:
    """How to say which column, or which label, has a role, in Python and on the command line."""
    if role == "score" and system is not None:
        return f'scores={{"{system}": "{name}"}} (on the command line --system {system}={name})'
    return f'{role}="{name}" (on the command line --{role} {name})'


def _called(role: str) -> str:
    return "predicted class" if role == "predicted" else role


def _another(role: str, name: str, system: str | None = None) -> str:
    """What to do where the column of a role does not hold numbers."""
    another = f"{ANOTHER} with {outright(role, system=system)}"
    if role != "score" or system is not None:
        return another
    return f"{another}, or, if it holds predicted classes, say {outright('predicted', name)}"


ANOTHER = "name another column"


def check_columns(table: Columns, columns: PredictionColumns, where: str, system: str | None = None) -> None:
    """Refuses scores, weights, and columns that measures name, that are no numbers."""
    check_numbers(table, columns.score, "score", where, system)
    check_numbers(table, columns.weight, "weight", where)
    check_weighing(table, columns, where)


def check_numbers(table: Columns, name: str | None, role: str, where: str, system: str | None = None) -> None:
    """Refuses a column, if there is one, that does not hold numbers; labels may be booleans."""
    if name is None:
        return
    kinds = ("integer", "float", "boolean") if role == "label" else ("integer", "float")
    if table.kind(name) not in kinds:
        raise ColumnError(
            f"{where}: the {role} column {name!r} is {table.dtype(name)}, not numbers; cast it, or "
            f"{_another(role, name, system)}"
        )


def check_weighing(table: Columns, columns: PredictionColumns, where: str) -> None:
    """Refuses columns that measures name as weights and that do not hold numbers."""
    for name in columns.weighing:
        if table.kind(name) not in ("integer", "float"):
            raise ColumnError(
                f"{where}: the column {name!r}, by which queries are weighed, is {table.dtype(name)}, not "
                f"numbers; cast it, or {ANOTHER} to weigh queries by"
            )


def check_there(wanted: Mapping[str, str], names: Sequence[str], where: str) -> None:
    """Refuses columns that there are not; beside each stands what it is wanted for."""
    for name, purpose in wanted.items():
        if name not in names:
            raise ColumnError(
                f"{where} has no column {name!r} {purpose}{did_you_mean(name, names) or ';'} its columns are "
                f"{listed(names)}"
            )
