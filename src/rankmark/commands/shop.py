"""A small shop, simulated: what it sells, what its users had and liked, and what two recommenders show."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import fill
from time import perf_counter
from typing import Any

import numpy as np

from rankmark.errors import UsageError
from rankmark.rendering.formats.parquet import write_table

__all__ = ["show", "simulate", "write"]

USERS, ITEMS, TRAITS = 5_000, 20_000, 16
SHOWN = 150  # items that the most active user comes across
ADVERTISED = 60  # of them as an advertisement
LENGTH = 100  # items that a recommender returns
SYSTEMS = ("popular", "personalised")
MODELS = {"old": "p_old", "new": "p_new"}
"""Of clicks, by the columns of what they foretell."""
CATEGORIES = ("books", "clothes", "games", "garden", "kitchen", "music", "sports", "toys")
KINDS = {"qrels": "judgements", "items": "items", "train": "interactions", "clicks": "impressions"}
"""What tables hold that are no results."""
ACCURACY = "nDCG@10"
OF_ITEMS = {
    "Coverage@10": ("more of the catalogue", "less of the catalogue", 3),
    "Novelty@10": ("less known items", "better known items", 2),
    "Popularity@10": ("more popular items", "less popular items", 0),
    "ILD@10": ("more diverse", "less diverse", 2),
}
"""What is measured beside accuracy, what more and what less of it is, and how many digits say it."""

Array = np.ndarray[Any, Any]
Columns = dict[str, Array]


def simulate(seed: int = 0) -> dict[str, Columns]:
    """The tables of a shop, by their names; the same ones each time.

    Items follow Zipf's law, users like items whose traits fit their tastes, and both recommenders make
    mistakes: one knows no tastes, the other knows them badly and has never heard of some of the users. Of two
    models of clicks the old one knows less of tastes and is too sure of it.
    """
    rng = np.random.default_rng(seed)
    weights = 1.0 / (np.arange(ITEMS) + 20.0)  # item 0 is the most popular one
    # Whole numbers, so that sums of products are exact, whatever library or machine adds them up.
    tastes = rng.integers(-6, 7, (USERS, TRAITS)).astype(np.float32)
    traits = rng.integers(-6, 7, (ITEMS, TRAITS)).astype(np.float32)
    item_ids = rng.permutation(ITEMS)
    tables = {
        "qrels": _held_out(rng, weights, tastes, traits),
        "popular": _popular(rng, weights),
        "personalised": _personalised(rng, weights, tastes, traits),
        "items": _items(rng, traits),
        "train": _train(rng, weights, tastes, traits),
        "clicks": _clicks(rng, weights, tastes, traits),
    }
    return {name: _with_ids(columns, item_ids) for name, columns in tables.items()}


def _with_ids(columns: Columns, item_ids: Array) -> Columns:
    ids = {"item_id": item_ids[columns.pop("item")] + 1}
    if "user" in columns:
        ids = {"user_id": columns.pop("user") + 1, **ids}
    return {name: each.astype(np.int32) for name, each in ids.items()} | columns


def _items(rng: np.random.Generator, traits: Array) -> Columns:
    """What the shop sells: items are of the category of their strongest trait."""
    category = np.array(CATEGORIES)[traits[:, : len(CATEGORIES)].argmax(axis=1)]
    price = np.exp2(rng.integers(0, 70, ITEMS) / 10).round(2)
    return {"item": np.arange(ITEMS), "category": category, "price": price}


def _train(rng: np.random.Generator, weights: Array, tastes: Array, traits: Array) -> Columns:
    """What users bought before: of the items that they came across those that they liked, each once."""
    user, item = _met(rng, weights, 2 * SHOWN)
    bought = np.einsum("ij,ij->i", tastes[user], traits[item]) + rng.integers(-60, 61, len(user)) > 60
    return {"user": user[bought], "item": item[bought]}


def _met(rng: np.random.Generator, weights: Array, most: int) -> tuple[Array, Array]:
    """What users come across, popular items more often: users and items, each pair once."""
    met = rng.binomial(most, rng.random(USERS) ** 2)
    draws = np.searchsorted(weights.cumsum() / weights.sum(), rng.random(met.sum()))
    return np.divmod(np.unique(np.repeat(np.arange(USERS), met) * ITEMS + draws), ITEMS)


def _held_out(rng: np.random.Generator, weights: Array, tastes: Array, traits: Array) -> Columns:
    """What users did after training: 3 bought, 2 put in the basket, 1 looked at, 0 passed over."""
    user, item = _met(rng, weights, SHOWN)
    liking = np.einsum("ij,ij->i", tastes[user], traits[item]) + rng.integers(-60, 61, len(user))
    relevance = np.digitize(liking, [60, 100, 150])
    kept = (relevance > 0) | (rng.random(len(user)) < 0.1)
    return {"user": user[kept], "item": item[kept], "relevance": relevance[kept].astype(np.int8)}


def _clicks(rng: np.random.Generator, weights: Array, tastes: Array, traits: Array) -> Columns:
    """What users were shown and clicked, and how likely two models thought that."""
    user, item = _met(rng, weights, ADVERTISED)
    device = np.array(["desktop", "phone"])[rng.integers(0, 2, USERS)]
    liking = np.einsum("ij,ij->i", tastes[user], traits[item])
    clicked = rng.random(len(user)) < _chance(liking)
    # What a model has wrong of a user is the same for all items.
    old, new = (
        np.einsum("ij,ij->i", (tastes + rng.integers(-most, most + 1, tastes.shape))[user], traits[item])
        for most in (9, 3)
    )
    return {
        "user": user,
        "item": item,
        "device": device[user],
        "click": clicked.astype(np.int8),
        MODELS["old"]: _chance(old).astype(np.float32),
        MODELS["new"]: _chance(new - 6).astype(np.float32),
    }


def _chance(liking: Array) -> Array:
    """How likely a click is."""
    return (1 / (1 + np.exp2((110 - liking) / 25))).round(4)


def _popular(rng: np.random.Generator, weights: Array) -> Columns:
    """For everybody the items sold most, less those that the user owns."""
    owned = rng.random((USERS, 3 * LENGTH)) < 0.3
    shown = ~owned & ((~owned).cumsum(axis=1) <= LENGTH)
    user, item = np.nonzero(shown)
    return {"user": user, "item": item, "score": np.rint(20_000 * weights[item]).astype(np.int32)}


def _personalised(rng: np.random.Generator, weights: Array, tastes: Array, traits: Array) -> Columns:
    """Of the fifth of the items sold most, those that fit what is known of the user's tastes."""
    candidates = ITEMS // 5
    guessed = tastes + rng.integers(-5, 6, tastes.shape).astype(np.float32)
    bonus = np.rint(320 * np.log2(weights[:candidates] / weights[candidates])).astype(np.float32)
    known = np.flatnonzero(rng.random(USERS) < 0.98)
    blocks = [
        _best(8 * guessed[block] @ traits[:candidates].T + bonus) for block in np.array_split(known, 20)
    ]
    item, score = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return {"user": np.repeat(known, LENGTH), "item": item.ravel(), "score": score.ravel() / np.float32(512)}


