"""What is odd in the lists of a run: equal scores, their direction, short lists, unjudged items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.aggregation.oddities import CERTAIN, certainty, counting_up
from rankmark.checks.data import CheckedPair
from rankmark.checks.finding import EXAMPLES, Effect, Finding, effects, examples, percent, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.results.lists import ListResult

__all__ = [
    "constant_scores",
    "order_of_scores",
    "short_lists",
    "ties",
    "unjudged_differs",
    "unjudged_results",
]

AT_TOP = 10
"""Where lists are looked at for which no measure has a cutoff."""
APART = 0.1
"""How much more unjudged results of one run than of another are worth knowing."""

LARGE = 0.05
"""The part of a value from which on what equal scores could change of it is serious."""


def ties(pair: CheckedPair) -> Iterator[Finding]:
    """Equal scores on whose order a value depends."""
    if pair.result is None or _decides_nothing(pair.result):
        return
    worst, best = (pair.evaluate(ties=rule) for rule in ("worst", "best"))
    if worst is None or best is None:
        return
    found = effects(pair.result, {"ties=worst": worst, "ties=best": best})
    if not found:
        return
    of_queries = [measure for measure in pair.measures if measure.page.aggregate != "run"]
    changed = np.logical_or.reduce(
        [~_close(worst.query_values(m), best.query_values(m)) for m in of_queries]
        or [np.zeros(len(pair.result.query_ids), dtype=np.bool_)]
    )
    yield Finding(
        "ties",
        "serious" if max(map(_spread, found)) >= LARGE else "worth knowing",
        pair.where,
        f"equal scores decide values of {_share_of_queries(changed)}",
        int(changed.sum()),
        _queries(pair.result, changed),
        "the order of equal scores is that of the item ids unless told otherwise",
        found,
    )


def _decides_nothing(result: ListResult) -> bool:
    """Whether no value is another in another order of equal scores, as far as that has been counted."""
    counted = all(counts.tied == 0 for counts in result.counts.measures.values())
    return counted and all(each.page.kind == "list" and not each.page.origin for each in result.measures)


def _spread(effect: Effect) -> float:
    """How far apart the values are, as a part of the greatest."""
    values = [value for value in (effect.as_is, *effect.otherwise.values()) if value is not None]
    greatest = max(map(abs, values))
    return (max(values) - min(values)) / greatest if greatest else 0.0


def _close(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    close: NDArray[np.bool_] = np.isclose(one, other, rtol=1e-12, atol=0, equal_nan=True)
    return close


def _share_of_queries(chosen: NDArray[np.bool_]) -> str:
    return share(int(chosen.sum()), len(chosen), "query", "queries")


def _queries(result: ListResult, chosen: NDArray[np.bool_]) -> tuple[dict[str, Any], ...]:
    """The first few of the chosen queries."""
    ids = result.query_ids
    return tuple({"query": ids[place]} for place in np.flatnonzero(chosen)[:EXAMPLES])


def constant_scores(pair: CheckedPair) -> Iterator[Finding]:
    """Lists that are in no order at all."""
    import polars as pl

    if not pair.run.has_values:
        return
    several = pair.run.lists.filter(pl.col("rows") > 1)
    found = several.filter(pl.col("low") == pl.col("high"))
    if found.height:
        number = "rank" if pair.run.by_rank else "score"
        yield Finding(
            "constant-scores",
            "serious" if found.height * 2 >= several.height else "worth knowing",
            pair.where,
            f"{share(found.height, several.height, 'list')} of several items with one and the same {number}",
            found.height,
            examples(found.select("query", pl.col("rows").alias("items"), pl.col("low").alias(number))),
            "their order is that of the item ids, whatever the system thought",
        )


def short_lists(pair: CheckedPair) -> Iterator[Finding]:
    """Lists that end before the cutoff."""
    # Where nothing is relevant, nothing relevant is missing.
    found = pair.evaluate("NumRet", "R", missing="skip", no_relevant="one")
    if found is None:
        return
    length, recall = found.query_values("NumRet"), found.query_values("R")
    lists = int((length > 0).sum())
    for cutoff in sorted({measure.cutoff for measure in pair.measures if measure.cutoff}):
        short = (length > 0) & (length < cutoff)
        if not short.any():
            continue
        incomplete = int((short & (recall < 1)).sum())
        yield Finding(
            "short-lists",
            "worth knowing" if incomplete else "fine",
            pair.where,
            f"{share(int(short.sum()), lists, 'list')} of fewer than {cutoff:,} items, down to "
            f"{int(length[short].min()):,}; {incomplete:,} of them without some relevant item",
            int(short.sum()),
            _queries(found, short),
            f"the ranks down to {cutoff:,} that they do not fill count as not relevant",
        )


def unjudged_results(pair: CheckedPair) -> Iterator[Finding]:
    """Returned items that nobody judged."""
    cutoffs = sorted({measure.cutoff for measure in pair.measures if measure.cutoff})
    names = {f"the first {cutoff:,}": f"@{cutoff}" for cutoff in cutoffs}
    if not all(measure.cutoff for measure in pair.measures):
        names["all"] = ""
    measures = {name: f"Unjudged(denominator=retrieved){suffix}" for name, suffix in names.items()}
    found = pair.evaluate(*measures.values(), missing="skip")
    if found is None:
        return
    unjudged = np.logical_or.reduce([found.query_values(each) > 0 for each in measures.values()])
    if unjudged.any():
        shares = ", ".join(f"{percent(found[each])} of {name}" for name, each in measures.items())
        yield Finding(
            "unjudged-results",
            "worth knowing",
            pair.where,
            f"unjudged results in the lists of {_share_of_queries(unjudged)}: on average {shares}",
            int(unjudged.sum()),
            _queries(found, unjudged),
            "they count as not relevant unless told otherwise",
            effects(pair.result, {"unjudged=ignore": pair.evaluate(unjudged="ignore")}),
        )


def unjudged_differs(pairs: Sequence[CheckedPair]) -> Iterator[Finding]:
    """Runs of which one has many more unjudged results at the top than another, as newer ones have."""
    if len(pairs) < 2:
        return
    cutoff = min((each.cutoff for each in pairs[0].measures if each.cutoff), default=AT_TOP)
    measure = f"Unjudged(denominator=retrieved)@{cutoff}"
    found = [(pair.where, pair.evaluate(measure, missing="skip")) for pair in pairs]
    shares = {where: result[measure] for where, result in found if result is not None}
    if not shares:
        return
    most, least = max(shares, key=shares.__getitem__), min(shares, key=shares.__getitem__)
    if shares[most] - shares[least] >= APART:
        yield Finding(
            "unjudged-differs",
            "worth knowing",
            most,
            f"{percent(shares[most])} of the first {cutoff:,} results are unjudged, of {least} "
            f"{percent(shares[least])}",
            1,
            note="what is not judged counts as not relevant, so that the first may be judged too low against "
            'the other: see rm.pool, and bounds="unjudged"',
        )


def order_of_scores(pair: CheckedPair) -> Iterator[Finding]:
    """Scores of which the lower ones seem to be the better ones, as ranks and distances are."""
    if not pair.run.has_values:
        return
    below, above, low = _order(pair)
    certain = certainty(below, above)
    if certain >= CERTAIN:
        yield Finding(
            "scores-reversed",
            "serious",
            pair.where,
            f"in {below:,} of {below + above:,} lists the relevant items stand below the others",
            below,
            low,
            "the other way round the values would be better: the least rank is the best, and the highest "
            "score; negate distances and losses",
            _turned(pair),
        )
    if certain > -CERTAIN and not pair.run.by_rank:
        yield from _ranks(pair)


def _order(pair: CheckedPair) -> tuple[int, int, tuple[dict[str, Any], ...]]:
    """The lists in which relevant items stand below and above the others, and the first of the former."""
    names = ("ListAUC(items=retrieved)", "NumRelRet", "NumRet")
    found = pair.evaluate(*names, ties="expected", missing="skip")
    if found is None:
        return 0, 0, ()
    area, relevant, retrieved = (found.query_values(name) for name in names)
    mixed = (relevant > 0) & (relevant < retrieved)
    below = mixed & (area < 0.5)
    return int(below.sum()), int((mixed & (area > 0.5)).sum()), _queries(found, below)


def _turned(pair: CheckedPair) -> tuple[Effect, ...]:
    """What the lists come to the other way round."""
    import polars as pl

    value = pl.col("value").cast(pl.Float64)
    turned = pair.run.with_frame(pair.run.frame.with_columns(-value))
    return effects(pair.result, {"turned round": pair.with_tables(run=turned).result})


def _ranks(pair: CheckedPair) -> Iterator[Finding]:
    """Scores that count up from the first row of each list."""
    import polars as pl

    several = pair.run.lists.filter(pl.col("rows") > 1)
    found = counting_up(several)
    if found.height:
        yield Finding(
            "scores-like-ranks",
            "serious",
            pair.where,
            f"the scores of {share(found.height, several.height, 'list')} are {found['low'][0]:g}, "
            f"{found['low'][0] + 1:g}, {found['low'][0] + 2:g} …, as ranks are",
            found.height,
            examples(found.select("query", pl.col("rows").alias("items"))),
            "the highest score is taken as the best; name the column as the rank if it is one",
            _turned(pair),
        )
