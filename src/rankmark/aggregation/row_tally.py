"""What some of the rows of labelled scores come to, in a form that adds up, and how measures see it.

Most measures of predictions look at sums over the rows, which need these in no order. AUC looks at pairs of
rows too: a pair is in one range of scores, or its order is that of the ranges.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, cast

import numpy as np

from rankmark import _native
from rankmark.aggregation.refusals import Fault, add_faults, faults_from
from rankmark.aggregation.tally import exact, total
from rankmark.kinds.rows import Rows, Undefined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.language.measure import Measure

__all__ = [
    "BINARY",
    "LABELS",
    "Asked",
    "NotMergedError",
    "QueryTally",
    "Range",
    "RowTally",
    "Sum",
    "asked_of",
    "check_sums",
    "merged_rows",
    "sums_of",
    "told_sums",
]

Range: TypeAlias = tuple[float, float, float, float]
"""A range of scores: the least, the weight of its positive rows, that of the others, and `Ranked.pairs`."""
Sum: TypeAlias = "tuple[str, tuple[float, ...]]"
"""A method of the rows in the core that gives sums over them, and its arguments."""
LABELS = 6
"""Different labels kept: more than a message shows."""
PARTS = 32
"""Numbers that may add up to a sum."""


@dataclass(slots=True)
class QueryTally:
    """What a measure of each query comes to in some of the queries; attributes as of `RowMeasureCounts`.

    Attributes:
        weights: a few numbers whose exact sum is that of the queries' weights.
        values: the same of the weights times the values.

    """

    weights: list[float]
    values: list[float]
    averaged: int
    skipped: int
    skipped_rows: int
    why_skipped: str

    def add(self, other: QueryTally) -> None:
        """Takes in the queries of another part."""
        self.weights += other.weights
        self.values += other.values
        self.averaged += other.averaged
        self.skipped += other.skipped
        self.skipped_rows += other.skipped_rows


@dataclass(slots=True)
class RowTally:
    """What some of the rows come to.

    Attributes:
        rows: how many there are.
        labels: some of the different labels.
        improbable: number of scores outside of 0 to 1.
        shown_improbable: the least of these.
        sums: the sums of the core by their names; each as numbers that add up to it.
        ranges: ranges of scores, none of which overlap.
        queries: what the measures of each query come to, by their canonical names.
        faults: what cannot be evaluated, by a name of its own.

    """

    rows: int = 0
    labels: list[float] = field(default_factory=list)
    improbable: int = 0
    shown_improbable: float = math.inf
    sums: dict[str, list[list[float]]] = field(default_factory=dict)
    ranges: list[Range] = field(default_factory=list)
    queries: dict[str, QueryTally] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)

    def add(self, other: RowTally) -> None:
        """Takes in the rows of another part."""
        self.rows += other.rows
        self.labels = sorted({*self.labels, *other.labels})[:LABELS]
        self.improbable += other.improbable
        self.shown_improbable = min(self.shown_improbable, other.shown_improbable)
        for name, parts in other.sums.items():
            known = self.sums.setdefault(name, [[] for _ in parts])
            self.sums[name] = [[*one, *two] for one, two in zip(known, parts, strict=True)]
        self.ranges += other.ranges
        for name, query in other.queries.items():
            if name in self.queries:
                self.queries[name].add(query)
            else:
                self.queries[name] = query
        add_faults(self.faults, other.faults)

    def compact(self, most: int = PARTS) -> None:
        """Makes a few numbers with the same exact sum of those that add up to each sum, if more than these.

        What numbers they are depends on the sum alone.
        """
        for name, parts in self.sums.items():
            if any(len(numbers) > most for numbers in parts):
                self.sums[name] = [exact(np.array(numbers)) for numbers in parts]

    def to_json(self) -> str:
        """As text, to be sent."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> RowTally:
        """A tally that was sent."""
        sent: dict[str, Any] = json.loads(text)
        sent["queries"] = {name: QueryTally(**each) for name, each in sent["queries"].items()}
        sent["faults"] = faults_from(sent["faults"])
        sent["ranges"] = [tuple(each) for each in sent["ranges"]]
        return RowTally(**sent)


def sums_of(core: _native.LabelledRows, sums: Iterable[Sum]) -> dict[str, list[list[float]]]:
    """Sums over the rows in the core, as `RowTally` has them."""
    return {_name(each): [[part] for part in _computed(core, each)] for each in sums}


def told_sums(tally: RowTally) -> Callable[[Sum], tuple[float, ...]]:
    """The sums of a tally, for `merged_rows`; others are not merged."""

    def told(asked: Sum) -> tuple[float, ...]:
        if _name(asked) not in tally.sums:
            raise NotMergedError
        return tuple(map(total, tally.sums[_name(asked)]))

    return told


def _name(asked: Sum) -> str:
    """What the tally calls a sum."""
    method, arguments = asked
    return f"{method}{arguments!r}"


