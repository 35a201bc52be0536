"""Estimates measures among all items of ranks among sampled ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankmark import statistics
from rankmark.candidates.corrected import METHODS, CorrectedValue, Correction, SampledCorrection
from rankmark.candidates.sampled import SampledCandidates, read_candidates
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, MeasureError, UsageError
from rankmark.forking import need_polars_threads
from rankmark.inputs import read_inputs
from rankmark.language.choices import sampled_text
from rankmark.language.plan import asked_measures
from rankmark.progress import reading
from rankmark.rendering.words import brief, counted
from rankmark.statistics.intervals import Interval
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import Floats, check_drawn, check_share
from rankmark.statistics.sampled_ranks import GAINS, DistributionMethod

if TYPE_CHECKING:
    import polars as pl

    from rankmark.language.measure import Measure
    from rankmark.statistics.sampled_ranks import RankDistribution

__all__ = ["correct_sampled"]

WIDTH = 0.05
"""How far numbers of items may be apart that are taken together, as a share."""
PAIRS = 5_000_000
"""Pairs of items that are looked at at once."""
MOST_ITEMS = 20_000_000
"""More ranks are not kept in memory."""
ALIKE = 1e-12
"""Intervals that are narrower come of users that do not differ."""
FEW = 100
"""Users of fewer are said to be few."""
KNOWN = ("HR", "R", "P", "nDCG", "AP", "RR", "ListAUC")
"""Measures that are sums over relevant items, or of the first, by their ranks."""


def correct_sampled(
    ranks: Any,
    n_items: int | None = None,
    n_sampled: int | None = None,
    measures: str | Measure | Iterable[str | Measure] = ("HR@10", "nDCG@10", "RR"),
    *,
    run: Any = None,
    method: Correction = "mes",
    gamma: float = 0.1,
    eta: float = 1e-3,
    confidence: float = 0.95,
    resamples: int = 200,
    seed: int = 0,
) -> SampledCorrection:
    """Estimates what measures are among all items, of ranks among uniformly sampled candidates.

    A sample says little of the top of a long list: one of 99 sampled items stands for 200 of 20,000, so that
    what is above 10 of them is extrapolated. The result says how much: `CorrectedValue.remaining` is the bias
    that is left were ranks as maximal entropy estimates them, and ``least`` to ``most`` is what the value can
    be whatever they are.

    Args:
        ranks: what `sample_candidates` gave, or the path of a file .parquet or .rankmark that it was written
            to, with `run`; or the rank of the held-out item of each user among its candidates, 1 to
            `n_sampled` + 1, as an array or ``{user: rank}``; or ``{user: [rank, …]}`` of several held-out
            items among all candidates of the user.
        n_items: how many items could be shown to a user, the held-out ones too; with ranks alone.
        n_sampled: how many were drawn beside them; with ranks alone.
        measures: of HR, R, P, nDCG, AP, RR and ListAUC, with cutoffs and without other parameters.
        run: the scores of all candidates; those alike come in the order of ``ties="item-desc"``.
        method: ``mes`` and ``mle`` of Jin et al. (`statistics.rank_distribution`), ``bv`` and ``cls`` of
            Krichene and Rendle (`statistics.corrected_gains`).
        gamma: of ``bv``: less leaves less bias and more variance.
        eta: of ``mes``.
        confidence: of intervals over users (Student's; of ``mes`` by the delta method, of ``mle`` the
            percentile bootstrap) and of the range of what is possible.
        resamples: how many, of ``mle``.
        seed: of resamples.

    Raises:
        UsageError: candidates that were not sampled uniformly, a method, a measure or a number that there is
            not.
        DataError: ranks that cannot be, or candidates without a score.

    Source:
        W. Krichene and S. Rendle, "On sampled metrics for item recommendation", KDD 2020; R. Jin et al., "On
        estimating recommendation evaluation metrics under sampling", AAAI 2021.

    Example:
        >>> import rankmark as rm
        >>> found = rm.correct_sampled([1, 1, 1, 2, 5], 1_000, 9, "HR@5", method="cls")
        >>> found.values[0].sampled, round(found["HR@5"], 3)
        (1.0, 0.056)

    """
    check_choice("method", method, METHODS)
    check_share(confidence=confidence)
    check_drawn(resamples, seed, None)
    asked = asked_measures(measures)
    for measure in asked:
        _check_measure(measure)
    items = _read(ranks, n_items, n_sampled, run)
    how = _How(items, method, gamma, eta, confidence, resamples, seed)
    with reading("correcting sampled values", None, None):
        values = tuple(how.corrected(measure) for measure in asked)
    return SampledCorrection(
        values=values,
        method=method,
        candidates=sampled_text(int(items.drawn.max()), "uniform"),
        users=items.users,
        items=float(np.mean(items.others)) + len(items.user) / items.users,
        confidence=confidence,
        notes=tuple(_notes(asked, items, values, confidence)),
    )


def _check_measure(measure: Measure) -> None:
    if measure.name not in KNOWN or measure.parameters:
        raise MeasureError(
            f"{measure} cannot be corrected: measures of the ranks of relevant items can, {', '.join(KNOWN)}"
            ", without parameters"
        )
    if measure.name == "P" and measure.cutoff is None:
        raise MeasureError("P needs a cutoff, as in P@10")


@dataclass(frozen=True)
class _Items:
    """The held-out items, user after user, each one's by their ranks.

    Attributes:
        user: the number of the user.
        before: how many of the user's other held-out items stand above it.
        above: how many of those that were drawn do.
        drawn: how many were drawn for the user.
        others: of how many.
        users: how many users there are.

    """

    user: NDArray[np.int64]
    before: NDArray[np.int64]
    above: NDArray[np.int64]
    drawn: NDArray[np.int64]
    others: NDArray[np.int64]
    users: int

    @cached_property
    def relevant(self) -> NDArray[np.int64]:
        """How many held-out items the user of each has."""
        return np.bincount(self.user, minlength=self.users)[self.user]

    @cached_property
    def groups(self) -> list[tuple[int, int, int, NDArray[np.int64]]]:
        """Items that are corrected alike: how many held-out ones are above, M, n, and which they are."""
        whole = self.drawn == self.others
        kind = np.where(whole, -self.others, np.round(np.log(self.others) / np.log1p(WIDTH)).astype(np.int64))
        keys = np.column_stack([self.before, self.drawn, kind])
        _, label = np.unique(keys, axis=0, return_inverse=True)
        order = np.argsort(label, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
        return [
            (
                int(self.before[part[0]]),
                round(float(self.others[part].mean())),
                int(self.drawn[part[0]]),
                part,
            )
            for part in parts
        ]


def _read(ranks: Any, n_items: int | None, n_sampled: int | None, run: Any) -> _Items:
    if isinstance(ranks, str | Path):
        ranks = read_candidates(ranks)
    if isinstance(ranks, SampledCandidates):
        if run is None:
            raise UsageError("candidates alone have no ranks: give run=…, the scores of all candidates")
        if n_items is not None or n_sampled is not None:
            raise UsageError(
                "the candidates say themselves how they were sampled: leave n_items and n_sampled out"
            )
        if ranks.method != "uniform":
            raise UsageError(
                f"candidates were sampled by method={ranks.method!r}: corrections hold for uniform ones, in "
                "which every item stands for as many others; sample them uniformly"
            )
        return _of_run(ranks, run)
    if run is not None:
        raise UsageError("run goes with what sample_candidates gave; ranks say themselves where items are")
    if not (_is_count(n_items) and _is_count(n_sampled)):
        raise UsageError(
            f"n_items={brief(n_items)} and n_sampled={brief(n_sampled)} are not whole numbers from 1: say "
            "how many items could be shown to a user, and how many were drawn"
        )
    assert n_items is not None
    assert n_sampled is not None
    if n_items > MOST_ITEMS:
        raise UsageError(f"n_items={n_items:,} are more than the {MOST_ITEMS:,} that can be corrected for")
    return _of_ranks(ranks, n_items, n_sampled)


def _is_count(number: Any) -> bool:
    return bool(isinstance(number, int | np.integer) and not isinstance(number, bool) and number >= 1)


def _of_ranks(ranks: Any, n_items: int, n_sampled: int) -> _Items:
    each = list(ranks.values()) if isinstance(ranks, Mapping) else list(np.asarray(ranks).tolist())
    lists = [sorted(one) if isinstance(one, Iterable) else [one] for one in each]
    if not lists:
        raise DataError("ranks of no user")
    if empty := [at for at, one in enumerate(lists) if not one]:
        raise DataError(
            f"ranks: {len(empty):,} of {counted(len(lists), 'user')} have no held-out item, first user "
            f"{empty[0]} (from 0); leave such users out"
        )
    length = np.array([len(one) for one in lists])
    flat = [rank for one in lists for rank in one]
    user, place = (
        np.repeat(np.arange(len(lists)), length),
        np.concatenate([np.arange(size) for size in length]),
    )
    for at, rank in enumerate(flat):
        most = n_sampled + int(length[user[at]])
        if not (_is_count(rank) and rank <= most) or (place[at] and rank == flat[at - 1]):
            raise DataError(
                f"ranks: {brief(rank)} of user {user[at]} (from 0) is no rank of its own from 1 to {most}"
            )
    others = n_items - length
    if (others < n_sampled).any():
        raise DataError(
            f"{n_sampled:,} were drawn of {int(others.min()):,} others: give all items as n_items"
        )
    above = np.array(flat) - 1 - place
    drawn = np.full(len(flat), n_sampled)
    return _Items(user, place, above, drawn, others[user], len(lists))


def _of_run(candidates: SampledCandidates, run: Any) -> _Items:
    """The ranks of held-out items among candidates, of whom each has a score."""
    import polars as pl

    need_polars_threads()
    judged, results = read_inputs(candidates, run)
    ids = pl.DataFrame(judged.table).select(query=judged.query, item=judged.item)
    rows = ids.with_columns(candidates.frame["relevance"] > 0, candidates.frame["probability"])
    table = pl.DataFrame(results.table)
    if results.value is not None:
        score = pl.col(results.value).cast(pl.Float64)
    elif results.rank is not None:
        score = -pl.col(results.rank).cast(pl.Float64)
    else:
        score = -pl.int_range(pl.len()).cast(pl.Float64)
    rows = _scored(rows, table.select(query=results.query, item=results.item, score=score))
    if missing := rows["score"].null_count() + rows["score"].is_nan().sum():
        first = rows.filter(pl.col("score").is_null() | pl.col("score").is_nan())
        raise DataError(
            f"run: {missing:,} of {rows.height:,} candidates have no score, the first is "
            f"{first['item'][0]!r} of {first['query'][0]!r}: rank all candidates of each user"
        )
    user = rows["query"].rle_id().to_numpy().astype(np.int64)
    relevant = rows["relevance"].to_numpy()
    drawn = np.bincount(user, ~relevant).astype(np.int64)
    if (drawn == 0).any():
        none = rows["query"][int(np.searchsorted(user, int((drawn == 0).argmax())))]
        raise DataError(f"no item was drawn for {none!r}: leave such users out with fewer='skip'")
    whose, before, above = _ranks(user, relevant, rows["score"].to_numpy(), rows["item"])
    others_at = np.flatnonzero(~relevant)
    first_drawn = others_at[np.searchsorted(user[others_at], np.arange(len(drawn)))]
    chance = rows["probability"].to_numpy()[first_drawn]
    if candidates.replacement:
        others = np.round(1 / -np.expm1(np.log1p(-np.minimum(chance, 1 - 1e-15)) / candidates.n))
    else:
        others = np.round(drawn / chance)
    others = np.maximum(others.astype(np.int64), drawn)
    return _Items(whose, before, above, drawn[whose], others[whose], len(drawn))


def _scored(rows: pl.DataFrame, scores: pl.DataFrame) -> pl.DataFrame:
    """The rows of candidates, user after user, with their scores; null for one without."""
    keys = ["query", "item"]
    if scores.height == rows.height and all(scores[key].equals(rows[key]) for key in keys):
        found = rows.with_columns(scores["score"])  # as where the candidates themselves were scored
    else:
        found = rows.join(scores, on=keys, how="left", maintain_order="left_right")
        if found.height > rows.height:
            first = scores.unique(keys, keep="first", maintain_order=True)
            found = rows.join(first, on=keys, how="left", maintain_order="left")
    return found if found["query"].is_sorted() else found.sort("query", maintain_order=True)


def _ranks(
    user: NDArray[np.int64], relevant: NDArray[np.bool_], score: Floats, item: pl.Series
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The user of each relevant item, and how many relevant and other ones of the user stand above it."""
    lengths = np.bincount(user)
    starts = np.cumsum(lengths) - lengths
    own = np.flatnonzero(relevant)
    pairs = np.cumsum(lengths[user[own]])
    parts = np.split(own, np.searchsorted(pairs, np.arange(PAIRS, int(pairs[-1]), PAIRS)))
    found = []
    for part in filter(len, parts):
        size = lengths[user[part]]
        begin = np.cumsum(size) - size
        one = np.repeat(part, size)
        other = np.arange(len(one)) + np.repeat(starts[user[part]] - begin, size)
        higher = score[other] > score[one]
        alike = np.flatnonzero((score[other] == score[one]) & (other != one))
        if len(alike):
            higher[alike] = (item.gather(other[alike]) > item.gather(one[alike])).to_numpy()
        kinds = (higher & relevant[other], higher & ~relevant[other])
        found.append([np.add.reduceat(kind, begin, dtype=np.int64) for kind in kinds])
    before, above = (np.concatenate(each) for each in zip(*found, strict=True))
    order = np.lexsort((before, user[own]))
    return user[own][order], before[order], above[order]


