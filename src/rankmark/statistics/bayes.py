"""How likely a difference is to be below, within or above a region of practical equivalence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankmark.errors import ChoiceError
from rankmark.statistics.resampling import Clusters, Floats, check_drawn, check_share, cluster_totals, known
from rankmark.statistics.seeds import Crossed, crossed
from rankmark.statistics.spread import ROUNDING

__all__ = [
    "Posterior",
    "RankPosterior",
    "bootstrap_posterior",
    "check_rope",
    "posterior",
    "signed_rank_posterior",
    "student_posterior",
]

AT_ONCE = 2**21
"""Weights that are drawn together, 16 MiB."""


class Posterior(NamedTuple):
    """What is known of a mean after the values have been seen; NaN where they cannot tell.

    Attributes:
        rope: half the width of the region of practical equivalence, −rope to rope.
        mean: that of the values.
        low: the lower end of the central credible interval.
        high: its upper end.
        below: the probability of a true mean below −rope.
        within: that of one in the region.
        above: that of one above rope.

    """

    rope: float
    mean: float
    low: float
    high: float
    below: float
    within: float
    above: float


class RankPosterior(NamedTuple):
    """What is known of where differences lie after they have been seen; NaN without any.

    Attributes:
        rope: half the width of the region of practical equivalence, −rope to rope.
        below: the probability that most pairs have a mean below −rope.
        within: that most have one in the region.
        above: that most have one above rope.

    """

    rope: float
    below: float
    within: float
    above: float


def student_posterior(
    differences: ArrayLike,
    rope: float,
    *,
    correlation: float = 0.0,
    confidence: float = 0.95,
    clusters: Clusters = None,
) -> Posterior:
    """The Bayesian t test: the mean is distributed as d̄ + SE·t with n − 1 degrees of freedom.

    That is the posterior of a normal mean under the prior p(μ, σ) ∝ 1/σ. SE² = s²·(1/n + ρ/(1 − ρ)), in which
    ρ is 0 for queries, and a fold's share of the data where differences are those of a cross-validation,
    whose training sets overlap. With clusters SE and the degrees of freedom are those of `t_interval`.

    Args:
        differences: one a query, or fold; NaN is left out.
        rope: from 0, in the measure's unit: differences up to it do not matter.
        correlation: ρ, from 0 and below 1.
        confidence: of the credible interval.
        clusters: a label a query.

    Source:
        G. Corani and A. Benavoli, "A Bayesian approach for comparing cross-validated algorithms on multiple
        data sets", Machine Learning 100, 2015; A. Benavoli, G. Corani, J. Demšar and M. Zaffalon, "Time for a
        change: a tutorial for comparing multiple classifiers through Bayesian analysis", JMLR 18, 2017.

    """
    if not isinstance(correlation, int | float) or not 0 <= correlation < 1:
        raise ChoiceError(f"correlation={correlation!r} is not a number from 0 and below 1")
    own, labels = known(differences, clusters)
    found = crossed(own, clusters=labels)
    wider = 1 + len(own) * correlation / (1 - correlation)
    queries = found.queries._replace(squared=found.queries.squared * wider)
    return posterior(Crossed(found.estimate, queries), rope, confidence=confidence)


def posterior(difference: Crossed, rope: float, *, confidence: float = 0.95) -> Posterior:
    """The same of a difference over queries and seeds, see `crossed`.

    Without seeds it is Student's posterior. With them it is the confidence distribution: the probability of a
    mean below x is the one-sided p-value of one above x.
    """
    check_rope(rope)
    mean = difference.estimate
    low, high = difference.interval(confidence)
    if not difference.error and not mean:
        return Posterior(rope, mean, low, high, 0.0, 1.0, 0.0)
    below, above = float(difference.p("greater", -rope)), float(difference.p("less", rope))
    within = max(1 - below - above, 0.0)  # in this order NaN stays
    return Posterior(rope, mean, low, high, below, within, above)


def bootstrap_posterior(
    differences: ArrayLike,
    rope: float,
    *,
    confidence: float = 0.95,
    clusters: Clusters = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> Posterior:
    """The Bayesian bootstrap: the mean is distributed as Σ w_i·d_i, the weights w as Dirichlet(1, …, 1).

    It takes no distribution for granted but that there are no values beside those seen. With clusters each
    has a weight: Σ_c w_c·S_c / Σ_c w_c·m_c for a cluster of m_c rows of sum S_c.

    Args:
        differences: one a query; NaN is left out.
        rope: from 0, in the measure's unit: differences up to it do not matter.
        confidence: of the credible interval.
        clusters: a label a query.
        resamples: how many weights are drawn.
        seed: of these.

    Source:
        D. B. Rubin, "The Bayesian bootstrap", Annals of Statistics 9, 1981.

    """
    check_rope(rope)
    check_share(confidence=confidence)
    check_drawn(resamples, seed)
    own, labels = known(differences, clusters)
    if labels is not None and labels.ndim > 1:
        raise ChoiceError("the Bayesian bootstrap knows clusters of one kind; give one label a row")
    if labels is None:
        sums, sizes = own, np.ones(len(own))
    else:
        sums, sizes = (each[:, 0] for each in cluster_totals(own[:, None], labels))
    if len(sums) < 2:
        mean = float(own.mean()) if len(own) else math.nan
        return Posterior(rope, mean, *(math.nan,) * 5)
    means = np.concatenate(list(_weighted(sums, sizes, resamples, seed)))
    below, above = (float(np.mean(each)) for each in (means < -rope, means > rope))
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    mean = float(own.mean())
    return Posterior(rope, mean, float(low), float(high), below, 1 - below - above, above)


def signed_rank_posterior(
    differences: ArrayLike,
    rope: float,
    *,
    prior: float = 0.5,
    resamples: int = 10_000,
    seed: int = 0,
) -> RankPosterior:
    """The Bayesian signed-rank test: where the mean of two differences lies, and how sure that is.

    With weights w as Dirichlet(s, 1, …, 1), s that of one more difference, which is 0, the shares of pairs
    are θ_below = Σ_i Σ_j w_i·w_j·[d_i + d_j < −2·rope], θ_above alike, and θ_within the rest; each
    probability is how often its share is the greatest of the three. Like Wilcoxon's test it is of ranks and
    not of the mean.

    Args:
        differences: one a query, or data set; NaN is left out.
        rope: from 0, in the measure's unit: differences up to it do not matter.
        prior: s, above 0.
        resamples: how many weights are drawn.
        seed: of these.

    Source:
        A. Benavoli, G. Corani, J. Demšar and M. Zaffalon, "Time for a change: a tutorial for comparing
        multiple classifiers through Bayesian analysis", JMLR 18, 2017, section 4.2.

    """
    check_rope(rope)
    check_drawn(resamples, seed)
    if not isinstance(prior, int | float) or isinstance(prior, bool) or not 0 < prior < math.inf:
        raise ChoiceError(f"prior={prior!r} is not a number above 0")
    own, _ = known(differences, None)
    if not len(own):
        return RankPosterior(rope, math.nan, math.nan, math.nan)
    values = np.append(own, 0.0)
    order = np.argsort(values)
    ranked = values[order]
    reach = 2 * rope + ROUNDING * float(np.abs(values).max())
    # Of each value up to where in order others make a sum below the region, and from where one above.
    under, over = np.searchsorted(ranked, -reach - ranked), np.searchsorted(ranked, reach - ranked, "right")
    shapes = np.append(np.ones(len(own)), prior)[order]
    rng, greatest = np.random.default_rng(seed), np.zeros(3)
    step = max(1, AT_ONCE // len(values))
    for start in range(0, resamples, step):
        weights = rng.standard_gamma(shapes, (min(step, resamples - start), len(values)))
        weights /= weights.sum(axis=1, keepdims=True)
        sums = np.column_stack([np.zeros(len(weights)), np.cumsum(weights, axis=1)])
        below = np.sum(weights * sums[:, under], axis=1)
        above = np.sum(weights * (1 - sums[:, over]), axis=1)
        shares = np.column_stack([below, 1 - below - above, above])
        greatest += np.bincount(shares.argmax(axis=1), minlength=3)
    return RankPosterior(rope, *(float(each) for each in greatest / resamples))


def _weighted(sums: Floats, sizes: Floats, resamples: int, seed: int) -> Iterator[Floats]:
    """Means with random weights, some at a time."""
    rng = np.random.default_rng(seed)
    step = max(1, AT_ONCE // len(sums))
    for start in range(0, resamples, step):
        weights = rng.standard_exponential((min(step, resamples - start), len(sums)))
        yield np.asarray((weights @ sums) / (weights @ sizes))


def check_rope(rope: float) -> None:
    """Refuses what is no region of practical equivalence."""
    if not isinstance(rope, int | float) or isinstance(rope, bool) or not 0 <= rope < math.inf:
        raise ChoiceError(f"rope={rope!r} is not a number from 0")
