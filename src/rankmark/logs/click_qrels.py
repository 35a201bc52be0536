"""Judgements made of clicks, each of which counts as much as it was unlikely to be looked at."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, ColumnError, DataError, UsageError
from rankmark.inputs.click_logs import ClickLog, read_click_log
from rankmark.inputs.predictions.reading import source_of
from rankmark.inputs.roles import Roles
from rankmark.logs.click_models import MODELS, ClickModel
from rankmark.logs.fitted import Fit, LogRows
from rankmark.rendering.blocks import Block, Grid, Notes
from rankmark.rendering.words import brief, counted, rounded
from rankmark.results.saved import Saved
from rankmark.statistics.browsing import Browsing
from rankmark.statistics.position_bias import divided, summed
from rankmark.statistics.record import check_choice

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark.statistics.resampling import Floats

__all__ = [
    "ClickQrels",
    "Estimator",
    "Weighed",
    "check_weighing",
    "made_qrels",
    "qrels_from_clicks",
    "weighed_clicks",
]

Estimator: TypeAlias = Literal["ips", "ratio"]
ESTIMATORS: tuple[Estimator, ...] = get_args(Estimator)
KNOWN = (
    "intervals by these take the propensities for known, and do not hold their own error, as those of "
    "evaluate_clicks do"
)
SHOWN = 10
"""Judgements that are printed."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ClickQrels(Saved):
    """Judgements made of clicks, which `evaluate` takes as its ``qrels``; ``print`` shows the first.

    Attributes:
        frame: a row an item of a query: ``query``, ``item``, ``relevance``, the probability of a click where
            it is looked at; its ``variance`` (null of one impression); ``impressions``, ``clicks``, and
            ``weight``, the greatest that a click had.
        model: by what it is known what was looked at.
        estimator: ``ips`` or ``ratio``.
        clip: the least propensity that counts; None if none was raised.
        notes: what was assumed, and what to know of measures of these.

    """

    frame: pl.DataFrame
    model: str
    estimator: Estimator
    clip: float | None
    notes: tuple[str, ...] = ()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """``query``, ``item`` and ``relevance``, for `evaluate` and whatever else reads tables."""
        return self.frame["query", "item", "relevance"].__arrow_c_stream__(requested_schema)

    @property
    def _notes_of_table(self) -> tuple[str, ...]:
        """What results by these judgements say of them."""
        return (f"judgements are made of clicks: {self._how()}",)

    def __repr__(self) -> str:
        return f"<ClickQrels {self._line()}>"

    def _how(self) -> str:
        clipped = "" if self.clip is None else f", propensities of {self.clip:g} at least"
        return f"{self.model}, {self.estimator}{clipped}"

    def _line(self) -> str:
        items, queries = self.frame.height, self.frame["query"].n_unique()
        return f"{counted(items, 'item')} of {counted(queries, 'query', 'queries')}; {self._how()}"

    def _blocks(self, digits: int) -> Iterator[Block]:
        form = f".{digits}f"
        names = ["query", "item", "relevance", "variance", "impressions", "clicks", "weight"]
        rows = [
            [
                str(query),
                str(item),
                rounded(relevance, form),
                "" if variance is None else rounded(variance, form),
                f"{shown:,}",
                f"{clicks:,}",
                "" if weight is None else rounded(weight, form),
            ]
            for query, item, relevance, variance, shown, clicks, weight in self.frame[:SHOWN].iter_rows()
        ]
        yield Grid(2, [names, *rows], "Judgements from clicks")
        more = [f"… {counted(self.frame.height - SHOWN, 'row')} more"] if self.frame.height > SHOWN else []
        yield Notes([*more, self._line(), *self.notes])

    def _record(self) -> dict[str, Any]:
        own = {"model": self.model, "estimator": self.estimator, "clip": self.clip}
        return own | {"notes": list(self.notes), "judgements": self.frame.to_dicts()}

    def _frame(self) -> pl.DataFrame:
        return self.frame

    def _queries(self) -> pl.DataFrame:
        """What a Parquet file has."""
        return self.frame