def _gains(measure: Measure, before: int, others: int) -> Floats:
    """f(R) of an item with so many held-out ones above it, for R of the M others above it."""
    rank = before + np.arange(1.0, others + 2)
    within = np.ones(len(rank)) if measure.cutoff is None else (rank <= measure.cutoff).astype(float)
    match measure.name:
        case "HR":
            return within * (before == 0)
        case "RR":
            return within * (before == 0) / rank
        case "AP":
            return within * (before + 1) / rank
        case "nDCG":
            return np.asarray(within / np.log2(rank + 1))
        case "ListAUC":
            return np.asarray(1 - (rank - before - 1) / others)
    return within


def _weights(measure: Measure, relevant: NDArray[np.int64]) -> Floats:
    """What of the gain of an item counts, by how many held-out items its user has."""
    if measure.name in ("HR", "RR"):
        return np.ones(len(relevant))
    if measure.name == "P":
        assert measure.cutoff is not None
        return np.full(len(relevant), 1 / measure.cutoff)
    if measure.name == "nDCG":
        ideal = np.cumsum(1 / np.log2(np.arange(2, relevant.max() + 2)))
        most = relevant if measure.cutoff is None else np.minimum(relevant, measure.cutoff)
        return np.asarray(1 / ideal[most - 1])
    return 1 / relevant


