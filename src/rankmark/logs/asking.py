"""What is asked of a log: policies, estimators, what positions count; and what its rows come to for that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, DataError, MeasureError, UsageError, did_you_mean
from rankmark.inputs.log_columns import find_log_columns
from rankmark.inputs.logged_feedback import NAMES, OTHER, LogColumns, LoggedRows
from rankmark.language.grammar import read, write
from rankmark.logs.choosing import RunPolicy
from rankmark.logs.impressions import Impressions
from rankmark.rendering.words import counted
from rankmark.statistics.estimators import (
    ESTIMATORS,
    Chances,
    Estimator,
    Logged,
    Terms,
    uniform_slate_weights,
)
from rankmark.statistics.off_policy import Observed
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import Floats

__all__ = ["EXPECTED", "Asked", "AskedEstimator", "Counted", "Policy", "Value", "estimator_of", "value_of"]

EXPECTED = "expected "
"""Before the name of a policy, in the column of what a model expects of it."""
WHOLE = ("IPS", "SNIPS")
ORDERED = ("RIPS", "SNRIPS", "CascadeDR")
"""The estimators that look at what stands above."""
WEIGHED = ("DR", "SNDR", *WHOLE)
DOUBTED: Mapping[str, tuple[str, ...]] = {
    "IIPS": ("RIPS", "SNRIPS", "PI", "SNPI", *WHOLE),
    "SNIIPS": ("RIPS", "SNRIPS", "PI", "SNPI", *WHOLE),
    **dict.fromkeys(("RIPS", "SNRIPS", "CascadeDR", "PI", "SNPI"), WHOLE),
    **dict.fromkeys(("DM", "SwitchDR", "DRos"), WEIGHED),
}
"""Of each estimator, those that assume less."""
VALUES: Mapping[str, Mapping[str, float]] = {"sum": {}, "DCG": {}, "RBP": {"p": 0.8}}
"""What positions can count, with what is usual."""


@dataclass(frozen=True, slots=True)
class Value:
    """What the positions of an impression count.

    Attributes:
        name: ``sum``: 1 each; ``DCG``: 1 / log₂(k + 1); ``RBP``: (1 − p)·p^(k − 1).
        parameters: of it.
        cutoff: positions below it count nothing.

    """

    name: str
    parameters: Mapping[str, float] = field(default_factory=dict)
    cutoff: int | None = None

    def __str__(self) -> str:
        return write(self.name, self.parameters, self.cutoff)

    def discount(self, width: int) -> Floats:
        """What each position counts."""
        rank = np.arange(1, width + 1)
        found: Floats = np.ones(width)
        if self.name == "DCG":
            found = np.asarray(1 / np.log2(rank + 1), dtype=np.float64)
        elif self.name == "RBP":
            p = self.parameters["p"]
            found = np.asarray((1 - p) * p ** (rank - 1.0), dtype=np.float64)
        return np.where(rank <= (self.cutoff or width), found, 0.0)


def value_of(text: str) -> Value:
    """What is written: ``sum``, ``DCG@10``, ``RBP(p=0.8)``.

    Raises:
        ChoiceError: anything else.

    """
    written = _read(text, "value")
    check_choice("value", written.name, VALUES)
    parameters = dict(VALUES[written.name])
    for name, number in written.parameters.items():
        if name not in parameters or not isinstance(number, float) or not 0 < number < 1:
            raise ChoiceError(f"value={text!r}: RBP takes p, above 0 and below 1, and the others nothing")
        parameters[name] = number
    if written.cutoff == 0:
        raise ChoiceError(f"value={text!r}: the cutoff is 1 or more")
    return Value(written.name, parameters, written.cutoff)


def _read(text: object, what: str) -> Any:
    if not isinstance(text, str):
        raise ChoiceError(f"{what}={text!r} is no text")
    try:
        return read(text, what)
    except MeasureError as error:
        raise ChoiceError(str(error)) from error


@dataclass(frozen=True, slots=True)
class AskedEstimator:
    """An estimator with its parameters."""

    estimator: Estimator
    parameters: Mapping[str, float]

    def __str__(self) -> str:
        own = {name: int(value) if value == int(value) else value for name, value in self.parameters.items()}
        return write(self.estimator.name, own)

    def doubts(self, other: AskedEstimator) -> bool:
        """Whether it assumes less than another, and cuts no weights."""
        if self.parameters:
            return False
        cut = other.estimator.name == self.estimator.name and bool(other.parameters)
        return cut or self.estimator.name in DOUBTED.get(other.estimator.name, ())


def estimator_of(text: str) -> AskedEstimator:
    """What is written: ``SNIPS``, ``IPS(clip=10)``.

    Raises:
        ChoiceError: there is no such estimator, or it takes no such parameters.

    """
    written = _read(text, "estimator")
    names = {name.lower(): name for name in ESTIMATORS}
    name = names.get(written.name.lower(), written.name)
    check_choice("estimator", name, ESTIMATORS)
    if written.cutoff is not None:
        raise ChoiceError(f"{text}: an estimator has no cutoff; what positions count is said by value=")
    return AskedEstimator(ESTIMATORS[name], ESTIMATORS[name].given(written.parameters))


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy that is evaluated.

    Attributes:
        name: what it is called.
        column: the log's column of its chances, where it has one.
        run: what it shows, where that is chosen from results.
        expected: the column of what a model expects of it, where one is named.

    """

    name: str
    column: str | None = None
    run: RunPolicy | None = None
    expected: str | None = None


