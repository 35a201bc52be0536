"""What policies would have earned, as a log says, and how it is shown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rankmark._native import __version__
from rankmark.dataclassing import dataclass
from rankmark.errors import NotEvaluatedError, did_you_mean
from rankmark.rendering.blocks import Block, Grid, Notes, toned
from rankmark.rendering.numbers import Numbered, Parts
from rankmark.rendering.records import Record
from rankmark.rendering.words import counted, printable, rounded
from rankmark.results.saved import Saved
from rankmark.statistics.off_policy import INTERVALS_OF_LOGS, IntervalOfLogs

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "LOGGED",
    "MEAN",
    "REFUSED",
    "LogCaution",
    "LoggedDifference",
    "LoggedEstimate",
    "LoggedEvaluation",
]

LOGGED, MEAN = "logged", "mean"
"""What the policy of the log is called, and how its value is had."""

LogCaution: TypeAlias = Literal[
    "few", "thin", "heavy", "uncovered", "above", "model", "clipped", "doubted", "alike"
]
"""Why an estimate is not to be trusted: one of `REFUSED`."""

REFUSED: Mapping[LogCaution, str] = MappingProxyType(
    {
        "few": "fewer than 10 effective impressions, and so no interval: log more, or with more chance, what "
        "the policy shows; or cut the weights, as IPS(clip=10)",
        "thin": "fewer than 100 effective impressions, or than 50 by weights times rewards: the interval may "
        "be too narrow",
        "heavy": "one impression has more than 5% of all weight: the interval may be too narrow; cut the "
        "weights, as IPS(clip=10)",
        "uncovered": "the policy shows what the log never does, or the mean weight is below 1 by more than "
        "three standard errors, as where propensities are too large; what it would earn there is not known, "
        "and counts as 0 in IPS and as elsewhere in SNIPS: log with some chance what it shows, or take out "
        "of the policy, and of the log's queries, what the log does not show",
        "above": "the mean weight is above 1 by more than three standard errors: propensities are too small, "
        "or chances do not add up to 1",
        "model": "without weights: the interval does not know how far off the model is",
        "clipped": "cutting weights may have taken away more than a quarter of the interval's width; see the "
        "bound of the bias",
        "alike": "all impressions say the same, which does not tell how far off their mean can be",
        "doubted": "an estimator that assumes less differs by more than three standard errors: believe it",
    }
)
"""What each caution says, and what to do."""


@dataclass(frozen=True, slots=True, repr=False)
class LoggedEstimate(Record):
    """What a policy would have earned an impression.

    Attributes:
        policy: its name; ``logged`` is the log's own.
        estimator: by which; ``mean`` of the log's own.
        slice: the column and the value of a slice, ``country=DE``; empty of the whole log.
        value: the estimate.
        low: the lower end of its interval; NaN where there is none.
        high: the upper end.
        error: the standard error.
        impressions: how many there are.
        effective: how many of equal weight tell as much; NaN without weights.
        earning: the same of weights times rewards; NaN of rewards below 0, too.
        largest_weight: the largest.
        top_share: how much of all weight the largest hundredth has.
        mean_weight: the mean, 1 in expectation.
        weight_error: its standard error.
        bias_bound: how much cutting weights can have taken away; NaN where none are cut.
        cautions: why not to trust it: names of `REFUSED`.

    """

    policy: str
    estimator: str
    slice: str
    value: float
    low: float
    high: float
    error: float
    impressions: int
    effective: float
    earning: float
    largest_weight: float
    top_share: float
    mean_weight: float
    weight_error: float
    bias_bound: float
    cautions: tuple[LogCaution, ...]


@dataclass(frozen=True, slots=True, repr=False)
class LoggedDifference(Record):
    """How much more a policy would have earned than another, on the same impressions.

    Attributes:
        policy: the one.
        baseline: the other; ``logged`` is what the log earned.
        estimator: by which both are estimated, the log's own by its mean.
        slice: as of `LoggedEstimate`.
        difference: the one's value less the other's.
        low: the lower end of the interval of the difference; NaN where there is none.
        high: the upper end.
        error: the standard error.

    """

    policy: str
    baseline: str
    estimator: str
    slice: str
    difference: float
    low: float
    high: float
    error: float


class LoggedEvaluation(Saved, Numbered):
    """What policies would have earned; ``print`` shows it, ``evaluation["new", "SNIPS"]`` is an estimate.

    Attributes:
        rows: an estimate a policy and estimator, the log's own first; then those of slices.
        differences: of each policy to the baseline.
        choices: what else decides the numbers, as signatures say it.
        interval: how intervals were made.
        confidence: of the intervals.
        notes: what was assumed.

    """

    def __init__(
        self,
        *,
        rows: tuple[LoggedEstimate, ...],
        differences: tuple[LoggedDifference, ...],
        choices: Mapping[str, str],
        interval: IntervalOfLogs,
        confidence: float,
        notes: tuple[str, ...] = (),
        version: str = __version__,
    ) -> None:
        self.rows = rows
        self.differences = differences
        self.choices = dict(choices)
        self.interval = interval
        self.confidence = confidence
        self.notes = notes
        self._version = version

    def _kept(self) -> dict[str, Any]:
        own = dict(vars(self))
        return own | {"version": own.pop("_version")}

    def __getitem__(self, asked: str | tuple[str, str]) -> LoggedEstimate:
        whole = [each for each in self.rows if not each.slice]
        own = [each for each in whole if each.policy == asked]
        policy, estimator = asked if isinstance(asked, tuple) else (asked, own[0].estimator if own else "")
        if len(own) > 1:
            known = ", ".join(each.estimator for each in own)
            raise NotEvaluatedError(f"{policy} has several estimates: give one of {known}, too")
        for each in whole:
            if (each.policy, each.estimator) == (policy, estimator):
                return each
        names = [f"{each.policy}, {each.estimator}" for each in whole]
        hint = did_you_mean(f"{policy}, {estimator}", names)
        raise NotEvaluatedError(f"{policy}, {estimator} was not evaluated; here are {'; '.join(names)}{hint}")

    @property
    def logged(self) -> LoggedEstimate:
        """What the log earned."""
        return self.rows[0]

    def signature(self, policy: str, estimator: str) -> str:
        """What decides an estimate.

        Raises:
            NotEvaluatedError: it was not evaluated.

        """
        own = self[policy, estimator]
        said = {**self.choices, "interval": self.interval, "confidence": f"{self.confidence:g}"}
        parts = [f"{name}:{value}" for name, value in said.items()]
        return "|".join([own.estimator, f"policy:{policy}", *parts, f"rankmark:{self._version}"])

    @property
    def table(self) -> pl.DataFrame:
        """A row an estimate."""
        import polars as pl

        rows = [{**asdict(row), "cautions": " ".join(row.cautions)} for row in self.rows]
        return pl.DataFrame(rows, infer_schema_length=None)

    def _numbers(self) -> Mapping[Parts, float]:
        return {
            (row.slice, row.policy, row.estimator, figure): value
            for row in self.rows
            for figure, value in {"": row.value, "low": row.low, "high": row.high}.items()
        }

    def __repr__(self) -> str:
        policies = len({row.policy for row in self.rows} - {LOGGED})
        impressions = counted(self.logged.impressions, "impression")
        return f"<LoggedEvaluation of {counted(policies, 'policy', 'policies')} by {impressions}>"

    def _blocks(self, digits: int) -> Iterator[Block]:
        sliced = any(row.slice for row in self.rows)
        interval = f"{100 * self.confidence:g}% interval"
        names = ["policy", "estimator", *(["slice"] if sliced else [])]
        rows = [[*_names(row, sliced), *_value(row, digits)] for row in self.rows]
        header = [*names, "value", interval, "caution"]
        yield Grid(len(names), [header, *rows], "What policies would have earned")
        rows = [[*_names(row, sliced), *_weights(row)] for row in self.rows if not math.isnan(row.effective)]
        if rows:
            header = [*names, "effective", "largest", "top 1%", "mean weight"]
            yield Grid(len(names), [header, *rows], "What their weights say")
        if self.differences:
            header = ["policy", "less", "estimator", *(["slice"] if sliced else []), "difference", interval]
            rows = [self._difference(each, sliced, digits) for each in self.differences]
            yield Grid(4 if sliced else 3, [header, *rows], "How much more than the baseline")
        yield Notes(self.account(), closing=True)

    def _difference(self, row: LoggedDifference, sliced: bool, digits: int) -> list[str]:
        tone: Literal["good", "bad"] | None = "good" if row.low > 0 else "bad" if row.high < 0 else None
        return [
            printable(row.policy),
            printable(row.baseline),
            row.estimator,
            *([printable(row.slice)] if sliced else []),
            toned(rounded(row.difference, f"+.{digits}f"), tone),
            _ends(row.low, row.high, digits, "+"),
        ]

    def account(self) -> list[str]:
        """What the figures are, and what speaks against them."""
        of = counted(self.logged.impressions, "impression")
        how = INTERVALS_OF_LOGS[self.interval]
        lines = [
            f"{self.choices['value']} of the rewards of {of}; interval: {how}",
            "effective: impressions of equal weight that tell as much; mean weight: 1 but for chance",
            "±: one standard error",
        ]
        found = dict.fromkeys(each for row in self.rows for each in row.cautions)
        lines += [f"{each}: {REFUSED[each]}" for each in found]
        return [*lines, *self.notes]

    def _frame(self) -> pl.DataFrame:
        return self.table

    def _record(self) -> dict[str, Any]:
        return {
            "estimates": [asdict(row) | _no_numbers(row, self.interval) for row in self.rows],
            "differences": [
                asdict(row) | _no_ends(row, self.interval, few=not math.isnan(row.error))
                for row in self.differences
            ],
            "choices": self.choices,
            "interval": self.interval,
            "confidence": self.confidence,
            "signatures": {
                f"{row.policy}, {row.estimator}": self.signature(row.policy, row.estimator)
                for row in self.rows
                if not row.slice
            },
            "notes": self.notes,
        }


def _names(row: LoggedEstimate, sliced: bool) -> list[str]:
    return [printable(row.policy), row.estimator, *([printable(row.slice)] if sliced else [])]


def _value(row: LoggedEstimate, digits: int) -> list[str]:
    """What is estimated, and what speaks against it."""
    value = toned(rounded(row.value, f".{digits}f"), "quiet" if "few" in row.cautions else None)
    return [value, _ends(row.low, row.high, digits), " ".join(row.cautions)]


def _weights(row: LoggedEstimate) -> list[str]:
    """What the weights say of an estimate."""
    top = "" if math.isnan(row.top_share) else f"{100 * row.top_share:.0f}%"
    return [_brief(row.effective, ",.0f"), _brief(row.largest_weight, ".4g"), top, _mean_weight(row)]


def _no_numbers(row: LoggedEstimate, interval: IntervalOfLogs) -> dict[str, str]:
    """Why numbers of an estimate are not there, as JSON says it beside them."""
    weightless = math.isnan(row.effective)
    none = "it has no weights"
    why = {
        "value": "all weights are 0",
        "error": "all weights are 0" if math.isnan(row.value) else ONE,
        **dict.fromkeys(("effective", "largest_weight", "mean_weight"), none),
        "earning": none if weightless else "some rewards are below 0",
        "top_share": none if weightless else "all weights are 0",
        "weight_error": none if weightless else ONE,
        "bias_bound": none if weightless else "no weights are cut, or some rewards are below 0",
    }
    absent = {f"{name}_reason": said for name, said in why.items() if math.isnan(getattr(row, name))}
    return absent | _no_ends(row, interval, few="few" in row.cautions)


def _no_ends(
    row: LoggedEstimate | LoggedDifference, interval: IntervalOfLogs, *, few: bool
) -> dict[str, str]:
    """Why there is no interval, where there is none."""
    if not math.isnan(row.low):
        return {}
    why = "resamples without a value"
    if few:
        why = "fewer than 10 effective impressions"
    elif math.isnan(row.error):
        why = ONE
    elif interval == "bernstein":
        why = "Bernstein's interval is of IPS, DR and what is made of them, each impression by itself"
    return dict.fromkeys(("low_reason", "high_reason"), why)


ONE = "one impression or cluster has no standard error"


def _ends(low: float, high: float, digits: int, sign: str = "") -> str:
    ends: Sequence[str] = [rounded(each, f"{sign}.{digits}f") for each in (low, high)]
    return "" if math.isnan(low) else f"{ends[0]} … {ends[1]}"


def _mean_weight(row: LoggedEstimate) -> str:
    """With its standard error, where there is one."""
    error = "" if math.isnan(row.weight_error) else f" ± {row.weight_error:.3f}"
    return "" if math.isnan(row.mean_weight) else f"{row.mean_weight:.3f}{error}"


def _brief(value: float, form: str) -> str:
    return "" if math.isnan(value) else format(value, form)