@dataclass(frozen=True)
class _How:
    """How ranks are corrected."""

    items: _Items
    method: Correction
    gamma: float
    eta: float
    confidence: float
    resamples: int
    seed: int

    def corrected(self, measure: Measure) -> CorrectedValue:
        """What a measure is among all items."""
        items = self.items
        weights = _weights(measure, items.relevant)
        parts = [_Part(self, measure, group, weights) for group in items.groups]
        if measure.name in ("HR", "RR"):
            parts = [part for part in parts if part.before == 0]
        sampled = self._of_users(parts, [part.seen_gains for part in parts])
        if measure.name == "ListAUC":  # of which the sample has no bias
            ends = self._interval(sampled)
            value = float(sampled.mean())
            return CorrectedValue(measure.label, value, value, *ends, 0.0, *ends)
        if self.method == "mle":
            value = sum(part.estimated(part.counts) for part in parts)
            ends = self._drawn(parts)
        else:
            values = self._of_users(parts, [part.gains for part in parts])
            value, ends = float(values.mean()), self._interval(values)
        ranges = [part.range(len(parts)) for part in parts]
        least, most = (
            sum(part.weight * each[end] for part, each in zip(parts, ranges, strict=True)) for end in (0, 1)
        )
        if ends[1] - ends[0] < ALIKE and any(part.drawn < part.others for part in parts):
            ends = Interval(math.nan, math.nan)
        left = sum(part.bias for part in parts)
        return CorrectedValue(measure.label, float(sampled.mean()), value, *ends, left, least, most)

    def _of_users(self, parts: list[_Part], gains: list[Floats]) -> Floats:
        """The value of each user, where an item adds its gain by its rank among those drawn."""
        values = np.zeros(self.items.users)
        for part, each in zip(parts, gains, strict=True):
            np.add.at(values, self.items.user[part.rows], part.weights * each[self.items.above[part.rows]])
        return values

    def _interval(self, values: Floats) -> Interval:
        return statistics.t_interval(values, confidence=self.confidence).within((0, 1))

    def _drawn(self, parts: list[_Part]) -> Interval:
        """The percentile interval of estimates of which users are drawn."""
        rng = np.random.default_rng(self.seed)
        users = self.items.users
        found = []
        for _ in range(self.resamples):
            times = np.bincount(rng.integers(users, size=users), minlength=users)
            each = (part.estimated(part.counted(times[self.items.user[part.rows]])) for part in parts)
            found.append(sum(each))
        return statistics.percentile_interval(np.array(found), confidence=self.confidence)