def qrels_from_clicks(
    log: Any,
    model: Any = None,
    *,
    estimator: Estimator = "ips",
    clip: float | None = None,
    trust: Mapping[int, tuple[float, float]] | None = None,
    columns: Mapping[str, Any] | None = None,
) -> ClickQrels:
    """Judgements made of clicks, such that lists are measured as if users had looked at all of them.

    The relevance of an item of a query is how likely it is clicked if it is looked at. With c whether it was
    clicked in one of the n lists that had it, and e how likely it was looked at there, it is Σ(c/e) / n
    (``ips``), or Σc / Σe (``ratio``), which has the same expectation where e is that of positions, and mostly
    less variance. Where e is right both are unbiased, and so is what is linear in relevance: DCG and CG with
    linear gains, nDCG's numerator, mean relevance. nDCG divides by an ideal of the same noisy judgements,
    which is too great on average, the less so the more impressions. Measures with a threshold (P, AP, RR, R,
    RBP) see what is relevant or not, and a fraction is neither: give ``rel=`` a rate that says relevant.

    A query's value is as noisy as its clicks, and each query's noise its own, so that the intervals of
    `evaluate` and `compare` over queries hold it, too; where lists of one user are in several queries, not.
    They take the propensities for known: that those of a model are estimates only `evaluate_clicks` knows.

    Args:
        log: as `click_model` takes it.
        model: what `click_model` gave of this log or another; ``{position: propensity}``, or a table with
            columns ``position`` and ``propensity``; or None, where the log has a column ``propensity``.
        estimator: ``ips`` or ``ratio``.
        clip: propensities below this count as it: less variance, and relevance too low for what is seldom
            looked at. None for none.
        trust: ``{position: (ε⁺, ε⁻)}``, how likely what is relevant, and what is not, is clicked if it is
            looked at, of users who trust what stands high: c becomes (c − e·ε⁻)/(ε⁺ − ε⁻) before it is
            weighted. These cannot be had of clicks alone. Estimates can be below 0.
        columns: the columns to use, where their names do not say it.

    Raises:
        UsageError: no propensities, or such of another kind.
        ChoiceError: another estimator, or a number that is none.
        DataError: a log that is none, or propensities that are not above 0 and at most 1.

    Source:
        T. Joachims, A. Swaminathan and T. Schnabel, "Unbiased learning-to-rank with biased feedback", WSDM
        2017; trust A. Agarwal, X. Wang, C. Li, M. Bendersky and M. Najork, "Addressing trust bias for
        unbiased learning-to-rank", WWW 2019, corrected as in A. Vardasbi, H. Oosterhuis and M. de Rijke,
        "When inverse propensity scoring does not work", CIKM 2020; e of models that go down lists A.
        Vardasbi, M. de Rijke and I. Markov, "Cascade model-based propensity estimation", SIGIR 2020.

    Example:
        >>> import rankmark as rm
        >>> log = {"query": ["q"] * 4, "list": [1, 1, 2, 2], "item": ["a", "b"] * 2,
        ...        "position": [1, 2, 1, 2], "click": [1, 0, 0, 1]}
        >>> qrels = rm.qrels_from_clicks(log, {1: 1.0, 2: 0.5})
        >>> qrels.frame["item", "relevance"].rows()
        [('a', 0.5), ('b', 1.0)]
        >>> round(rm.evaluate(qrels, {"q": ["b", "a"]}, "DCG@2")["DCG@2"], 4)
        1.3155

    """
    check_weighing(estimator, clip)
    browsing = isinstance(model, ClickModel) and model.model != "position"
    read = read_click_log(log, columns, roles=("propensity",) if model is None else ())
    if browsing:
        read.refuse_gaps(f"the {MODELS[model.model]}")
    rows = LogRows.of(read, browsing=browsing)
    looked, trusted = _propensities(model, read, rows), _trusted(trust, rows)
    weighed = weighed_clicks(rows, looked, estimator, clip, trusted)
    further = [KNOWN] if isinstance(model, ClickModel) else []
    return made_qrels(read, weighed, _said(model), estimator, clip, *further)


def check_weighing(estimator: Estimator, clip: float | None) -> None:
    """Refuses what is no way to weigh clicks.

    Raises:
        ChoiceError: another estimator, or a least propensity that is none.

    """
    check_choice("estimator", estimator, ESTIMATORS)
    if clip is not None and (
        isinstance(clip, bool) or not isinstance(clip, int | float) or not 0 < clip <= 1
    ):
        raise ChoiceError(f"clip={clip!r} is not a number above 0 and at most 1")


def _said(model: Any) -> str:
    if isinstance(model, ClickModel):
        return f"{MODELS[model.model]}, {model.method}"
    return "propensities of the log" if model is None else "propensities as given"


