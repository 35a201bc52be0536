"""How likely each system of a comparison is to be worse, as good as or better than another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rankmark import statistics
from rankmark.comparing.pairs import SystemValues, direction
from rankmark.comparing.plan import ComparisonPlan
from rankmark.errors import ChoiceError
from rankmark.statistics.record import check_choice

if TYPE_CHECKING:
    from rankmark.language.measure import Measure
    from rankmark.statistics.bayes import Posterior

__all__ = ["PairPosterior", "PosteriorName", "posteriors"]

PosteriorName = Literal["t", "bootstrap"]


class PairPosterior(NamedTuple):
    """What is known of a difference after the values have been seen; NaN where they cannot tell.

    Attributes:
        rope: half the width of the region of practical equivalence, −rope to rope.
        difference: the system's value less the other's.
        low: the lower end of the credible interval of the comparison's confidence.
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


def posteriors(
    data: SystemValues, plan: ComparisonPlan, measure: Measure, rope: float, method: PosteriorName
) -> dict[tuple[str, str], PairPosterior]:
    """Those of each pair of a system and its baseline."""
    check_choice("method", method, ("t", "bootstrap"))
    if plan.seeded and method == "bootstrap":
        raise ChoiceError('method="bootstrap" knows nothing of seeds; choose "t"')
    found = {}
    for pair in data.opponents:
        own = _posterior(data, plan, measure, pair, rope, method)
        sides = (own.below, own.within, own.above)
        worse, equivalent, better = sides if direction(measure) > 0 else sides[::-1]
        found[pair] = PairPosterior(own.rope, own.mean, own.low, own.high, worse, equivalent, better)
    return found


def _posterior(
    data: SystemValues,
    plan: ComparisonPlan,
    measure: Measure,
    pair: tuple[str, str],
    rope: float,
    method: PosteriorName,
) -> Posterior:
    how: dict[str, Any] = {"confidence": plan.confidence}
    if method == "t":
        return statistics.posterior(data.crossed(measure, *pair, plan.seedless), rope, **how)
    own, labels = data.differences(measure, *pair)
    how |= {"clusters": labels, "resamples": plan.resamples, "seed": plan.seed}
    return statistics.bootstrap_posterior(own, rope, **how)
