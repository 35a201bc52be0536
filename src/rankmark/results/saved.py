"""Results as files: all that they hold, as JSON and Arrow arrays, to be had again to the last bit.

What stands in the JSON for a value:

- itself, if it is a text, a whole number, a finite number, true, false or null;
- a list of its values, if it is a tuple;
- an object of one field for all else, which says what it is: ``{"float": "nan"}``, ``{"list": […]}``,
  ``{"mapping": [[key, value], …]}``, ``{"measure": ["AP", "map"]}``, ``{"given": ["BLEU", "more"]}`` of a
  measure that is not computed here, ``{"derived": ["vital", ["nuggets:support=1"], "more", [0, 1]]}`` of one
  without a page, ``{"own": …}`` of one of a user's own with all that is known of it but
  its function, ``{"coefficient": "RBO"}``,
  ``{"array": [column, [rows, columns]]}``, ``{"table": [[name, column], …]}``, ``{"ids": …}`` with such a
  table, and ``{"record": ["Counts", [[field, value], …]]}``, of which the reader knows the classes.

Columns are those of a table of one row, whose cells are the arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from rankmark import _numpy as np
from rankmark._native import Table
from rankmark.errors import FormatError, UsageError
from rankmark.language.grammar import write
from rankmark.language.measure import Measure
from rankmark.language.names import parse
from rankmark.rendering.shown import Shown

if TYPE_CHECKING:
    import polars as pl

    from rankmark.language.coefficient import Coefficient
    from rankmark.results.archive import Archive

__all__ = ["HEADER", "Saved", "measure_text", "read_saved"]

FORMAT = 1
"""The version of saved results."""
HEADER, ARRAYS = "result.json", "arrays.arrow"
SCALARS = (str, int, bool, type(None))
NUMBERS = int, float
PLAIN: Mapping[str, tuple[type, ...]] = {
    "bool": (bool,),
    "int": (int,),
    "str": (str,),
    "float": NUMBERS,
    "int | None": (int, type(None)),
    "str | None": (str, type(None)),
    "float | None": (*NUMBERS, type(None)),
}
"""What fields of records can be, by their annotation, where that is one of these."""


class Saved(Shown):
    """What is shown and can be kept in a file, from which `rankmark.load` gives it again."""

    __slots__ = ()

    def save(self, path: str | Path) -> None:
        """Writes all of it to a file, for `rankmark.load`: a zip archive of JSON and Arrow IPC files.

        Values keep all their bits. What is on a cluster is brought here first.

        Raises:
            UsageError: a measure with a function for a parameter, which no file can hold; or the file cannot
                be written.

        """
        import polars as pl

        from rankmark.results.archive import write_archive

        writer = _Writer()
        header = {"result": writer.written(self)}
        write_archive(path, HEADER, FORMAT, header, {ARRAYS: pl.DataFrame(writer.columns)})

    def _kept(self) -> dict[str, Any]:
        """The arguments that make it again; of a dataclass its fields."""
        return _fields(self)

    def _here(self) -> Saved:
        """It without what is elsewhere, such as on a cluster."""
        return self


def measure_text(measure: Measure) -> str:
    """How a file names a measure; one of a user's own as ``module:function``, which is to be imported first.

    Raises:
        UsageError: it has a function for a parameter.

    """
    if any(callable(value) for value in measure.parameters.values()):
        raise UsageError(f"{measure} has a function for a parameter, which cannot be saved")
    if origin := measure.page.origin:
        return write(origin.reference, measure.parameters, measure.cutoff)
    return str(measure)


def read_saved(path: str | Path, class_of: Callable[[str], type]) -> Saved:
    """What `Saved.save` wrote.

    Args:
        path: the file.
        class_of: the class of a record; raises for a name that it does not know.

    Raises:
        FileMissingError: there is no such file.
        FormatError: it is no saved result, is damaged, or is of a later version of rankmark.

    """
    from rankmark.results.archive import read_archive

    archive = read_archive(path, HEADER, FORMAT, "result", {"result": dict})
    with archive.reading():
        found = _Reader(archive, class_of).read(archive.header["result"])
    if not isinstance(found, Saved):
        raise FormatError(f"{archive.where} is none, but a {type(found).__name__}")
    return found


Written: TypeAlias = Any
"""What JSON has."""


class _Writer:
    """Makes JSON of values, and gathers their arrays."""

    def __init__(self) -> None:
        self.columns: dict[str, Any] = {}

    def written(self, value: Any) -> Written:
        """A value as JSON has it."""
        if isinstance(value, SCALARS):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": str(float(value))}
        import polars as pl

        from rankmark.language.coefficient import Coefficient
        from rankmark.language.given_measure import DerivedMeasure, GivenMeasure

        match value:
            case DerivedMeasure():
                return {"derived": self.written(value.parts)}
            case GivenMeasure():
                return {"given": [value.name, value.page.better]}
            case Measure() if value.page.origin:
                from rankmark.language.own import described

                measure_text(value)
                return {"own": self.written(described(value))}
            case Measure():
                return {"measure": [measure_text(value), value.asked]}
            case Coefficient():
                return {"coefficient": str(value)}
            case np.ndarray():
                return {"array": [self._column(pl.Series(value.ravel())), list(value.shape)]}
            case pl.DataFrame():
                return {"table": [[each.name, self._column(each)] for each in value.get_columns()]}
            case Table():
                return {"ids": self.written(pl.DataFrame(value))}
            case Saved():
                whole = value._here()
                return self._record(whole, whole._kept())
            case Mapping():
                return {"mapping": [[self.written(k), self.written(v)] for k, v in value.items()]}
            case _ if is_dataclass(value):
                return self._record(value, _fields(value))
            case tuple() if hasattr(value, "_asdict"):
                return self._record(value, value._asdict())
            case tuple():
                return list(map(self.written, value))
            case list():
                return {"list": list(map(self.written, value))}
        raise TypeError(f"{type(value).__name__} cannot be saved")

    def _record(self, value: Any, kept: Mapping[str, Any]) -> Written:
        return {"record": [type(value).__name__, [[k, self.written(v)] for k, v in kept.items()]]}

    def _column(self, values: pl.Series) -> str:
        name = str(len(self.columns))
        self.columns[name] = values.alias(name).implode()
        return name


def _fields(record: Any) -> dict[str, Any]:
    """The fields that make a dataclass."""
    return {each.name: getattr(record, each.name) for each in fields(record) if each.init}


class _Reader:
    """Makes values of JSON and arrays again."""

    def __init__(self, archive: Archive, class_of: Callable[[str], type]) -> None:
        self.arrays, self.class_of = archive.frame(ARRAYS), class_of
        self.ways: Mapping[str, Callable[[Written], Any]] = {
            "float": float,
            "list": self._list,
            "mapping": self._mapping,
            "measure": self._measure,
            "own": self._own,
            "given": self._given,
            "derived": self._derived,
            "coefficient": self._coefficient,
            "array": self._array,
            "table": self._table,
            "ids": self._ids,
            "record": self._record,
        }

    def read(self, written: Written) -> Any:
        """The value that this stands for."""
        if isinstance(written, list):
            return tuple(map(self.read, written))
        if not isinstance(written, dict):
            return written
        ((what, content),) = written.items()
        return self.ways[what](content)

    def _list(self, written: Written) -> list[Any]:
        return list(map(self.read, written))

    def _mapping(self, written: Written) -> dict[Any, Any]:
        return {self.read(key): self.read(value) for key, value in written}

    def _measure(self, written: Written) -> Measure:
        text, asked = written
        return parse(text).asked_as(asked)

    def _own(self, written: Written) -> Measure:
        from rankmark.language.own import absent_measure

        return absent_measure(self.read(written))

    def _given(self, written: Written) -> Measure:
        from rankmark.language.given_measure import GivenMeasure

        name, better = written
        return GivenMeasure(name, better)

    def _derived(self, written: Written) -> Measure:
        from rankmark.language.given_measure import DerivedMeasure

        return DerivedMeasure(*self.read(written))

    def _coefficient(self, written: Written) -> Coefficient:
        from rankmark.language.coefficient import coefficients_of

        (found,) = coefficients_of(written)
        return found

    def _array(self, written: Written) -> np.ndarray[Any, Any]:
        column, shape = written
        return np.asarray(self.arrays[column][0].to_numpy()).reshape(shape)

    def _table(self, written: Written) -> pl.DataFrame:
        import polars as pl

        return pl.DataFrame([self.arrays[column][0].alias(name) for name, column in written])

    def _ids(self, written: Written) -> Table:
        return Table.from_arrow(self.read(written))

    def _record(self, written: Written) -> Any:
        name, kept = written
        kind, read = self.class_of(name), {field: self.read(value) for field, value in kept}
        for each in fields(kind) if is_dataclass(kind) else ():
            known = PLAIN.get(str(each.type))
            if known and type(read.get(each.name)) not in known and each.name in read:
                raise TypeError(f"{name}.{each.name} is {read[each.name]!r}, and not {each.type}")
        return kind(**read)