def _best(scores: Array) -> tuple[Array, Array]:
    """The items with the highest scores of each row, best first, and their scores."""
    # Ties at the border and within are decided by the item, not by how a library happens to sort.
    width = scores.shape[1]
    keys = np.arange(width, dtype=np.int32) - scores.astype(np.int32) * width
    best = np.sort(np.partition(keys, LENGTH, axis=1)[:, :LENGTH], axis=1)
    return best % width, (-(best // width)).astype(np.float32)


def write(folder: Path) -> dict[str, tuple[Path, Columns]]:
    """Write the tables as Parquet files and return what was written."""
    import polars as pl

    tables = {name: (folder / f"{name}.parquet", columns) for name, columns in simulate().items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, columns in tables.values():
            write_table(path, pl.DataFrame(columns))
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror or error}") from error
    return tables


def show(folder: Path) -> Iterator[str]:
    """Write the data, then evaluate both systems on it; what to print, as it gets done."""
    tables = write(folder)
    yield f"A simulated shop with {USERS:,} users and {ITEMS:,} items, and two recommenders:\n"
    for path, columns in tables.values():
        yield _described(path, columns)
    qrels, *runs, items, train, clicks = (str(path) for path, _ in tables.values())
    yield from _evaluated(qrels, runs)
    yield from _recommended(qrels, runs, items, train)
    yield from _foretold(clicks)
    yield _commands(qrels, runs, train, clicks)


def _described(path: Path, columns: Columns) -> str:
    rows, users = len(columns["item_id"]), columns.get("user_id")
    kind = KINDS.get(path.stem, "results")
    who = "" if users is None else f"{len(np.unique(users)):,} users"
    return f"  {path!s:<36}{rows:>9,} {kind:<13}{who:>11} {path.stat().st_size / 1e6:>6.1f} MB"


def _recommended(qrels: str, runs: list[str], items: str, train: str) -> Iterator[str]:
    """What is recommended beside how accurate that is."""
    from rankmark.api.evaluation import evaluate
    from rankmark.inputs.catalogue import catalogue
    from rankmark.results.runs import Runs

    known, measures = catalogue(items, train=train), [ACCURACY, *OF_ITEMS]
    results = {
        name: evaluate(qrels, run, measures, items=known) for name, run in zip(SYSTEMS, runs, strict=True)
    }
    yield (
        f"\n$ {program()} eval {qrels} {' '.join(runs)} \\\n    --items {items} --train {train} \\\n"
        f'    -m "{" ".join(measures)}"\n'
    )
    yield Runs(results).format()
    yield _seen({name: result.values for name, result in results.items()})


def _foretold(clicks: str) -> Iterator[str]:
    """How well both models know who clicks."""
    from rankmark.comparing.predictions import compare_predictions

    measures = ["AUC", "GAUC", "LogLoss", "PCOPC"]
    systems = " ".join(f"--system {name}={column}" for name, column in MODELS.items())
    yield (
        f'\n$ {program()} predictions {clicks} -m "{" ".join(measures)}" \\\n'
        f"    --label click --query user_id {systems}\n"
    )
    yield compare_predictions(clicks, MODELS, measures, label="click", query="user_id").format()


def _seen(values: Mapping[str, Mapping[str, float]]) -> str:
    """What the values of two systems say, of the more accurate one."""
    less, more = sorted(SYSTEMS, key=lambda name: values[name][ACCURACY])
    said = []
    for measure, (higher, lower, digits) in OF_ITEMS.items():
        own, other = values[more][measure], values[less][measure]
        said.append(f"{higher if own > other else lower} ({own:,.{digits}f}, not {other:,.{digits}f})")
    shown, lists = ", ".join(said[:-1]), said[-1]
    return fill(f"The more accurate system, {more}, recommends {shown}, and its lists are {lists}.", 80)


def _evaluated(qrels: str, runs: list[str]) -> Iterator[str]:
    from rankmark.api.evaluation import evaluate
    from rankmark.results.runs import Runs

    measures = ["nDCG@10", "nDCG(gain=exp2)@10", "AP", "RR", "P@10", "R@100"]
    start = perf_counter()
    results = {name: evaluate(qrels, run, measures) for name, run in zip(SYSTEMS, runs, strict=True)}
    seconds = perf_counter() - start
    yield f'\n$ {program()} eval {qrels} {" ".join(runs)} \\\n    -m "{" ".join(measures)}"\n'
    yield Runs(results).format()
    yield f"Read and evaluated in {seconds:.2f} s."


def _commands(qrels: str, runs: list[str], train: str, clicks: str) -> str:
    one, both = f"{qrels} {runs[1]}", f"{qrels} {' '.join(runs)}"
    commands = [
        f"{program()} eval {one}",
        f"{program()} eval {one} -m nDCG@10 --ties expected --signature",
        f"{program()} eval {one} --per-query -o per-user.csv",
        f"{program()} eval {both} --format latex",
        f"{program()} explain {one} -m Novelty@10 --query 2514 --train {train}",
        f"{program()} curve {clicks} calibration --label click --score p_old",
        f"{program()} measures nDCG",
    ]
    return "\nTry:\n\n" + "\n".join(f"  {command}" for command in commands)


def program() -> str:
    """How to call rankmark from here: by its name, or by where it is if it is not on the path."""
    script = Path(sys.executable).with_name("rankmark")
    return "rankmark" if shutil.which("rankmark") or not script.exists() else os.path.relpath(script)
