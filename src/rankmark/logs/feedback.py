"""Estimates what policies would have earned, from a log of another one."""

from __future__ import annotations

import glob
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rankmark.engines.selection import Engine, memory_bytes, selected
from rankmark.errors import ChoiceError, DataError, UsageError, did_you_mean
from rankmark.inputs import slicing
from rankmark.inputs.logged_feedback import (
    LoggedRows,
    names_of_log,
    read_log,
)
from rankmark.inputs.roles import columns_said
from rankmark.language.grammar import split_measures
from rankmark.logs.asking import Asked, AskedEstimator, Policy, estimator_of, value_of
from rankmark.logs.choosing import CHOOSING, Choosing, RunPolicy, choosing_of
from rankmark.logs.estimates import (
    LOGGED,
    MEAN,
    LogCaution,
    LoggedDifference,
    LoggedEstimate,
    LoggedEvaluation,
)
from rankmark.logs.on_spark import is_on_cluster, on_cluster
from rankmark.logs.parts import Seen, in_batches
from rankmark.logs.rewards import with_counted_propensities, with_predicted_rewards
from rankmark.rendering.words import counted
from rankmark.statistics.estimators import CHANCES, Chances, refuse_lacking
from rankmark.statistics.off_policy import FEWEST_EFFECTIVE, Estimated, IntervalOfLogs, Making, Observed
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import check_drawn, check_enough

__all__ = ["DEFAULT", "evaluate_logged"]

DEFAULT = ("IPS", "SNIPS")
"""The estimators that are used unless told otherwise."""
THIN, EARNING, HEAVY, OFF = 100.0, 50.0, 0.05, 3.0
"""Fewer effective impressions, or by weights times rewards, a greater share of one, and a mean weight so many
errors from 1 are noted."""
CUT = 2.0
"""By so many errors the mean of cut weights is below 1 where cutting is noted."""
BATCH = 24
"""A batch takes this part of the memory."""