def _propensities(model: Any, log: ClickLog, rows: LogRows) -> Floats:
    """How likely each row was looked at; NaN where that is not known."""
    if isinstance(model, ClickModel):
        return _by_model(model, log, rows)
    if model is None:
        if "propensity" not in log.frame.columns:
            raise UsageError(
                f"{log.where} has no column of propensities: give model=, what `click_model` makes of the "
                "log, or {position: propensity}"
            )
        return _checked(log.frame["propensity"], f"{log.where}: a propensity")
    found = _by_position(model)
    missing = sorted(set(rows.position.tolist()) - set(found["position"].to_list()))
    if missing:
        raise DataError(f"there is no propensity of position {missing[0]}, which {log.where} has; give all")
    values = np.full(max(rows.positions, int(found["position"].max())) + 1, math.nan)  # type: ignore[arg-type]
    values[found["position"].to_numpy()] = _checked(found["propensity"], "a propensity")
    return np.asarray(values[rows.position])


def _by_model(model: ClickModel, log: ClickLog, rows: LogRows) -> Floats:
    """Those of a model of this log, or of another one of the same items."""
    import polars as pl

    if model.model == "position":
        known = model.examination
        return np.array([known.get(k, math.nan) for k in range(1, rows.positions + 1)])[rows.position - 1]
    items = log.frame.select("query", "item").unique(maintain_order=True)
    of_items = model.items.select("query", "item", "relevance", "satisfaction")
    if (items.schema["query"], items.schema["item"]) != (of_items.schema["query"], of_items.schema["item"]):
        raise DataError(f"the ids of {log.where} are of other types than those of the log of the model")
    found = items.join(of_items, on=["query", "item"], how="left", maintain_order="left")
    a, s = (
        found[name].cast(pl.Float64).fill_null(math.nan).to_numpy() for name in ("relevance", "satisfaction")
    )
    gamma = 1.0 if model.continuation is None else model.continuation
    return Fit(None, Browsing(a, s, gamma), a).propensities(rows)


def _by_position(model: Any) -> pl.DataFrame:
    """The columns ``position`` and ``propensity`` of a dict of positions or of a table."""
    import polars as pl

    if isinstance(model, Mapping) and all(isinstance(key, int | np.integer) for key in model):
        model = {"position": list(model), "propensity": list(model.values())}
    opened = source_of(model)
    names = {name: "propensity" if name == "examination" else name for name in opened.names}
    if {"position", "propensity"} - set(names.values()):
        raise ColumnError(
            f"propensities have the columns {', '.join(opened.names)}; they need position and propensity"
        )
    roles = Roles("position", (), False, next(each for each in names if names[each] == "propensity"), None)
    frame = pl.DataFrame(opened.take(roles)).rename(names, strict=False)
    found = frame.select(pl.col("position").cast(pl.Int64, strict=False), pl.col("propensity"))
    if (
        found["position"].null_count()
        or (found["position"] < 1).any()
        or found["position"].is_duplicated().any()
    ):
        raise DataError("propensities need each position once, from 1")
    return found


def _checked(values: pl.Series, what: str) -> Floats:
    """Propensities; refused if they are none."""
    import polars as pl

    numbers = values.cast(pl.Float64, strict=False).fill_null(math.nan).to_numpy()
    wrong = ~((numbers > 0) & (numbers <= 1))
    if wrong.any():
        first = int(wrong.argmax())
        raise DataError(
            f"{what} is {values[first]!r}; {int(wrong.sum()):,} of {len(wrong):,} are not above 0 and at "
            "most 1"
        )
    return np.asarray(numbers)


def _trusted(trust: Mapping[int, tuple[float, float]] | None, rows: LogRows) -> Floats | None:
    """ε⁺ and ε⁻ of each row; [2, rows]."""
    if trust is None:
        return None
    missing = sorted(set(rows.position.tolist()) - set(trust))
    if missing:
        raise UsageError(f"trust says nothing of position {missing[0]}; give {{position: (ε⁺, ε⁻)}} of all")
    table = np.zeros((2, max(rows.positions, *trust) + 1))
    for position, both in trust.items():
        if not (isinstance(both, tuple | list) and len(both) == 2 and 0 <= both[1] < both[0] <= 1):
            raise ChoiceError(
                f"trust of position {position} is {brief(both)}; give (ε⁺, ε⁻), how likely what is relevant "
                "and what is not is clicked where it is looked at, 0 ≤ ε⁻ < ε⁺ ≤ 1"
            )
        table[:, position] = both
    return table[:, rows.position]


class Weighed(NamedTuple):
    """Clicks of the rows that are known to be looked at, and what they come to.

    Attributes:
        seen: which rows these are.
        raised: those of them whose propensities were raised.
        item: the number of each row's item.
        click: whether each was clicked.
        looked: how likely each was looked at.
        own: what each adds to its item.
        below: what the sum of an item is divided by.
        relevance: of each item; NaN of one of which no row is known to be looked at.

    """

    seen: NDArray[np.bool_]
    raised: NDArray[np.bool_]
    item: NDArray[np.int64]
    click: Floats
    looked: Floats
    own: Floats
    below: Floats
    relevance: Floats