class _Part:
    """Items that are corrected alike.

    Attributes:
        before: how many held-out items stand above each.
        rows: which they are.
        weights: how much each counts.
        weight: how much they count together, for a mean over users.
        wanted: their gain by the number of others above.
        seen_gains: the same by the number of those drawn, as if there were no others.

    """

    def __init__(
        self, how: _How, measure: Measure, group: tuple[int, int, int, NDArray[np.int64]], weights: Floats
    ) -> None:
        self.how, self.rows = how, group[3]
        self.before, self.others, self.drawn = group[:3]
        self.weights = weights[self.rows]
        self.weight = float(self.weights.sum()) / how.items.users
        self.wanted = _gains(measure, self.before, self.others)
        self.seen_gains = _gains(measure, self.before, self.drawn)

    def counted(self, times: NDArray[np.int64] | int = 1) -> Floats:
        """How much counts what stands below so many of those drawn, each item so many times."""
        above = self.how.items.above[self.rows]
        return np.bincount(above, self.weights * times, self.drawn + 1).astype(float)

    @cached_property
    def counts(self) -> Floats:
        """The same of all users."""
        return self.counted()

    @cached_property
    def gains(self) -> Floats:
        """The corrected gain by the number of those drawn above; of ``mes`` what a small change adds."""
        how = self.how
        if how.method in GAINS:
            return statistics.corrected_gains(self.wanted, self.drawn, method=how.method, gamma=how.gamma)
        if self.drawn == self.others:
            return self.wanted
        slopes = self.widest.slopes(self.wanted, self.drawn, how.eta)
        return slopes + self.widest.mean(self.wanted) - float(self.counts @ slopes) / float(self.counts.sum())

    @cached_property
    def widest(self) -> RankDistribution:
        """Where items stand among all, as maximal entropy estimates it."""
        return statistics.rank_distribution(self.counts, self.others, eta=self.how.eta)

    @property
    def bias(self) -> float:
        """What the estimate has too much of the mean, where ranks are so and the sample is as expected."""
        expected = self.widest.sampled(self.drawn)
        if self.how.method in GAINS:
            found = float(expected @ self.gains)
        else:
            found = self.distribution(expected).mean(self.wanted)
        return self.weight * (found - self.widest.mean(self.wanted))

    def distribution(self, counts: Floats) -> RankDistribution:
        """Where items stand among all, by these counts."""
        method: DistributionMethod = "mle" if self.how.method == "mle" else "mes"
        return statistics.rank_distribution(counts, self.others, method=method, eta=self.how.eta)

    def estimated(self, counts: Floats) -> float:
        """What the items add to the mean, by these counts."""
        total = float(counts.sum())
        return total / self.how.items.users * self.distribution(counts).mean(self.wanted) if total else 0.0

    def range(self, among: int) -> Interval:
        """The least and the greatest mean gain."""
        if self.drawn == self.others:  # all that there are, so that nothing is unknown
            exact = float(self.counts @ self.wanted / self.counts.sum())
            return statistics.Interval(exact, exact)
        share = (
            self.weights.sum() ** 2 / (self.weights**2).sum() / self.weights.sum()
        )  # items that say as much
        confidence = self.how.confidence
        return statistics.sampled_range(self.counts * share, self.wanted, confidence=confidence, among=among)


