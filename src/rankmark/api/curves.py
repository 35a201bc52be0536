"""Curves over all thresholds, and calibration in bins, as tables."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np

from rankmark.api.labelled import binary_rows
from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, DataError, did_you_mean
from rankmark.kinds.calibration import MOST_BINS, Binning, Bins, binned, spanned
from rankmark.kinds.rows import Rows, Undefined, Values
from rankmark.language.plan import check_threads
from rankmark.rendering.blocks import Block, Grid, Prose
from rankmark.rendering.drawn import Column, ranges
from rankmark.rendering.formats.json import ByName
from rankmark.results.saved import Saved
from rankmark.statistics.areas import trapezoid
from rankmark.statistics.bands import Rates, band, wilson

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["BANDS", "CURVES", "CurveTable", "Kind", "curve", "known_curve"]

Kind: TypeAlias = Literal["ROC", "PR", "DET", "gain", "lift", "KS", "F1", "calibration", "scores"]

ROUNDED = 1e-14
TOLERANCE = 1e-6
"""By how much leaving points out may change the area under a curve."""
STEPS = 200
"""Parts of recall; where one threshold goes further than such a part, both its ends are kept."""
CROWDED = 0.9
"""The share of the rows in one bin from which on the others tell little."""


@dataclass(frozen=True, slots=True, repr=False)
class CurveTable(Saved):
    """A curve as a table, whose digits are the significant ones.

    Attributes:
        kind: which curve.
        frame: a row a point, or of ``calibration`` and ``scores`` a row a bin; see `curve` for the columns.
        rows: rows of the predictions.
        positive: positive ones.
        thresholds: points of the whole curve; None for bins.
        area: the area under the whole curve, straight from point to point; of ``PR`` in steps, which is
            AveragePrecision, and of ``lift`` from a share of 0 on; None for bins, ``KS`` and ``F1``.
        area_change: by how much leaving points out changes the area straight from point to point.
        confidence: of intervals and bands; None where there are none.
        greatest: of ``KS`` the greatest distance and of ``F1`` the greatest F1, over all thresholds.
        greatest_at: the highest threshold at which it is.
        weighted: whether rows have weights.
        binning: of bins, what is equal about them.

    """

    kind: Kind
    frame: pl.DataFrame
    rows: int
    positive: int
    thresholds: int | None = None
    area: float | None = None
    area_change: float = 0.0
    confidence: float | None = None
    greatest: float | None = None
    greatest_at: float | None = None
    weighted: bool = False
    binning: str | None = None

    _instead: ClassVar = "measures"

    def account(self) -> str:
        """What the table is of, in a line."""
        of = self.of_rows
        if self.thresholds is None:
            return "; ".join(
                [f"{self.kind}: {of}, {len(self.frame):,} bins that are not empty", *self.crowded]
            )
        points = f"{len(self.frame):,} of {self.thresholds:,} points"
        if self.area is None:
            most = f"the greatest {self.greatest:.6f} at the threshold {self.greatest_at:.6g}"
            return f"{self.kind}: {of}, {points}, {most}"
        changed = f", changed by {self.area_change:.0e}" if self.area_change else ""
        return f"{self.kind}: {of}, {points}, area {self.area:.6f} ({AREAS[self.kind]}{changed})"

    @property
    def of_rows(self) -> str:
        """How many rows there are."""
        return f"{self.rows:,} rows, {self.positive:,} positive{', weighted' if self.weighted else ''}"

    @property
    def crowded(self) -> tuple[str, ...]:
        """What to do where nearly all rows are in one bin of equal width."""
        if self.binning != "width" or not self.frame["high"][-1] > self.frame["low"][0]:
            return ()
        share = float(self.frame["rows"].to_numpy().max()) / max(self.rows, 1)
        if share < CROWDED:
            return ()
        return (f"One bin has {100 * share:.3g}% of the rows: bins of equal mass (binning mass) tell more",)

    def __len__(self) -> int:
        return len(self.frame)

    def __str__(self) -> str:
        return f"{self.account()}\n{self.frame}"

    def __repr__(self) -> str:
        return f"<CurveTable {self.account()}>"

    def _blocks(self, digits: int) -> Iterator[Block]:
        cells = ([_cell(value, digits) for value in row] for row in self.frame.rows())
        of_bins = self.kind == "calibration"
        yield Grid(0, [self.frame.columns, *cells], drawn=self._drawn if of_bins else None)
        yield Prose([self.account()])

    def _drawn(self) -> Column | None:
        """The rates of the bins with their intervals, beside the mean scores."""
        rows = self.frame.select("rate_low", "rate", "rate_high").rows()
        return ranges("rate beside mean_score", rows, self.frame["mean_score"].to_list())

    def _frame(self) -> pl.DataFrame:
        return self.frame

    def _record(self) -> dict[str, Any]:
        record: dict[str, Any] = {"curve": self.kind, "rows": self.rows, "positive": self.positive}
        if self.area is not None:
            record |= {"thresholds": self.thresholds, "area": self.area, "area_change": self.area_change}
        if self.greatest is not None:
            record |= {
                "thresholds": self.thresholds,
                "greatest": self.greatest,
                "greatest_at": self.greatest_at,
            }
        if self.confidence is not None:
            record["confidence"] = self.confidence
        columns = ByName((each.name, each.to_list()) for each in self.frame.get_columns())
        return record | {"columns": columns}


def _cell(value: float, digits: int) -> str:
    """A number with so many significant digits: rates of clicks and thresholds can be small."""
    size = abs(value)
    if size < 1e15 and (size >= 10**digits or size == int(size)):
        return f"{value:.0f}"
    return f"{value:#.{max(digits, 1)}g}"


def curve(
    table: Any,
    kind: Kind,
    *,
    label: str | None = None,
    score: str | None = None,
    weight: str | None = None,
    positive: str | float | None = None,
    points: int | None = 1000,
    bins: int | None = None,
    binning: Binning | None = None,
    confidence: float | None = None,
    threads: int | None = None,
) -> CurveTable:
    """A curve of predictions as a table, to be drawn or kept.

    A threshold finds the rows that score at least as much; TP and FP are the weights of the positive and of
    the other rows found, P and N those of all. Rows of the table are thresholds, from the highest, after a
    first one of infinity, which finds nothing. The columns are ``threshold`` and

    - ``ROC``: ``fpr`` = FP/N and ``tpr`` = TP/P;
    - ``PR``: ``recall`` = TP/P and ``precision`` = TP/(TP + FP), at first 1. It is a step function: the
      precision of a threshold holds from the recall of the one before on;
    - ``DET``: ``fpr`` and ``fnr`` = 1 − TP/P;
    - ``gain``: ``share`` = (TP + FP)/(P + N) and ``gain`` = TP/P;
    - ``lift``: ``share`` and ``lift`` = gain/share, without the threshold of infinity;
    - ``KS``: ``fpr``, ``tpr`` and ``distance`` = |TP/P − FP/N|, the greatest of which is KS;
    - ``F1``: ``precision``, ``recall`` and ``f1`` = 2·TP/(P + TP + FP), their harmonic mean.

    With `confidence` ROC, PR and DET have a band, from ``tpr_low`` to ``tpr_high``, say: at each threshold
    both rates have a score interval (Wilson 1927) at the level √confidence, so that both hold with this
    confidence, and the band is what the rectangles of all thresholds cover (as in H. Schäfer, Statistics in
    Medicine 13, 1994). It is for each point by itself and not for all together, and takes rows for
    independent.

    ``calibration`` has a row for each bin of scores that is not empty: ``low`` and ``high``, its borders;
    ``rows`` and ``weight``; ``mean_score``, ``rate``, the share of positive weight, and its interval from
    ``rate_low`` to ``rate_high`` (Wilson 1927, of (Σ w)²/Σ w² rows where weights differ).

    ``scores`` has a row for each bin of scores that is not empty: ``low`` and ``high``, ``rows``, and
    ``positive`` and ``negative``, the weights of the positive and of the other rows in it.

    Thinned curves keep the first and the last threshold and of the others those where the curve turns most.
    Points on straight lines go first, which changes nothing. Where so few points would change the area
    (straight from point to point) by more than 1e-6, more are kept than asked for, as many as that takes. PR
    keeps both ends of every step that is broader than 1/200 of recall, besides. The area of lift is in units
    of lift. KS and F1 keep no more than asked for, and their greatest point.

    Args:
        table: labelled scores, as in `evaluate_predictions`.
        kind: which curve.
        label: the column of what happened: 0 and 1, −1 and 1, true and false, or any two with `positive`.
        score: the column of predictions; of ``calibration`` probabilities.
        weight: the column of the rows' weights.
        positive: the label of positive rows, where it is not 1 or true.
        points: how many points to keep; None for every threshold.
        bins: of ``calibration``, how many bins; 15 if None. Of ``scores`` 30.
        binning: of bins, those of equal ``width`` (the default), or ``mass``, as in `ECE`. Bins of scores of
            equal width go from the least score to the greatest.
        confidence: of ``calibration``, of the intervals; 0.95 if None. Of ROC, PR and DET, of the band; if
            None there is none.
        threads: how many threads to use; all cores if None.

    Raises:
        UsageError: no such curve, an argument that it does not take, or a file that is not there.
        DataError: a table, a label or a score that the curve cannot take; rows of one class only.

    Example:
        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.7, 0.6]}
        >>> roc = rm.curve(table, "ROC")
        >>> roc.frame["tpr"].to_list(), roc.area
        ([0.0, 0.5, 0.5, 1.0, 1.0], 0.75)

    """
    kind = known_curve(kind)
    check_threads(threads)
    _check_arguments(kind, points, bins, binning, confidence)
    said = {"label": label, "score": score, "weight": weight}
    probabilities = kind == "calibration"
    rows = binary_rows(table, said, positive, threads, f"the {kind} curve", probabilities=probabilities)
    of_bins: dict[str, Any] = {"weighted": rows.weighted, "binning": binning or "width"}
    if kind == "calibration":
        level = confidence or 0.95
        frame = _calibration(binned(rows, bins or 15, binning or "width"), level)
        return CurveTable(kind, frame, rows.count, rows.positives, confidence=level, **of_bins)
    if kind == "scores":
        return CurveTable(kind, _scores(rows, bins or 30, binning), rows.count, rows.positives, **of_bins)
    if kind in PEAKS:
        return _peaked(kind, rows, points)
    return _thresholds(kind, rows, points, confidence)


def known_curve(kind: str) -> Kind:
    """The curve of that name, in any case.

    Raises:
        ChoiceError: there is none.

    """
    names: dict[str, Kind] = {name.lower(): name for name in (*BINNED, *CURVES, *PEAKS)}
    if not isinstance(kind, str) or kind.lower() not in names:
        every = list(names.values())
        hint = did_you_mean(kind, every) if isinstance(kind, str) else ""
        if isinstance(kind, str) and kind.lower() in PICTURES_OF_BINS:
            hint = f"; {kind} is a picture of the curve calibration"
        raise ChoiceError(f"curve {kind!r} is not one of {', '.join(every)}{hint}")
    return names[kind.lower()]


def _check_arguments(
    kind: Kind, points: int | None, bins: int | None, binning: str | None, confidence: float | None
) -> None:
    for name, value in {"bins": bins, "binning": binning}.items():
        if value is not None and kind not in BINNED:
            raise ChoiceError(f"{name}={value} is for {' and '.join(BINNED)}; {kind} has points, not bins")
    if confidence is not None and kind not in (*BANDS, "calibration"):
        known = ", ".join(("calibration", *BANDS))
        raise ChoiceError(f"confidence={confidence} is for {known}; {kind} has neither intervals nor a band")
    if not (points is None or (hasattr(points, "__index__") and points >= 2)):
        raise ChoiceError(f"points={points!r} is not a whole number from 2, or None for every threshold")
    if not (bins is None or (hasattr(bins, "__index__") and 1 <= bins <= MOST_BINS)):
        raise ChoiceError(f"bins={bins!r} is not a whole number from 1 to {MOST_BINS}")
    if binning not in (None, "width", "mass"):
        raise ChoiceError(f"binning={binning!r} is not one of width, mass")
    if not (confidence is None or (hasattr(confidence, "__float__") and 0 < confidence < 1)):
        raise ChoiceError(f"confidence={confidence!r} is not a number between 0 and 1")


def _calibration(bins: Bins, confidence: float) -> pl.DataFrame:
    import polars as pl

    low, high = wilson(bins.rate, bins.effective, confidence)
    columns = {
        "low": bins.low,
        "high": bins.high,
        "rows": bins.rows.astype(np.int64),
        "weight": bins.weight,
        "mean_score": bins.mean,
        "rate": bins.rate,
        "rate_low": low,
        "rate_high": high,
    }
    return pl.DataFrame(columns)


def _scores(rows: Rows, bins: int, binning: Binning | None) -> pl.DataFrame:
    import polars as pl

    try:
        found = binned(rows, bins, "mass") if binning == "mass" else spanned(rows, bins)
    except Undefined as why:
        raise DataError(f"there are no bins of scores: {why}") from None
    columns = {
        "low": found.low,
        "high": found.high,
        "rows": found.rows.astype(np.int64),
        "positive": found.positive,
        "negative": found.weight - found.positive,
    }
    return pl.DataFrame(columns)


@dataclass(frozen=True, slots=True)
class _Axes:
    """A curve: points, and what makes them shares. Undivided weights are exact where rows weigh 1."""

    x: Values
    y: Values
    x_unit: float
    y_unit: float
    x_name: str
    y_name: str


def _roc(tp: Values, fp: Values) -> _Axes:
    return _Axes(fp, tp, fp[-1], tp[-1], "fpr", "tpr")


def _pr(tp: Values, fp: Values) -> _Axes:
    return _Axes(tp, _precision(tp, fp), tp[-1], 1.0, "recall", "precision")


def _precision(tp: Values, fp: Values) -> Values:
    """TP/(TP + FP), 1 where nothing is found."""
    found = tp + fp
    return np.divide(tp, found, out=np.ones(len(tp)), where=found > 0)


def _det(tp: Values, fp: Values) -> _Axes:
    return _Axes(fp, tp[-1] - tp, fp[-1], tp[-1], "fpr", "fnr")


def _gain(tp: Values, fp: Values) -> _Axes:
    found = tp + fp
    return _Axes(found, tp, found[-1], tp[-1], "share", "gain")


def _lift(tp: Values, fp: Values) -> _Axes:
    found = tp + fp
    base = tp[-1] / found[-1]
    precision = np.divide(tp, found, out=np.full(len(tp), np.nan), where=found > 0)
    return _Axes(found, precision, found[-1], base, "share", "lift")


CURVES: Mapping[Kind, Callable[[Values, Values], _Axes]] = {
    "ROC": _roc,
    "PR": _pr,
    "DET": _det,
    "gain": _gain,
    "lift": _lift,
}
"""The curves over thresholds whose areas say something."""


def _ks(tp: Values, fp: Values) -> dict[str, Values]:
    tpr, fpr = tp / tp[-1], fp / fp[-1]
    return {"fpr": fpr, "tpr": tpr, "distance": np.abs(tpr - fpr)}


def _f1(tp: Values, fp: Values) -> dict[str, Values]:
    return {"precision": _precision(tp, fp), "recall": tp / tp[-1], "f1": 2 * tp / (tp[-1] + tp + fp)}


PEAKS: Mapping[Kind, Callable[[Values, Values], dict[str, Values]]] = {"KS": _ks, "F1": _f1}
"""Those over thresholds of which the greatest value of the last column is looked for."""
AREAS: Mapping[Kind, str] = {
    "ROC": "AUC",
    "PR": "in steps: AveragePrecision",
    "DET": "1 − AUC",
    "gain": "0.5 for random scores",
    "lift": "the mean lift; 1 for random scores",
}
"""What their areas are."""
PICTURES_OF_BINS = ("reliability", "pcopc")
"""Pictures that are asked for as if they were curves."""
BINNED: tuple[Kind, ...] = ("calibration", "scores")
BANDS: tuple[Kind, ...] = ("ROC", "PR", "DET")
"""Those that can have a band."""


def _thresholds(kind: Kind, rows: Rows, points: int | None, confidence: float | None) -> CurveTable:
    import polars as pl

    if confidence is not None and rows.weighted:
        raise DataError(f"a band of {kind} takes rows that count alike, and these have weights")
    tp, fp, score = _found(kind, rows)
    if kind == "lift":
        first = int(np.flatnonzero(tp + fp)[0])
        tp, fp, score = tp[first:], fp[first:], score[first:]
    axes = CURVES[kind](tp, fp)
    unit = float(axes.x_unit * axes.y_unit)
    area = _area(kind, axes) / unit
    kept = np.arange(len(score))
    if points is not None:
        steps = _broad(axes.x, min(points, STEPS)) if kind == "PR" else kept[:0]
        kept = _thinned(axes.x, axes.y, points, TOLERANCE * unit, steps)
    x, y = axes.x[kept], axes.y[kept]
    change = 0.0 if points is None else (trapezoid(y, x) - trapezoid(axes.y, axes.x)) / unit
    columns = {"threshold": score[kept], axes.x_name: x / axes.x_unit, axes.y_name: y / axes.y_unit}
    if confidence is not None:
        # Of how many rows a rate is: of positive ones, of others, or of those found.
        numbers = {"recall": tp[-1], "tpr": tp[-1], "fnr": tp[-1], "fpr": fp[-1], "precision": tp + fp}
        across, upright = (
            Rates(values / u, numbers[name])
            for values, u, name in (
                (axes.x, axes.x_unit, axes.x_name),
                (axes.y, axes.y_unit, axes.y_name),
            )
        )
        low, high = band(across, upright, kept, confidence)
        columns |= {f"{axes.y_name}_low": low, f"{axes.y_name}_high": high}
    frame = pl.DataFrame(columns)
    return CurveTable(
        kind,
        frame,
        rows.count,
        rows.positives,
        len(score),
        area,
        change,
        confidence,
        weighted=rows.weighted,
    )


def _area(kind: Kind, axes: _Axes) -> float:
    """The area under a whole curve, in its units."""
    if kind == "PR":
        return float((np.diff(axes.x) * axes.y[1:]).sum())
    # Among the rows of the highest score, lift is the same at any share, whatever their order.
    first = float(axes.x[0] * axes.y[0]) if kind == "lift" else 0.0
    return first + trapezoid(axes.y, axes.x)


def _peaked(kind: Kind, rows: Rows, points: int | None) -> CurveTable:
    import polars as pl

    tp, fp, score = _found(kind, rows)
    columns = PEAKS[kind](tp, fp)
    *drawn, looked_at = columns.values()
    # The first of those that are equal but for rounding, after the threshold that finds nothing.
    peak = 1 + int(np.argmax(looked_at[1:] >= looked_at[1:].max() - ROUNDED))
    kept = np.arange(len(score))
    if points is not None:
        ends = score[np.isfinite(score)]
        # Curves by score and by how many are found: of rare events many rows have nearly the same score.
        across = [tp + fp, np.clip(score, ends.min(), ends.max()) if len(ends) else score * 0]
        most = max(2, points // (len(across) * len(drawn)))
        thin = [_thinned(x, y, most, math.inf, kept[:0]) for x in across for y in drawn]
        kept = np.unique(np.append(np.concatenate(thin), peak))
    frame = pl.DataFrame({"threshold": score[kept], **{name: each[kept] for name, each in columns.items()}})
    most_of: dict[str, Any] = {"greatest": float(looked_at[peak]), "greatest_at": float(score[peak])}
    return CurveTable(kind, frame, rows.count, rows.positives, len(score), weighted=rows.weighted, **most_of)


def _found(kind: Kind, rows: Rows) -> tuple[Values, Values, Values]:
    """TP, FP and the threshold, from one that finds nothing."""
    try:
        if kind in ("ROC", "DET", "KS"):
            rows.check_both_classes()
        else:
            rows.check_positive()
    except Undefined as why:
        raise DataError(f"there is no {kind} curve: {why}") from None
    whole = rows.ranked.curve
    return np.append(0.0, whole.tp), np.append(0.0, whole.fp), np.append(np.inf, whole.score)


def _broad(x: Values, parts: int) -> NDArray[np.intp]:
    """Points between which there is one step alone, wherever they are further apart than a part of x."""
    ends = np.searchsorted(x, x[-1] * np.arange(1, parts + 1) / parts)
    ends = np.minimum(ends, len(x) - 1)
    return np.unique(np.append(ends, np.maximum(ends - 1, 0))).astype(np.intp)


def _thinned(x: Values, y: Values, most: int, tolerance: float, needed: NDArray[np.intp]) -> NDArray[np.intp]:
    """Which points of a curve to keep: those `needed`, and at most so many, or as many as the area takes.

    A stretch between two kept points is cut at the point that makes the largest triangle with its ends, and
    the stretch with the largest such triangle of all is cut first (D. Douglas and T. Peucker, Cartographica
    10, 1973, by area and not by distance).
    """
    corners = np.union1d(_corners(x, y), needed).astype(np.intp)
    if len(corners) <= most:
        return corners
    x, y = x[corners], y[corners]
    stretches: list[tuple[float, int, int, int]] = []

    def offer(first: int, last: int) -> None:
        """Says where the stretch would be cut."""
        if last - first < 2:
            return
        inner = slice(first + 1, last)
        turn = (x[inner] - x[first]) * (y[last] - y[first]) - (y[inner] - y[first]) * (x[last] - x[first])
        at = int(np.abs(turn, out=turn).argmax())
        heapq.heappush(stretches, (-float(turn[at]), first, first + 1 + at, last))

    def below(first: int, last: int) -> float:
        """The area below the straight line between two points."""
        return float((x[last] - x[first]) * (y[last] + y[first])) / 2

    kept = np.unique([0, *np.searchsorted(corners, needed).tolist(), len(x) - 1]).tolist()
    lost = trapezoid(y, x)
    for first, last in pairwise(kept):
        offer(first, last)
        lost -= below(first, last)
    while stretches and (len(kept) < most or abs(lost) > tolerance):
        _, first, cut, last = heapq.heappop(stretches)
        lost -= below(first, cut) + below(cut, last) - below(first, last)
        kept.append(cut)
        offer(first, cut)
        offer(cut, last)
    found: NDArray[np.intp] = corners[np.sort(kept)]
    return found


def _corners(x: Values, y: Values) -> NDArray[np.intp]:
    """The points without which the curve would be another: neither repeated nor on a straight line."""
    moves = np.flatnonzero((np.diff(x) != 0) | (np.diff(y) != 0)) + 1
    points = np.append(0, moves)
    right, up = np.diff(x[points]), np.diff(y[points])
    turns = right[:-1] * up[1:] != up[:-1] * right[1:]
    kept: NDArray[np.intp] = points[np.concatenate([[True], turns, [True]])[: len(points)]]
    return kept
