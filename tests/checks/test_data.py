"""The tables that checks look at."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmark.checks import data
from rankmark.checks.data import IDS, CheckedTable, different
from rankmark.inputs import read_qrels, read_run

SIGNED, UNSIGNED = st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**64 - 1)
few = st.sampled_from([0, 1, -1, 5])


@pytest.mark.parametrize(
    ("dtype", "ids"),
    [
        (pl.Int64, SIGNED | few),
        (pl.UInt64, UNSIGNED),
        (pl.String, st.text(max_size=2)),
        (pl.Int64, st.none() | few),
    ],
)
@given(drawn=st.data())
def test_ids_come_once_each_in_their_order(
    dtype: type[pl.DataType], ids: st.SearchStrategy[object], drawn: st.DataObject
) -> None:
    column = pl.Series("item", drawn.draw(st.lists(ids)), dtype=dtype)
    assert different(column).equals(column.unique(maintain_order=True))


def test_texts_with_one_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pl.Series, "hash", lambda self: pl.Series([7] * len(self), dtype=pl.UInt64))
    column = pl.Series("item", ["a", "b", "a"])
    assert data.different(column).to_list() == ["a", "b"]


@pytest.mark.parametrize("dtype", [pl.Int64, pl.UInt64, pl.String])
@pytest.mark.parametrize("side", ["qrels", "run"])
@given(pairs=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), min_size=1))
def test_rows_are_repeated_whose_item_stood_in_its_list_before(
    dtype: type[pl.DataType], side: str, pairs: list[tuple[int, int]]
) -> None:
    frame = pl.DataFrame(pairs, schema=dict.fromkeys(IDS, pl.Int64), orient="row")
    frame = frame.with_columns(pl.col(IDS).cast(dtype), pl.Series("score", range(len(pairs)), dtype=pl.Int64))
    source = read_qrels(frame.rename({"score": "grade"})) if side == "qrels" else read_run(frame)
    table = CheckedTable.of(source, side)
    earlier = [pairs.index(pair) < row for row, pair in enumerate(pairs)]
    assert table.repeated.equals(
        table.frame.with_row_index("row").filter(pl.Series(earlier, dtype=pl.Boolean))
    )
