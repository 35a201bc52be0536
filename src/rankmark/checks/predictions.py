"""What is odd in a table of predictions, and what it does to the numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from rankmark.aggregation.oddities import is_reversed
from rankmark.api.predictions import evaluate_predictions
from rankmark.checks.finding import CODES_OF_PREDICTIONS, Effect, Finding, Severity, examples, share
from rankmark.checks.report import CheckReport, TableCounts
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, UsageError
from rankmark.inputs.predictions.groups import GROUPS, in_groups
from rankmark.inputs.predictions.labelled import Predictions
from rankmark.inputs.predictions.reading import read_predictions
from rankmark.rendering.words import counted
from rankmark.statistics.calibration import binned_gaps, spiegelhalter_test
from rankmark.statistics.delong import auc_spread

if TYPE_CHECKING:
    import polars as pl

__all__ = ["check_predictions"]

PERFECT = 20
"""From so many rows on scores that order all of them without a fault are suspicious."""
CALIBRATED = 0.05
"""By so much of the labels' sum that of the scores may differ without a word."""
CHANCE = 3
"""By so many standard errors it may, too."""
SMALL = 0.01
"""By so much an error of calibration may be greater than those of calibrated scores without harm."""
UNLIKELY, CALIBRATED_DRAWS = 0.005, 1_000
"""So rare among calibrated scores is an error that is told, and so many of these are drawn to know it."""


def check_predictions(
    table: Any,
    *,
    label: str | None = None,
    score: str | None = None,
    query: str | None = None,
    item: str | None = None,
    weight: str | None = None,
    group: Any = None,
    positive: str | float | None = None,
) -> CheckReport:
    """Looks for what is odd in a table of labelled scores, and says what it does to the numbers.

    What `rankmark.evaluate_predictions` refuses is looked at, too: rows with nulls, NaN or negative weights
    are then left out.

    Args:
        table: one score and one label in a row, whatever `rankmark.evaluate_predictions` takes.
        label: the column of what happened, if its name does not say it; and so on.
        score: the column of predictions.
        query: the column of the query, user or session.
        item: the column of the item.
        weight: the column of the rows' weights.
        group: instead of a column of queries, how many rows each query has.
        positive: the label of positive rows, where it is not 1 or true.

    Returns:
        The findings, the most serious first. Nothing is written in the table.

    Raises:
        UsageError: a file that is not there, or scores of classes.
        DataError: a table that cannot be read, or without a row that can be used.

    Example:
        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0, None], "score": [0.1, 0.8, 0.2, 0.9, 0.3]}
        >>> report = rm.check_predictions(table)
        >>> [(finding.code, finding.severity) for finding in report.findings]
        [('null', 'serious'), ('scores-reversed', 'serious'), ('uncalibrated', 'serious')]

    """
    said = {"label": label, "score": score, "query": query, "item": item, "weight": weight}
    if group is not None:
        table, said["query"] = in_groups(table, group, query), GROUPS
    read = read_predictions(table, said, positive)
    if not isinstance(read, Predictions):
        raise UsageError(f"{read.name} has a score of each class; one score in a row is checked")
    checked = _Checked.of(read)
    order = list(get_args(Severity))
    findings = sorted(_findings(checked), key=lambda finding: order.index(finding.severity))
    found = {each.code for each in findings}
    return CheckReport(
        tables={checked.where: checked.counts},
        findings=tuple(findings),
        no_sign_of=tuple(code for code in CODES_OF_PREDICTIONS if code not in found),
    )


