"""Which columns of a log have which roles, and how errors of tables call it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rankmark.errors import ColumnError, RankmarkError, UsageError, did_you_mean
from rankmark.inputs.names import listed, misread, normal
from rankmark.inputs.roles import columns_said

__all__ = ["called_log", "find_log_columns", "no_log_column"]

Usual = Mapping[str, Sequence[str]]
"""The usual names of the columns of each role."""


def find_log_columns(
    names: Sequence[str],
    said: Mapping[str, Any] | None,
    where: str,
    usual: Usual,
    needed: Sequence[str],
    wanted: Sequence[str] = (),
    *,
    yielding: Collection[str] = (),
) -> dict[str, str]:
    """The column of each role that is needed, and of those that are wanted and there.

    Args:
        names: of the columns that there are.
        said: the column of roles for which it is said; None for one that is wanted and not to be looked for.
        where: what messages call the log.
        usual: the usual names of every role that there is.
        needed: the roles that have to be there.
        wanted: those that are taken where they are.
        yielding: usual names that give way to others of their role.

    Raises:
        UsageError: `said` names a role that there is not.
        ColumnError: one that is not there, or several that fit.

    """
    said = columns_said(said)
    for role in said:
        if role not in usual:
            raise UsageError(
                f"columns={{{role!r}: …}}: a log has no role {role!r}{did_you_mean(role, usual)}; the roles "
                f"are {listed(usual)}"
            )
    found: dict[str, str] = {}
    for role in dict.fromkeys([*needed, *wanted]):
        name = said.get(role)
        if name is None and (role in needed or role not in said):
            free = [each for each in names if each not in said.values()]
            name = _usual(role, free, names, where, usual, yielding, must=role in needed)
        if name is None:
            continue
        if name not in names:
            raise no_log_column(str(name), names, where, f"{name!r}, which columns={{{role!r}: …}} asks for")
        found[role] = str(name)
    return found


def no_log_column(word: str, names: Sequence[str], where: str, what: str) -> ColumnError:
    """The error of a column that is not there, with those that come near the word."""
    hint = did_you_mean(word, names) or ";"
    return ColumnError(f"{where} has no column {what}{hint} its columns are {listed(names)}")


def _usual(
    role: str,
    free: Sequence[str],
    names: Sequence[str],
    where: str,
    usual: Usual,
    yielding: Collection[str],
    *,
    must: bool,
) -> str | None:
    known = {normal(alias) for alias in usual[role]}
    fits = [name for name in free if normal(name) in known]
    fits = [name for name in fits if normal(name) == normal(role)] or fits
    fits = [name for name in fits if normal(name) not in yielding] or fits
    if len(fits) == 1:
        return fits[0]
    if fits and (must or role != "query"):
        raise ColumnError(
            f"{where} has {len(fits)} columns that can be the {role}: {listed(fits)}; say which with "
            f'columns={{"{role}": "{fits[0]}"}} (on the command line --column {role}={fits[0]})'
        )
    if not must:
        return None
    hint = misread(list(names)) or (
        f"{did_you_mean(role, names) or ';'} its columns are {listed(names)}; say which it is with "
        f'columns={{"{role}": "…"}} (on the command line --column {role}=…)'
    )
    raise ColumnError(f"{where} has no column for the {role}{hint}")


@contextmanager
def called_log(columns: str = '{"item": items, "reward": rewards, …}') -> Iterator[None]:
    """Lets errors of a table that is opened as predictions are call it a log, which has such columns."""
    try:
        yield
    except RankmarkError as error:
        said = re.sub(r"^predictions\b", "log", str(error))
        said = said.replace(
            "evaluate_predictions takes one table; rm.compare_predictions compares several systems, and "
            "parts of one are",
            "a log is one table; parts of it are",
        )
        said = said.replace('{"label": labels, "score": scores}', columns)
        raise type(error)(said) from error
