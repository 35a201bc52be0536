"""Judgements of aspects: what they are read of, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest

import rankmark as rm

ROWS = [("q", "1", "a", 1), ("q", "2", "a", 2), ("q", "1", "b", 0), ("q", "3", "c", 1)]
RUN = {"q": ["a", "b"]}
FRAME = pl.DataFrame(ROWS, schema=["query", "subtopic", "item", "relevance"], orient="row")


class SubtopicQrel(NamedTuple):
    """As pyndeval has it."""

    query_id: str
    subtopic_id: str
    doc_id: str
    relevance: int


@pytest.mark.parametrize(
    "form", ["trec", "csv", "parquet", "polars", "pandas", "dicts", "named tuples", "rows", "named", "read"]
)
def test_aspects_are_read_of_whatever_holds_them(form: str, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("".join(" ".join(map(str, row)) + "\n" for row in ROWS))
    FRAME.write_csv(tmp_path / "qrels.csv")
    FRAME.write_parquet(tmp_path / "qrels.parquet")
    options: dict[str, Any] = {"columns": {"aspect": "nugget"}} if form == "named" else {}
    qrels: Any = {
        "trec": tmp_path / "qrels.txt",
        "csv": tmp_path / "qrels.csv",
        "parquet": tmp_path / "qrels.parquet",
        "polars": FRAME,
        "pandas": FRAME.rename({"subtopic": "intent"}).to_pandas(),
        "dicts": {"q": {"a": {"1": 1, "2": 2}, "b": {"1": 0}, "c": {"3": 1}}},
        "named tuples": [SubtopicQrel(*row) for row in ROWS],
        "rows": FRAME.rename({"subtopic": "aspect"}).to_dicts(),
        "named": FRAME.rename({"subtopic": "nugget"}),
        "read": rm.read_qrels(tmp_path / "qrels.txt", columns={"aspect": "iter"}),
    }[form]
    result = rm.evaluate(qrels, RUN, ["SubtopicRecall@1", "P@1", "NumRel"], **options)
    assert list(result.values.values()) == [pytest.approx(2 / 3), 1, 2]


def test_lists_alone_are_measured_of_the_best_grades_where_the_aspect_is_named(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("".join(" ".join(map(str, row)) + "\n" for row in ROWS))
    expected = rm.evaluate({"q": {"a": 2, "b": 0, "c": 1}}, RUN, ["nDCG@10", "AP"]).values
    for qrels, name in ((tmp_path / "qrels.txt", "iter"), (FRAME, "subtopic")):
        assert rm.evaluate(qrels, RUN, ["nDCG@10", "AP"], columns={"aspect": name}).values == expected
        read = rm.read_qrels(qrels)  # which has the column, but was not told what it is
        assert rm.evaluate(read, RUN, ["nDCG@10", "AP"], columns={"aspect": name}).values == expected
        with pytest.raises(rm.DataError, match=rf"judged again.*if its column '{name}' is the aspect"):
            rm.evaluate(qrels, RUN, ["nDCG@10", "AP"])
    assert rm.evaluate({"q": {"a": {1: 2}, "b": {1: 0}, "c": {2: 1}}}, RUN, "AP")["AP"] == expected["AP"]


def test_one_row_twice_is_an_item_judged_twice() -> None:
    again = pl.concat([FRAME, FRAME.head(1).with_columns(relevance=pl.lit(3, dtype=pl.Int64))])
    with pytest.raises(rm.DataError, match=r"1 item judged again.*item 'a' of query 'q' in row 4.*in row 0"):
        rm.evaluate(again, RUN, "alpha_nDCG@10")
    measure = "IA(of='P(rel=3)')@1"
    assert rm.evaluate(again, RUN, measure, duplicates="first")[measure] == 0
    assert rm.evaluate(again, RUN, measure, duplicates="best")[measure] == 1


def test_the_hash_of_the_inputs_knows_aspects() -> None:
    other = FRAME.with_columns(subtopic=pl.Series(["2", "1", "1", "3"]))
    hashes = {
        rm.evaluate(qrels, RUN, "NRBP", hash_inputs=True).inputs["qrels"]
        for qrels in (FRAME, FRAME.reverse(), other)
    }
    assert len(hashes) == 2


@pytest.mark.parametrize(
    ("qrels", "options", "said"),
    [
        ({"q": {"a": 1}}, {}, r"NRBP needs judgements of aspects .* qrels has none.*columns=.*iter"),
        (None, {}, "NRBP needs judgements of aspects"),
        (FRAME.with_columns(intent=pl.lit("x")), {}, "none that is plain"),
        (FRAME.drop("subtopic"), {"columns": {"aspect": "subtopic"}}, "no column 'subtopic'|have a column"),
        (FRAME.with_columns(subtopic=pl.Series(["1", None, "2", "3"])), {}, r"has 1 null.*row 1"),
        (FRAME.with_columns(subtopic=pl.Series([0.5, 1, 2, 3])), {}, r"aspect column 'subtopic' is"),
        (FRAME.with_columns(relevance=pl.Series([1.0, float("nan"), 2, 3])), {}, r"NaN"),
        ({"q": {"a": {"1": 1}, "b": 1}}, {}, r"item 'b' of query 'q' has 1, and others"),
    ],
)
def test_what_is_no_judgement_of_aspects_is_refused(qrels: Any, options: Any, said: str) -> None:
    with pytest.raises(rm.RankmarkError, match=said):
        rm.evaluate(qrels, RUN, "NRBP", **options)


def test_judgements_of_one_aspect_are_told() -> None:
    assert "are of one aspect, '0'" in str(rm.evaluate({"q": {"a": {"0": 1}}}, RUN, "NRBP"))
