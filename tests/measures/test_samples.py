"""Measures of sampled judgements, against plain twins of their definitions."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm

Row = tuple[str, str, str, float, float]
"""A query, an item of its pool, its stratum, its grade (-1 if it was not sampled), and its probability."""


def pools(seed: int, queries: int = 6) -> tuple[list[Row], dict[str, list[str]]]:
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    run: dict[str, list[str]] = {}
    for query in map(str, range(queries)):
        items = [f"d{i}" for i in rng.permutation(40)]
        for number, item in enumerate(items[:30]):
            stratum, share = ("1", 1.0) if number < 6 else ("2", 0.5) if number < 16 else ("3", 0.25)
            grade = float(rng.choice([0, 0, 1, 2])) if rng.random() < share else -1.0
            rows.append((query, item, stratum, grade, share))
        run[query] = [str(item) for item in rng.permutation(items)[:25]]
    return rows, run


def judged(rows: list[Row]) -> list[dict[str, Any]]:
    return [
        {"query": q, "item": i, "stratum": s, "relevance": g, "inclusion_probability": p}
        for q, i, s, g, p in rows
    ]


def plain_xinfap(pool: dict[str, tuple[str, float]], ranked: list[str], rel: float) -> float:
    size = Counter(stratum for stratum, _ in pool.values())
    sampled = Counter(stratum for stratum, grade in pool.values() if grade >= 0)
    relevant = Counter(stratum for stratum, grade in pool.values() if grade >= rel)
    estimated = sum(relevant[s] * size[s] / sampled[s] for s in size if sampled[s])
    if not estimated:
        return 0.0
    total = 0.0
    above: dict[str, list[float]] = {s: [] for s in size}
    for rank, item in enumerate(ranked, 1):
        if item not in pool:
            continue
        stratum, grade = pool[item]
        if grade >= rel:
            expected = 0.0
            for grades in above.values():
                if grades:
                    hits, seen = sum(g >= rel for g in grades), sum(g >= 0 for g in grades)
                    expected += len(grades) * (hits + 1e-5) / (seen + 3e-5)
            total += size[stratum] / sampled[stratum] * (1 + expected) / rank
        above[stratum].append(grade)
    return total / estimated


def plain_infndcg(pool: dict[str, tuple[str, float]], ranked: list[str], cutoff: int) -> float:
    size = Counter(stratum for stratum, _ in pool.values())
    sampled = Counter(stratum for stratum, grade in pool.values() if grade >= 0)
    ideal, rank = 0.0, 0
    for grade in sorted({g for _, g in pool.values() if g > 0}, reverse=True):
        each = Counter(stratum for stratum, own in pool.values() if own == grade)
        for _ in range(math.floor(sum(each[s] * size[s] / sampled[s] for s in each) + 0.5)):
            rank += 1
            ideal += grade / math.log2(rank + 1) * (rank <= cutoff)
    dcg = 0.0
    for stratum in size:
        own = [
            (r, pool[i][1]) for r, i in enumerate(ranked[:cutoff], 1) if pool.get(i, ("", 0))[0] == stratum
        ]
        seen = [(rank, grade) for rank, grade in own if grade >= 0]
        if seen:
            dcg += len(own) / len(seen) * sum(max(grade, 0) / math.log2(rank + 1) for rank, grade in seen)
    return dcg / ideal if ideal else 0.0


def plain_statap(pool: dict[str, tuple[float, float]], ranked: list[str], rel: float, once: bool) -> float:
    estimated = sum(1 / chance for grade, chance in pool.values() if grade >= rel)
    total = above = 0.0
    for rank, item in enumerate(ranked, 1):
        grade, chance = pool.get(item, (-1.0, 1.0))
        if grade >= rel:
            total += (above + (1 if once else 1 / chance)) / rank / chance
            above += 1 / chance
    return total / estimated if estimated else 0.0


@pytest.mark.parametrize("seed", range(5))
def test_values_are_those_of_plain_twins(seed: int) -> None:
    rows, run = pools(seed)
    measures = [
        *("xinfAP", "xinfAP(rel=2)@10", "infNDCG@20", "infNDCG@5"),
        *("statAP(itself=weighted)", "statAP(rel=2)"),
    ]
    strata = rm.evaluate(judged(rows), run, measures[:4])
    chances = rm.evaluate(judged(rows), run, measures[4:])
    for place, query in enumerate(run):
        pool = {i: (s, g) for q, i, s, g, _ in rows if q == query}
        chance = {i: (g, p) for q, i, _, g, p in rows if q == query}
        expected = [
            plain_xinfap(pool, run[query], 1),
            plain_xinfap(pool, run[query][:10], 2),
            plain_infndcg(pool, run[query], 20),
            plain_infndcg(pool, run[query], 5),
            plain_statap(chance, run[query], 1, once=False),
            plain_statap(chance, run[query], 2, once=True),
        ]
        found = [(strata if m in measures[:4] else chances).query_values(m)[place] for m in measures]
        assert np.nan_to_num(found) == pytest.approx(expected, rel=1e-12)


def test_a_pool_that_was_judged_wholly_has_the_values_of_complete_judgements() -> None:
    rows, run = pools(9)
    whole = [(q, i, s, max(g, 0.0), 1.0) for q, i, s, g, _ in rows]
    plain = rm.evaluate(judged(whole), run, ["AP", "nDCG@10"])
    found = rm.evaluate(judged(whole), run, ["xinfAP", "infNDCG@10"])
    assert found["xinfAP"] == pytest.approx(plain["AP"], abs=1e-4)
    assert found["infNDCG@10"] == pytest.approx(plain["nDCG@10"], rel=1e-12)
    assert rm.evaluate(judged(whole), run, "statAP")["statAP"] == pytest.approx(plain["AP"], rel=1e-12)


def test_without_results_a_query_counts_as_zero() -> None:
    rows, run = pools(2)
    one = rm.evaluate(judged(rows), run, "xinfAP")
    other = rm.evaluate(judged(rows), {q: items for q, items in run.items() if q != "3"}, "xinfAP")
    assert other["xinfAP"] == pytest.approx(one["xinfAP"] - one.query_values("xinfAP")[3] / len(run))


def test_five_fields_are_read_with_strata_or_probabilities(tmp_path: Path) -> None:
    rows, run = pools(1)
    strata, prels = tmp_path / "sampleval-qrels.txt", tmp_path / "prels.txt"
    strata.write_text("".join(f"{q} 0 {i} {s} {g:g}\n" for q, i, s, g, _ in rows))
    prels.write_text("".join(f"{q} {i} {max(g, 0):g} 1 {p}\n" for q, i, _, g, p in rows if g >= 0))
    measures = ["xinfAP", "infNDCG@10"]
    assert rm.evaluate(strata, run, measures).values == rm.evaluate(judged(rows), run, measures).values
    sampled = [row for row in rows if row[3] >= 0]
    assert rm.evaluate(prels, run, "statAP").values == rm.evaluate(judged(sampled), run, "statAP").values
    # What was not sampled has no grade, for other measures too.
    assert rm.evaluate(strata, run, "infAP")["infAP"] > 0
    with pytest.raises(rm.DataError, match=r"prels.txt' has none: give a column of it"):
        rm.evaluate(prels, run, "xinfAP")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q 0 d 1 1\nq 0 e 1\n", "line 2: 4 fields where the first line has 5"),
        ("q 0 d 1 1\n\nq 0 e 1 x\n", "line 3: the relevance 'x' is not a finite number"),
        ("q d 1 1 .5\nq e 1 1 nan\n", "line 2: the inclusion_probability 'nan' is not a finite number"),
        ("q d 1 1 .5\nq e x 1 y\n", "line 2: the relevance 'x' is not a finite number"),
        ("q d 1 1 .5\nq e 1 1 1.5\n", "is 1.5 in row 1"),
        ("q Q0 d 1 0.5\n", "these are lines of a run"),
    ],
)
def test_what_is_no_judgement_of_a_sample_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text(text)
    with pytest.raises(rm.DataError, match=message):
        rm.evaluate(path, {"q": ["d"]}, "statAP")


def test_samples_are_read_whole(tmp_path: Path) -> None:
    rows, run = pools(1)
    path = tmp_path / "qrels.csv"
    pl.DataFrame(judged(rows)).write_csv(path)
    assert rm.evaluate(path, run, "xinfAP").values == rm.evaluate(judged(rows), run, "xinfAP").values
    with pytest.raises(rm.UsageError, match='xinfAP reads judgements of a sample whole: use engine="local"'):
        rm.evaluate(path, run, "xinfAP", engine="stream")
    evaluator = rm.Evaluator("xinfAP")
    evaluator.update(judged(rows), run)
    assert evaluator.result().values == rm.evaluate(judged(rows), run, "xinfAP").values


def test_other_ways_of_sampling_are_not_mixed() -> None:
    rows, run = pools(1)
    with pytest.raises(rm.UsageError, match="ask for one of them at a time"):
        rm.evaluate(judged(rows), run, ["xinfAP", "statAP"])
    with pytest.raises(rm.DataError, match="needs judgements of a sample, with the stratum"):
        rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "xinfAP")
    frame = pl.DataFrame({"query": ["q"], "item": ["a"], "stratum": [None], "relevance": [1]})
    with pytest.raises(rm.DataError, match="stratum column 'stratum' has 1 null, the first in row 0"):
        rm.evaluate(frame.with_columns(pl.col("stratum").cast(pl.String)), {"q": ["a"]}, "xinfAP")


def test_judgements_of_a_sample_are_not_said_to_be_of_one_aspect() -> None:
    rows = [("q", "a", 1, 0.5), ("q", "b", 0, 0.5)]
    names = ["query", "item", "relevance", "inclusion_probability"]
    found = rm.evaluate(pl.DataFrame(rows, names, orient="row"), {"q": ["a", "b"]}, "statAP")
    assert not [note for note in found.notes if "aspect" in note]