@dataclass(frozen=True)
class _Checked:
    """A table as a frame with the columns label, score and, if there are such, query, item and weight."""

    where: str
    frame: pl.DataFrame
    positive: float

    @classmethod
    def of(cls, read: Predictions) -> _Checked:
        import polars as pl

        roles = ("label", "score", "query", "item", "weight")
        columns = {role: getattr(read.columns, role) for role in roles}
        frame = pl.DataFrame(read.table).select(
            pl.col(name).alias(role) for role, name in columns.items() if name
        )
        numbers = [name for name in ("label", "score", "weight") if name in frame.columns]
        frame = frame.with_columns(pl.col(numbers).cast(pl.Float64))
        return cls(read.name, frame, 1.0 if read.positive is None else read.positive)

    @cached_property
    def refused(self) -> Mapping[str, pl.Expr]:
        """Which rows `evaluate_predictions` refuses, by the finding's code."""
        import polars as pl

        numbers = [name for name in ("label", "score", "weight") if name in self.frame.columns]
        refused = {
            "null": pl.any_horizontal(pl.all().is_null()),
            "nan": pl.any_horizontal(pl.col(numbers).is_nan().fill_null(value=False)),
        }
        if "weight" in numbers:
            refused["weights"] = (pl.col("weight") < 0).fill_null(value=False)
        return refused

    @cached_property
    def usable(self) -> pl.DataFrame:
        """The rows without those.

        Raises:
            DataError: there are none.

        """
        import polars as pl

        kept = self.frame.filter(~pl.any_horizontal(*self.refused.values()))
        if kept.is_empty():
            raise DataError(f"{self.where}: there is a null, NaN or a negative weight in every row")
        return kept

    @property
    def counts(self) -> TableCounts:
        """How large it is."""
        sizes = (
            self.frame[name].n_unique() if name in self.frame.columns else None for name in ("query", "item")
        )
        return TableCounts(self.frame.height, *sizes)

    @cached_property
    def labels(self) -> list[float]:
        """The different labels."""
        return self.usable["label"].unique().sort().to_list()

    @property
    def is_binary(self) -> bool:
        """Whether there are two of them, one of which is positive."""
        return len(self.labels) == 2 and self.positive in self.labels

    @cached_property
    def is_positive(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which rows are."""
        return np.asarray(self.usable["label"].to_numpy() == self.positive)

    def finding(
        self, code: str, severity: Severity, rows: pl.DataFrame, statement: str, note: str, **others: Any
    ) -> Finding:
        """What is odd in some rows."""
        return Finding(code, severity, self.where, statement, rows.height, examples(rows), note, **others)


def _findings(table: _Checked) -> Iterator[Finding]:
    for look in (_unusable, _labels, _scores, _order, _calibration, _queries, _twice):
        yield from look(table)


REFUSED = {"null": "a null", "nan": "NaN", "weights": "a negative weight"}


def _unusable(table: _Checked) -> Iterator[Finding]:
    for code, condition in table.refused.items():
        rows = table.frame.with_row_index("row").filter(condition)
        if rows.height:
            statement = f"{REFUSED[code]} in {share(rows.height, table.frame.height, 'row')}"
            note = "evaluate_predictions refuses the table; all else is said of the other rows"
            yield table.finding(code, "serious", rows, statement, note)


def _labels(table: _Checked) -> Iterator[Finding]:
    rows, labels = table.usable, table.labels
    if table.is_binary:
        return
    shown = ", ".join(f"{label:g}" for label in labels[:5]) + (", …" if len(labels) > 5 else "")
    if len(labels) == 1:
        note = "AUC, and whatever else tells two classes apart, has no value"
        yield table.finding("one-class", "serious", rows, f"all labels are {shown}", note)
    else:
        statement = f"the labels are {counted(len(labels), 'number')} ({shown})"
        if rows["score"].is_in([0.0, 1.0]).all() and any(label % 1 for label in labels):
            statement += ", and the scores only 0 and 1"
            note = "labels and scores look swapped: say which column is which by label= and score="
            yield table.finding("labels", "serious", rows, statement, note)
            return
        note = (
            "measures of two classes refuse them, unless positive= says which is one of two; others take them"
        )
        yield table.finding("labels", "worth knowing", rows, statement, note)


def _scores(table: _Checked) -> Iterator[Finding]:
    import polars as pl

    rows, score = table.usable, pl.col("score")
    infinite = rows.filter(score.is_infinite())
    if infinite.height:
        statement = f"{share(infinite.height, rows.height, 'score')} are infinite"
        note = "measures of order take them, those of probabilities and numbers do not"
        yield table.finding("infinite", "worth knowing", infinite, statement, note)
    outside = rows.filter(~score.is_between(0, 1))
    if outside.height and table.is_binary:
        statement = f"{share(outside.height, rows.height, 'score')} are outside of 0 to 1"
        note = (
            "these are no probabilities, but logits or percentages, say: LogLoss, Brier and PCOPC refuse "
            "them, and a threshold of 0.5 means something else"
        )
        yield table.finding("not-probabilities", "serious", outside, statement, note)
    if rows["score"].n_unique() == 1 and rows.height > 1:
        note = "nothing is ranked above anything: AUC is 0.5 whatever the labels"
        yield table.finding("constant-scores", "serious", rows, "all scores are equal", note)


def _order(table: _Checked) -> Iterator[Finding]:
    """Scores the wrong way round, or too good."""
    rows = table.usable
    if not table.is_binary or rows["score"].n_unique() == 1:
        return
    weights = rows["weight"].to_numpy() if "weight" in rows.columns else None
    if weights is not None and not all(weights[of].any() for of in (table.is_positive, ~table.is_positive)):
        return
    auc = auc_spread(table.is_positive, rows["score"].to_numpy(), weights, None).auc
    positives = int(table.is_positive.sum())
    if is_reversed(auc, positives, rows.height - positives):
        statement = f"positive rows score lower than others: AUC is {auc:.4f}"
        note = "scores may be those of the other class, or labels and scores each other's"
        effects = (Effect("AUC", auc, {"-score": 1 - auc}),)
        yield table.finding("scores-reversed", "serious", rows, statement, note, effects=effects)
    if auc == 1 and rows.height >= PERFECT:
        statement = f"the scores order all {rows.height:,} rows without a fault"
        note = "the label, or what follows from it, may be among what they were made of"
        yield table.finding("too-good", "serious", rows, statement, note)


def _calibration(table: _Checked) -> Iterator[Finding]:
    rows = table.usable
    if not table.is_binary or not rows["score"].is_between(0, 1).all():
        return
    yield from _gaps(table)
    said = {"weight": "weight"} if "weight" in rows.columns else {"weight": ""}
    columns = rows.select(name for name in ("label", "score", "weight") if name in rows.columns)
    found = evaluate_predictions(columns, "PCOPC", positive=table.positive, **said)  # type: ignore[arg-type]
    if abs(found["PCOPC"] - 1) > CALIBRATED and _beyond_chance(table):
        statement = f"the scores sum to {found['PCOPC']:.4g} times the positive rows (PCOPC)"
        note = f"as probabilities they are too {'great' if found['PCOPC'] > 1 else 'small'}"
        yield table.finding("miscalibrated", "worth knowing", rows, statement, note)


def _gaps(table: _Checked) -> Iterator[Finding]:
    """Scores that are not the rates of positive rows, by more than chance."""
    rows = table.usable
    weights = rows["weight"].to_numpy() if "weight" in rows.columns else None
    if weights is not None and not weights.any():
        return
    clusters = rows["query"].rank("dense").to_numpy() if "query" in rows.columns else None
    told = table.is_positive.astype(float), rows["score"].to_numpy()
    gaps = binned_gaps(*told, weights=weights, clusters=clusters)
    usual = gaps.calibrated(draws=CALIBRATED_DRAWS)
    z, p = spiegelhalter_test(*told, weights=weights)
    least = usual.p if clusters is not None or math.isnan(p) else min(1.0, 2 * min(usual.p, p))
    if least > UNLIKELY:
        return
    of_users = " over queries" if clusters is not None else ""
    ends = f"{usual.low:.4f} … {usual.high:.4f}"
    chance = f"{_p(usual.p)} for one as great{of_users}"
    statement = f"ECE is {gaps.error:.4f}, and of calibrated scores would be {ends} ({chance})"
    if clusters is None and not math.isnan(p):
        statement += f"; Spiegelhalter's z is {z:.3g} ({_p(p)})"
    note = "the scores are not the rates of positive rows: calibrate them before they are taken for such"
    beyond = gaps.error - usual.high
    severity: Severity = "serious" if beyond > CALIBRATED else "worth knowing" if beyond > SMALL else "fine"
    yield table.finding("uncalibrated", severity, rows, statement, note)


def _p(p: float) -> str:
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.2g}"


def _beyond_chance(table: _Checked) -> bool:
    """Whether scores and labels differ on average by more than some standard errors of that."""
    rows = table.usable
    apart = rows["score"].to_numpy() - table.is_positive
    weights = rows["weight"].to_numpy() if "weight" in rows.columns else np.ones(len(apart))
    mean = weights @ apart / weights.sum()
    error = np.sqrt(np.square(weights * (apart - mean)).sum()) / weights.sum()
    return bool(abs(mean) > CHANCE * error)


def _queries(table: _Checked) -> Iterator[Finding]:
    import polars as pl

    rows = table.usable
    if "query" not in rows.columns or not table.is_binary:
        return
    of_one = rows.group_by("query", maintain_order=True).agg(labels=pl.col("label").n_unique(), rows=pl.len())
    found = of_one.filter(pl.col("labels") == 1).select("query", "rows")
    if found.height:
        statement = f"{share(found.height, of_one.height, 'query', 'queries')} have rows of one label alone"
        note = f"GAUC leaves them out, with {share(int(found['rows'].sum()), rows.height, 'row')}"
        severity: Severity = "worth knowing" if found.height < of_one.height else "serious"
        yield table.finding("one-class-queries", severity, found, statement, note)


def _twice(table: _Checked) -> Iterator[Finding]:
    import polars as pl

    rows = table.usable
    ids: Sequence[str] = ["query", "item"]
    if not set(ids) <= set(rows.columns):
        return
    found = rows.filter(~pl.struct(ids).is_first_distinct())
    if found.height:
        statement = f"{counted(found.height, 'row')} of an item that its query has already"
        note = "measures of rows count them all; those of lists refuse them unless told which counts"
        yield table.finding("duplicate-rows", "worth knowing", found, statement, note)
