"""One query of DuckDB, written by hand for exactly the measures asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.contenders import MANY, PARTS, SIX, Call, Contender, Means, Measures, split
from benchmarks.data import Data

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Ranking before the join, sorted lists and counting the better ones were slower, grouped or shuffled.
QUERY = """
with marked as (
    select run.query, run.item, score, relevance from run
    left join qrels on run.query = qrels.query and run.item = qrels.item
), ranked as (
    select query, relevance, row_number() over (partition by query order by score desc, item desc) as rank
    from marked
), judged as (
    select *, count(*) filter (relevance >= 1) over (partition by query order by rank) as hits_so_far
    from ranked where relevance is not null
), found as (
    select query, {found} from judged group by query
), best as (
    select *, row_number() over (partition by query order by relevance desc) as rank from qrels
), ideal as (
    select query, count(*) filter (relevance >= 1) as relevant, {ideal} from best group by query
)
select {means} from ideal left join found using (query)
"""
FOUND = {
    "dcg": "sum(greatest(relevance, 0) / log2(rank + 1)) filter ({within})",
    "precisions": "sum(hits_so_far / rank) filter (relevance >= 1 and {within})",
    "first": "1 / min(rank) filter (relevance >= 1 and {within})",
    "hits": "count(*) filter (relevance >= 1 and {within})",
}
VALUES = {
    "nDCG": '"{part}" / nullif("ideal {part}", 0)',
    "AP": '"{part}" / nullif(relevant, 0)',
    "RR": '"{part}"',
    "HR": 'cast("{part}" > 0 as int)',
    "P": '"{part}" / {cutoff}',
    "R": '"{part}" / nullif(relevant, 0)',
    "F": '2 * "{part}" / (relevant + {cutoff})',
}


def from_tables(data: Data, measures: Measures = SIX) -> Call:
    """From its own tables, in memory."""
    connection = _connect()
    for name, frame in (("qrels", data.qrels), ("run", data.run)):
        connection.register("frame", frame.to_arrow())
        connection.execute(f"create table {name} as from frame")
        connection.unregister("frame")
    return _call(connection, measures)


def from_parquet(data: Data) -> Call:
    """From paths."""
    connection = _connect()
    for name, path in zip(("qrels", "run"), data.files, strict=True):
        connection.execute(f"create view {name} as from '{path}'")
    return _call(connection, SIX)


def _connect() -> DuckDBPyConnection:
    import duckdb

    return duckdb.connect()


def _call(connection: DuckDBPyConnection, measures: Measures) -> Call:
    text = query(measures)

    def work() -> Means:
        [values] = connection.execute(text).fetchall()
        return dict(zip(measures, values, strict=True))

    return work


def query(measures: Measures) -> str:
    """The query of some measures; but for the word `where` in its filters and its quotes it is plain SQL."""
    found, ideal, means = {}, {}, []
    for name, cutoff in map(split, measures):
        part = f"{PARTS[name]}@{cutoff}"
        within = "true" if cutoff is None else f"rank <= {cutoff}"
        found[part] = FOUND[PARTS[name]].format(within=within)
        if name == "nDCG":
            ideal[f"ideal {part}"] = found[part]
        means.append(f"avg(coalesce({VALUES[name].format(part=part, cutoff=cutoff)}, 0))")
    return QUERY.format(found=_named(found), ideal=_named(ideal), means=", ".join(means))


def _named(expressions: dict[str, str]) -> str:
    return ", ".join(f'{expression} as "{name}"' for name, expression in expressions.items())


DUCKDB = Contender("DuckDB by hand", from_tables, "duckdb")
MANY_DUCKDB = Contender(DUCKDB.name, lambda data: from_tables(data, MANY), "duckdb")
PARQUET_DUCKDB = Contender(DUCKDB.name, from_parquet, "duckdb")
