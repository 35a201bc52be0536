"""What a log lacks: propensities, counted in strata, and what items are predicted to earn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark.errors import ChoiceError
from rankmark.inputs.added_up import added_up
from rankmark.inputs.logged_feedback import OTHER, LoggedRows
from rankmark.logs.asking import EXPECTED
from rankmark.logs.impressions import Impressions
from rankmark.rendering.words import listed

if TYPE_CHECKING:
    import polars as pl

    from rankmark.logs.asking import Asked

__all__ = ["with_counted_propensities", "with_predicted_rewards"]

FOLDS = 5
"""Parts of the impressions; those of each are predicted by the others."""
SHRINKAGE = 20.0
"""How many rows with the mean of their position each item is given besides its own."""


def with_counted_propensities(read: LoggedRows, strata: Sequence[str]) -> tuple[LoggedRows, str]:
    """The rows with the share of their stratum that shows their item, and what that assumes."""
    import polars as pl

    own = [OTHER + name for name in strata]
    counts = pl.len().over([*own, "item"]) / (pl.len().over(own) if own else pl.len())
    frame = read.frame.with_columns(propensity=counts)
    sizes = frame.group_by(own).len()["len"] if own else pl.Series([frame.height])
    note = (
        f"propensities are counted: the share of rows with the same {listed(strata) or 'log'} that show the "
        f"item ({len(sizes):,} strata, {int(sizes.min()):,} rows or more); so within these, what was shown "  # type: ignore[arg-type]
        "must not depend on anything else that rewards depend on"
    )
    return replace(read, frame=frame), note


def with_predicted_rewards(read: LoggedRows, asked: Asked) -> tuple[LoggedRows, str]:
    """The rows with what their item is predicted to earn, and each policy's; and how.

    q̂ = (Σ r + κ·r̄) / (n + κ), of the other parts' rows with the item at the position, r̄ the mean of the
    position. For CascadeDR r is what is earned from the position on.

    Raises:
        ChoiceError: runs of lists that are not shown as they are.

    """
    import polars as pl

    log = Impressions.of(read)
    lists = log.width > 1
    runs = [each.run for each in asked.policies if each.run is not None]
    if lists and any(each.choosing.name != "top" for each in runs):
        raise ChoiceError(
            'of lists, what is earned is predicted here of runs that are shown as they are (choose="top"); '
            "give expected= and the column predicted"
        )
    discount = asked.value.discount(log.width)
    reward = log.numbers("reward")
    if lists:
        weighed = reward * discount
        reward = np.cumsum(weighed[:, ::-1], axis=1)[:, ::-1]
    owner, slots = np.nonzero(log.there)
    parts = _parts(log, asked)
    frame = pl.DataFrame(
        {
            "item": log.rows["item"],
            "slot": slots,
            "value": reward[owner, slots],
            "part": parts[owner],
        }
    )
    models = [_means(frame.filter(pl.col("part") != part)) for part in range(FOLDS)]
    predicted = np.zeros(len(owner))
    for part, model in enumerate(models):
        rows = np.flatnonzero(parts[owner] == part)
        predicted[rows] = _predicted(frame[rows], model)
    columns = [pl.Series("predicted", predicted)]
    for policy in asked.policies:
        assert policy.run is not None
        expected = policy.run.expected(log, models, parts)
        columns.append(pl.Series(OTHER + EXPECTED + policy.name, expected[owner, slots]))
    note = (
        f"rewards are predicted by the mean of the item{' at its position' if lists else ''} in other "
        f"{'clusters' if asked.clusters else 'impressions'} ({FOLDS} parts), with {SHRINKAGE:g} rows of the "
        "mean of all"
    )
    return replace(read, frame=log.rows.with_columns(columns)), note


def _parts(log: Impressions, asked: Asked) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The part of each impression: clusters are not divided."""
    if asked.clusters is None:
        return np.arange(len(log)) % FOLDS
    codes = log.each(asked.clusters).rank("dense").to_numpy().astype(np.int64)
    return np.asarray(codes % FOLDS)


def _means(frame: pl.DataFrame) -> pl.DataFrame:
    """The mean of each item at each slot, drawn to that of the slot, which has null for its item."""
    import polars as pl

    slots = added_up(frame, ["slot"], means={"usual": pl.col("value")})
    items = added_up(frame, ["item", "slot"], sums={"total": pl.col("value")}, others={"rows": pl.len()})
    items = items.join(slots, on="slot")
    value = (pl.col("total") + SHRINKAGE * pl.col("usual")) / (pl.col("rows") + SHRINKAGE)
    known = items.select("item", "slot", value=value)
    return pl.concat(
        [known, slots.select(item=pl.lit(None, known["item"].dtype), slot="slot", value="usual")]
    )


def _predicted(rows: pl.DataFrame, model: pl.DataFrame) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """What a model predicts of rows."""
    import polars as pl

    usual = dict(model.filter(pl.col("item").is_null()).select("slot", "value").iter_rows())
    known = rows.select("item", "slot").join(
        model.drop_nulls("item"), on=["item", "slot"], how="left", maintain_order="left"
    )
    missing = pl.col("slot").replace_strict(usual, default=0.0, return_dtype=pl.Float64)
    return np.asarray(known.select(pl.col("value").fill_null(missing))["value"].to_numpy())