def evaluate_logged(
    log: Any,
    policies: Any,
    estimators: str | Iterable[str] = DEFAULT,
    *,
    value: str = "sum",
    choose: str = "top",
    chances: Chances = "conditional",
    strata: str | Sequence[str] | None = None,
    expected: str | Mapping[str, str] | None = None,
    baseline: str = LOGGED,
    by: str | Sequence[str] | None = None,
    clusters: str | None = None,
    interval: IntervalOfLogs = "t",
    confidence: float = 0.95,
    reward_range: tuple[float, float] | None = None,
    largest_weight: float = float("inf"),
    resamples: int = 2_000,
    seed: int = 0,
    threads: int | None = None,
    engine: Engine | None = None,
    memory: int | str | None = None,
    columns: Mapping[str, Any] | None = None,
) -> LoggedEvaluation:
    """What policies would have earned, estimated from what another one showed and earned.

    Args:
        log: a path, a table, a dict of columns, or a Spark DataFrame, with a row an item that was shown:
            ``item``, its ``reward`` (click), and its ``propensity``, the chance with which it was shown;
            ``impression``, if several rows are one list, and ``position``; ``query`` for policies that are
            runs. Without impressions each row is one.
        policies: what is evaluated: the log's column of the chances that a policy shows what was shown, or a
            run as `evaluate` takes it; or several of these by name.
        estimators: one or several of `rankmark.statistics.ESTIMATORS`: ``IPS``, ``SNIPS``, ``IPS(clip=10)``,
            ``DM``, ``DR``, ``SNDR``, ``SwitchDR(threshold=10)``, ``DRos(shrinkage=10)``; of lists ``IIPS``,
            ``SNIIPS``, ``RIPS``, ``SNRIPS``, ``CascadeDR``, ``PI``, ``SNPI``.
        value: what the positions of an impression count: ``sum`` (each 1), ``DCG``, ``RBP(p=0.8)``, with a
            cutoff (``DCG@10``) none below it.
        choose: how policies show items of their runs: ``top``, ``epsilon-greedy(epsilon=0.1)``,
            ``softmax(temperature=1)``.
        chances: what the chances of several positions are of: ``conditional`` on the items above,
            ``independent``, ``marginal``, or of the whole ``slate``; ``uniform`` where lists were drawn of as
            many items as the column ``candidates`` says, in a random order.
        strata: columns in whose strata propensities are counted, where the log has none: the share of the
            stratum's rows that show the item.
        expected: for DM, DR and the like, the column of what a model expects of the policy, Σ_a π(a)·q̂(a), or
            one by each policy's name; the column ``predicted`` has what it predicts of what was shown. Of
            runs, both are predicted here if this is None: by the mean of an item at its position.
        baseline: the policy that all others are compared with; ``logged`` is what the log earned.
        by: columns to slice by.
        clusters: the column of what belongs together, such as users; in batches the sums of each are kept.
        interval: ``t``, ``percentile`` (bootstrap) or ``bernstein``.
        confidence: of the intervals.
        reward_range: the least and the greatest that an impression can earn, for ``bernstein``.
        largest_weight: the greatest weight that there can be, for the same.
        resamples: how many, for ``percentile``.
        seed: of the resamples.
        threads: how many to use; all cores if None.
        engine: ``local`` or ``stream``, which reads files in batches; None chooses by their size.
        memory: what the stream engine may use.
        columns: the columns to use, where their names do not say it: ``{"propensity": "p"}``, those of runs
            as ``{"run.score": "s"}``.

    Returns:
        Each estimate with its interval and what the weights say of it; differences to the baseline.

    Raises:
        UsageError: what is no log or policy, or a file or column that is not there.
        ChoiceError: an estimator or choice that there is not, or that lacks what it needs.
        DataError: propensities that are none, rewards or ids that are null or NaN, a position twice.

    Source:
        That of each estimator; on how to read their weights L. Li, S. Chen, J. Kleban, A. Gupta,
        "Counterfactual estimation and optimization of click metrics in search engines", WWW 2015 companion.

    Example:
        >>> import rankmark as rm
        >>> shown = {"item": ["a", "b"] * 100, "reward": [1, 0] * 50 + [0, 0] * 50}
        >>> log = shown | {"propensity": [0.5] * 200, "new": [0.9, 0.1] * 100}
        >>> found = rm.evaluate_logged(log, "new")
        >>> round(found["new", "IPS"].value, 4), found.logged.value
        (0.45, 0.25)

    """
    check_choice("chances", chances, CHANCES)
    how = Making(interval, confidence, reward_range, largest_weight)
    if interval == "percentile":
        check_drawn(resamples, seed, threads)
        check_enough(resamples, (1 - confidence) / 2, "the ends of the interval")
    said = dict(columns_said(columns))
    of_runs = {key: name for key, name in said.items() if key.startswith("run.")}
    own = {key: name for key, name in said.items() if key not in of_runs}
    choosing = choosing_of(choose)
    names = list(log.columns) if is_on_cluster(log) else names_of_log(log)
    given = _policies(policies, names, choosing, of_runs, expected)
    texts = _names(estimators, "estimators")
    asked = [estimator_of(each) for text in texts for each in split_measures(text)]
    if not asked:
        raise UsageError("no estimator is asked for")
    refuse_lacking((each.estimator, each.parameters) for each in asked)
    asked = list({str(each): each for each in asked}.values())
    if baseline != LOGGED:
        check_choice("baseline", baseline, [LOGGED, *(each.name for each in given)])
    model = any(each.estimator.model for each in asked) and expected is None
    if model and (column := next((each for each in given if each.run is None), None)):
        raise ChoiceError(
            f"{next(str(each) for each in asked if each.estimator.model)} needs a model of rewards, and of "
            f"policy {column.name!r}, whose chances are in a column, none can be made here: give expected=, "
            "the column of what yours expects of it, and the column predicted"
        )
    whole = Asked(
        given,
        tuple(asked),
        value_of(value),
        chances,
        _names(strata, "strata") if strata is not None else None,
        model,
        _names(by, "by"),
        _one(clusters, "clusters"),
        own,
    )
    kept = interval == "percentile"
    if is_on_cluster(log):
        seen = on_cluster(log, whole, kept=kept)
    elif selected(engine, memory, {"predictions": log}) == "stream":
        seen = in_batches(os.fspath(log), whole, memory_bytes(memory) // BATCH, kept=kept)
    else:
        seen = _whole(read_log(log, whole.find), whole, kept=kept)
    return _result(whole, seen, how, choosing, baseline, (resamples, seed, threads))


def _names(given: Any, argument: str) -> tuple[str, ...]:
    """One text or several."""
    if given is None and argument != "estimators":
        return ()
    several = (given,) if isinstance(given, str) else given
    if not isinstance(several, Iterable) or not all(isinstance(each, str) for each in several):
        raise UsageError(f"{argument}={given!r} is neither a text nor several")
    return tuple(several)


def _one(given: Any, argument: str) -> str | None:
    if given is not None and not isinstance(given, str):
        raise UsageError(f"{argument}={given!r} is not the name of a column")
    return given


def _policies(
    given: Any,
    names: Sequence[str],
    choosing: Choosing,
    columns: Mapping[str, Any],
    expected: str | Mapping[str, str] | None,
) -> tuple[Policy, ...]:
    """What is evaluated, of a log that has columns of these names.

    Raises:
        UsageError: what is neither a column nor a run, or a name that is the log's own.

    """
    several = isinstance(given, Mapping) and all(_is_policy(each) for each in given.values())
    path = os.fspath(given) if isinstance(given, os.PathLike) else given
    named = dict(given) if several else {path if isinstance(path, str) else "policy": path}
    if not named:
        raise UsageError("no policy is given")
    if LOGGED in named:
        raise UsageError(f"a policy cannot be called {LOGGED!r}, as the log's own is; give it another name")
    if not isinstance(expected, str | Mapping | None):
        raise UsageError(f"expected={expected!r} is neither a column nor one for each policy, {{…}}")
    models = dict.fromkeys(named, expected) if isinstance(expected, str) else dict(expected or {})
    if isinstance(expected, str) and len(named) > 1:
        raise UsageError(
            f"expected={expected!r} is of one policy, and there are {len(named)}; name each: {{…}}"
        )
    found = []
    for name, each in named.items():
        if expected is not None and name not in models:
            raise UsageError(f"expected= says nothing of policy {name!r}; it has {', '.join(models)}")
        if isinstance(each, str) and each in names:
            found.append(Policy(name, each, None, models.get(name)))
            continue
        if isinstance(each, str) and not _may_be_file(each):
            hint = did_you_mean(each, names) or ";"
            raise UsageError(
                f"policy {each!r} is neither a column of the log nor a file{hint} its columns are "
                f"{', '.join(names)}"
            )
        found.append(Policy(name, None, RunPolicy.of(name, each, choosing, columns), models.get(name)))
    return tuple(found)


def _is_policy(given: Any) -> bool:
    """Whether it is a column, a path or a table, and not the results of a query."""
    if isinstance(given, Mapping):
        return any(isinstance(each, Mapping | list | tuple) for each in given.values())
    return not isinstance(given, list | tuple)


def _may_be_file(text: str) -> bool:
    return Path(text).exists() or glob.has_magic(text) or any(each in text for each in "/\\.")


def _whole(read: LoggedRows, asked: Asked, *, kept: bool) -> Seen:
    """What a log in memory comes to."""
    asked = asked.alike(read)
    read, notes = _completed(read, asked)
    return replace(Seen.of(read, asked, None, kept=kept), notes=notes)


def _completed(read: LoggedRows, asked: Asked) -> tuple[LoggedRows, tuple[str, ...]]:
    """The rows with propensities and predictions that they lack, and what was assumed for these."""
    notes: list[str] = []
    if asked.strata is not None:
        read, note = with_counted_propensities(read, asked.strata)
        notes.append(note)
    if asked.modelled and asked.needs_model:
        read, note = with_predicted_rewards(read, asked)
        notes.append(note)
    return read, tuple(notes)


def _result(
    asked: Asked,
    seen: Seen,
    how: Making,
    choosing: Choosing,
    baseline: str,
    drawing: tuple[int, int, int | None],
) -> LoggedEvaluation:
    """The estimates of the whole log and of slices, and how they differ from the baseline."""
    for name, count in seen.counted.unanswered.items():
        if count == seen.counted.impressions:
            raise DataError(
                f"the run of policy {name!r} has none of the log's queries: are these in another "
                'column of the log (columns={"query": "…"}), or written otherwise?'
            )
    rows: list[LoggedEstimate] = []
    differences: list[LoggedDifference] = []
    uncovered = {
        policy for known in (seen.counted.unanswered, seen.counted.never) for policy in known if known[policy]
    }
    for name, observed in [("", seen.whole), *_in_order(seen.slices, asked.by)]:
        resampled = observed.resampled(*drawing) if how.interval == "percentile" else None
        places = [(LOGGED, MEAN), *((p.name, str(e)) for p in asked.policies for e in asked.estimators)]
        own = Making("t", how.confidence) if how.interval == "bernstein" else how
        for number, (policy, estimator) in enumerate(places):
            found = observed.estimated(number, how if number else own, resampled=resampled)
            kind = asked.estimators[(number - 1) % len(asked.estimators)] if number else None
            rows.append(
                _row(
                    policy,
                    estimator,
                    name,
                    found,
                    model=kind is not None and kind.estimator.name == "DM",
                    doubted=kind is not None and _is_doubted(observed, number, kind, asked),
                    uncovered=not name and policy in uncovered,
                )
            )
            if number and policy != baseline:
                base = 0 if baseline == LOGGED else places.index((baseline, estimator))
                less = observed.estimated(number, own, base, resampled)
                differences.append(
                    LoggedDifference(
                        policy, baseline, estimator, name, less.value, less.low, less.high, less.error
                    )
                )
    runs = any(each.run is not None for each in asked.policies)
    choices = {
        "value": str(asked.value),
        **({"choose": str(choosing)} if runs else {}),
        **({"chances": asked.chances} if seen.lists else {}),
        "propensity": _propensity(asked),
        **({"clusters": asked.clusters} if asked.clusters is not None else {}),
    }
    return LoggedEvaluation(
        rows=tuple(rows),
        differences=tuple(differences),
        choices=choices,
        interval=how.interval,
        confidence=how.confidence,
        notes=(*_notes(asked, seen, choosing), *seen.notes),
    )


def _in_order(slices: Mapping[str, Observed], by: Sequence[str]) -> list[tuple[str, Observed]]:
    """Slices by their columns, and by their values as those of other results are."""

    def order(each: tuple[str, Observed]) -> tuple[int, Any]:
        column = next(number for number, name in enumerate(by) if each[0].startswith(f"{name}="))
        return column, slicing.place(each[0].removeprefix(f"{by[column]}="))

    return sorted(slices.items(), key=order)


def _is_doubted(observed: Observed, number: int, kind: AskedEstimator, asked: Asked) -> bool:
    """Whether an estimator that assumes less gives another value of the same policy."""
    first = number - (number - 1) % len(asked.estimators)
    for place, other in enumerate(asked.estimators, first):
        if place == number or not other.doubts(kind):
            continue
        apart = observed.estimated(number, less=place)
        if apart.effective >= FEWEST_EFFECTIVE and abs(apart.value) > OFF * apart.error > 0:
            return True
    return False


def _propensity(asked: Asked) -> str:
    """Where propensities are from, as signatures say it."""
    if asked.strata is not None:
        return f"counted in {','.join(asked.strata) or 'all'}"
    return "drawn" if asked.chances == "uniform" else "logged"


def _row(
    policy: str,
    estimator: str,
    name: str,
    found: Estimated,
    *,
    model: bool,
    doubted: bool,
    uncovered: bool,
) -> LoggedEstimate:
    cautions: list[LogCaution] = []
    if found.effective < FEWEST_EFFECTIVE:
        cautions.append("few")
    elif found.effective < THIN or found.earning < EARNING or found.impressions < THIN:
        cautions.append("thin")
    weight = found.mean_weight * found.impressions
    if weight and found.effective >= FEWEST_EFFECTIVE and found.largest > HEAVY * abs(weight):
        cautions.append("heavy")
    off = _off(found)
    if off > OFF:
        cautions.append("above")
    if math.isnan(found.bias_bound):
        uncovered = uncovered or off < -OFF
    elif 1 - found.mean_weight > CUT * found.weight_error and found.bias_bound > (found.high - found.low) / 4:
        cautions.append("clipped")
    if uncovered:
        cautions.append("uncovered")
    if found.error == 0:
        cautions.append("alike")
    if model:
        cautions.append("model")
    if doubted:
        cautions.append("doubted")
    return LoggedEstimate(
        policy,
        estimator,
        name,
        found.value,
        found.low,
        found.high,
        found.error,
        found.impressions,
        found.effective,
        found.earning,
        found.largest,
        found.top_share,
        found.mean_weight,
        found.weight_error,
        found.bias_bound,
        tuple(cautions),
    )


def _off(found: Estimated) -> float:
    """How far the mean weight is from 1, by its error."""
    above = found.mean_weight - 1
    if above and not found.weight_error:
        return math.copysign(math.inf, above)
    return above / found.weight_error if above else 0.0


def _notes(asked: Asked, seen: Seen, choosing: Choosing) -> Iterator[str]:
    """What was assumed, and what the log cannot say."""
    for assumption in dict.fromkeys(each.estimator.assumes for each in asked.estimators):
        names = [str(each) for each in asked.estimators if each.estimator.assumes == assumption]
        yield f"{', '.join(names)}: {assumption}"
    if seen.apart:
        unused = "" if asked.chances == "conditional" else f', and so chances="{asked.chances}" says nothing'
        yield f"each row is an impression by itself: the log has no column of impressions{unused}"
    if seen.unplaced:
        yield "the log has no positions: none of these estimates depends on the order of rows"
    if seen.lists:
        yield f"chances of positions: {asked.chances}, {CHANCES[asked.chances]}"
    if any(each.run is not None for each in asked.policies):
        yield f"runs: {choosing}, {CHOOSING[choosing.name]}; of equal scores the greater id first"
    of = counted(seen.counted.impressions, "impression")
    for name, count in seen.counted.unanswered.items():
        if count:
            yield f"{name}: nothing for the query of {count:,} of {of}; counted as what the log never shows"
    for name, count in seen.counted.never.items():
        if count:
            yield f"{name}: shows in {count:,} of {of} an item that the log shows in none"
