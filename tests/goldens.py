"""Golden values: what a signature came to when it was first written down, which it comes to for ever.

``golden/data.json`` has small tables, ``golden/values.jsonl`` a line for each signature and table, and
``golden/statistics.jsonl`` one for each interval, test and correction. ``python tests/goldens.py`` adds the
lines that there should be and are not. A line that is there is never changed by it, but with
``--because "…"``, which is written beside the new value: docs/compatibility.md says when that may be.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import rankmark as rm
from rankmark.comparing.plan import CORRECTIONS_OF_SYSTEMS, INTERVALS_OF_DIFFERENCES
from rankmark.language.choices import Choices, values_of
from rankmark.statistics import INTERVALS, TESTS
from strategies import ALL_PAGES, MEASURES

FOLDER = Path(__file__).parent / "golden"
VALUES, STATISTICS = FOLDER / "values.jsonl", FOLDER / "statistics.jsonl"
DATA: dict[str, dict[str, Any]] = json.loads((FOLDER / "data.json").read_text())
ROWS = ("rows", "numeric", "classes")
CHOICES = tuple(each.name for each in fields(Choices) if each.name not in ("seed", "candidates"))
CHOSEN_FOR = ("nDCG@3", "AP", "RR", "P@3", "Bpref", "AP(mean=geometric)", "R(rel=2)@3")
NUMBERS = {"k": "3", "rel": "2", "p": "95", "x": "0.5", "b": "2", "square": "4"}
"""What stands in the names of other tools where these have a number."""
OF_ITEMS = (
    "GroupExposure(group=x)",
    "GroupExposure(by=tags,group=m,browsing=none)@2",
    "GroupExposure(group=x,browsing=rbp,p=0.9)",
    "Skew(group=x)",
    "Skew(group=y)@2",
    "RND(group=x)",
    "RND(group=y)@2",
    "PairwiseAccuracy(group=x)",
    "InfeasibleIndex(share=[['x',0.5],['y',0.5]])",
    "AWRF(group=x)",
    "PopRSP(by=category)",
    "PopRSP(head=0.4)",
    "IntraListDiversity(by=tags,distance=jaccard)",
    "IntraListDiversity(by=vector)",
    "VendiScore(q=2)",
    "IA(of=P)@2",
    "IA(of='AP(rel=2)')",
)


class Line(NamedTuple):
    """What a signature is of, and its value; None where there is none, which is NaN."""

    data: str
    signature: str
    value: float | None
    because: str | None = None


def lines() -> list[Line]:
    """Those that are written down."""
    return [Line(**json.loads(line)) for line in VALUES.read_text().splitlines()]


def value(data: str, signature: str) -> float:
    """What a signature comes to on one of the tables."""
    evaluation, table = rm.from_signature(signature), DATA[data]
    if data in ROWS:
        (found,) = evaluation.evaluate_predictions(table, **_columns(data)).values.values()
    else:
        known = {name: table[name] for name in ("items", "train") if name in table}
        (found,) = evaluation.evaluate(*_tables(data), **known).values.values()
    return found


def _tables(data: str) -> tuple[Any, Any]:
    table = DATA[data]
    numbers = data == "numbers"  # JSON has no numbers as names, and lists where rows are tuples
    qrels, run = (
        [tuple(row) for row in rows] if numbers or data == "repeated" else rows
        for rows in (table["qrels"], table["run"])
    )
    return qrels, run


def _columns(data: str) -> dict[str, Any]:
    return {"score": ["cat", "dog", "bird"]} if data == "classes" else {"score": "score", "query": "query"}


def wanted() -> Iterator[tuple[str, str]]:
    """Every table and signature of which there should be a line."""
    for data, asked, options in _asked():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = _evaluated(data, asked, options)
            except rm.RankmarkError:
                continue  # a measure of other data, or a choice that refuses these
        for measure in result.measures:
            yield data, result.signature(measure)


def _evaluated(data: str, asked: str, options: dict[str, Any]) -> Any:
    if data in ROWS:
        weight = {"weight": ""} if data == "rows" and "weight" not in options else {}
        return rm.evaluate_predictions(DATA[data], asked, **_columns(data), **weight, **options)
    known = {name: DATA[data][name] for name in ("items", "train") if name in DATA[data]}
    return rm.evaluate(*_tables(data), asked, **known, **options)


def _asked() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for name in ALL_PAGES:
        for data in _data_of(name):
            for written in _variants(name):
                yield data, written, {}
    for written in MEASURES:
        yield "ties", written, {}
    for written in OF_ITEMS:
        yield from ((data, written, {}) for data in ("items", "aspects"))
    for choice in CHOICES:
        for word in values_of(choice):
            for written in CHOSEN_FOR:
                seed = {"seed": 7} if word == "random" else {}
                for data in ("ties", "repeated", "numbers"):
                    yield data, written, {choice: word, **seed}
    for words in (
        {"ties": "item-asc"},
        {"ties": "input"},
        {"duplicates": "best"},
        {"ties": "random", "seed": 3},
    ):
        yield from (("items", written, words) for written in ("Novelty@2", "CatalogueCoverage@1"))
    yield from (
        ("plain", "nDCG@3", {"candidates": word}) for word in ("sampled-99", "sampled-99(popularity)")
    )
    yield from (("rows", name, {"weight": "weight"}) for name in ("AUC", "LogLoss", "PCOPC", "GAUC", "ECE"))
    for record in rm.conventions().values():
        like = {"like": record.name}
        tables = {"measures": ("plain", "ties"), "predictions": ("rows",), "classes": ("classes",)}
        for names, of in {**tables, "items": ("items", "aspects")}.items():
            for written in getattr(record, names):
                asked = re.sub(r"\{([a-z]+)\}", lambda found: NUMBERS[found[1]], written)
                yield from ((data, asked, like) for data in of)


def _data_of(name: str) -> tuple[str, ...]:
    kind = ALL_PAGES[name].kind
    if kind == "item":
        return ("samples",) if rm.parse(name).of_samples else ("items", "aspects")
    return ("ties",) if kind == "list" else ROWS


def _variants(name: str) -> Iterator[str]:
    """A measure as it is by default, with a cutoff, and with each word that one of its parameters can be."""
    page = ALL_PAGES[name]
    yield name
    if page.takes_cutoff:
        yield f"{name}@2"
    for parameter in page.parameters.values():
        for word in parameter.choices:
            yield f"{name}({parameter.name}={word})" + ("@3" if page.takes_cutoff else "")


# --- Statistics ---------------------------------------------------------------------------------------------


class Made(NamedTuple):
    """What a statistic was made of, and its numbers."""

    options: dict[str, Any]
    numbers: dict[str, float | None]
    because: str | None = None


def statistics() -> list[Made]:
    """Those that are written down."""
    return [Made(**json.loads(line)) for line in STATISTICS.read_text().splitlines()]


def numbers(options: dict[str, Any]) -> dict[str, float]:
    """The numbers of one system's intervals, or of a comparison of three systems, made so."""
    qrels, runs = DATA["systems"]["qrels"], DATA["systems"]["runs"]
    evaluated: Any = rm.compare
    if "intervals" in options:
        evaluated, runs = rm.evaluate, runs["one"]
    try:
        made = evaluated(qrels, runs, "AP, HR@1", resamples=199, **options)
    except rm.ChoiceError:  # what is of values that are 0 or 1
        made = evaluated(qrels, runs, "HR@1", resamples=199, **options)
    named = made.to_dict(names="plain")
    return {name: number for name, number in named.items() if isinstance(number, int | float)}


