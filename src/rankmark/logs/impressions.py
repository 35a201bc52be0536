"""Rows of a log brought together: an impression each, with its positions side by side."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankmark.dataclassing import dataclass
from rankmark.errors import DataError
from rankmark.inputs.logged_feedback import OTHER, LoggedRows
from rankmark.rendering.words import counted
from rankmark.statistics.resampling import Floats

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Impressions"]


@dataclass(frozen=True)
class Impressions:
    """The impressions of some rows of a log.

    Attributes:
        rows: the rows, ordered by impression and position.
        where: what messages call the log.
        starts: the first row of each impression, and the number of rows.
        width: how many positions there are at most.

    """

    rows: pl.DataFrame
    where: str
    starts: NDArray[np.int64]
    width: int

    @classmethod
    def of(cls, read: LoggedRows, width: int | None = None) -> Impressions:
        """Those of rows that have been read; each row by itself where the log has no ids of impressions.

        Args:
            read: the rows.
            width: how many positions there are at most in the whole log, where these are a part of it.

        Raises:
            DataError: two rows of an impression at one position; positions of rows that belong to none.

        """
        frame = read.frame
        if "impression" not in frame.columns:
            _refuse_positions(read)
            return cls(frame, read.where, np.arange(frame.height + 1), width or 1)
        order = ["impression", *(["position"] if "position" in frame.columns else [])]
        frame = frame.sort(order, maintain_order=True)
        new = (frame["impression"] != frame["impression"].shift(1)).fill_null(value=True).to_numpy()
        starts = np.append(np.flatnonzero(new), frame.height)
        if "position" in frame.columns:
            again = ~new & (frame["position"] == frame["position"].shift(1)).fill_null(value=False).to_numpy()
            if again.any():
                first = frame.row(int(np.flatnonzero(again)[0]), named=True)
                raise DataError(
                    f"{read.where}: {counted(int(again.sum()), 'row')} of a position that their impression "
                    f"has already, such as position {first['position']:g} of {first['impression']!r}; give "
                    "each list that was shown an id of its own"
                )
        longest = int(np.diff(starts).max(initial=1))
        if width is not None and longest > width:
            raise DataError(
                f"{read.where}: an impression has {longest} positions, and others {width} at most"
            )
        return cls(frame, read.where, starts, longest if width is None else width)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def apart(self) -> bool:
        """Whether each row is an impression, since the log has no ids of these."""
        return "impression" not in self.rows.columns

    @property
    def unplaced(self) -> bool:
        """Whether the order of rows stands for the positions of lists."""
        return self.width > 1 and "position" not in self.rows.columns

    @cached_property
    def _slots(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The impression and the position, from 0, of each row."""
        lengths = np.diff(self.starts)
        owner = np.repeat(np.arange(len(self)), lengths)
        return owner, np.arange(len(owner)) - self.starts[owner]

    @cached_property
    def there(self) -> NDArray[np.bool_]:
        """Whether an impression has each position."""
        found = np.zeros((len(self), self.width), dtype=bool)
        found[self._slots] = True
        return found

    def placed(self, values: Any, filler: float = 0.0) -> Floats:
        """Values of rows as [impressions, positions]."""
        found = np.full((len(self), self.width), filler)
        found[self._slots] = np.asarray(values, dtype=np.float64)
        return found

    def numbers(self, role: str, filler: float = 0.0) -> Floats:
        """A column of numbers as [impressions, positions]."""
        return self.placed(self.rows[role].to_numpy(), filler)

    def queries(self) -> pl.Series:
        """The query of each impression."""
        return self.rows["query"].gather(self.starts[:-1])

    @property
    def slots(self) -> NDArray[np.int64]:
        """The position of each row, from 0."""
        return self._slots[1]

    def each(self, name: str) -> pl.Series:
        """What each impression has in a column that has no role.

        Raises:
            DataError: an impression has several values.

        """
        values = self.rows[OTHER + name]
        first = values.gather(self.starts[:-1])
        other = values != first.gather(self._slots[0])
        if other.any():
            row = self.rows.row(int(other.arg_true()[0]), named=True)
            raise DataError(
                f"{self.where}: impression {row['impression']!r} has several values of {name!r}, "
                f"{first.gather([int(self._slots[0][int(other.arg_true()[0])])])[0]!r} and "
                f"{row[OTHER + name]!r}; it is to be the same for all of its rows"
            )
        return first


def _refuse_positions(read: LoggedRows) -> None:
    """Refuses rows at several positions of which nothing says what stood in one list.

    Raises:
        DataError: there are such.

    """
    if "position" not in read.frame.columns or read.frame["position"].n_unique() == 1:
        return
    values = read.frame["position"].to_numpy()
    raise DataError(
        f"{read.where} has positions {values.min():g} to {values.max():g}, and no column that says which "
        'rows are one list: name it with columns={"impression": "…"} (on the command line --column '
        "impression=…); "
        "if each row is an impression by itself and counts as one, leave positions out with "
        'columns={"position": None} (on the command line --column position=)'
    )
