"""Where judgements and results do not meet: other types of ids, other ways to write them, other queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rankmark.checks.data import IDS, CheckedPair, CheckedTable
from rankmark.checks.finding import Finding, effects, examples, share

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs.catalogue import Catalogue

__all__ = ["aligned", "aligned_to", "never_returned", "other_queries", "spelling", "types"]

JUDGED = {"query": ("judged query", "judged queries"), "item": ("judged item", "judged items")}
NOTABLE = 0.01
"""The share of the judged ids from which on one that is written alike is hardly another one by chance."""


def aligned(qrels: CheckedTable, run: CheckedTable) -> tuple[CheckedTable, CheckedTable]:
    """Both tables with ids of the same types: as `evaluate` takes them, or else as text."""
    for role in IDS:
        integer, other = _is_integer(qrels, role), _is_integer(run, role)
        if integer and not other:
            qrels, run = _alike(qrels, run, role)
        elif other and not integer:
            run, qrels = _alike(run, qrels, role)
    return qrels, run


def aligned_to(known: Catalogue, qrels: CheckedTable, run: CheckedTable) -> tuple[CheckedTable, CheckedTable]:
    """Both tables with ids of items as text where what is known of items has texts that are no integers."""
    import polars as pl

    frames = [frame["item"] for frame in (known.items, known.train) if frame is not None]
    if not _is_integer(run, "item") or all(
        ids.dtype.is_integer() or not ids.cast(pl.Int64, strict=False).null_count() for ids in frames
    ):
        return qrels, run
    text = pl.col("item").cast(pl.String)
    return qrels.with_frame(qrels.frame.with_columns(text)), run.with_frame(run.frame.with_columns(text))


def _is_integer(rows: CheckedTable, role: str) -> bool:
    return rows.frame.schema[role].is_integer()


def _alike(integers: CheckedTable, texts: CheckedTable, role: str) -> tuple[CheckedTable, CheckedTable]:
    import polars as pl

    converted = texts.frame[role].cast(pl.Int64, strict=False)
    if texts.source.text_ids and not converted.null_count():
        return integers, texts.with_frame(texts.frame.with_columns(converted))
    return integers.with_frame(integers.frame.with_columns(pl.col(role).cast(pl.String))), texts


def types(qrels: CheckedTable, run: CheckedTable, pair: CheckedPair) -> Iterator[Finding]:
    """Integer ids in one table and text in the other; the pair has both as text."""
    for role in IDS:
        kinds = {rows.where: _is_integer(rows, role) for rows in (qrels, run)}
        if len(set(kinds.values())) == 1 or _is_integer(pair.run, role):
            continue
        said = ", ".join(
            f"{'integers' if integer else 'text'} in {where}" for where, integer in kinds.items()
        )
        judged = pair.qrels.ids(role)
        matched = judged.join(pair.run.ids(role), on=role, how="semi").height
        shown = {"qrels": qrels.frame[role][0], "run": run.frame[role][0]}
        yield Finding(
            "id-types",
            "serious",
            pair.where,
            f"the {role} ids are {said}; as text the run has {share(matched, judged.height, *JUDGED[role])}",
            judged.height,
            (shown,),
            "evaluate refuses the tables; the values are those with both as text",
            effects(None, {"as text": pair.result}),
        )


Rewrite = Callable[["pl.Expr"], "pl.Expr"]

REWRITES: Mapping[str, Rewrite] = {
    "white space": lambda ids: ids.str.strip_chars(),
    "case": lambda ids: ids.str.to_lowercase(),
    "decimals": lambda ids: ids.str.replace(r"^(-?[0-9]+)\.0+$", "${1}"),
    "leading zeros": lambda ids: ids.str.replace("^0+([0-9])", "${1}"),
}
"""What the same id is often written with and without."""


def _rewritten(role: str, rewrites: Sequence[Rewrite]) -> pl.Expr:
    import polars as pl

    ids = pl.col(role)
    for rewrite in rewrites:
        ids = rewrite(ids)
    return ids


def spelling(pair: CheckedPair) -> Iterator[Finding]:
    """Judged ids that are in no list but would be, if all were written in one way."""
    for role in IDS:
        if _is_integer(pair.run, role):
            continue
        judged, returned = pair.qrels.ids(role), pair.run.ids(role)
        lost = judged.join(returned, on=role, how="anti")
        found = _found(lost, returned, role, list(REWRITES.values())) if lost.height else lost
        if found.is_empty():
            continue
        alone = {name: _found(lost, returned, role, [each]).height for name, each in REWRITES.items()}
        reasons = ", ".join(f"{name} {number:,}" for name, number in alone.items() if number)
        yield Finding(
            "id-spelling",
            "serious" if found.height >= NOTABLE * judged.height else "worth knowing",
            pair.where,
            f"{share(found.height, lost.height, *JUDGED[role])} that the run does not have would be there "
            f"if written in one way ({reasons or 'several differences at once'})",
            found.height,
            examples(found),
            "ids are compared as they are: these count as not returned",
            effects(pair.result, {"written alike": _written_alike(pair, role).result}),
        )


def _found(
    lost: pl.DataFrame, returned: pl.DataFrame, role: str, rewrites: Sequence[Rewrite]
) -> pl.DataFrame:
    """The lost ids that are returned when rewritten, beside what they are returned as."""
    import polars as pl

    def renamed(frame: pl.DataFrame, name: str) -> pl.DataFrame:
        return frame.select(pl.col(role).alias(name), _rewritten(role, rewrites).alias("key"))

    there = renamed(returned, "run").unique("key", keep="first", maintain_order=True)
    return renamed(lost, "qrels").join(there, on="key", maintain_order="left").drop("key")


def _written_alike(pair: CheckedPair, role: str) -> CheckedPair:
    ids = _rewritten(role, list(REWRITES.values()))
    qrels, run = (rows.with_frame(rows.frame.with_columns(ids)) for rows in (pair.qrels, pair.run))
    return pair.with_tables(qrels=qrels, run=run)


def other_queries(pair: CheckedPair) -> Iterator[Finding]:
    """Judged queries without results, and queries with results but no judgements."""
    judged, answered = pair.qrels.ids("query"), pair.run.ids("query")
    missing = judged.join(answered, on="query", how="anti", maintain_order="left")
    if missing.height:
        none = missing.height == judged.height
        yield Finding(
            "missing-queries",
            "serious" if missing.height * 2 >= judged.height else "worth knowing",
            pair.where,
            f"{share(missing.height, judged.height, 'judged query', 'judged queries')} without results",
            missing.height,
            examples(missing),
            "evaluate refuses a run that answers no judged query"
            if none
            else "they count as 0 unless told otherwise",
            () if none else effects(pair.result, {"missing=skip": pair.evaluate(missing="skip")}),
        )
    unjudged = answered.join(judged, on="query", how="anti", maintain_order="left")
    if unjudged.height:
        yield Finding(
            "unjudged-queries",
            "fine",
            pair.where,
            f"{share(unjudged.height, answered.height, 'query', 'queries')} of the run without judgements",
            unjudged.height,
            examples(unjudged),
            "they are left out",
        )


def never_returned(qrels: CheckedTable, pairs: Sequence[CheckedPair]) -> Iterator[Finding]:
    """Judged items that no run returns for any query."""
    import polars as pl

    items = qrels.ids("item")
    relevant = (qrels.frame.filter(pl.col("value") >= 1) if qrels.has_values else qrels.frame).select("item")
    never = [pair.qrels.ids("item").join(pair.run.ids("item"), on="item", how="anti") for pair in pairs]
    if any(each.schema["item"] != items.schema["item"] for each in never):
        text = pl.col("item").cast(pl.String)
        items, relevant, *never = (each.with_columns(text) for each in (items, relevant, *never))
    lost = items
    for each in never:
        lost = lost.join(each, on="item", how="semi", maintain_order="left")
    if lost.is_empty():
        return
    unreached = relevant.join(lost, on="item", how="semi")
    wanted = unreached["item"].n_unique()
    runs = "the run" if len(pairs) == 1 else f"any of the {len(pairs)} runs"
    yield Finding(
        "never-returned",
        "serious" if lost.height == items.height else "worth knowing" if wanted else "fine",
        qrels.where,
        f"{share(lost.height, items.height, 'judged item')} not returned for any query by {runs}, "
        f"{wanted:,} of them relevant to some",
        lost.height,
        examples(lost.select(pl.col("item").cast(qrels.frame.schema["item"]))),
        f"out of reach for {runs}: {share(unreached.height, relevant.height, 'relevant judgement')}"
        if wanted
        else "none of them is relevant to any query",
    )