def wanted_statistics() -> Iterator[dict[str, Any]]:
    """Each interval, test and correction, the alternatives, and another seed."""
    yield from ({"intervals": name} for name, each in INTERVALS.items() if each.of_means)
    yield from ({"interval": name} for name in INTERVALS_OF_DIFFERENCES)
    yield from ({"test": name} for name in TESTS)
    yield from ({"correction": name} for name in CORRECTIONS_OF_SYSTEMS)
    yield from ({"alternative": name} for name in ("greater", "less"))
    yield {"seed": 7}
    yield {"test": "t", "confidence": 0.9, "interval": "t"}


# --- Written down -------------------------------------------------------------------------------------------


def same(one: float | None, other: float | None) -> bool:
    """Whether two values are one, but for the last digits, in which libraries' logarithms differ."""
    if one is None or other is None or math.isnan(one) or math.isnan(other):
        return (one is None or math.isnan(one)) and (other is None or math.isnan(other))
    return one == other or math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-15)


def _plain(number: float) -> float | None:
    return None if math.isnan(number) else number


def main() -> int:
    """Adds the lines that are not there; 1 where a value is another and no reason is given."""
    parser = argparse.ArgumentParser(
        description="Write down the golden values that are not written down yet."
    )
    parser.add_argument(
        "--because", metavar="WHY", help="why values that are there may change: what was wrong"
    )
    why = parser.parse_args().because
    known = {(line.data, line.signature): line for line in lines()} if VALUES.exists() else {}
    changed = [line for line in known.values() if not same(value(line.data, line.signature), line.value)]
    told = {json.dumps(each.options): each for each in statistics()} if STATISTICS.exists() else {}
    moved = [each for each in told.values() if not _agree(numbers(each.options), each.numbers)]
    if (changed or moved) and not why:
        for name in (*(line.signature for line in changed), *(str(each.options) for each in moved)):
            print(f"another value: {name}", file=sys.stderr)
        print('nothing is written; say why they may change: --because "…"', file=sys.stderr)
        return 1
    for line in changed:
        new = _plain(value(line.data, line.signature))
        known[line.data, line.signature] = line._replace(value=new, because=why)
    for data, signature in wanted():
        if (data, signature) not in known:
            known[data, signature] = Line(data, signature, _plain(value(data, signature)))
    for each in moved:
        found = {name: _plain(number) for name, number in numbers(each.options).items()}
        told[json.dumps(each.options)] = Made(each.options, found, why)
    for options in wanted_statistics():
        if json.dumps(options) not in told:
            found = {name: _plain(number) for name, number in numbers(options).items()}
            told[json.dumps(options)] = Made(options, found)
    _write(VALUES, [line._asdict() for line in known.values()])
    _write(STATISTICS, [each._asdict() for each in told.values()])
    print(f"{len(known)} values, {len(told)} statistics")
    return 0


def _agree(one: dict[str, float], other: dict[str, float | None]) -> bool:
    return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    plain = ({name: each for name, each in row.items() if (name, each) != ("because", None)} for row in rows)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in plain))


if __name__ == "__main__":
    sys.exit(main())
