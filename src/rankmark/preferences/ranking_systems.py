"""Strengths of systems by what is preferred of two or several."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, UsageError, did_you_mean
from rankmark.inputs.side_by_side import SideBySide, read_side_by_side
from rankmark.preferences.ranking import INTERVALS, SCALES, IntervalName, PreferenceRanking, Scale
from rankmark.rendering.words import counted, listed
from rankmark.statistics.corrections import CORRECTIONS, CorrectionName, corrected
from rankmark.statistics.intervals import Interval
from rankmark.statistics.paired_comparisons import (
    PENALTIES,
    TIES,
    Compared,
    Penalty,
    TieModel,
    infinite_strengths,
)
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import check_drawn, check_share

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark.statistics.resampling import Floats

__all__ = ["rank_by_preferences"]

FEW = 25
"""Fewer clusters are noted."""
LOST = 0.05
"""The share of resamples that may have no finite strengths."""


def rank_by_preferences(
    table: Any,
    *,
    ties: TieModel = "half",
    side: bool = False,
    penalty: Penalty = "none",
    baseline: str | None = None,
    interval: IntervalName = "delta",
    clusters: str | None = None,
    confidence: float = 0.95,
    correction: CorrectionName = "holm",
    scale: Scale = "logit",
    resamples: int = 1000,
    seed: int = 0,
    columns: Mapping[str, Any] | None = None,
) -> PreferenceRanking:
    """Ranks systems by judgements of two side by side, or of the best and the worst of several.

    The model is Bradley and Terry's: the chance that i is preferred to j is 1 / (1 + exp(θⱼ − θᵢ)); see
    `rankmark.statistics.bradley_terry`. A best and a worst of several are read as the best preferred to all
    others, and these to the worst; clusters by ``judgement`` count those of one judgement together.

    Args:
        table: a path, a table or a dict of columns with ``system_a``, ``system_b`` and ``winner`` (a name, a,
            b, or tie), or ``systems``, ``best`` and ``worst``; ``query`` and ``assessor`` if there are such.
        ties: ``half`` counts a tie as half a win of each, ``davidson`` models it.
        side: whether standing first (``system_a``) is worth something that is estimated, too.
        penalty: ``firth`` keeps the strength of a system finite that won or lost always.
        baseline: the system whose strength is 0, and from which the others' difference is tested (Wald).
        interval: ``delta``, ``profile`` (of the likelihood) or ``bootstrap`` (percentiles).
        clusters: what belongs together: ``query``, ``assessor``, ``judgement`` or another column; for delta
            intervals and tests by sums of clusters, of the bootstrap by drawing clusters.
        confidence: of the intervals.
        correction: of the p-values of several systems, of `rankmark.statistics.CORRECTIONS`.
        scale: ``logit``, or ``elo``: 1000 + 400 / ln 10 · θ.
        resamples: of the bootstrap.
        seed: of what is drawn.
        columns: the columns to use, where their names do not say it.

    Raises:
        ChoiceError: another word of ties, penalty, interval, scale or correction.
        UsageError: no such baseline, a side of judgements that have none, profiles of clusters.
        ColumnError: a table that lacks what is needed.
        DataError: systems that were never compared, or always won, and whose strength is infinite.

    Source:
        R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs: I", Biometrika 39, 1952.

    Example:
        >>> import rankmark as rm
        >>> table = {"system_a": ["new", "new", "old", "new"], "system_b": ["old", "old", "new", "old"],
        ...          "winner": ["new", "new", "old", "new"]}
        >>> ranking = rm.rank_by_preferences(table, baseline="old")
        >>> round(ranking["new"], 4)  # log(3 / 1)
        1.0986

    """
    for name, word, known in (
        ("ties", ties, TIES),
        ("penalty", penalty, PENALTIES),
        ("interval", interval, INTERVALS),
        ("scale", scale, SCALES),
        ("correction", correction, CORRECTIONS),
    ):
        check_choice(name, word, known)
    check_share(confidence=confidence)
    check_drawn(resamples, seed)
    if clusters is not None and interval == "profile":
        raise UsageError("interval='profile' knows no clusters; delta and bootstrap do")
    own = () if clusters in (None, "query", "assessor", "judgement") else (str(clusters),)
    read = read_side_by_side(table, columns, others=own)
    if side and not read.sided:
        raise UsageError("side=True is of two systems side by side; a best and a worst have no sides")
    asked = _Asked.of(read, ties, side, penalty, baseline, clusters)
    at = asked.compared.fitted()
    z, covariance = asked.spread(at, confidence)
    notes = list(asked.notes())
    contrasts = asked.contrasts()
    values = contrasts @ at
    errors = np.sqrt(np.maximum(np.einsum("ci,ij,cj->c", contrasts, covariance, contrasts), 0))
    side_at = np.zeros(len(at))
    side_at[-2] = 1
    ends = [
        Interval(value - z * error, value + z * error) for value, error in zip(values, errors, strict=True)
    ]
    if interval == "profile":
        ends = [
            asked.compared.profile(at, contrast, confidence) if contrast.any() else Interval(0.0, 0.0)
            for contrast in contrasts
        ]
    elif interval == "bootstrap":
        drawn, lost = asked.drawn(at, resamples, seed)
        if lost:
            notes.append(f"{lost:,} of {resamples:,} resamples have no finite strengths and are left out")
        tail = (1 - confidence) / 2
        low, high = np.quantile(drawn @ contrasts.T, [tail, 1 - tail], axis=0)
        ends = [Interval(float(one), float(other)) for one, other in zip(low, high, strict=True)]
    error = math.sqrt(float(side_at @ covariance @ side_at))
    effect = float(at[-2]) if side else math.nan
    p = np.array([asked.p(value, error) for value, error in zip(values, errors, strict=True)])
    systems = asked.table(
        values, ends, p if baseline is not None else np.full(len(p), np.nan), correction, scale
    )
    return PreferenceRanking(
        systems,
        asked.chances(at, systems["system"].to_list(), covariance),
        effect,
        effect - z * error,
        effect + z * error,
        asked.p(effect, error) if side else math.nan,
        read.frame.height,
        ties,
        penalty,
        scale,
        baseline,
        interval,
        clusters,
        confidence,
        tuple(notes),
    )


@dataclass(frozen=True, eq=False)
class _Asked:
    """What was read, and what is estimated of it."""

    read: SideBySide
    compared: Compared
    names: Sequence[str]
    baseline: int | None
    labels: NDArray[np.int64] | None
    clusters: str | None

    @classmethod
    def of(
        cls,
        read: SideBySide,
        ties: TieModel,
        side: bool,
        penalty: Penalty,
        baseline: str | None,
        clusters: str | None,
    ) -> _Asked:
        frame = read.frame
        names = sorted({*frame["first"].to_list(), *frame["second"].to_list()})
        if baseline is not None and baseline not in names:
            raise UsageError(
                f"baseline={baseline!r} is no system{did_you_mean(baseline, names)}; here are {listed(names)}"
            )
        numbers = {name: number for number, name in enumerate(names)}
        first, second = (
            np.array([numbers[name] for name in frame[role].to_list()]) for role in ("first", "second")
        )
        outcome = frame["outcome"].to_numpy()
        _refuse_infinite(read.where, names, first, second, outcome, penalty)
        compared = Compared.of(first, second, outcome, ties=ties, side=side, penalty=penalty)
        place = None if baseline is None else names.index(baseline)
        return cls(read, compared, names, place, _labels(read, clusters), clusters)

    def spread(self, at: Floats, confidence: float) -> tuple[float, Floats]:
        """How many standard errors an interval goes to either side, and the covariance."""
        from scipy import stats

        covariance = self.compared.covariance(at)
        if self.labels is None:
            return float(stats.norm.ppf((1 + confidence) / 2)), covariance
        z = float(stats.t.ppf((1 + confidence) / 2, int(self.labels.max())))
        return z, self.compared.sandwich(at, covariance, self.labels)

    def p(self, value: float, error: float) -> float:
        """Of the Wald test that a value is 0; NaN of one that is 0 by definition."""
        from scipy import stats

        if not error > 0:
            return math.nan
        if self.labels is None:
            return float(2 * stats.norm.sf(abs(value) / error))
        return float(2 * stats.t.sf(abs(value) / error, int(self.labels.max())))

    def contrasts(self) -> Floats:
        """For each system what the parameters count for in its strength."""
        count = len(self.names)
        found = np.zeros((count, self.compared.parameters))
        found[:, :count] = np.eye(count)
        if self.baseline is None:
            found[:, :count] -= 1 / count
        else:
            found[:, self.baseline] -= 1
        return found

    def drawn(self, at: Floats, resamples: int, seed: int) -> tuple[Floats, int]:
        """The parameters of each resample, and how many have none that are finite.

        Raises:
            DataError: too many have none.

        """
        draw = np.random.default_rng(seed)
        rows = self.read.frame.height
        labels = np.arange(rows) if self.labels is None else self.labels
        several = int(labels.max()) + 1
        found = []
        for _ in range(resamples):
            often = np.bincount(draw.integers(0, several, several), minlength=several)
            again = self.compared.weighted(often[labels].astype(np.float64))
            try:
                again.refuse_separate()
                found.append(again.fitted(at))
            except DataError:
                continue
        lost = resamples - len(found)
        if lost > LOST * resamples:
            raise DataError(
                f"{self.read.where}: {lost:,} of {resamples:,} resamples have no finite strengths; "
                "penalty='firth' has them, or take interval='profile'"
            )
        return np.array(found), lost

    def table(
        self, values: Floats, ends: Sequence[Interval], p: Floats, correction: CorrectionName, scale: Scale
    ) -> pl.DataFrame:
        """`PreferenceRanking.systems`."""
        import polars as pl

        by, zero = SCALES[scale]
        frame, outcome = self.read.frame, pl.col("outcome")
        sides = pl.concat(
            [
                frame.select(system="first", won=outcome),
                frame.select(system="second", won=1 - outcome),
            ]
        )
        counts = sides.group_by("system").agg(
            wins=(pl.col("won") == 1).sum(),
            ties=(pl.col("won") == 0.5).sum(),
            losses=(pl.col("won") == 0).sum(),
        )
        rows = pl.DataFrame(
            {
                "system": self.names,
                "strength": zero + by * values,
                "low": [zero + by * low for low, _ in ends],
                "high": [zero + by * high for _, high in ends],
                "p": pl.Series(p, nan_to_null=True),
                "p_adjusted": pl.Series(corrected(p, correction), nan_to_null=True),
            }
        )
        found = rows.join(counts, on="system", maintain_order="left")
        names = ["system", "strength", "low", "high", "wins", "ties", "losses", "p", "p_adjusted"]
        return found.sort("strength", descending=True, maintain_order=True).select(names)

    def chances(self, at: Floats, names: Sequence[str], covariance: Floats) -> pl.DataFrame:
        """`PreferenceRanking.probabilities`."""
        import polars as pl

        wins = self.compared.shown(at, covariance).probabilities()
        place = [self.names.index(name) for name in names]
        rows = [
            (self.names[one], self.names[other], float(wins[one, other]),
             max(0.0, 1 - float(wins[one, other] + wins[other, one])))
            for one in place for other in place if one != other
        ]  # fmt: skip
        tied = self.compared.ties == "davidson"
        kept = [(*row[:3], row[3] if tied else 0.0) for row in rows]
        schema = {"system": pl.String, "other": pl.String, "wins": pl.Float64, "tie": pl.Float64}
        return pl.DataFrame(kept, schema=schema, orient="row")

    def notes(self) -> list[str]:
        """What a reader should know."""
        found = []
        if self.labels is not None and (count := int(self.labels.max()) + 1) < FEW:
            found.append(f"there are {count} clusters, fewer than {FEW}: the intervals can be too short")
        frame = self.read.frame
        for name in ("query", "assessor", *(() if self.read.sided else ("judgement",))):
            if self.clusters is None and name in frame.columns and frame[name].n_unique() < frame.height:
                found.append(
                    f"each comparison stands for itself; clusters={name!r} counts those of one together"
                )
                break
        if self.compared.penalty == "firth":
            found.append("Firth's penalty draws strengths towards each other where there is little")
        return found


def _labels(read: SideBySide, clusters: str | None) -> NDArray[np.int64] | None:
    """The number of the cluster of each comparison."""
    import polars as pl

    if clusters is None:
        return None
    if clusters not in read.frame.columns:
        raise UsageError(f"clusters={clusters!r}: {read.where} has no column of that")
    numbers = read.frame[clusters].cast(pl.String).rank("dense").to_numpy().astype(np.int64) - 1
    if numbers.max() == 0:
        raise DataError(
            f"clusters={clusters!r}: {read.where} has one only, and nothing can be said of others"
        )
    return numbers


def _refuse_infinite(
    where: str,
    names: Sequence[str],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    outcome: Floats,
    penalty: Penalty,
) -> None:
    known, strong = infinite_strengths(first, second, outcome)
    if len(known) > 1:
        groups = "; ".join(listed([names[number] for number in group]) for group in known)
        raise DataError(
            f"{where}: systems of {counted(len(known), 'group')} were never compared with each other, and "
            f"have no common strengths: {groups}; compare some of them, or rank each group by itself"
        )
    if len(strong) > 1 and penalty == "none":
        above, others = (
            listed([names[number] for number in numbers])
            for numbers in (strong[0], [number for group in strong[1:] for number in group])
        )
        raise DataError(
            f"{where}: {above} never lost to {others}, so that the strength between them is infinite; "
            "penalty='firth' (--penalty firth) keeps it finite, or compare more"
        )
