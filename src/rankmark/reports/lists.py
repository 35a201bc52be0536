"""The lists of queries side by side: those that changed most, as many as a page has room for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.explaining.listed import best_first, of_queries, ranked
from rankmark.reports.packed import packed_numbers, packed_texts
from rankmark.reports.texts import texts_of

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs import Input
    from rankmark.language.choices import Choices

__all__ = ["LISTS", "packed_lists"]

DEPTH = 20
"""Items of a list that are shown."""
LISTS = 4_000
"""Lists that a page has room for, of all systems together."""
LONGEST = 160
"""Characters of a title."""


def packed_lists(
    judgements: Input,
    results: Mapping[str, Input],
    choices: Choices,
    queries: Sequence[int | str],
    rows: Sequence[int],
    titles: pl.DataFrame | None,
) -> dict[str, Any]:
    """The first items of each system's list, and all judged items, best first, of some queries.

    Args:
        judgements: of all queries.
        results: of each system; their ids are of the types of those of the judgements.
        choices: by which the lists are ordered.
        queries: which queries.
        rows: their places among all queries of the page.
        titles: of items, as `read_texts` gives them.

    """
    judged = of_queries(judgements, queries)
    frames = [ranked(judged, of_queries(each, queries), choices) for each in results.values()]
    frames.append(best_first(judged, choices))
    names, columns = _columns(frames, queries)
    known = texts_of(titles, names)
    return {
        "depth": DEPTH,
        "rows": packed_numbers(np.array(rows, dtype=np.uint32)),
        "names": packed_texts(names),
        "titles": packed_texts([known.get(name, "")[:LONGEST] for name in names]) if known else None,
        **{name: packed_numbers(values) for name, values in columns.items()},
    }


def _columns(
    frames: Sequence[pl.DataFrame], queries: Sequence[int | str]
) -> tuple[list[str], dict[str, np.ndarray[Any, Any]]]:
    """The names of all items, and columns over all lists, query after query and in these list after list."""
    import polars as pl

    order = pl.DataFrame({"query": pl.Series(queries, dtype=frames[0].schema["query"])}).with_row_index(
        "place"
    )
    parts = [
        frame.filter(pl.col("rank") <= DEPTH)
        .join(order, on="query")
        .select(
            "place",
            pl.lit(number, pl.UInt32).alias("list"),
            "rank",
            pl.col("item").cast(pl.String),
            pl.col("grade").cast(pl.Float32),
            (pl.col("tied").is_not_null() if "tied" in frame.columns else pl.lit(False)).alias("tied"),
        )
        for number, frame in enumerate(frames)
    ]
    whole = pl.concat(parts).sort("place", "list", "rank")
    lists = len(frames)
    lengths = np.bincount(
        (whole["place"].cast(pl.Int64) * lists + whole["list"]).to_numpy(), minlength=len(queries) * lists
    )
    names = whole["item"].unique(maintain_order=True)
    number = whole.select(pl.col("item").replace_strict(names, pl.int_range(len(names), eager=True)))
    return names.to_list(), {
        "lengths": lengths.astype(np.uint8),
        "items": number["item"].to_numpy().astype(np.uint32),
        "grades": whole["grade"].fill_null(float("nan")).to_numpy(),
        "tied": whole["tied"].to_numpy().astype(np.uint8),
    }
