"""How likely each system of a comparison is to be worse, as good as or better than another."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from rankmark import statistics
from rankmark.comparing.pairs import SystemValues, direction
from rankmark.comparing.plan import ComparisonPlan
from rankmark.errors import ChoiceError, UsageError
from rankmark.rendering.words import chance, rounded
from rankmark.statistics.bayes import RankPosterior, check_rope
from rankmark.statistics.record import check_choice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.language.measure import Measure
    from rankmark.statistics.bayes import Posterior

__all__ = [
    "POSTERIORS",
    "PairPosterior",
    "PosteriorName",
    "beliefs",
    "check_posterior",
    "posterior_cells",
    "posterior_header",
    "posterior_line",
    "posteriors",
]

PosteriorName = Literal["t", "bootstrap", "signed-rank"]
POSTERIORS: tuple[PosteriorName, ...] = get_args(PosteriorName)


class PairPosterior(NamedTuple):
    """What is known of a difference after the values have been seen; NaN where they cannot tell.

    Of the signed-rank test the chances are those that most pairs of differences have such a mean.

    Attributes:
        rope: half the width of the region of practical equivalence, −rope to rope.
        difference: the system's value less the other's.
        low: the lower end of the credible interval of the comparison's confidence; NaN of the signed-rank
            test, which is not of the mean.
        high: its upper end.
        worse: the probability of a true difference beyond the region, the system being worse.
        equivalent: that of one in the region.
        better: that of one beyond it, the system being better.

    """

    rope: float
    difference: float
    low: float
    high: float
    worse: float
    equivalent: float
    better: float

    @classmethod
    def of(cls, own: Posterior, sign: float) -> PairPosterior:
        """That of a mean difference; `sign` is 1 where more is better, and −1 where less is."""
        worse, better = (own.below, own.above)[:: 1 if sign > 0 else -1]
        return cls(own.rope, own.mean, own.low, own.high, worse, own.within, better)

    @classmethod
    def of_ranks(cls, own: RankPosterior, difference: float, sign: float) -> PairPosterior:
        """That of where differences lie."""
        worse, better = (own.below, own.above)[:: 1 if sign > 0 else -1]
        return cls(own.rope, difference, math.nan, math.nan, worse, own.within, better)


def beliefs(own: PairPosterior | None) -> dict[str, float]:
    """The figures of a posterior, by names that tell its ends from those of the interval."""
    if own is None:
        return {}
    named = own._asdict()
    del named["difference"]
    return {{"low": "credible_low", "high": "credible_high"}.get(k, k): v for k, v in named.items()}


def check_posterior(rope: float | None, method: str | None, names: Sequence[str] = POSTERIORS) -> None:
    """Refuses what is no region, and a posterior that there is not, or of no region.

    Raises:
        ChoiceError: it is none.
        UsageError: it has no region.

    """
    if rope is not None:
        check_rope(rope)
    if method is not None:
        check_choice("posterior", method, names)
        if rope is None:
            raise UsageError(
                f'posterior="{method}" is of a region of practical equivalence: add rope=0.01, say'
            )


def posterior_line(method: PosteriorName | None, resamples: int, seed: int) -> str:
    """What the chances are of."""
    drawn = f"{resamples:,} draws, seed {seed}"
    return {
        "t": "P: by Student's posterior of the mean difference",
        "bootstrap": f"P: by the Bayesian bootstrap of the mean difference, {drawn}",
        "signed-rank": "P: that most pairs of differences have such a mean, by the Bayesian signed-rank "
        f"test, {drawn}; it is of ranks and not of the mean",
    }[method or "t"]


def posterior_header(rope: float, confidence: float, method: PosteriorName | None) -> list[str]:
    """The heads of `posterior_cells`."""
    inside = [] if method == "signed-rank" else [f"{100 * confidence:.6g}% credible"]
    return [*inside, "P(worse)", f"P(within {rope:g})", "P(better)"]


def posterior_cells(own: PairPosterior, digits: int, method: PosteriorName | None) -> list[str]:
    """One for people; of the signed-rank test there is no interval."""
    low, high = (rounded(each, f"+.{digits}f") for each in (own.low, own.high))
    inside = [] if method == "signed-rank" else [f"{low} … {high}" if low else ""]
    return [*inside, *(chance(each, digits) for each in (own.worse, own.equivalent, own.better))]


def posteriors(
    data: SystemValues, plan: ComparisonPlan, measure: Measure, rope: float, method: PosteriorName
) -> dict[tuple[str, str], PairPosterior]:
    """Those of each pair of a system and its baseline."""
    check_choice("method", method, POSTERIORS)
    if measure.page.aggregate == "run" and method != "t":
        raise ChoiceError(f'{measure} is of the whole run, and method="{method}" of queries; choose "t"')
    if plan.seeded and method != "t":
        raise ChoiceError(f'method="{method}" knows nothing of seeds; choose "t"')
    if data.labels is not None and method == "signed-rank":
        raise ChoiceError('method="signed-rank" knows nothing of clusters; choose "t" or "bootstrap"')
    return {pair: _posterior(data, plan, measure, pair, rope, method) for pair in data.opponents}


def _posterior(
    data: SystemValues,
    plan: ComparisonPlan,
    measure: Measure,
    pair: tuple[str, str],
    rope: float,
    method: PosteriorName,
) -> PairPosterior:
    sign, confidence = direction(measure), plan.confidence
    if method == "t":
        difference = data.crossed(measure, *pair, plan.seedless)
        return PairPosterior.of(statistics.posterior(difference, rope, confidence=confidence), sign)
    own, labels = data.differences(measure, *pair)
    drawn: dict[str, Any] = {"resamples": plan.resamples, "seed": plan.seed}
    if method == "signed-rank":
        mean = float(own.mean()) if len(own) else math.nan
        return PairPosterior.of_ranks(statistics.signed_rank_posterior(own, rope, **drawn), mean, sign)
    drawn |= {"clusters": labels, "confidence": confidence}
    return PairPosterior.of(statistics.bootstrap_posterior(own, rope, **drawn), sign)