def _computed(core: _native.LabelledRows, asked: Sum) -> tuple[float, ...]:
    method, arguments = asked
    if method == "bins":
        return tuple(np.concatenate(core.bins(np.array(arguments))).tolist())
    computed = getattr(core, method)(*arguments)
    return (computed,) if isinstance(computed, float) else tuple(computed)


class NotMergedError(Exception):
    """A measure looks at more of the rows than what of them is there."""


def merged_rows(
    count: int, sums: Callable[[Sum], tuple[float, ...]], ranges: Callable[[], list[Range]]
) -> Rows:
    """So many rows as measures see them, by what they come to; `ranges` gives `RowTally.ranges` if needed.

    A measure that asks for anything else meets `NotMergedError`.
    """
    return Rows(cast("_native.LabelledRows", _Merged(sums, ranges)), count, None)


class _Merged:
    """What all parts came to, in the place of the rows in the core, of which `Rows` asks it."""

    def __init__(self, sums: Callable[[Sum], tuple[float, ...]], ranges: Callable[[], list[Range]]) -> None:
        self._sums = sums
        self._ranges = ranges

    def binary_sums(self) -> tuple[float, ...]:
        """As of the core; and so are the others."""
        return self._sums(BINARY)

    def number_sums(self) -> tuple[float, ...]:
        return self._sums(("number_sums", ()))

    def relative_errors(self) -> tuple[float, ...]:
        return self._sums(("relative_errors", ()))

    def log_loss(self, clip: float) -> float:
        return self._sums(("log_loss", (clip,)))[0]

    def confusion(self, threshold: float) -> tuple[float, ...]:
        return self._sums(("confusion", (threshold,)))

    def moments(self, mean_label: float, mean_score: float) -> tuple[float, ...]:
        return self._sums(("moments", (mean_label, mean_score)))

    def bins(self, borders: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        return list(np.array(self._sums(("bins", tuple(borders.tolist())))).reshape(5, -1))

    def ranked(self) -> _MergedRanges:
        """The rows by falling score."""
        return _MergedRanges(self._ranges())

    def __getattr__(self, name: str) -> NoReturn:
        raise NotMergedError


BINARY: Sum = ("binary_sums", ())


class _MergedRanges:
    """Ranges of scores, in the place of all rows by falling score; of them alone `pairs` is known."""

    def __init__(self, ranges: list[Range]) -> None:
        _, self._positive, self._negative, self._pairs = zip(*sorted(ranges, reverse=True), strict=True)

    def totals(self) -> tuple[float, float]:
        """Weight of the positive rows, and of the others."""
        return total(self._positive), total(self._negative)

    def pairs(self) -> float:
        """Those within each range, and those of a positive row and another in a lower range."""
        above = np.cumsum(self._positive) - self._positive
        return total([*self._pairs, *(above * self._negative).tolist()])

    def __getattr__(self, name: str) -> NoReturn:
        raise NotMergedError


@dataclass(frozen=True, slots=True)
class Asked:
    """What measures look at, as far as that does not depend on the rows.

    Attributes:
        sums: the sums, always with `binary_sums` among them.
        later: sums whose arguments are means of the rows, so that they are known after these only.
        ranges: whether pairs of rows are looked at.

    """

    sums: tuple[Sum, ...]
    later: bool
    ranges: bool


def asked_of(measure: Measure) -> Asked:
    """What a measure that is no value of each query looks at: tried out on two rows.

    Raises:
        NotMergedError: at more than sums and pairs, or at the precision of the scores' type.

    """
    if measure.arguments.get("clip") == "precision":
        raise NotMergedError
    core = _two_rows()
    sums = {BINARY: None}
    looked_at_pairs = False

    def computed(asked: Sum) -> tuple[float, ...]:
        sums[asked] = None
        return _computed(core, asked)

    def ranges() -> list[Range]:
        nonlocal looked_at_pairs
        looked_at_pairs = True
        return [(0.5, 1.0, 1.0, 1.0)]

    with suppress(Undefined):
        measure.compute_rows(merged_rows(2, computed, ranges))
    known = tuple(each for each in sums if each[0] != "moments")
    return Asked(known, len(known) < len(sums), looked_at_pairs)


def check_sums(tally: RowTally, sums: Iterable[Sum]) -> None:
    """Refuses a tally of other sums, or what is none.

    Raises:
        ValueError: it has others, or something else than numbers for them.

    """
    for name, parts in sums_of(_two_rows(), sums).items():
        there = tally.sums.get(name, [])
        if len(there) != len(parts) or not all(isinstance(n, float) for numbers in there for n in numbers):
            raise ValueError(f"the sums of {name} are not those that its measures need")
    if not isinstance(tally.rows, int) or not all(isinstance(label, float) for label in tally.labels):
        raise ValueError("its rows and labels are no numbers")


def _two_rows() -> _native.LabelledRows:
    import polars as pl

    table = _native.Table.from_arrow(pl.DataFrame({"label": [1.0, 0.0], "score": [0.75, 0.5]}))
    return _native.LabelledRows(table, "predictions", "label", "score", None, positive=1.0, threads=1)