def _notes(
    asked: tuple[Measure, ...], items: _Items, values: tuple[CorrectedValue, ...], confidence: float
) -> Iterator[str]:
    """What the sample is too small for, and which interval holds what."""
    others, drawn = float(np.mean(items.others)), float(np.mean(items.drawn))
    if drawn < others and any(measure.name != "ListAUC" for measure in asked):
        yield (
            f"the interval over users holds what the correction gives of other such users, not the value "
            f"among all items: corrections are biased, by how much no sample says; that value is in what is "
            f"possible, with {100 * confidence:g}% confidence or more"
        )
    if drawn < others:
        widest = max(values, key=lambda each: each.most - each.least)
        yield (
            "two systems are told apart for sure where what is possible of them does not overlap: of "
            f"{widest.measure} by some {widest.most - widest.least:.2f}; more sampled items make that less, "
            "more users only so far"
        )
    least = min((measure.cutoff for measure in asked if measure.cutoff), default=None)
    if least is not None and drawn < others and others / (drawn + 1) > least:
        yield (
            f"one sampled item stands for {others / drawn:,.0f} of all: what is above rank {least:,} is "
            f"extrapolated; from {math.ceil(others / least):,} sampled items on such ranks are seen"
        )
    if alike := [each.measure for each in values if math.isnan(each.low)]:
        yield (
            f"{', '.join(alike)}: no interval over users, for users do not differ, which says nothing of how "
            "others would; go by what is possible"
        )
    if items.users < FEW:
        yield f"{counted(items.users, 'user')}: few to estimate a distribution of ranks from"
