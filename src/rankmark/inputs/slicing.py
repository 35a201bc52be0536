"""By what queries or rows are sliced: what was given as `by`, and the names of slices in their order."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import date, time, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rankmark.dataclassing import dataclass
from rankmark.errors import ColumnError, DataError, UsageError, calling
from rankmark.forking import need_polars_threads
from rankmark.inputs.arrays.libraries import is_array, to_numpy
from rankmark.inputs.column_checks import half_a_character, several_types
from rankmark.inputs.roles import Roles
from rankmark.inputs.tables import open_table
from rankmark.inputs.tables.several import is_table
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "By",
    "ByColumns",
    "ByFunction",
    "ByQueries",
    "ByRows",
    "Slicing",
    "columns_of",
    "is_interval",
    "single_values",
    "slice_names",
    "understood",
]

By: TypeAlias = "str | Sequence[Any] | Mapping[Any, Any] | Callable[[Any], Any] | Any"
"""A column or several, ``{query: slice}``, a function of a query, a series or an array."""
NAME = "slice"
"""What slices are called by that have no name."""


@dataclass(frozen=True, slots=True)
class ByColumns:
    """Columns, each for itself.

    Attributes:
        names: what they are called.
        attributes: those of a table of queries, as `read_slices` gives each; the others are of the rows.

    """

    names: tuple[str, ...]
    attributes: Mapping[str, pl.DataFrame] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ByQueries:
    """The slice of each query: a table with a column ``query`` and one of slices; what to say of it."""

    name: str
    frame: pl.DataFrame
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ByFunction:
    """A function of a query's id that gives its slice."""

    name: str
    function: Callable[[Any], Any]

    def of(self, queries: Sequence[Any]) -> ByQueries:
        """The slices of these queries.

        Raises:
            UsageError: the function raises, or gives what is no slice.

        """
        slices = []
        for query in queries:
            with calling(self.function, "by", f"query {query!r}"):
                slices.append(self.function(query))
        return _of_queries(self.name, queries, slices)


@dataclass(frozen=True, slots=True)
class ByRows:
    """The slice of each row, by position.

    Attributes:
        values: the slices.
        numbered: whether an index numbers them from 0, which may be queries that are numbers.

    """

    values: pl.Series
    numbered: bool = False

    def of(self, rows: int | None, where: str, queries: Iterable[Any]) -> ByRows | ByQueries:
        """What they are of so many rows: these, or the slices of the queries, if each of them has a number.

        `rows` is None where there are none that they can be of.

        Raises:
            UsageError: there are not as many values as rows.

        """
        import polars as pl

        numbers = range(len(self.values))
        if len(numbers) == rows:
            return self
        if self.numbered and all(query in numbers for query in queries):
            note = (
                f"by is matched to the queries by its index, 0 … {len(numbers) - 1:,}; if their ids are in a "
                "column, make it the index with set_index"
            )
            frame = pl.DataFrame([pl.Series("query", numbers), self.values])
            return ByQueries(self.values.name, frame, (note,))
        has = "no rows with an order" if rows is None else counted(rows, "row")
        a_row = "" if rows is None else "a value a row, "
        raise UsageError(
            f"by has {counted(len(numbers), 'value')}, and {where} has {has}; give {a_row}"
            '{query: slice}, or a pandas Series whose index is the queries (by.rename_axis("query"))'
        )


Slicing: TypeAlias = ByColumns | ByQueries | ByFunction | ByRows


def columns_of(slicing: Slicing | None) -> tuple[str, ...]:
    """The columns of rows that are needed to slice by this."""
    if not isinstance(slicing, ByColumns):
        return ()
    return tuple(name for name in slicing.names if name not in slicing.attributes)


def understood(by: By, table: object = None, *, columns: bool = True) -> Slicing:
    """What is given as `by`, or what was understood of it before.

    A Series of pandas goes by its index: by position where that is the index of `table` or numbers its rows,
    else its index is the queries. Other series and arrays, those of pandas too, go by position.

    Args:
        by: it.
        table: the table whose rows values by position are of, if there is one.
        columns: whether there are columns, so that several texts are their names and not values.

    Raises:
        UsageError: something that slices nothing.

    """
    pandas = sys.modules.get("pandas")
    if isinstance(by, ByColumns | ByQueries | ByFunction | ByRows):
        return by
    if isinstance(by, str):
        return ByColumns((by,))
    if isinstance(by, Mapping):
        return _of_queries(NAME, list(by), list(by.values()))
    if pandas is not None and isinstance(by, pandas.Series):
        return _of_pandas(by, table if isinstance(table, pandas.DataFrame) else None)
    if pandas is not None and isinstance(by, pandas.api.extensions.ExtensionArray | pandas.Index):
        return ByRows(_values_of_pandas(pandas.Series(by)))
    if callable(by):
        name = getattr(by, "__name__", NAME)
        return ByFunction(NAME if name == "<lambda>" else name, by)
    if isinstance(by, list | tuple):
        if not by:
            raise UsageError('no column to slice by; for example by="country"')
        if columns and all(isinstance(name, str) for name in by):
            return ByColumns(tuple(by))
        return ByRows(_series(NAME, by, "row"))
    return ByRows(_of_array(by))


