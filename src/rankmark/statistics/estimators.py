"""What a policy would have earned, from what another one showed and earned: off-policy evaluation.

A log has impressions i with the items a that a logging policy μ showed, with which chance it did, and the
rewards r, such as clicks. V(π) is the mean reward of an impression under another policy π. Where nothing else
is said, w = π(a|x) / μ(a|x) and the sums are over the n impressions:

- it is assumed that μ is known, that every item that π can show had a chance under μ, and that impressions,
  or clusters of them, do not depend on each other;
- an impression can have several positions k, each with a reward. Its reward is Σ_k d_k·r_k, d_k what a
  position counts; w_k is the ratio of the chances at position k alone, w_{1:k} that of positions 1 to k
  together, and w that of all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cached_property
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, DataError
from rankmark.statistics.record import Statistic, table
from rankmark.statistics.resampling import (
    Floats,
    as_floats,
)

__all__ = [
    "CHANCES",
    "ESTIMATORS",
    "Chances",
    "Estimator",
    "Logged",
    "Terms",
    "importance_weights",
    "refuse_lacking",
    "uniform_slate_weights",
]

Chances: TypeAlias = Literal["conditional", "independent", "marginal", "slate", "uniform"]
CHANCES: Mapping[Chances, str] = MappingProxyType(
    {
        "conditional": "of the item at a position, given those above it",
        "independent": "of the item at a position, whatever stands elsewhere: positions are drawn one by one",
        "marginal": "of the item at a position, over all that can stand elsewhere",
        "slate": "of all items of the impression together, the same in each of its rows",
        "uniform": "none are logged: each list is drawn of its candidates at random, all orders alike",
    }
)
"""What the chances of several positions are of."""

NEARLY = 1e-9
"""How far rounding may carry a chance above 1."""


@dataclass(frozen=True)
class Logged:
    """Impressions, as estimators see them.

    Attributes:
        reward: [impressions, positions], 0 where an impression has fewer.
        ratio: π / μ of what `chances` says; 1 where an impression has fewer.
        there: whether an impression has the position.
        discount: what each position counts.
        chances: what the ratios are of.
        predicted: what a model says that the item earns, at its position alone, or with all that follows it
            (CascadeDR); None without a model.
        expected: what it says that the policy's item would earn there.
        slate: the weight of the pseudo-inverse estimator, where it does not follow from the ratios.
        alone: the ratios of positions alone, where the others are of an item given those above it.

    """

    reward: Floats
    ratio: Floats
    there: NDArray[np.bool_]
    discount: Floats
    chances: Chances = "conditional"
    predicted: Floats | None = None
    expected: Floats | None = None
    slate: Floats | None = None
    alone: Floats | None = None

    @cached_property
    def total(self) -> Floats:
        """What each impression earned."""
        return np.asarray((self.reward * self.discount).sum(axis=1))

    @property
    def single(self) -> bool:
        """Whether impressions have one position."""
        return int(self.there.shape[1]) == 1

    @cached_property
    def cascade(self) -> Floats:
        """w_{1:k}."""
        if self.chances in ("marginal", "slate") and not self.single:
            raise ChoiceError(
                f'chances="{self.chances}" say nothing of the first positions of a list together; give those '
                "of each item given the ones above it (conditional)"
            )
        return np.asarray(np.cumprod(self.ratio, axis=1))

    @cached_property
    def whole(self) -> Floats:
        """The ratio of the whole list."""
        if self.chances == "marginal" and not self.single:
            raise ChoiceError(
                'chances="marginal" say nothing of whole lists; give those of each item given the ones above '
                "it (conditional), or of lists (slate), or take IIPS"
            )
        return np.asarray(self.ratio[:, 0] if self.chances == "slate" else np.prod(self.ratio, axis=1))

    @cached_property
    def marginal(self) -> Floats:
        """w_k."""
        if self.alone is not None:
            return self.alone
        if self.chances in ("conditional", "slate") and not self.single:
            raise ChoiceError(
                f'chances="{self.chances}" (unless told otherwise, conditional) are not those of an item at '
                "its position, whatever stands elsewhere; give these (marginal), or say that positions are "
                'drawn one by one ("independent")'
            )
        return self.ratio

    @cached_property
    def pseudo_inverse(self) -> Floats:
        """The weight of a whole list whose reward is a sum over its positions."""
        if self.slate is not None:
            return self.slate
        if self.chances != "independent" and not self.single:
            raise ChoiceError(
                "PI needs to know how positions depend on each other: it takes logs in which they are drawn "
                'one by one (chances="independent")'
            )
        return np.asarray(1.0 + (self.ratio - 1.0).sum(axis=1))

    def model(self) -> tuple[Floats, Floats]:
        """What the model says of what was shown, and of what the policy would have shown.

        Raises:
            ChoiceError: there is no model.

        """
        if self.predicted is None or self.expected is None:
            raise ChoiceError(
                "this estimator needs a model of rewards: what it predicts of the items shown, and what it "
                "expects of the policy's items"
            )
        return self.predicted, self.expected


class Weighed(NamedTuple):
    """The weights that an estimator used.

    Attributes:
        name: what they are of.
        weights: [impressions], or [impressions, positions].
        clip: what they are at most; infinite if they are as they are.

    """

    name: str
    weights: Floats
    clip: float = math.inf


class Terms(NamedTuple):
    """What impressions add to an estimate Σⱼ (sum above / sum below).

    Attributes:
        above: [impressions, ratios].
        below: [impressions, ratios]; None of means, where each impression counts 1.
        weighed: the weights; None of an estimator that has none.
        modelled: whether a model's errors are weighed, and not the rewards.

    """

    above: Floats
    below: Floats | None
    weighed: Weighed | None
    modelled: bool = False

    @property
    def bounded(self) -> bool:
        """Whether what an impression adds has a bound where weights have."""
        return self.weighed is not None and self.weighed.name == "list"


def _clipped(logged: Logged, clip: float) -> Floats:
    return logged.whole if clip == math.inf else np.minimum(logged.whole, clip)


def _ips(logged: Logged, clip: float = math.inf) -> Terms:
    """Σ min(w, c)·r / n: the rewards of the log, weighed by how likely the policy is to earn them.

    Without a bound c it is unbiased. With one it varies less and is too small, for rewards of 0 and more by
    max r · (1 − E min(w, c)) at most.
    """
    weights = _clipped(logged, clip)
    return Terms((weights * logged.total)[:, None], None, Weighed("list", weights, clip))


def _snips(logged: Logged, clip: float = math.inf) -> Terms:
    """Σ w·r / Σ w: IPS whose weights are made to have a mean of 1, as they have in expectation.

    It stays within the rewards seen and mostly varies less; its bias is of order 1/n.
    """
    weights = _clipped(logged, clip)
    return Terms((weights * logged.total)[:, None], weights[:, None], Weighed("list", weights, clip))


def _one(logged: Logged) -> None:
    if not logged.single:
        raise ChoiceError("DM, DR and what is made of them take one position; of lists there is CascadeDR")


def _residual(logged: Logged) -> tuple[Floats, Floats]:
    """What a model expects of the policy, and by how much it was off for what was shown."""
    _one(logged)
    predicted, expected = logged.model()
    discount = logged.discount[0]
    return expected[:, 0] * discount, (logged.reward[:, 0] - predicted[:, 0]) * discount


def _dm(logged: Logged) -> Terms:
    """Σ Σ_a π(a|x)·q̂(x, a) / n: what a model of rewards expects of the policy.

    Without weights, and as far off as the model is: no interval knows of that.
    """
    expected, _ = _residual(logged)
    return Terms(expected[:, None], None, None)


def _dr(logged: Logged, clip: float = math.inf) -> Terms:
    """Σ (Σ_a π(a|x)·q̂(x, a) + w·(r − q̂(x, a))) / n: the model, put right by what was seen.

    Unbiased if the propensities or the model are right. The model is not to have seen the impression.
    """
    (expected, off), weights = _residual(logged), _clipped(logged, clip)
    return Terms((expected + weights * off)[:, None], None, Weighed("list", weights, clip), modelled=True)


def _sndr(logged: Logged) -> Terms:
    """Σ Σ_a π(a|x)·q̂(x, a) / n + Σ w·(r − q̂) / Σ w: DR with weights whose mean is made 1."""
    (expected, off), weights = _residual(logged), logged.whole
    ones = np.ones_like(weights)
    below = np.column_stack([ones, weights])
    above = np.column_stack([expected, weights * off])
    return Terms(above, below, Weighed("list", weights), modelled=True)


def _switch_dr(logged: Logged, threshold: float) -> Terms:
    """DR where w ≤ τ, and the model alone where it is more."""
    (expected, off), weights = _residual(logged), logged.whole
    own = np.where(weights <= threshold, weights, 0.0)
    return Terms((expected + own * off)[:, None], None, Weighed("list", own, threshold), modelled=True)


def _dros(logged: Logged, shrinkage: float) -> Terms:
    """DR with the weights λ·w / (w² + λ), which are near w where w² is far below λ, and else small."""
    (expected, off), weights = _residual(logged), logged.whole
    own = shrinkage * weights / (weights**2 + shrinkage) if shrinkage else np.zeros_like(weights)
    return Terms(
        (expected + own * off)[:, None], None, Weighed("list", own, math.sqrt(shrinkage) / 2), modelled=True
    )


def _each(logged: Logged, weights: Floats, name: str, *, normalised: bool) -> Terms:
    """Weights of each position."""
    counts = logged.discount != 0  # of positions that count nothing weights are of no account
    own = np.where(logged.there, weights, 0.0)[:, counts]
    above = own * (logged.reward * logged.discount)[:, counts]
    if normalised:
        return Terms(above, own, Weighed(name, own))
    return Terms(above.sum(axis=1)[:, None], None, Weighed(name, own))


def _iips(logged: Logged) -> Terms:
    """Σ Σ_k w_k·d_k·r_k / n: unbiased where a click depends on the item at its position alone."""
    return _each(logged, logged.marginal, "position", normalised=False)


def _sniips(logged: Logged) -> Terms:
    """Σ_k d_k · Σ w_k·r_k / Σ w_k: IIPS whose weights have a mean of 1 at each position."""
    return _each(logged, logged.marginal, "position", normalised=True)


def _rips(logged: Logged) -> Terms:
    """Σ Σ_k w_{1:k}·d_k·r_k / n: unbiased where a click depends on its item and those above it (cascade)."""
    return _each(logged, logged.cascade, "cascade", normalised=False)


def _snrips(logged: Logged) -> Terms:
    """Σ_k d_k · Σ w_{1:k}·r_k / Σ w_{1:k}: RIPS whose weights have a mean of 1 at each position."""
    return _each(logged, logged.cascade, "cascade", normalised=True)


def _cascade_dr(logged: Logged) -> Terms:
    """Σ Σ_k (w_{1:k}·(d_k·r_k − Q̂_k) + w_{1:k−1}·V̂_k) / n, with a model of what is earned from k on.

    Q̂_k is what the model predicts of the items from position k on, Σ_{l ≥ k} d_l·r_l, given the items shown
    up to k; V̂_k the same over the policy's item at k. Unbiased where RIPS is, whatever the model.
    """
    weights, (predicted, expected) = logged.cascade, logged.model()
    before = np.column_stack([np.ones(len(weights)), weights[:, :-1]])
    each = weights * (logged.reward * logged.discount - predicted) + before * expected
    own = np.where(logged.there, weights, 0.0)[:, logged.discount != 0]
    return Terms(np.where(logged.there, each, 0.0).sum(axis=1)[:, None], None, Weighed("cascade", own))


def _pi(logged: Logged) -> Terms:
    """Σ (q_π' Γ⁺ 1_s)·r / n: unbiased where the reward of a list is a sum over its items and positions.

    1_s says which item stands at which position, Γ is the expectation of 1_s·1_s' under μ, q_π that of 1_s
    under π. Of l positions drawn one by one the weight is 1 − l + Σ_k w_k. It can be negative.
    """
    weights = logged.pseudo_inverse
    return Terms((weights * logged.total)[:, None], None, Weighed("pseudo-inverse", weights))


def _snpi(logged: Logged) -> Terms:
    """PI whose weights have a mean of 1: Σ w·r / Σ w."""
    weights = logged.pseudo_inverse
    return Terms((weights * logged.total)[:, None], weights[:, None], Weighed("pseudo-inverse", weights))


@dataclass(frozen=True, slots=True)
class Estimator(Statistic):
    """A way to estimate what a policy earns.

    Attributes:
        source: who it is by.
        parameters: what it takes, with what is usual; None has to be said.
        model: whether it needs a model of rewards.
        lists: whether it tells positions apart.

    """

    source: str = ""
    parameters: Mapping[str, float | None] = field(default_factory=dict)
    model: bool = False
    lists: bool = False

    def terms(self, logged: Logged, parameters: Mapping[str, float]) -> Terms:
        """What impressions add to the estimate.

        Raises:
            ChoiceError: what it needs is not there.

        """
        found: Terms = self.function(logged, **parameters)
        return found

    def given(self, parameters: Mapping[str, object]) -> dict[str, float]:
        """Its parameters, of which `refuse_lacking` refuses that one has to be given and is not.

        Raises:
            ChoiceError: one that it does not take, or that is not a number above 0.

        """
        for name in parameters:
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise ChoiceError(f"{self.name} has no parameter {name!r}; it takes {known}")
        found = {name: value for name, value in self.parameters.items() if value is not None}
        for name, value in parameters.items():
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not 0 < value < math.inf:  # type: ignore[operator]
                raise ChoiceError(f"{self.name}({name}={value!r}): {name} is a number above 0")
            found[name] = float(value)  # type: ignore[arg-type]
        return found


def refuse_lacking(asked: Iterable[tuple[Estimator, Mapping[str, float]]]) -> None:
    """Refuses estimators that lack parameters, all at once.

    Raises:
        ChoiceError: there are such.

    """
    lacking = [
        (estimator.name, name)
        for estimator, given in asked
        for name in estimator.parameters
        if name not in given and name != "clip"
    ]
    if lacking:
        raise ChoiceError(
            "; ".join(
                f"{estimator} needs {name}, such as {estimator}({name}=10)" for estimator, name in lacking
            )
        )


OVERLAP = "the log shows with some chance all that the policy can show, and says with which"
CLIP: Mapping[str, float | None] = {"clip": None}

ESTIMATORS: Mapping[str, Estimator] = table(
    Estimator(
        "IPS", "inverse propensity score", _ips, OVERLAP,
        "D. G. Horvitz, D. J. Thompson, JASA 47, 1952; clipped: L. Bottou et al., JMLR 14, 2013", CLIP,
    ),
    Estimator(
        "SNIPS", "self-normalised IPS", _snips, OVERLAP,
        "A. Swaminathan, T. Joachims, NeurIPS 2015; J. Hájek, 1971", CLIP,
    ),
    Estimator(
        "DM", "direct method", _dm, "the model of rewards is right; nothing of the propensities",
        "A. Beygelzimer, J. Langford, KDD 2009", model=True,
    ),
    Estimator(
        "DR", "doubly robust", _dr, f"{OVERLAP}; or the model of rewards is right",
        "M. Dudík, J. Langford, L. Li, ICML 2011", CLIP, model=True,
    ),
    Estimator(
        "SNDR", "self-normalised doubly robust", _sndr, f"{OVERLAP}; or the model of rewards is right",
        "P. Thomas, E. Brunskill, ICML 2016", model=True,
    ),
    Estimator(
        "SwitchDR", "switch doubly robust", _switch_dr, f"{OVERLAP}; above the threshold the model is right",
        "Y.-X. Wang, A. Agarwal, M. Dudík, ICML 2017",
        {"threshold": None}, model=True,
    ),
    Estimator(
        "DRos", "doubly robust, optimistic shrinkage", _dros,
        f"{OVERLAP}; for large weights the model is right",
        "Y. Su, M. Dimakopoulou, A. Krishnamurthy, M. Dudík, ICML 2020",
        {"shrinkage": None}, model=True,
    ),
    Estimator(
        "IIPS", "independent IPS", _iips, f"{OVERLAP}; clicks depend on the item at their position alone",
        "S. Li, Y. Abbasi-Yadkori, B. Kveton, S. Muthukrishnan, V. Vinay, Z. Wen, KDD 2018", lists=True,
    ),
    Estimator(
        "SNIIPS", "self-normalised independent IPS", _sniips,
        f"{OVERLAP}; clicks depend on the item at their position alone",
        "S. Li et al., KDD 2018; normalised position by position", lists=True,
    ),
    Estimator(
        "RIPS", "reward-interaction IPS", _rips,
        f"{OVERLAP}; clicks depend on their item and those above it",
        "J. McInerney, B. Brost, P. Chandar, R. Mehrotra, B. Carterette, KDD 2020", lists=True,
    ),
    Estimator(
        "SNRIPS", "self-normalised reward-interaction IPS", _snrips,
        f"{OVERLAP}; clicks depend on their item and those above it",
        "J. McInerney et al., KDD 2020", lists=True,
    ),
    Estimator(
        "CascadeDR", "cascade doubly robust", _cascade_dr,
        f"{OVERLAP}; clicks depend on their item and those above it",
        "H. Kiyohara, Y. Saito, T. Matsuhiro, Y. Narita, N. Shimizu, Y. Yamamoto, WSDM 2022",
        model=True, lists=True,
    ),
    Estimator(
        "PI", "pseudo-inverse", _pi, f"{OVERLAP}; the reward of a list is a sum over its items and positions",
        "A. Swaminathan et al., NeurIPS 2017", lists=True,
    ),
    Estimator(
        "SNPI", "self-normalised pseudo-inverse", _snpi,
        f"{OVERLAP}; the reward of a list is a sum over its items and positions",
        "A. Swaminathan et al., NeurIPS 2017 (wPI)", lists=True,
    ),
)  # fmt: skip
"""All of them. The first is the default."""


def importance_weights(policy: ArrayLike, propensity: ArrayLike) -> Floats:
    """π(a|x) / μ(a|x): how many times likelier a policy is to show an item than the one that did.

    Args:
        policy: the chance that the new policy shows what was shown, 0 to 1.
        propensity: the chance with which it was shown, above 0 to 1.

    Raises:
        DataError: chances that are none: NaN, negative, above 1, or a propensity of 0 of what was shown.

    Example:
        >>> from rankmark import statistics
        >>> statistics.importance_weights([0.5, 0.0], [0.25, 0.1]).tolist()
        [2.0, 0.0]

    """
    new, old = as_floats(policy), as_floats(propensity)
    if new.shape != old.shape:
        raise DataError(f"{new.size} chances of the policy for {old.size} propensities; give one an item")
    for name, values, wrong in (
        ("propensity", old, ~((old > 0) & (old <= 1 + NEARLY))),
        ("policy", new, ~((new >= 0) & (new <= 1 + NEARLY))),
    ):
        if wrong.any():
            first = int(np.flatnonzero(wrong.ravel())[0])
            span = "above 0 to 1" if name == "propensity" else "0 to 1"
            raise DataError(
                f"{name}: {np.count_nonzero(wrong):,} of {wrong.size:,} are no chances of {span}, the first "
                f"is {values.ravel()[first]:g} at place {first}"
            )
    return np.asarray(new / old)


def uniform_slate_weights(
    matches: ArrayLike, overlap: ArrayLike, slots: ArrayLike, candidates: ArrayLike
) -> Floats:
    """The weights of PI where the log shows l of m items in a random order, each order equally often.

    w = 1 + (m − 1)·(A − B/l) + m·(m − 1)/(m − l)·(B/l − l/m), without the last term where l = m. It is
    q_π' Γ⁺ 1_s with the eigenvalues l/m, 1/(m − 1) and (m − l)/(m·(m − 1)) of Γ.

    Args:
        matches: A, the chance that the policy puts each item where it was shown, added up over the positions;
            of a policy that always shows one list, how many items stand at the same position.
        overlap: B, the chance that the policy shows it anywhere, added up: how many items are in both lists.
        slots: l, the positions.
        candidates: m, the items that could have been shown.

    Raises:
        DataError: fewer candidates than positions.

    Source:
        A. Swaminathan, A. Krishnamurthy, A. Agarwal, M. Dudík, J. Langford, D. Jose, I. Zitouni, "Off-policy
        evaluation for slate recommendation", NeurIPS 2017, whose Γ this is; the closed form follows from its
        symmetry in positions and items.

    Example:
        >>> from rankmark import statistics
        >>> statistics.uniform_slate_weights([2, 0], [2, 0], slots=2, candidates=4).tolist()
        [7.0, -2.0]

    """
    same, count, of = as_floats(matches), as_floats(slots), as_floats(candidates)
    if not ((count >= 1) & (count <= of)).all():
        raise DataError("there are fewer candidates than positions, or no positions")
    shared = as_floats(overlap) / count
    weights = 1 + (of - 1) * (same - shared)
    others = np.divide(of * (of - 1), of - count, out=np.zeros_like(of - count), where=of > count)
    return np.asarray(weights + others * (shared - count / of))
