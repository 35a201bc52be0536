"""Engines: what each sees of the data. They know kinds of measure, never measures, and build no results.

**An engine of lists** has a function ``observe_sources``, as `selection.ListEngine` says, or an ``observe``
of what else it reads. It takes the groups of `Plan.observed_groups` (choices, and the measures that these
decide) and gives what is `rankmark.aggregation.state.Seen`: a `Block` of all judged queries (`local`,
`dense`, `stream`), or a `Tally` of what they add up to (`spark`). What comes in parts is a `State` first,
which takes in that of other parts in any order. `local.observe` is what all but `dense` call for the whole
queries that they have brought together, but for `pieces`, which `local` asks first: it judges a large Parquet
file while it is read. For measures of items a `Block` has the tops of lists, of which
`Block.with_items` makes what these see once all lists are here; a `Tally` has none, so that Spark's door
refuses them.

**An engine of rows** gives what is `rankmark.aggregation.state.SeenRows`: a `RowTally` of all rows, and on
demand further sums, ranges of scores, and what measures of each query come to (`row_stream`, `spark_rows`
with `spark_driver`). Rows in memory need none: the core has them.

The door then finishes what was seen: of lists ``result_of_tables(plan, found)``, of rows
``RowsOf.of_seen(seen)`` with ``rows_result``. So a new engine that reads what `rankmark.evaluate` takes is a
module here with ``observe_sources``, and its name in `selection`; one that reads something else has a door of
its own in `api`.
"""