def _of_pandas(series: Any, table: Any) -> Slicing:
    import polars as pl

    values = _values_of_pandas(series)
    index = series.index
    if index.nlevels > 1:
        raise UsageError(
            f"by is a Series whose index has {index.nlevels} levels; give one with the queries alone, or none"
        )
    if table is not None and len(index) == len(table):
        if index.equals(table.index):
            return ByRows(values)
        if index.isin(table.index).all():
            raise UsageError(
                "by is a Series with the index of the table in another order: bring it into the same "
                "(by.reindex(table.index)), or give by.to_numpy() to go by position"
            )
    numbered = index.name is None and type(index).__name__ == "RangeIndex"
    if numbered and (index.start, index.step) == (0, 1):
        return ByRows(values, numbered=True)
    queries = _column(index.to_frame(index=False, name="query"), "query")
    return ByQueries(values.name, pl.DataFrame([queries, values]))


def _values_of_pandas(series: Any) -> pl.Series:
    """The values of a Series, whatever its index."""
    named = NAME if series.name is None else str(series.name)
    name = named if named != "query" else NAME
    return _column(series.reset_index(drop=True).to_frame(name), name)


def _column(frame: Any, name: str) -> pl.Series:
    """The column of a table of pandas that has no other."""
    import polars as pl

    source = open_table(frame, "predictions")
    assert source is not None
    try:
        return pl.DataFrame(source.take(Roles(name, (), False, None, None)))[name]
    except DataError as error:
        raise type(error)(str(error).replace("predictions", "by", 1)) from error


def _of_array(values: Any) -> pl.Series:
    """A series of polars, or an array of any library."""
    import polars as pl

    if isinstance(values, pl.Series):
        return values if values.name not in ("", "query") else values.alias(NAME)
    if (hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__")) and not is_table(
        values
    ):
        return pl.Series(NAME, values)
    if not is_array(values) or len(values.shape) != 1:
        hint = "; a table is given as attributes=, and the names of its columns as by=" * is_table(values)
        raise UsageError(
            f"by={_short(values)} is neither a column, called by its name, nor several, nor "
            "{query: slice}, a function of a query, a series or an array"
            f"{hint}"
        )
    if isinstance(values, np.ma.MaskedArray):  # what is masked is in no slice
        return _series(NAME, values.tolist(), "row")
    array = to_numpy(values)
    if array.dtype.kind not in "biufMm":
        return _series(NAME, array.tolist(), "row")
    wide = array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8)  # which not every polars has
    return pl.Series(NAME, array.astype(np.float64 if wide else array.dtype.newbyteorder("="), copy=False))


def _of_queries(name: str, queries: Sequence[Any], slices: Sequence[Any]) -> ByQueries:
    import polars as pl

    try:
        ids = pl.Series("query", queries)
    except UnicodeEncodeError as error:
        raise DataError(half_a_character("the query of the slices", error.object)) from error
    except (TypeError, pl.exceptions.PolarsError) as error:
        raise DataError(f"the column of queries of the slices {several_types(queries)}") from error
    return ByQueries(name, pl.DataFrame([ids, _series(name, slices, "query", queries)]))


def _series(name: str, values: Iterable[Any], what: str, names: Sequence[Any] | None = None) -> pl.Series:
    """Values of Python as a column; those of several types as texts."""
    import polars as pl

    plain = [
        _plain(value, f"{what} {number if names is None else names[number]!r}")
        for number, value in enumerate(values)
    ]
    kinds = {type(value) for value in plain if value is not None}
    if len(kinds) > 1 and kinds != {int, float}:
        plain = [None if value is None else str(value) for value in plain]
    try:
        return pl.Series(name, plain, strict=False)
    except UnicodeEncodeError as error:
        raise DataError(half_a_character("the slice", error.object)) from error


