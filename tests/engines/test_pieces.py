"""A large Parquet file of results that is judged while it is read gives what it gives whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmark as rm
from rankmark.engines import pieces
from rankmark.inputs import flowing
from rankmark.language.choices import values_of
from strategies import at_most

MEASURES = ["nDCG@3", "AP", "RR@2", "P@5", "HR@1"]
pytestmark = pytest.mark.skipif(
    tuple(map(int, pl.__version__.split(".")[:2])) < flowing.SINCE,
    reason="this polars has no batches to let go",
)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has files of a few rows read in pieces of fewer."""
    monkeypatch.setattr(flowing, "PIECE", 3)
    monkeypatch.setattr(flowing, "LEAST", 1)


class Asked:
    """How often a run was judged in pieces, and how often it had to be read whole after all."""

    def __init__(self) -> None:
        self.pieces = 0
        self.whole = 0


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Counts."""
    found = Asked()
    observe = pieces.observation

    def counted(*args: Any, **options: Any) -> Any:
        qrels, seen = observe(*args, **options)
        found.pieces += seen is not None
        found.whole += seen is None
        return qrels, seen

    monkeypatch.setattr(pieces, "observation", counted)
    return found


def tables(queries: int = 12, length: int = 6) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Judgements, some of queries without results, and results, some of queries without judgements."""
    rng = np.random.default_rng(3)
    run = pl.DataFrame(
        {
            "query": np.repeat(np.arange(queries), length),
            "item": np.concatenate([rng.permutation(20)[:length] for _ in range(queries)]),
            "score": rng.integers(0, 5, queries * length).astype(np.float32),
        }
    )
    judged = [
        (query, item, (query * item) % 3) for query in range(3, queries + 3) for item in range(0, 20, 3)
    ]
    return pl.DataFrame(judged[::-1], schema=["query", "item", "relevance"], orient="row"), run


def saved(folder: Path, qrels: pl.DataFrame, run: pl.DataFrame) -> tuple[str, str]:
    qrels.write_parquet(folder / "qrels.parquet")
    run.write_parquet(folder / "run.parquet", row_group_size=10)
    return str(folder / "qrels.parquet"), str(folder / "run.parquet")


def told(evaluate: Callable[[], rm.results.ListResult]) -> Any:
    """All that is said of a result, or of what there is none of."""
    try:
        result = evaluate()
    except rm.RankmarkError as error:
        return type(error), str(error)
    return json.loads(result.to_json(per_query=True)), result.notes, result.counts, str(result)


def same(files: tuple[str, str], measures: Any = MEASURES, **options: Any) -> None:
    """In pieces everything is said as of the same file read whole."""
    in_pieces = told(lambda: rm.evaluate(*files, measures, **options))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "observation", lambda qrels, *_, **__: (qrels, None))
        assert in_pieces == told(lambda: rm.evaluate(*files, measures, **options))


texts = {"short": "q{}", "long": "a query with many letters, {}"}


@pytest.mark.parametrize("length", [1, 3, 6, 40])
def test_lists_of_any_length_are_judged_in_pieces(tmp_path: Path, length: int, asked: Asked) -> None:
    run = tables(4, 20)[1] if length > 20 else tables(12, length)[1]
    same(saved(tmp_path, tables()[0], run))
    assert asked.pieces == 1


@pytest.mark.parametrize("ids", texts)
def test_short_texts_are_known_from_piece_to_piece_and_long_ones_are_read_whole(
    tmp_path: Path, ids: str, asked: Asked
) -> None:
    qrels, run = (table.with_columns(pl.format(texts[ids], "query").alias("query")) for table in tables())
    same(saved(tmp_path, qrels, run))
    assert asked.pieces == (ids == "short")


def test_texts_that_become_longer_are_read_whole(tmp_path: Path, asked: Asked) -> None:
    qrels, run = tables()
    longer = pl.when(pl.col("query") > 9).then(pl.format("a query that is longer {}", "query"))
    qrels, run = (
        table.with_columns(longer.otherwise(pl.format("q{}", "query")).alias("query"))
        for table in (qrels, run)
    )
    same(saved(tmp_path, qrels.filter(pl.col("query").str.len_bytes() < 9), run))
    assert not asked.pieces


def test_a_query_that_comes_back_is_read_whole(tmp_path: Path, asked: Asked) -> None:
    qrels, run = tables()
    # One that is judged, one that is not, and rows in no order.
    for query in (5, 0):
        own = run.filter(query=query)
        again = pl.concat([own[:2], run.filter(pl.col("query") != query), own[2:]])
        same(saved(tmp_path, qrels, again))
    same(saved(tmp_path, qrels, run.sample(fraction=1, shuffle=True, seed=4)))
    assert not asked.pieces


