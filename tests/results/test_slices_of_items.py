"""Slices of what is recommended, of one run and of several."""

from __future__ import annotations

import polars as pl

import rankmark as rm

ITEMS = [f"i{number}" for number in range(12)]
RUN = {f"u{user}": [ITEMS[(user + place) % 12] for place in range(3)] for user in range(30)}
OTHER = {user: [items[0], *items[:0:-1]] for user, items in RUN.items()}
QRELS = {user: {items[int(user[1:]) % 2 * 2]: 1} for user, items in RUN.items()}
BY = {user: "old" if number < 10 else "young" for number, user in enumerate(RUN)}
HALVES = {user: "old" if number < 15 else "young" for number, user in enumerate(RUN)}
GROWS = "CatalogueCoverage@3: greater for more queries"


def said(shown: object) -> str:
    return " ".join(str(shown).split())


def test_slices_of_different_sizes_are_not_compared_by_what_grows() -> None:
    measures = ["Coverage@3", "UserCoverage@3"]
    named = ["CatalogueCoverage@3", *measures[1:]]
    assert GROWS in said(rm.evaluate(None, RUN, named, items=ITEMS, by=BY))
    assert "greater for more" not in said(rm.evaluate(None, RUN, measures, items=ITEMS, by=HALVES))
    assert "greater for more" not in said(rm.evaluate(None, RUN, measures[1], items=ITEMS, by=BY))


def test_what_is_said_of_one_run_names_it() -> None:
    shown = said(rm.evaluate(QRELS, {"a": RUN, "b": OTHER}, "nDCG@2", by=BY))
    assert "a: nDCG@2 across 30 queries: Gini" in shown
    assert "b: nDCG@2 across 30 queries: Gini" in shown
    assert shown.count("between slices of 10 queries or more") == 1
    assert " nDCG@2 across" in said(rm.evaluate(QRELS, RUN, "nDCG@2", by=BY))
    assert ": nDCG@2 across" not in said(rm.evaluate(QRELS, RUN, "nDCG@2", by=BY))


def test_slices_are_by_a_column_of_the_run_where_nothing_is_judged() -> None:
    rows = [("a", "x", 2.0, "p"), ("a", "y", 1.0, "p"), ("b", "x", 2.0, "q"), ("c", "y", 1.0, "q")]
    run = pl.DataFrame(rows, schema=["query", "item", "score", "part"], orient="row")
    result = rm.evaluate(None, run, "AggregateDiversity", by="part")
    assert [result.slices[part][0].value for part in ("p", "q")] == [2, 2]