def weighed_clicks(
    rows: LogRows, looked: Floats, estimator: Estimator, clip: float | None, trusted: Floats | None = None
) -> Weighed:
    """What clicks come to where rows are looked at so likely; NaN and 0 of those of which it is not known."""
    seen = looked > 0  # of NaN it is not known, and below what ends a search nothing is seen
    raised = seen & (looked < (clip or 0.0))
    e = np.maximum(looked, clip or 0.0)[seen]
    item, click = rows.item[seen], rows.click[seen].astype(float)
    worth = click if trusted is None else _untrusted(click, e, trusted[:, seen])
    below = summed(item, np.ones(len(item)) if estimator == "ips" else e, rows.items)
    own = worth / e if estimator == "ips" else worth
    return Weighed(seen, raised, item, click, e, own, below, divided(summed(item, own, rows.items), below))


def made_qrels(
    log: ClickLog,
    weighed: Weighed,
    model: str,
    estimator: Estimator,
    clip: float | None,
    *further: str,
) -> ClickQrels:
    """Judgements of the clicks of a log, with further notes.

    Raises:
        DataError: of no row it is known how likely it was looked at.

    """
    import polars as pl

    seen, raised, item, click, e, own, below, relevance = weighed
    if not seen.any():
        raise DataError(f"{log.where}: nothing is known of which positions are looked at")
    items = len(relevance)
    count = np.bincount(item, minlength=items)
    off = own - relevance[item] * (1.0 if estimator == "ips" else e)
    squares = summed(item, off**2, items)
    several = count > 1
    variance = np.full(items, math.nan)
    number = count[several]
    variance[several] = squares[several] / below[several] ** 2 * number / (number - 1)
    weight = np.zeros(items)
    np.maximum.at(weight, item, click / e)
    clicks = np.bincount(item, weights=click, minlength=items)
    frame = log.frame.select("query", "item").unique(maintain_order=True)
    frame = frame.with_columns(
        pl.Series("relevance", relevance),
        pl.Series("variance", variance, nan_to_null=True),
        pl.Series("impressions", count, dtype=pl.Int64),
        pl.Series("clicks", clicks, dtype=pl.Int64, strict=False),
        pl.Series("weight", weight),
    )
    frame = frame.filter(pl.col("impressions") > 0)
    notes = [*log.notes, *_notes(log, weighed, frame, clip), *further]
    return ClickQrels(frame, model, estimator, clip if raised.any() else None, tuple(notes))


def _untrusted(click: Floats, looked: Floats, trusted: Floats) -> Floats:
    """Clicks less those that are expected of trust alone, of which the mean is e·r."""
    relevant, other = trusted
    return np.asarray((click - looked * other) / (relevant - other))


def _notes(log: ClickLog, weighed: Weighed, frame: pl.DataFrame, clip: float | None) -> Iterator[str]:
    seen, raised, _, click, e, *_ = weighed
    clicked = log.frame["click"].to_numpy()
    yield (
        "unbiased where the propensities are right: DCG and CG with linear gains, and means of relevance; "
        "nDCG's ideal is of the same noise, and too great on average where items have few impressions"
    )
    yield "fractions of relevance are below the threshold of P, AP, RR, R and RBP, rel=1: give rel= a rate"
    if not seen.all():
        lost = int(clicked[~seen].sum())
        yield (
            f"{counted(int((~seen).sum()), 'row')} left out, which are not known to be looked at, with "
            f"{counted(lost, 'click')}"
        )
    if raised.any():
        yield (
            f"clip={clip:g} raised the propensities of {counted(int(raised.sum()), 'row')}, with "
            f"{counted(int(clicked[raised].sum()), 'click')}: the relevance of what stood there is too low"
        )
    weights = click / e
    if click.any():
        effective = float(weights.sum() ** 2 / (weights**2).sum())
        yield (
            f"{counted(int(click.sum()), 'click')} count as much as {effective:,.0f} of equal weight; the "
            f"greatest weight is {float(weights.max()):.3g}"
        )
    above, below = (int(each.sum()) for each in (frame["relevance"] > 1, frame["relevance"] < 0))
    if above:
        yield f"{counted(above, 'item')} with a relevance above 1, as means of few weighted clicks can be"
    if below:
        yield f"{counted(below, 'item')} with a relevance below 0, of which gains are taken for 0"
    yield "items that no list showed have no judgement: measures take them for not relevant"
