"""Small tables of judgements and results, to be written in every form."""

import polars as pl

from rankmark.inputs import Input

QRELS = {
    "query": ["q1", "q1", "a rather long query"],
    "item": ["d1", "a rather long item", "007"],
    "relevance": [2.0, 0.0, -0.5],
}
RUN = {
    "query": ["q1", "q1", "q1", "q2"],
    "item": ["d1", "007", "a rather long item", "d1"],
    "score": [2.5, 1e30, 1.0, -1e-3],
}


def rows(table: Input) -> list[tuple]:
    names = [
        table.query,
        table.item,
        *([table.value] if table.value else []),
        *([table.rank] if table.rank else []),
    ]
    return pl.DataFrame(table.table).select(names).rows()


def as_tuples(columns: dict) -> list[tuple]:
    return list(zip(*columns.values(), strict=True))


def as_dicts(columns: dict) -> dict:
    nested: dict = {}
    for query, item, value in as_tuples(columns):
        nested.setdefault(query, {})[item] = value
    return nested
