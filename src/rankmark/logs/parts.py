"""What the parts of a log come to, and logs in files that are read in batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, field, replace
from typing import Any

from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, UsageError
from rankmark.inputs.logged_feedback import LogColumns, LoggedRows, read_log_in_batches
from rankmark.logs.asking import Asked, Counted
from rankmark.logs.impressions import Impressions
from rankmark.rendering.words import counted
from rankmark.statistics.off_policy import Observed

__all__ = ["Seen", "in_batches", "refuse_in_parts"]

SUMS = 8
"""The sums of clusters may take as much memory as so many batches."""
FLAGS = ("lists", "apart", "unplaced")


@dataclass(slots=True)
class Seen:
    """What impressions come to; those of parts of a log add up.

    Attributes:
        whole: of all of them.
        slices: of those in each slice, ``country=DE``.
        counted: what is counted besides.
        lists: whether there are several positions.
        apart: whether each row is an impression, since the log has no ids of these.
        unplaced: whether lists have no positions.
        notes: what was assumed of what the log lacks.

    """

    whole: Observed
    slices: dict[str, Observed] = field(default_factory=dict)
    counted: Counted = field(default_factory=Counted)
    lists: bool = False
    apart: bool = False
    unplaced: bool = False
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, rows: LoggedRows, asked: Asked, width: int | None, *, kept: bool = False) -> Seen:
        """Those of some rows; `width` is how many positions there are at most, where these are a part."""
        log = Impressions.of(rows, width)
        found = cls(
            asked.observe(rows, width, kept=kept),
            counted=asked.counted(log),
            lists=log.width > 1,
            apart=log.apart,
            unplaced=log.unplaced,
        )
        for column, value, own in asked.sliced(rows):
            found.slices[f"{column}={value}"] = asked.observe(own, log.width, kept=kept)
        return found

    def add(self, part: Seen) -> None:
        """Takes in other impressions."""
        self.whole.add(part.whole)
        self.counted.add(part.counted)
        for name, observed in part.slices.items():
            if name in self.slices:
                self.slices[name].add(observed)
            else:
                self.slices[name] = observed

    @property
    def held(self) -> int:
        """How many bytes of rows or sums of clusters are kept."""
        return sum(
            each.units.nbytes for each in (self.whole, *self.slices.values()) if each.units is not None
        )

    def to_record(self) -> dict[str, Any]:
        """As JSON has it."""
        slices = {name: each.to_record() for name, each in self.slices.items()}
        counts = asdict(self.counted)
        return {
            "whole": self.whole.to_record(),
            "slices": slices,
            "counted": counts,
            **{name: getattr(self, name) for name in FLAGS},
        }

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Seen:
        """What was sent as JSON."""
        slices = {name: Observed.from_record(each) for name, each in record["slices"].items()}
        flags = {name: record[name] for name in FLAGS}
        return cls(Observed.from_record(record["whole"]), slices, Counted(**record["counted"]), **flags)


def refuse_in_parts(asked: Asked, instead: str, *, kept: bool) -> None:
    """Refuses what parts of a log do not tell.

    Raises:
        UsageError: it is asked for.

    """
    for wrong, what in (
        (kept, 'interval="percentile"'),
        (asked.strata is not None, "strata="),
        (asked.modelled and asked.needs_model, "a model of rewards that is made here"),
    ):
        if wrong:
            raise UsageError(f"{what} needs the log in memory; {instead}")


def in_batches(path: str, asked: Asked, size: int, *, kept: bool) -> Seen:
    """What a log in files comes to, in bounded memory: of clusters the sums of each are kept.

    Raises:
        UsageError: what parts of a log do not tell, or clusters whose sums do not fit into memory.
        DataError: rows of an impression that are not together.

    """
    clustered = asked.clusters is not None
    refuse_in_parts(asked, 'use engine="local"', kept=kept and not clustered)
    width = _width(path, asked, size)
    found: Seen | None = None
    for rows in _whole_impressions(read_log_in_batches(path, asked.find, size)):
        part = Seen.of(rows, asked.alike(rows), width, kept=clustered)
        if found is None:
            found = part
        else:
            found.add(part)
        if clustered and found.held > SUMS * size:
            raise UsageError(
                f"the sums of the clusters by {asked.clusters!r} need more than {SUMS * size:,} bytes of the "
                'memory: give more, memory="8GiB", say, fewer slices or estimators, or use engine="local"'
            )
    assert found is not None
    found.counted.never.clear()  # what the log shows elsewhere is not known in a batch
    return found


def _width(path: str, asked: Asked, size: int) -> int:
    """How many positions there are at most; refuses impressions whose rows are not together.

    Raises:
        DataError: there are such.

    """
    import polars as pl

    def find(names: list[str], where: str) -> LogColumns:
        roles = asked.find(names, where).roles
        first = "impression" if "impression" in roles else "reward"
        return LogColumns({first: roles[first]})

    longest, ids, last, held = 1, [], None, 0
    for rows in read_log_in_batches(path, find, size):
        if "impression" not in rows.frame.columns:
            return 1
        runs = rows.frame["impression"].rle().struct.unnest()
        lengths, values = runs["len"].to_list(), runs["value"]
        if values[0] == last:
            lengths[0] += held
            ids.append(values[1:].hash())
        else:
            ids.append(values.hash())
        longest, last, held = max(longest, *lengths), values[-1], lengths[-1]
    hashes = pl.concat(ids)
    if (again := len(hashes) - hashes.n_unique()) > 0:
        raise DataError(
            f"log {path!r}: the rows of {counted(again, 'impression')} are not together; sort the log by "
            'impression, or use engine="local"'
        )
    return longest


def _whole_impressions(parts: Iterable[LoggedRows]) -> Iterator[LoggedRows]:
    """The rows in parts that end where an impression does."""
    import polars as pl

    rest: LoggedRows | None = None
    for part in parts:
        if "impression" not in part.frame.columns:
            yield part
            continue
        rows = part if rest is None else replace(part, frame=pl.concat([rest.frame, part.frame]))
        ids = rows.frame["impression"]
        before = (ids != ids[-1]).arg_true()
        border = int(before[-1]) + 1 if len(before) else 0
        rest = replace(rows, frame=rows.frame[border:])
        if border:
            yield replace(rows, frame=rows.frame[:border])
    if rest is not None:
        yield rest
