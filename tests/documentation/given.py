"""What the pages read: files and tables of a small collection, and the names that stand for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import rankmark as rm
from rankmark.commands import shop

QUERIES, ITEMS, DEPTH = 40, 60, 30
ROWS = 600
CATEGORIES = ("books", "games", "music")
DEMO = "rankmark-demo"


def _truth() -> dict[str, dict[str, int]]:
    rng = np.random.default_rng(0)
    grades = rng.choice(4, (QUERIES, ITEMS), p=(0.7, 0.15, 0.1, 0.05))
    return {
        f"q{q}": {f"d{d}": int(grade) for d, grade in enumerate(own) if d % 3 or grade}
        for q, own in enumerate(grades, 1)
    }


QRELS = _truth()


def _run(noise: float, seed: int) -> dict[str, dict[str, float]]:
    """Scores of the first items of each query; the more noise, the worse."""
    rng = np.random.default_rng(seed)
    found = {}
    for query, own in QRELS.items():
        scores = {f"d{d}": own.get(f"d{d}", 0) + noise * float(rng.normal()) for d in range(ITEMS)}
        found[query] = dict(sorted(scores.items(), key=lambda pair: -pair[1])[:DEPTH])
    return found


RUNS = {
    name: _run(noise, seed)
    for seed, (name, noise) in enumerate(
        {"old": 1.6, "new": 1.1, "bm25": 1.8, "dense": 1.0, "a": 1.5, "b": 1.3}.items()
    )
}
RUNS |= {name: _run(1.4, seed) for seed, name in enumerate("cde", 10)}
TRAIN = {f"q{q}": [f"d{(7 * q + k * k) % ITEMS}" for k in range(6)] for q in range(1, QUERIES + 1)}
QUERY_TABLE = pl.DataFrame(
    {
        "query": [*QRELS],
        "country": [("de", "fr", "jp")[i % 3] for i in range(QUERIES)],
        "device": [("phone", "desktop")[i % 2] for i in range(QUERIES)],
        "kind": [("question", "name")[i % 2] for i in range(QUERIES)],
        "question": [f"question {i // 4}" for i in range(QUERIES)],
        "user": [f"u{i // 2}" for i in range(QUERIES)],
        "text": [f"words of query {i}" for i in range(QUERIES)],
    }
)


def _items() -> pl.DataFrame:
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "item": [f"d{d}" for d in range(ITEMS)],
            "genre": [CATEGORIES[d % 3] for d in range(ITEMS)],
            "category": [CATEGORIES[d % 3] for d in range(ITEMS)],
            "gender": [("women", "men")[d % 2] for d in range(ITEMS)],
            "price": rng.lognormal(2, 0.6, ITEMS).round(2),
            "title": [f"Title {d}" for d in range(ITEMS)],
        }
    )


def _clicks() -> pl.DataFrame:
    """Rows of users with a click each, and what two models say of its chance."""
    rng = np.random.default_rng(2)
    p = rng.beta(2, 6, ROWS)
    users = np.arange(ROWS) // 20
    return pl.DataFrame(
        {
            "user_id": [f"u{u}" for u in users],
            "item": [f"i{i % 20}" for i in range(ROWS)],
            "click": (rng.random(ROWS) < p).astype(int),
            "p": p,
            "p1": np.clip(p + rng.normal(0, 0.1, ROWS), 0.01, 0.99),
            "p2": p,
            "spend": rng.random(ROWS).round(3),
            "country": [("de", "fr")[u % 2] for u in users],
            "placement": [("top", "side", "feed")[i % 3] for i in range(ROWS)],
        }
    )


def _pets() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    names = np.array(["cat", "dog", "bird"])
    label = rng.integers(0, 3, 200)
    scores = rng.random((200, 3)) + 0.8 * np.eye(3)[label]
    scores /= scores.sum(axis=1, keepdims=True)
    unsure = scores + 0.4 * rng.random((200, 3))
    return pl.DataFrame(
        {
            "label": names[label],
            "guess": names[unsure.argmax(axis=1)],
            "better": names[scores.argmax(axis=1)],
            **{name: scores[:, i] for i, name in enumerate(names)},
        }
    )


def _shown() -> pl.DataFrame:
    """A log of clicks on items that stood at several positions."""
    rng = np.random.default_rng(4)
    lists, width = 600, 5
    query = rng.integers(0, QUERIES, lists)
    item = np.argsort(rng.random((lists, 8)) + np.arange(8) / 6, axis=1)[:, :width]
    click = rng.random((lists, width)) < (0.6 - item / 16) / np.arange(1, width + 1) ** 0.8
    return pl.DataFrame(
        {
            "session": np.repeat(np.arange(lists), width),
            "query": [f"q{q + 1}" for q in np.repeat(query, width)],
            "item": [f"d{i}" for i in item.ravel()],
            "position": np.tile(np.arange(1, width + 1), lists),
            "click": click.ravel().astype(int),
        }
    )


def _logged() -> pl.DataFrame:
    """What a system showed by chance, one item of four, and what another one would show with which chance."""
    rng = np.random.default_rng(5)
    rows = 2000
    item = rng.choice(4, rows, p=(0.4, 0.3, 0.2, 0.1))
    return pl.DataFrame(
        {
            "query": [f"q{1 + i % 8}" for i in range(rows)],
            "item": [f"d{i}" for i in item],
            "user": [f"u{i // 4}" for i in range(rows)],
            "country": [("de", "fr")[i // 4 % 2] for i in range(rows)],
            "propensity": np.array([0.4, 0.3, 0.2, 0.1])[item],
            "new_probability": np.array([0.1, 0.2, 0.3, 0.4])[item],
            "click": (rng.random(rows) < np.array([0.1, 0.15, 0.2, 0.3])[item]).astype(int),
        }
    )


def _trec(run: dict[str, dict[str, float]], tag: str) -> str:
    return "".join(
        f"{query} Q0 {item} {rank} {score} {tag}\n"
        for query, items in run.items()
        for rank, (item, score) in enumerate(items.items(), 1)
    )


def _judgements(qrels: dict[str, dict[str, int]]) -> str:
    return "".join(
        f"{query} 0 {item} {grade}\n" for query, own in qrels.items() for item, grade in own.items()
    )


def _model() -> dict[str, dict[str, int]]:
    """What a model says of all judged items: one of five is wrong."""
    rng = np.random.default_rng(6)
    return {
        query: {item: grade if rng.random() < 0.8 else int(rng.integers(0, 3)) for item, grade in own.items()}
        for query, own in QRELS.items()
    }


PEOPLE = {query: QRELS[query] for query in list(QRELS)[:20]}
MODEL = _model()


def write(folder: Path) -> Path:
    """Writes all files that the pages read, the demo's among them."""
    shop.write(folder / DEMO)
    for name, run in RUNS.items():
        (folder / f"{name}.run").write_text(_trec(run, name))
    (folder / "qrels.txt").write_text(_judgements(QRELS))
    (folder / "people.txt").write_text(_judgements(PEOPLE))
    (folder / "model.txt").write_text(_judgements(MODEL))
    pl.DataFrame(
        [(query, item, grade) for query, own in QRELS.items() for item, grade in own.items()],
        schema=["query", "item", "relevance"],
        orient="row",
    ).write_parquet(folder / "qrels.parquet")
    new = [(query, item, score) for query, own in RUNS["new"].items() for item, score in own.items()]
    pl.DataFrame(new, schema=["query", "item", "score"], orient="row").write_parquet(folder / "run.parquet")
    train = pl.DataFrame(
        [(query, item) for query, own in TRAIN.items() for item in own],
        schema=["query", "item"],
        orient="row",
    )
    train.write_csv(folder / "train.csv")
    train.write_parquet(folder / "train.parquet")
    _items().write_csv(folder / "items.csv")
    _items().write_parquet(folder / "items.parquet")
    QUERY_TABLE.write_csv(folder / "queries.csv")
    QUERY_TABLE.write_csv(folder / "users.csv")
    (folder / "topics.tsv").write_text("".join(f"{q}\twords of {q}\n" for q in QRELS))
    clicks = _clicks()
    clicks.write_parquet(folder / "clicks.parquet")
    for name, score in {"old": "p1", "new": "p2", "monday": "p1", "tuesday": "p2"}.items():
        own = clicks.select("user_id", "item", label="click", p=score)
        own.write_parquet(folder / f"{name}.parquet")
    _pets().write_csv(folder / "pets.csv")
    _shown().write_csv(folder / "log.csv")
    _logged().write_parquet(folder / "log.parquet")
    (folder / "teams.csv").write_text("system,group\n" + "".join(f"{n},team {n in 'abc'}\n" for n in RUNS))
    _values_of_queries(folder)
    _aspects(folder)
    return folder