@dataclass(slots=True)
class Counted:
    """What is counted besides.

    Attributes:
        impressions: how many there are.
        unanswered: of each policy, in how many its run has nothing for the query.
        never: of each policy, in how many its first items have one that the log never shows.

    """

    impressions: int = 0
    unanswered: dict[str, int] = field(default_factory=dict)
    never: dict[str, int] = field(default_factory=dict)

    def add(self, other: Counted) -> None:
        """Takes in other impressions."""
        self.impressions += other.impressions
        for name, count in other.unanswered.items():
            self.unanswered[name] = self.unanswered.get(name, 0) + count


@dataclass(frozen=True, slots=True)
class Asked:
    """All that is asked of a log; executors of a cluster are told this.

    Attributes:
        policies: which are evaluated.
        estimators: by which.
        value: what positions count.
        chances: what chances of positions are of.
        strata: the columns in whose strata propensities are counted; None where the log has them.
        modelled: whether rewards are predicted here, by the mean of items.
        by: the columns of slices.
        clusters: the column of what belongs together.
        columns: the columns of the log that are said, by their roles.

    """

    policies: tuple[Policy, ...]
    estimators: tuple[AskedEstimator, ...]
    value: Value
    chances: Chances
    strata: tuple[str, ...] | None
    modelled: bool
    by: tuple[str, ...]
    clusters: str | None
    columns: Mapping[str, Any]

    @property
    def needs_model(self) -> bool:
        """Whether an estimator needs one."""
        return any(each.estimator.model for each in self.estimators)

    def find(self, names: Sequence[str], where: str) -> LogColumns:
        """The columns of a log that has these.

        Raises:
            ColumnError: one that is not there, or several that fit.

        """
        runs = any(each.run is not None for each in self.policies)
        items = runs or self.strata is not None
        needed = [*(["query", "item"] if runs else ["item"] if items else []), "reward"]
        if self.chances == "uniform":
            needed.append("candidates")
        elif self.strata is None:
            needed.append("propensity")
        if self.needs_model and not self.modelled:
            needed.append("predicted")
        found = find_log_columns(names, self.columns, where, NAMES, needed, ("impression", "position"))
        for name in (*self._others, *self._numbers):
            if name not in names:
                hint = did_you_mean(name, names) or ";"
                raise UsageError(f"{where} has no column {name!r}{hint} its columns are {', '.join(names)}")
        chances = tuple(each.column for each in self.policies if each.column is not None)
        expected = tuple(each.expected for each in self.policies if each.expected is not None)
        return LogColumns(found, chances, expected, self._others)

    @property
    def _others(self) -> tuple[str, ...]:
        clusters = () if self.clusters is None else (self.clusters,)
        return tuple(dict.fromkeys((*self.by, *clusters, *(self.strata or ()))))

    @property
    def _numbers(self) -> list[str]:
        return [n for each in self.policies for n in (each.column, each.expected) if n is not None]

    def alike(self, read: LoggedRows) -> Asked:
        """The same with runs whose ids are of the types of a log's."""
        own = tuple(
            each
            if each.run is None
            else replace(each, run=each.run.alike(read.frame, read.text_ids, read.where))
            for each in self.policies
        )
        return replace(self, policies=own)

    def terms(self, log: Impressions) -> tuple[Floats, list[Terms]]:
        """What each impression earned, and what it adds: to the log's own mean, then to each estimate."""
        reward = log.numbers("reward")
        propensity = _drawn(log) if self.chances == "uniform" else log.numbers("propensity", 1.0)
        discount = self.value.discount(log.width)
        total = (reward * discount).sum(axis=1)
        found = [Terms(total[:, None], None, None)]
        model = {"predicted": log.numbers("predicted")} if "predicted" in log.rows.columns else {}
        for policy in self.policies:
            chance = self._chance(policy, log)
            name = OTHER + (EXPECTED + policy.name if policy.expected is None else policy.expected)
            own = model | {"expected": log.numbers(name)} if name in log.rows.columns else {}
            ratio = np.divide(chance, propensity, out=np.ones_like(chance), where=log.there)
            if self.chances == "uniform":
                own |= self._uniform(policy, log, chance)
            logged = Logged(reward, ratio, log.there, discount, self.chances, **own)
            found += [each.estimator.terms(logged, each.parameters) for each in self.estimators]
        return total, found

    def _uniform(self, policy: Policy, log: Impressions, chance: Floats) -> dict[str, Floats]:
        """What ratios do not say of lists that were drawn at random, of a policy that shows one list."""
        assert policy.run is not None
        of = log.numbers("candidates", 1.0)
        slots = log.there.sum(axis=1)
        overlap = policy.run.overlap(log)
        return {
            "slate": uniform_slate_weights(chance.sum(axis=1), overlap, slots, of[:, 0]),
            "alone": np.where(log.there, chance * of, 1.0),
        }

    def _chance(self, policy: Policy, log: Impressions) -> Floats:
        if policy.column is not None:
            return log.numbers(OTHER + policy.column)
        assert policy.run is not None
        chances = policy.run.chances(log)
        if self.chances == "slate":
            return np.where(log.there, np.where(log.there, chances, 1.0).prod(axis=1)[:, None], 0.0)
        return chances

    def observe(self, read: LoggedRows, width: int | None = None, *, kept: bool = False) -> Observed:
        """What rows come to."""
        log = Impressions.of(read, width)
        self.check(log)
        clusters = None if self.clusters is None else log.each(self.clusters).to_numpy()
        with np.errstate(over="ignore", invalid="ignore"):  # what cannot be added up is refused then
            total, terms = self.terms(log)
        return Observed.of(total, terms, clusters, kept=kept)

    def check(self, log: Impressions) -> None:
        """Refuses what runs cannot say of the lists of a log.

        Raises:
            ChoiceError: chances of positions that do not follow from a way of choosing.

        """
        if self.chances == "uniform":
            self._check_positions(log)
            if self.strata is not None:
                raise ChoiceError('chances="uniform" need no propensities to be counted: leave out strata=')
            for policy in self.policies:
                if policy.run is None or policy.run.choosing.name != "top":
                    raise ChoiceError(
                        'chances="uniform" are of policies that show one list for a query: give runs, with '
                        'choose="top"'
                    )
            return
        if log.width == 1:
            return
        self._check_positions(log)
        if self.strata is not None and self.chances not in ("independent", "marginal"):
            raise ChoiceError(
                "propensities that are counted are those of an item at its position, whatever stands "
                'elsewhere; say chances="marginal", or "independent" where positions were drawn one by one, '
                "and count them in strata that have the position"
            )
        if self.chances == "conditional":
            return
        for policy in self.policies:
            if policy.run is not None and policy.run.choosing.name != "top" and self.chances != "slate":
                raise ChoiceError(
                    f'choose="{policy.run.choosing}" gives chances of an item given those above it, and '
                    f'chances="{self.chances}" are others; take choose="top", or give chances in a column'
                )

    def _check_positions(self, log: Impressions) -> None:
        """Refuses lists without positions where these count.

        Raises:
            DataError: there are such.

        """
        if not log.unplaced:
            return
        ordered = [str(each) for each in self.estimators if each.estimator.name in ORDERED]
        for counts, what in (
            (bool(ordered), ", ".join(ordered)),
            (str(self.value) != "sum", f'value="{self.value}"'),
            (any(each.run is not None for each in self.policies), "a run, which shows its items in order,"),
        ):
            if counts:
                raise DataError(
                    f"{log.where} has up to {counted(log.width, 'row')} an impression and no column of "
                    f"positions, and {what} needs them: add the column position, 1 for the first, or name it "
                    'with columns={"position": "…"} (on the command line --column position=…)'
                )

    def sliced(self, read: LoggedRows) -> Iterable[tuple[str, Any, LoggedRows]]:
        """The rows of each slice: its column, its value, and they."""
        for column in self.by:
            for (value,), frame in read.frame.group_by(OTHER + column, maintain_order=True):
                yield column, value, replace(read, frame=frame)

    def counted(self, log: Impressions) -> Counted:
        """What is counted of impressions."""
        runs = [each.run for each in self.policies if each.run is not None]
        return Counted(
            len(log),
            {each.name: each.unanswered(log) for each in runs},
            {each.name: each.never_shown(log) for each in runs},
        )


def _drawn(log: Impressions) -> Floats:
    """The chance of each item given those above it, where lists are drawn of their candidates at random.

    Raises:
        DataError: numbers of candidates that are none, or fewer than positions.

    """
    of = log.numbers("candidates", 1.0)
    wrong = log.there & ((of != np.round(of)) | (of < log.there.sum(axis=1)[:, None]) | (of != of[:, :1]))
    if wrong.any():
        raise DataError(
            f"{log.where}: {counted(int(wrong.any(axis=1).sum()), 'impression')} of {len(log):,} do not have "
            "a whole number of candidates, the same in each row, at least as many as their positions"
        )
    return np.where(log.there, 1.0 / np.maximum(of - np.arange(log.width), 1.0), 1.0)