@pytest.mark.parametrize(
    "wrong",
    [
        {"score": pl.when(pl.int_range(pl.len()) == 50).then(None).otherwise("score")},
        {"score": pl.when(pl.int_range(pl.len()) == 50).then(float("nan")).otherwise("score")},
        {"item": pl.when(pl.int_range(pl.len()) == 50).then(None).otherwise("item")},
        {"query": pl.when(pl.int_range(pl.len()) == 50).then(None).otherwise("query")},
        {"item": pl.lit(1)},
        {"query": pl.format("q{}", "query")},
        {"item": pl.format("i{}", "item")},
        {"score": pl.lit("high")},
        {"query": pl.col("query") + 1000},
        {"score": pl.lit(0.5)},
        {"item": pl.concat_list("item")},
    ],
)
def test_what_is_refused_and_what_is_odd_is_told_in_the_rows_of_the_file(
    tmp_path: Path, wrong: dict[str, pl.Expr]
) -> None:
    qrels, run = tables()
    same(saved(tmp_path, qrels, run.with_columns(**wrong)))


def test_several_files_are_one_after_another(tmp_path: Path, asked: Asked) -> None:
    qrels, run = tables()
    qrels.write_parquet(tmp_path / "qrels.parquet")
    files = str(tmp_path / "qrels.parquet"), str(tmp_path / "run-*.parquet")
    for number, rows in enumerate((run[:20], run[20:21], run[21:])):
        rows.write_parquet(tmp_path / f"run-{number}.parquet")
    same(files)
    assert (asked.pieces, asked.whole) == (1, 0)
    run[20:21].with_columns(pl.col("score").cast(pl.Float64)).write_parquet(tmp_path / "run-1.parquet")
    same(files)
    run[20:21].rename({"item": "product"}).write_parquet(tmp_path / "run-1.parquet")
    same(files)
    assert asked.pieces == 1


def test_the_same_table_twice_is_told(tmp_path: Path) -> None:
    qrels, _ = tables()
    qrels.write_parquet(tmp_path / "both.parquet")
    path = str(tmp_path / "both.parquet")
    same((path, path), columns={"run.score": "relevance"})


def test_judgements_may_be_a_table_and_repeated_ones_are_refused(tmp_path: Path, asked: Asked) -> None:
    qrels, run = tables()
    files = saved(tmp_path, qrels, run)
    same((qrels, files[1]))  # type: ignore[arg-type]
    assert asked.pieces == 1
    same((pl.concat([qrels, qrels[:2]]), files[1]))  # type: ignore[arg-type]
    same((pl.concat([qrels, qrels[:2]]), files[1]), duplicates="best")  # type: ignore[arg-type]


@pytest.mark.parametrize("like", ["trec_eval", "ranx", "sklearn", "rexmex", "mlflow", "elasticsearch"])
def test_conventions_see_the_extents_and_the_whole_tables(tmp_path: Path, like: str) -> None:
    same(saved(tmp_path, *tables()), ["nDCG@10"], like=like)


def test_damaged_files_are_refused_as_whole(tmp_path: Path) -> None:
    files = saved(tmp_path, *tables(2_000))
    content = bytearray(Path(files[1]).read_bytes())
    content[len(content) // 2 : len(content) // 2 + 200] = bytes(200)
    Path(files[1]).write_bytes(content)
    same(files)


def test_rows_that_are_missing_at_the_end_are_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: Asked
) -> None:
    # As of damaged pages, and of files that are cut off while they are read.
    files = saved(tmp_path, *tables())
    start = flowing.Flow.start
    monkeypatch.setattr(flowing.Flow, "start", lambda flow, threads: islice(start(flow, threads), 2))
    same(files)
    monkeypatch.setattr(flowing.Flow, "start", lambda *_: iter(()))
    same(files)
    assert (asked.pieces, asked.whole) == (0, 2)


@pytest.mark.parametrize("again", [False, True])
def test_judgements_that_can_be_read_but_once_are_read_once(
    tmp_path: Path, again: bool, asked: Asked
) -> None:
    qrels, run = tables()
    files = saved(tmp_path, qrels, run if not again else pl.concat([run, run[:1]]))
    for columns in (None, {"run.score": "score"}):
        once = told(lambda: rm.evaluate(iter(qrels.rows()), files[1], MEASURES, columns=columns))  # noqa: B023
        assert once == told(lambda: rm.evaluate(qrels.rows(), files[1], MEASURES, columns=columns))  # noqa: B023
        reader = pa.RecordBatchReader.from_stream(qrels)
        assert told(lambda: rm.evaluate(reader, files[1], MEASURES)) == told(  # noqa: B023
            lambda: rm.evaluate(qrels, files[1], MEASURES)
        )
    assert (asked.pieces > 0) is not again


def test_the_first_rows_are_those_of_several_pieces(tmp_path: Path) -> None:
    qrels, run = tables(1_200)
    qrels = qrels.with_columns(relevance=pl.col("relevance") / 3 + 0.1)
    whole_numbers = run.with_columns(score=pl.int_range(pl.len()) % 3)
    fractions = pl.int_range(pl.len()) > 8
    for scores in (
        whole_numbers,
        whole_numbers.with_columns(score=pl.col("score") + fractions * 0.5),
        run.with_columns(score=pl.int_range(pl.len()).over("query")),
    ):
        same(saved(tmp_path, qrels, scores))


