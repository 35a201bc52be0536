"""The tables that checks look at."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmark.checks import data
from rankmark.checks.data import different

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
