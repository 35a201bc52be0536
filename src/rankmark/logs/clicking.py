"""Fits models of where users look to logs of clicks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankmark.errors import ChoiceError, DataError
from rankmark.inputs.click_logs import ClickLog, read_click_log
from rankmark.logs.click_models import MODELS, ClickModel, ClickModelName, ExaminationRow, HeldOut
from rankmark.logs.fitted import LEAST, Fit, LogRows, fit_browsing, fit_position, part_of
from rankmark.progress import reading
from rankmark.rendering.words import counted, listed
from rankmark.statistics.position_bias import EXAMINATION_METHODS, divided, summed
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import Floats, check_drawn, check_share

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FEW_CLUSTERS", "METHODS", "click_model", "drawn_clusters", "fitted", "method_of"]

METHODS: Mapping[ClickModelName, tuple[str, ...]] = {
    "position": EXAMINATION_METHODS,
    "cascade": ("likelihood",),
    "dbn": ("em", "simplified"),
}
"""How each model can be estimated, the default first."""
FEW_LINKS = 10
"""Fewer items than these that link a position are noted."""
SELDOM = 20
"""Where items were shown less often than this, `em` is noted to be biased."""
FEW_CLUSTERS = 25
"""Of fewer intervals are noted to be short."""


def click_model(
    log: Any,
    model: ClickModelName = "position",
    *,
    method: str | None = None,
    held_out: float = 0.2,
    clusters: str = "query",
    confidence: float = 0.95,
    resamples: int = 200,
    seed: int = 0,
    columns: Mapping[str, Any] | None = None,
) -> ClickModel:
    """How likely users look at each position of a list, and click what they look at, from a log of clicks.

    Args:
        log: a path, a table or a dict of columns with a row an item that was shown: query, item, position
            from 1, click, and the id of the list (impression, session …) that it stood in.
        model: ``position``, where p_k·r_i is the chance of a click on item i at position k; ``cascade``, a
            user who goes down to the first click; ``dbn``, one who goes down until a click satisfies, or who
            gives up.
        method: of ``position`` one of `statistics.EXAMINATION_METHODS`, ``conditional`` if None; of ``dbn``
            ``em`` (the default) or ``simplified``, where nobody gives up and the last click satisfies.
        held_out: the share of lists that tell how well a model of the others foretells clicks, to choose
            between models: the same lists with the same `seed`. 0 for none.
        clusters: what is drawn again for intervals: ``query``, ``impression``, or a column, such as users.
        confidence: of the intervals, which are p·exp(±t·s·√(G/(G − 1))), s the standard deviation of ln p
            over resamples of G clusters, and of 1 − γ alike.
        resamples: how many are drawn; 0 for no intervals.
        seed: of what is held out and drawn.
        columns: the columns to use, where their names do not say it: ``{"impression": "page"}``.

    Raises:
        ChoiceError: another model, or a method of another.
        UsageError: what is no table, or a file that is not there.
        DataError: a log that is none, see `inputs.click_logs`; or no item was shown at two positions, so that
            nothing tells positions from what stands there.

    Source:
        A. Chuklin, I. Markov and M. de Rijke, "Click models for web search", 2015; those of
        `statistics.examination`, `statistics.cascade_model` and `statistics.browsing_model`.

    Example:
        >>> import rankmark as rm
        >>> shown = [("a", 1, 8), ("b", 2, 2), ("a", 2, 4), ("b", 1, 4)]  # ten lists of each
        >>> rows = [
        ...     {"query": "q", "list": f"{item}{position}{i}", "item": item, "position": position,
        ...      "click": i < clicks}
        ...     for item, position, clicks in shown for i in range(10)
        ... ]
        >>> import polars as pl
        >>> found = rm.click_model(pl.DataFrame(rows), held_out=0, resamples=0)
        >>> {position: round(value, 4) for position, value in found.examination.items()}
        {1: 1.0, 2: 0.5}

    """
    how = method_of(model, method)
    check_share(confidence=confidence)
    if not isinstance(held_out, int | float) or not 0 <= held_out < 1:
        raise ChoiceError(f"held_out={held_out!r} is not a number from 0 and below 1")
    if resamples:
        check_drawn(resamples, seed)
    others = () if clusters in ("query", "impression") else (clusters,)
    read = read_click_log(log, columns, others=others)
    labels = read.clusters(clusters)
    with reading("fitting", None, None):
        rows, fitter, found = fitted(read, model, how, labels)
        held = _held_out(rows, model, how, held_out, seed) if held_out else None
        drawn, ends = _drawn(fitter, rows, labels, resamples, seed)
    notes = list(read.notes)
    units = int(labels.max()) + 1
    if resamples and units < FEW_CLUSTERS:
        notes.append(
            f"intervals are of {counted(units, 'cluster')} by {clusters}, fewer than {FEW_CLUSTERS}: they "
            "can be too short"
        )
    notes.extend(_notes(rows, model, how, found))
    low, high = _ends(found.means(rows), drawn, units, confidence)
    gamma = np.array([math.nan if found.browsing is None else 1 - found.browsing.continuation])
    left_low, left_high = _ends(gamma, 1 - ends, units, confidence)
    continues = how == "em" and found.browsing is not None
    return ClickModel(
        model,
        how,
        tuple(_rows(rows, found, low, high)),
        _items(read, found),
        found.browsing.continuation if continues and found.browsing else None,
        max(1 - float(left_high[0]), 0.0) if continues and resamples else None,
        1 - float(left_low[0]) if continues and resamples else None,
        held,
        rows.impressions,
        read.frame["query"].n_unique(),
        clusters,
        resamples,
        confidence,
        tuple(notes),
    )


def method_of(model: ClickModelName, method: str | None) -> str:
    """How a model is estimated: as it is said, or the default.

    Raises:
        ChoiceError: another model, or a method of another.

    """
    check_choice("model", model, tuple(MODELS))
    how = METHODS[model][0] if method is None else method
    if how not in METHODS[model]:
        raise ChoiceError(
            f"method={method!r} is none of the {MODELS[model]}, which knows {listed(METHODS[model])}"
        )
    return how


def fitted(
    log: ClickLog, model: ClickModelName, how: str, labels: NDArray[Any]
) -> tuple[LogRows, Callable[[Floats | None], Fit], Fit]:
    """The rows of a log, what fits a model to them with clusters weighed otherwise, and the model itself.

    Raises:
        DataError: positions are missing that the model needs, or nothing tells positions from items.

    """
    if model != "position":
        log.refuse_gaps(f"the {MODELS[model]}")
    rows = LogRows.of(log, browsing=model != "position")
    fitter = _fitter(rows, model, how, labels)
    found = fitter(None)
    if found.examined is not None:
        _refuse_unlinked(rows, found.examined, how, log)
    return rows, fitter, found


def drawn_clusters(labels: NDArray[Any], resamples: int, seed: int) -> Iterator[Floats]:
    """How often each cluster is in each resample of them."""
    rng, count = np.random.default_rng([seed, 1]), int(labels.max()) + 1
    for _ in range(resamples):
        yield np.bincount(rng.integers(0, count, count), minlength=count).astype(float)


def _fitter(
    rows: LogRows, model: ClickModelName, how: str, labels: NDArray[Any] | None = None
) -> Callable[[Floats | None], Fit]:
    if model == "position":
        return fit_position(rows, how, labels)  # type: ignore[arg-type] # of METHODS
    return fit_browsing(rows, model, how, labels)


def _refuse_unlinked(rows: LogRows, examined: Floats, how: str, log: ClickLog) -> None:
    if rows.positions > 1 and np.isnan(examined[1:]).all():
        why = "no items of a query that were shown at the first position and another were clicked at both"
        if how == "randomised":
            why = "nothing was clicked at the first position"
        raise DataError(
            f"{log.where}: {why}, so that nothing tells how likely positions are looked at from what stands "
            "there; let some lists be shown in another order: swap the first item with another by chance, or "
            "log several rankers"
        )


def _drawn(
    fit: Callable[[Floats | None], Fit], rows: LogRows, labels: NDArray[Any], resamples: int, seed: int
) -> tuple[Floats, Floats]:
    """The examination of each position, and the continuation, of resamples of whole clusters."""
    curves, ends = np.full((resamples, rows.positions), math.nan), np.full((resamples, 1), math.nan)
    for number, drawn in enumerate(drawn_clusters(labels, resamples, seed)):
        found = fit(drawn)
        if found.browsing is not None:
            ends[number] = found.browsing.continuation
            place, weights = rows.position - 1, drawn[labels][rows.impression]
            mean, shown = (
                summed(place, each, rows.positions) for each in (weights * found.anyhow(rows), weights)
            )
            curves[number] = divided(mean, shown)
        else:
            curves[number] = found.means(rows)
    return curves, ends


def _ends(estimates: Floats, drawn: Floats, clusters: int, confidence: float) -> tuple[Floats, Floats]:
    """The ends of the interval of each estimate, a column of what was drawn each; NaN where there is none.

    On the scale of logarithms they are t·s·√(G/(G − 1)) off, s the standard deviation over resamples of G
    clusters, t Student's quantile with G − 1 degrees of freedom; of what is 0 in some they are percentiles.
    """
    from scipy import stats

    low, high = np.full(len(estimates), math.nan), np.full(len(estimates), math.nan)
    if clusters < 2:
        return low, high
    t = float(stats.t.ppf((1 + confidence) / 2, clusters - 1))
    times = t * math.sqrt(clusters / (clusters - 1))
    for column, estimate in enumerate(estimates):
        own = drawn[~np.isnan(drawn[:, column]), column]
        if len(own) < 2 or math.isnan(estimate):
            continue
        if own.min() > 0 and estimate > 0:
            reach = times * float(np.log(own).std(ddof=1))
            low[column], high[column] = estimate * math.exp(-reach), estimate * math.exp(reach)
        else:
            low[column], high[column] = np.quantile(own, [(1 - confidence) / 2, (1 + confidence) / 2])
    return low, high


def _held_out(rows: LogRows, model: ClickModelName, how: str, share: float, seed: int) -> HeldOut | None:
    """How well the model of most lists tells the clicks of the others."""
    out = np.random.default_rng([seed, 0]).random(rows.impressions) < share
    if out.all() or not out.any():
        return None
    learnt, told = part_of(rows, ~out), part_of(rows, out)
    fit = _fitter(learnt, model, how)(None).drawn_in(learnt)
    known = _chances(fit.propensities(told) * fit.relevance[told.item], told.click)
    alone = _chances(fit.anyhow(told) * fit.relevance[told.item], told.click)
    there = ~np.isnan(known)
    if not there.any():
        return None
    place = told.position[there] - 1
    bits = np.bincount(place, weights=np.log2(alone[there])) / np.maximum(np.bincount(place), 1)
    shown = np.bincount(place) > 0
    return HeldOut(
        told.impressions,
        float(np.log(known[there]).sum() / told.impressions),
        float(np.mean(2.0 ** -bits[shown])),
    )


def _chances(clicked: Floats, click: NDArray[np.bool_]) -> Floats:
    """The probability of what happened."""
    kept = np.clip(clicked, LEAST, 1 - LEAST)
    return np.where(click, kept, 1 - kept)


def _rows(rows: LogRows, found: Fit, low: Floats, high: Floats) -> Iterator[ExaminationRow]:
    place = rows.position - 1
    shown = np.bincount(place, minlength=rows.positions)
    clicked = np.bincount(place, weights=rows.click, minlength=rows.positions)
    linking, means = _linking(rows), found.means(rows)
    for k in range(rows.positions):
        rate = float(clicked[k] / shown[k]) if shown[k] else math.nan
        ends = float(low[k]), float(high[k])
        yield ExaminationRow(k + 1, int(shown[k]), int(linking[k]), rate, float(means[k]), *ends)


def _linking(rows: LogRows) -> NDArray[np.int64]:
    """How many items were shown at each position and another, and clicked."""
    cells, _ = rows.cells()
    several = np.bincount(cells.item, minlength=rows.items) > 1
    clicked = np.bincount(cells.item, weights=cells.clicked, minlength=rows.items) > 0
    return np.bincount(cells.position[(several & clicked)[cells.item]], minlength=rows.positions)


def _items(log: ClickLog, found: Fit) -> pl.DataFrame:
    import polars as pl

    frame = log.frame.group_by("query", "item", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("impressions"), pl.col("click").sum().cast(pl.Int64).alias("clicks")
    )
    # Items have numbers as they came first, which is the order of these groups.
    frame = frame.with_columns(pl.Series("relevance", found.relevance))
    if found.browsing is not None:
        frame = frame.with_columns(pl.Series("satisfaction", found.browsing.satisfaction))
    return frame


def _notes(rows: LogRows, model: ClickModelName, how: str, found: Fit) -> Iterator[str]:
    if model == "cascade":
        several = np.bincount(rows.impression, weights=rows.click) > 1
        if several.any():
            yield (
                f"{int(several.sum()):,} of {counted(rows.impressions, 'list')} have several clicks, which "
                "the cascade model does not know: what is below the first is left out (dbn knows them)"
            )
        return
    if model == "dbn":
        if how == "simplified":
            yield "taken for granted: nobody gives up, and the last click of a list satisfied"
        return
    yield from _notes_of_positions(rows, how, found)


def _notes_of_positions(rows: LogRows, how: str, found: Fit) -> Iterator[str]:
    assert found.examined is not None
    if how == "randomised":
        yield "taken for granted: items stood in random order, so that all positions are as relevant"
        return
    yield (
        "taken for granted: an item stands higher or lower by chance or by another ranker, and not as it is "
        "more or less relevant then"
    )
    unknown = np.flatnonzero(np.isnan(found.examined)) + 1
    if len(unknown):
        yield (
            f"no item links {'position' if len(unknown) == 1 else 'positions'} "
            f"{listed(list(map(str, unknown.tolist())))} to the first: how likely these are looked at is not "
            "known; let items of them stand elsewhere in some lists"
        )
    linking = _linking(rows)
    weak = [str(k + 1) for k in range(1, rows.positions) if 0 < linking[k] < FEW_LINKS]
    if weak:
        which = "position" if len(weak) == 1 else "positions"
        yield f"fewer than {FEW_LINKS} items tell of {which} {listed(weak)}"
    usual = float(np.median(np.bincount(rows.item)))
    if how == "em" and usual < SELDOM:
        yield (
            f"half of the items were shown {usual:g} times or less, with which em can be far off where "
            "better ones stand higher; method='conditional' is not"
        )