def test_a_list_over_many_pieces_is_one_list(tmp_path: Path, asked: Asked) -> None:
    rng = np.random.default_rng(5)
    lengths = [1, 90, 2, 200, 1, 1]
    run = pl.DataFrame({"query": np.repeat(np.arange(6), lengths), "item": np.arange(sum(lengths))})
    run = run.with_columns(score=pl.Series(rng.integers(0, 40, run.height)))
    qrels = run.sample(60, seed=1).select("query", "item", relevance=pl.col("item") % 3)
    same(saved(tmp_path, qrels, run))
    assert asked.pieces == 1
    for query in (1, 5):  # within a later piece, and at the end
        own = run.filter(query=query).with_columns(item=pl.col("item") + 1_000)
        same(saved(tmp_path, qrels, pl.concat([run, run[:1], own] if query == 1 else [own, run])))
    assert asked.pieces == 1


@pytest.mark.parametrize("ids", ["{}", "q{}", "a query with many letters, {}"])
@pytest.mark.parametrize(
    "options", [{}, {"ties": "expected"}, {"duplicates": "best", "missing": "skip"}, {"like": "ranx"}]
)
def test_one_query_of_a_file_is_explained_as_of_a_table(
    tmp_path: Path, ids: str, options: dict[str, Any]
) -> None:
    qrels, run = tables()
    if ids != "{}":
        qrels, run = (table.with_columns(pl.format(ids, "query").alias("query")) for table in (qrels, run))
    files = saved(tmp_path, qrels, run)
    asked = [int(query) if ids == "{}" else ids.format(query) for query in (3, 8, 14, 0)]
    for measure, query in ((measure, query) for measure in ("nDCG@3", "AP", "RR", "nope") for query in asked):
        for pair in (files, (qrels, files[1]), (rm.read_qrels(qrels), files[1])):
            found = explained(*pair, measure, query=query, **options)
            assert found == explained(pair[0], rm.read_run(files[1]), measure, query=query, **options)
    first, other = asked[:2]
    mistyped = {"query": first, "columns": {"item": "itme"}, **options}
    assert explained(*files, "AP", **mistyped) == explained(files[0], rm.read_run(files[1]), "AP", **mistyped)
    assert explained(*files, "AP", query=first, other=files[1], **options) == explained(
        files[0], rm.read_run(files[1]), "AP", query=first, other=rm.read_run(files[1]), **options
    )
    broken = pl.concat([run, run.filter(query=other)])
    files = saved(tmp_path, qrels, broken)
    assert explained(*files, "AP", query=first, **options) == explained(
        files[0], rm.read_run(files[1]), "AP", query=first, **options
    )


def explained(*tables: Any, **options: Any) -> Any:
    """All that is said of an explanation, or of what there is none of."""
    try:
        found = rm.explain(*tables, **options)
    except rm.RankmarkError as error:
        return type(error), str(error)
    return found.to_json(), str(found)


def test_a_name_with_nul_is_refused_as_whole(tmp_path: Path) -> None:
    qrels, run = tables()
    same(saved(tmp_path, qrels, run.with_columns(pl.lit(1).alias("other\0one"))))


@settings(max_examples=at_most(60))
@given(
    queries=st.integers(1, 40),
    length=st.integers(1, 30),
    piece=st.integers(1, 200),
    ties=st.sampled_from(values_of("ties")),
    missing=st.sampled_from(values_of("missing")),
    duplicates=st.sampled_from(values_of("duplicates")),
    unjudged=st.sampled_from(["nonrelevant", "ignore"]),
    unjudged_queries=st.sampled_from(values_of("unjudged_queries")),
    many=st.booleans(),
    text=st.booleans(),
    seed=st.integers(0, 99),
)
def test_any_cut_gives_the_same(
    tmp_path_factory: pytest.TempPathFactory, queries: int, length: int, piece: int, ties: Any, missing: Any,
    duplicates: Any, unjudged: Any, unjudged_queries: Any, many: bool, text: bool, seed: int,
) -> None:  # fmt: skip
    rng = np.random.default_rng(seed)
    rows = queries * length
    run = pl.DataFrame(
        {
            "query": np.repeat(rng.permutation(2 * queries)[:queries], length),
            "item": rng.integers(0, 60 if many else 10**6, rows),
            "score": rng.integers(0, 9, rows) / 4,
        }
    )
    judged = rng.integers(0, 60, (5 * queries, 2))
    qrels = pl.DataFrame({"query": judged[:, 0] % (2 * queries), "item": judged[:, 1]}).unique(
        maintain_order=True
    )
    qrels = qrels.with_columns(relevance=pl.Series(rng.integers(-1, 3, qrels.height)))
    if text:
        cast = pl.col("query", "item").cast(pl.String)
        qrels, run = qrels.with_columns(cast), run.with_columns(cast)
    chosen = {"missing": missing, "duplicates": duplicates, "unjudged": unjudged}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flowing, "PIECE", piece)
        files = saved(tmp_path_factory.mktemp("pieces"), qrels, run)
        same(files, ties=ties, unjudged_queries=unjudged_queries, **chosen)
