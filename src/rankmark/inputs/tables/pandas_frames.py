"""Frames and series of pandas, whose ids may be in the index."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING, Any

from rankmark._native import Table
from rankmark.errors import ColumnError, RankmarkError
from rankmark.inputs.column_checks import several_types
from rankmark.inputs.roles import VALUE_OF, Chosen, TableName, is_of_lists
from rankmark.inputs.source import Source
from rankmark.inputs.tables.polars_frames import from_polars

if TYPE_CHECKING:
    import polars as pl

__all__ = ["opened"]


def opened(source: object, table: TableName) -> Source | None:
    """A frame, or a series of numbers with ids in its index; None if `source` is neither."""
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return None
    if isinstance(source, pandas.Series) and table != "predictions":
        return _from_pandas(
            source.to_frame(source.name or (VALUE_OF[table] if is_of_lists(table) else "item")), table
        )
    return _from_pandas(source, table) if isinstance(source, pandas.DataFrame) else None


def _from_pandas(frame: Any, table: TableName) -> Source:
    levels = [name for name in frame.index.names if name is not None and name not in frame.columns]
    frame = frame.reset_index(levels) if levels else _with_index(frame)
    names = [str(name) for name in frame.columns]

    def take(roles: Chosen) -> Table:
        chosen = frame.iloc[:, [names.index(name) for name in roles.names]].set_axis(roles.names, axis=1)
        chosen = _in_words(chosen.reset_index(drop=True))
        try:
            return _with_orders(_columns(chosen), chosen)
        except RankmarkError:
            raise
        except OverflowError as error:
            raise _beyond_64_bits(chosen, table) from error
        except (NotImplementedError, TypeError, ValueError) as error:
            for name in roles.names:
                if not _is_readable(chosen[name]):
                    wrong = f"column {name!r} {several_types(chosen[name].tolist())}"
                    raise ColumnError(f"{table}: {wrong}, for example with astype(str)") from error
            raise ColumnError(f"{table} cannot be read: {error}") from error

    return Source(table, names, take)


def _columns(frame: Any) -> Table:
    """A frame with names of its own; columns of plain Python objects are read as they are."""
    objects = [name for name, dtype in frame.dtypes.items() if dtype == "object"]
    plain = Table.from_objects([(name, frame[name].to_numpy()) for name in objects]) if objects else None
    if plain is None:
        return _by_arrow(frame)
    rest = frame.drop(columns=plain.names)
    return plain.beside(_by_arrow(rest)) if len(rest.columns) else plain


def _by_arrow(frame: Any) -> Table:
    return Table.from_arrow(frame if importlib.util.find_spec("pyarrow") else _by_column(frame))


def _beyond_64_bits(frame: Any, table: TableName) -> ColumnError:
    """The error for an integer that no column holds."""
    from numbers import Integral

    objects = ((name, value) for name in frame.columns for value in frame[name])
    integers = ((name, int(value)) for name, value in objects if isinstance(value, Integral))
    name, value = next((name, value) for name, value in integers if not -(2**63) <= value < 2**63)
    return ColumnError(
        f"{table}: column {name!r} holds {value}, which does not fit into 64 bits; make it text, for example "
        "with astype(str)"
    )


def _is_readable(column: Any) -> bool:
    from polars.exceptions import PolarsError

    try:
        Table.from_arrow(_by_column(column.to_frame()))
    except (OverflowError, PolarsError, TypeError, ValueError):
        return False
    return True


def _with_index(frame: Any) -> Any:
    """The frame with an index without a name that holds texts as a column, under pandas' name for it."""
    unnamed = frame.index.names == [None] and frame.index.inferred_type == "string"
    return frame.reset_index() if unnamed and "index" not in frame.columns else frame


def _in_words(frame: Any) -> Any:
    """The frame with intervals and periods as texts: Arrow has but numbers of them."""
    pd = sys.modules["pandas"]
    for name, dtype in frame.dtypes.items():
        of = dtype.categories.dtype if isinstance(dtype, pd.CategoricalDtype) else dtype
        if isinstance(of, pd.IntervalDtype | pd.PeriodDtype):
            frame = frame.assign(**{name: frame[name].astype(object).map(str, na_action="ignore")})
    return frame


def _with_orders(table: Table, frame: Any) -> Table:
    """The table with categories that are texts in their order, which Arrow does not keep."""
    import polars as pl

    pd = sys.modules["pandas"]
    dtypes = ((name, dtype) for name, dtype in frame.dtypes.items() if isinstance(dtype, pd.CategoricalDtype))
    orders = {
        name: list(dtype.categories) for name, dtype in dtypes if dtype.categories.inferred_type == "string"
    }
    orders = {
        name: order for name, order in orders.items() if frame[name].cat.ordered or order != sorted(order)
    }
    if not orders:
        return table
    enums = {name: pl.Enum(order) for name, order in orders.items()}
    columns = (each.cast(enums[each.name]) if each.name in enums else each for each in pl.DataFrame(table))
    return from_polars(pl.DataFrame(columns), "")


def _by_column(frame: Any) -> pl.DataFrame:
    """A pandas frame through NumPy, for where pyarrow is not installed."""
    import polars as pl

    def values(column: Any) -> Any:
        array = column.to_numpy()
        return array if array.dtype.kind in "biuf" else column.to_numpy(dtype=object, na_value=None).tolist()

    return pl.DataFrame({name: values(frame[name]) for name in frame.columns}, strict=True)
