"""Judgements of systems side by side: which of two is preferred, or which of several is best and worst."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankmark.dataclassing import dataclass
from rankmark.errors import ColumnError, DataError, UsageError, did_you_mean
from rankmark.inputs.column_checks import no_rows
from rankmark.inputs.names import ALIASES, listed, normal
from rankmark.inputs.predictions.reading import source_of
from rankmark.inputs.roles import AnyColumns, columns_said
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SideBySide", "read_side_by_side"]

NAMES: Mapping[str, tuple[str, ...]] = {
    "system_a": ("system_a", "model_a", "a", "first", "left"),
    "system_b": ("system_b", "model_b", "b", "second", "right"),
    "winner": ("winner", "preferred", "preference", "choice", "outcome"),
    "systems": ("systems", "models", "shown", "options"),
    "best": ("best",),
    "worst": ("worst",),
    "query": (*ALIASES["query"], "prompt", "prompt_id", "question"),
    "assessor": ("assessor", "assessor_id", "judge", "annotator", "annotator_id", "rater", "worker", "user"),
}
"""The usual names of each role of a column."""
PAIRS, SCALED = ("system_a", "system_b", "winner"), ("systems", "best", "worst")
"""What a table of two systems a row has, and one of several."""
SIDES = {**dict.fromkeys(NAMES["system_a"], 1.0), **dict.fromkeys(NAMES["system_b"], 0.0)}
NEITHER = (
    "tie",
    "ties",
    "tied",
    "draw",
    "both",
    "neither",
    "none",
    "equal",
    "same",
    "bothbad",
    "tie (bothbad)",
)
"""What stands in the column of winners where none is."""


@dataclass(frozen=True, slots=True, eq=False)
class SideBySide:
    """Comparisons of two systems each.

    Attributes:
        frame: a row a comparison: ``first`` and ``second``, the systems; ``outcome``, 1 where the first is
            preferred, 0 the second, 0.5 neither; ``judgement``, the number of the row of the table from 0;
            and ``query`` and ``assessor`` where there are such.
        sided: whether first and second are sides, of which one may be preferred by itself.
        where: what messages call the table.

    """

    frame: pl.DataFrame
    sided: bool
    where: str


def read_side_by_side(
    source: object, columns: Mapping[str, Any] | None = None, *, others: Sequence[str] = ()
) -> SideBySide:
    """Reads judgements of systems beside each other.

    Args:
        source: a path, a table, or a dict of columns: with ``system_a``, ``system_b`` and ``winner`` (a
            system's name, a, b, model_a, model_b or tie), or with ``systems`` (a list, or names with spaces
            between them), ``best`` and ``worst``, of which best is preferred to all and all to worst.
        columns: the columns to use, by their roles, where their names do not say it.
        others: columns that are wanted as they are.

    Raises:
        UsageError: what is no table, a file or a role that is not there.
        ColumnError: a column that is not there.
        DataError: no rows, nulls, or winners that do not stand in their row.

    """
    import polars as pl

    opened = source_of(source)
    where = opened.where.replace("predictions", "preferences", 1)
    found = _columns(opened.names, columns_said(columns), where)
    missing = [name for name in others if name not in opened.names]
    if missing:
        raise ColumnError(
            f"{where} has no column {missing[0]!r}{did_you_mean(missing[0], opened.names)}; its columns are "
            f"{listed(opened.names)}"
        )
    frame = pl.DataFrame(opened.take(AnyColumns(tuple(dict.fromkeys([*found.values(), *others])))))
    if not frame.height:
        raise no_rows(where)
    own = frame.select(
        *(pl.col(name).alias(role) for role, name in found.items()),
        *(pl.col(name) for name in others if name not in found),
    ).with_row_index("judgement")
    for role, name in found.items():
        if nulls := own[role].null_count():
            first = int(own[role].is_null().arg_max() or 0)
            raise DataError(
                f"{where}: {nulls:,} of {counted(own.height, 'row')} have no value of {name!r}, the first in "
                f"row {first} (from 0); remove those rows"
            )
    sided = "system_a" in found
    return SideBySide(_of_pairs(own, where) if sided else _of_several(own, where), sided, where)


def _columns(names: Sequence[str], said: Mapping[str, Any], where: str) -> dict[str, str]:
    """The column of each role that is there."""
    for role in said:
        if role not in NAMES:
            raise UsageError(
                f"columns={{{role!r}: …}}: preferences have no role {role!r}{did_you_mean(role, NAMES)}; the "
                f"roles are {listed(NAMES)}"
            )
    found: dict[str, str] = {}
    for role, aliases in NAMES.items():
        name = said.get(role)
        if name is not None and name not in names:
            raise ColumnError(f"{where} has no column {name!r}; its columns are {listed(names)}")
        fits = [each for each in names if normal(each) in {normal(alias) for alias in aliases}]
        exact = [each for each in fits if each == role]
        if name is None and role not in said and fits:
            if len(exact or fits) > 1:
                raise ColumnError(
                    f"{where} has {len(fits)} columns that can be the {role}: {listed(fits)}; say which with "
                    f'columns={{"{role}": "{fits[0]}"}} (on the command line --column {role}={fits[0]})'
                )
            name = (exact or fits)[0]
        if name is not None:
            found[role] = str(name)
    needed = PAIRS if "winner" in found or not {"best", "worst"} & set(found) else SCALED
    lacks = [role for role in needed if role not in found]
    if lacks:
        raise ColumnError(
            f"{where} has no column of {listed(lacks)}: two systems a row are {listed(PAIRS)}, several "
            f"{listed(SCALED)}; its columns are {listed(names)}; say which it is with columns={{…}} "
            "(--column ROLE=NAME)"
        )
    return {role: name for role, name in found.items() if role in (*needed, "query", "assessor")}


def _of_pairs(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """One comparison a row."""
    import polars as pl

    first, second, won = (frame[role].cast(pl.String).str.strip_chars() for role in PAIRS)
    own = first == second
    if own.any():
        row = int(own.arg_max() or 0)
        raise DataError(f"{where}: row {row} (from 0) compares {first[row]!r} with itself")
    rows = pl.DataFrame({"first": first, "second": second, "won": won, "word": won.str.to_lowercase()})
    outcomes = rows.select(
        named=pl.when(pl.col("won") == pl.col("first"))
        .then(1.0)
        .when(pl.col("won") == pl.col("second"))
        .then(0.0),
        side=pl.col("word").replace_strict(SIDES, default=None, return_dtype=pl.Float64),
        neither=pl.when(pl.col("word").is_in(NEITHER)).then(0.5),
    )
    unclear = outcomes.select((pl.col("named") != pl.col("side")).fill_null(value=False)).to_series()
    if unclear.any():
        row = int(unclear.arg_max() or 0)
        raise DataError(
            f"{where}: the winner {won[row]!r} in row {row} (from 0) of {first[row]!r} and {second[row]!r} "
            "is a system's name, and a side, too; write model_a and model_b for sides, or rename the systems"
        )
    outcome = outcomes.select(pl.coalesce("named", "side", "neither")).to_series()
    if outcome.null_count():
        row = int(outcome.is_null().arg_max() or 0)
        raise DataError(
            f"{where}: the winner of {outcome.null_count():,} of {counted(len(won), 'row')} is none of both, "
            f"the first {won[row]!r} in row {row} (from 0) of {first[row]!r} and {second[row]!r}; it is a "
            "name, a, b, or tie"
        )
    return frame.drop(PAIRS).with_columns(first=first, second=second, outcome=outcome)


def _of_several(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """The best before all others, and all others before the worst."""
    import polars as pl

    shown = frame["systems"]
    if shown.dtype != pl.List:
        shown = shown.cast(pl.String).str.strip_chars().str.split(" ")
    rows: list[tuple[int, str, str]] = []
    for row, (systems, best, worst) in enumerate(zip(shown, frame["best"], frame["worst"], strict=True)):
        names = [str(name) for name in systems if str(name)]
        ends = [str(best), str(worst)]
        if len(set(names)) < len(names) or ends[0] == ends[1] or not set(ends) <= set(names):
            raise DataError(
                f"{where}: row {row} (from 0) has the best {ends[0]!r} and the worst {ends[1]!r} of "
                f"{listed(names)}: two of several that differ"
            )
        rows += [(row, ends[0], name) for name in names if name != ends[0]]
        rows += [(row, name, ends[1]) for name in names if name not in ends]
    pairs = pl.DataFrame(
        rows, schema={"judgement": pl.UInt32, "first": pl.String, "second": pl.String}, orient="row"
    )
    return pairs.with_columns(outcome=1.0).join(frame.drop(SCALED), on="judgement", maintain_order="left")