def _values_of_queries(folder: Path) -> None:
    rng = np.random.default_rng(7)
    own = {"bm25": rng.beta(2, 5, QUERIES), "dense": rng.beta(3, 5, QUERIES)}
    for name in ("ap", "nq", "fiqa", "scifact"):
        pl.DataFrame({"query": [*QRELS], **own}).write_csv(folder / f"{name}.csv")
    for name, values in own.items():
        lines = (f"ndcg_cut_10\t{q}\t{value:.4f}\n" for q, value in zip(QRELS, values, strict=True))
        (folder / f"{name}.eval").write_text("".join(lines))


def _aspects(folder: Path) -> None:
    lines = (
        f"{query} {1 + int(item[1:]) % 3} {item} {min(grade, 1)}\n"
        for query, own in QRELS.items()
        for item, grade in own.items()
    )
    (folder / "diversity.qrels").write_text("".join(lines))
    (folder / "run.json").write_text(json.dumps(RUNS["new"]))


def names() -> dict[str, Any]:
    """What pages speak of without having made it."""
    clicks = _clicks()
    rng = np.random.default_rng(8)
    users, items = rng.normal(size=(20, 4)), rng.normal(size=(30, 4))
    return {
        "rm": rm,
        "pl": pl,
        "np": np,
        "qrels": QRELS,
        "run": RUNS["new"],
        "other": RUNS["old"],
        "old": RUNS["old"],
        "new": RUNS["new"],
        "people": PEOPLE,
        "model": MODEL,
        "known": rm.catalogue(
            _items().with_columns(vector=pl.Series(rng.normal(size=(ITEMS, 4)))), train=TRAIN
        ),
        "users": users,
        "items": items,
        "scores": users @ items.T,
        "had": [[q % 30] for q in range(20)],
        "train": TRAIN,
        "held_out": [[(q + 7) % 30, (3 * q + 2) % 30] for q in range(20)],
        "countries": [("de", "fr")[q % 2] for q in range(20)],
        "clicks": clicks,
        "labels": clicks["click"].to_numpy(),
        "log": _shown(),
    }


def on_a_cluster() -> dict[str, Any]:
    """Rows and names of columns of what pages about Spark speak of as frames."""
    rows = [(query, item, grade) for query, own in QRELS.items() for item, grade in own.items()]
    judged = pl.DataFrame(rows, schema=["query", "item", "relevance"], orient="row")
    country = QUERY_TABLE.select("query", "country")
    scores = [(query, item, score) for query, own in RUNS["new"].items() for item, score in own.items()]
    run = pl.DataFrame(scores, schema=["query", "item", "score"], orient="row")
    clicks = _clicks().select("user_id", "item", label="click", score="p")
    frames = {"qrels": judged.join(country, on="query"), "run": run, "clicks": clicks}
    return {name: (frame.rows(), frame.columns) for name, frame in frames.items()}