def _plain(value: Any, where: str) -> Any:
    """A value of Python; None for what stands for none, in whichever library."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, float) and math.isnan(value):
        return None
    from decimal import Decimal  # which takes long

    if isinstance(value, bool | int | float | str | Decimal | date | time | timedelta):
        return value
    if isinstance(value, Iterable):
        raise UsageError(f"by: the slice of {where} is {_short(value)}, which is no single value")
    return str(value)


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 and "\n" not in shown else f"a {type(value).__name__}"


def single_values(values: pl.Series) -> pl.Series:
    """The values, without NaN, which is no value.

    Raises:
        ColumnError: the column does not hold single values.

    """
    import polars as pl

    if values.dtype.is_nested() or values.dtype in (pl.Object, pl.Binary) or not _is_written(values):
        raise ColumnError(f"is {values.dtype}, not single values")
    return values.fill_nan(None) if values.dtype.is_float() else values


def _is_written(values: pl.Series) -> bool:
    """Whether polars can write values of the type."""
    import polars as pl

    try:
        _texts(values.head(0))
    except pl.exceptions.PolarsError:
        return False
    return True


def slice_names(values: pl.Series) -> pl.Series:
    """Values as names of slices: a column of `polars.Enum` with these in the order in which they are shown.

    Numbers, dates and booleans have theirs, and so have the values of an `Enum`. Texts are numbers, intervals
    of numbers by their ends (``(0, 10]``, ``10-20``, ``<5``, ``≥100``), then others by the alphabet, in which
    numbers within them count as such.
    """
    import polars as pl

    need_polars_threads()
    values = single_values(values)
    if isinstance(values.dtype, pl.Enum):
        present = set(values.unique().to_list())
        return values.cast(pl.Enum([name for name in values.dtype.categories if name in present]))
    texts = _texts(values)
    if texts.dtype == pl.String and values.dtype in (pl.String, pl.Categorical, pl.Null):
        names = sorted(texts.drop_nulls().unique().to_list(), key=place)
    else:
        ordered = pl.DataFrame({"value": values, "text": texts}).drop_nulls().sort("value")["text"]
        names = ordered.unique(maintain_order=True).to_list()
    return texts.cast(pl.Enum(names))


def _texts(values: pl.Series) -> pl.Series:
    """The values as they are written: whole numbers and days without what says nothing."""
    import polars as pl

    if values.dtype.is_float():
        whole = (values.is_finite() & (values.abs() < 2**53) & (values == values.round())).all()
        values = values.cast(pl.Int64) if whole else values
    elif isinstance(values.dtype, pl.Datetime) and (values.dt.time() == time()).all():
        values = values.dt.date()
    elif isinstance(values.dtype, pl.Duration):
        return values.dt.to_string("polars")
    return values.cast(pl.String)


NUMBER = (
    r"[-+]?[$€£]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?[km%]?|[-+]?(?:inf(?:inity)?|∞)"
)
INTERVAL = (
    rf"(?P<open>[(\[])\s*(?P<from>{NUMBER})\s*[,;]\s*(?P<to>{NUMBER})\s*(?P<close>[)\]])"
    rf"|(?P<least>{NUMBER})\s*(?:-|–|—|\.\.|\bto\b)\s*(?P<most>{NUMBER})"
    rf"|(?P<below><=?|≤|under|below|up to)\s*(?P<high>{NUMBER})"
    rf"|(?P<above>>=?|≥|over|above|from)\s*(?P<low>{NUMBER})"
    rf"|(?P<onwards>{NUMBER})\s*(?:\+|or more|and more|and over)"
    rf"|(?P<single>{NUMBER})"
)
UNITS: Mapping[str, float] = {"k": 1e3, "m": 1e6}


def place(text: str) -> tuple[Any, ...]:
    """What decides where a text stands among others."""
    ends = _ends(text.strip())
    if ends is not None:
        return (0, *ends, text)
    words = re.split(r"(\d+)", text)  # every second one is a number
    words[1::2] = [(len(word.lstrip("0")), word.lstrip("0")) for word in words[1::2]]
    return (1, words, text)


def is_interval(text: str) -> bool:
    """Whether a text is a number or an interval of numbers."""
    return _ends(text.strip()) is not None


def _ends(text: str) -> tuple[float, bool, float, bool] | None:
    """The ends of an interval: the lower, whether it is open, the upper, whether it is closed."""
    found = re.fullmatch(INTERVAL, text, re.IGNORECASE)  # compiled where there are slices
    if found is None:
        return None
    part = found.groupdict()
    if part["open"]:
        ends = (_number(part["from"]), part["open"] == "(", _number(part["to"]), part["close"] == "]")
    elif part["least"] is not None:
        ends = (_number(part["least"]), False, _number(part["most"]), True)
    elif part["below"]:
        ends = (-math.inf, True, _number(part["high"]), part["below"] in ("<=", "≤", "up to"))
    elif part["above"]:
        ends = (_number(part["low"]), part["above"] not in (">=", "≥", "from"), math.inf, True)
    else:
        one = _number(part["single"] if part["onwards"] is None else part["onwards"])
        ends = (one, False, one if part["onwards"] is None else math.inf, True)
    return None if any(map(math.isnan, ends)) or ends[0] > ends[2] else ends


def _number(written: str) -> float:
    """The number, NaN if it is none."""
    text = re.sub("[,$€£%]", "", written.lower()).replace("∞", "inf")
    unit = UNITS.get(text[-1:], 1)
    try:
        return float(text.rstrip("km") if unit != 1 else text) * unit
    except ValueError:
        return math.nan
