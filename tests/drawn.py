"""A result for each picture, and the picture of it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any

import numpy as np

import rankmark as rm
from rankmark.figures import Figure
from rankmark.results import Runs

__all__ = ["DRAWN", "of"]


def _predictions() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    score = rng.beta(1, 6, 2000)
    return {"score": score, "label": (rng.random(2000) < score).astype(int)}


def _lists() -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgements of forty queries, and three runs, one of which is called what could be a tag."""
    rng = np.random.default_rng(1)
    qrels = {f"q{i}": {f"d{j}": int(rng.integers(0, 3)) for j in range(8)} for i in range(40)}
    runs = {
        name: {
            query: {item: grade + noise * rng.normal() for item, grade in own.items()}
            for query, own in qrels.items()
        }
        for name, noise in (("old", 1.5), ("<new> & مرحبا 🎉", 1.0), ("third", 0.8))
    }
    return qrels, runs


@functools.cache
def _comparison() -> Any:
    """Three systems."""
    return rm.compare(*_lists(), ["nDCG@5", "RR"], baseline="old")


@functools.cache
def _runs(measures: tuple[str, ...] = ("nDCG@1", "nDCG@3", "nDCG@8", "AP"), *, sure: bool = True) -> Any:
    """The same, evaluated."""
    qrels, runs = _lists()
    results = {name: rm.evaluate(qrels, run, measures) for name, run in runs.items()}
    return Runs({name: each.with_intervals() if sure else each for name, each in results.items()})


def _shown() -> dict[str, Any]:
    """A log of clicks on items that stood at each of four positions."""
    rng = np.random.default_rng(1)
    order = np.argsort(rng.random((400, 4)), axis=1)
    clicked = rng.random((400, 4)) < np.array([0.8, 0.4, 0.3, 0.2]) * (1 - order / 8)
    return {
        "query": np.repeat(np.arange(400) % 40, 4),
        "impression": np.repeat(np.arange(400), 4),
        "item": order.ravel(),
        "position": np.tile(np.arange(1, 5), 400),
        "click": clicked.ravel(),
    }


def _judged() -> tuple[Any, Any]:
    """One run on a few queries, one of which has nothing relevant and one no results."""
    qrels = {
        "q1": {"a": 3, "b": 1, "c": 0},
        "<q2>": {"c": 1, "d": 2},
        "q3": {"d": 0},
        "q4": {"e": 1},
    }
    run = {
        "q1": {"b": 2.0, "a": 1.0, "x": 1.0},
        "<q2>": {"</script>": 2.0, "c": 1.0, "d": 0.5},
        "q3": {"d": 1.0},
    }
    return qrels, run


def _explained() -> Any:
    """Two lists of one query, with items that are in one of them alone, and with a long name."""
    qrels, run = _judged()
    other = {"q1": {"a": 3.0, "http://an.address/that/is/long": 2.5, "b": 2.0, "c": 1.0, "x": 0.5}}
    return rm.explain(qrels, run, "nDCG@10", query="q1", other=other)


def _compared_predictions() -> Any:
    table = _predictions()
    table["noise"] = np.random.default_rng(2).random(2000)
    return rm.compare_predictions(table, {"model": "score", "noise": "noise"}, ["AUC", "LogLoss"])


@functools.cache
def _gate() -> Any:
    """One that passes by one condition, fails by another and cannot tell by a third."""
    qrels, runs = _lists()
    before, after = runs["old"], runs["third"]
    limits = {"RR": 0.9, "AP": 0.999}
    return rm.gate(qrels, before, after, "nDCG@5", max_drop="5%", confidence=0.95, at_least=limits)


@functools.cache
def _board(test: str) -> Any:
    qrels, runs = _lists()
    results = {name: rm.evaluate(qrels, run, "nDCG@5") for name, run in runs.items()}
    return rm.board(results, test=test)  # type: ignore[arg-type] # of the parameters


def _agreement() -> Any:
    qrels, runs = _lists()
    return rm.agree_on_systems({"all": qrels}, runs, ["nDCG@5", "RR", "AP", "MeanRank"])


def _agreeing() -> Any:
    one, other, *_ = _lists()[1].values()
    return rm.agree(one, other, ["Tau", "RBO", "Footrule"])


def _partial() -> Any:
    """Runs of which one answers half of the queries, with equal scores and items that nobody judged."""
    qrels, runs = _lists()
    own = {
        name: {
            query: {"new": 1.0, **{item: round(score) for item, score in items.items()}}
            for query, items in list(run.items())[: 20 if name == "third" else 40]
        }
        for name, run in runs.items()
    }
    measures = ["nDCG@5", "RR", "Judged@1", "Judged@5"]
    return Runs({name: rm.evaluate(qrels, run, measures, bounds=True) for name, run in own.items()})


def _curve(kind: Any) -> Callable[[], Any]:
    confidence = 0.95 if kind in ("ROC", "PR", "DET") else None
    return lambda: rm.curve(_predictions(), kind, confidence=confidence)


def _sliced_predictions() -> Any:
    """By day, of which one is lacking, by country, one of which is called what could be a tag."""
    table = _predictions()
    days = [date(2024, 1, 1) + timedelta(days=i % 5 + i % 5 // 3) for i in range(2000)]
    table |= {"day": days, "country": [("DE", "<FR>", None)[i % 3] for i in range(2000)]}
    return rm.evaluate_predictions(table, "PCOPC AUC LogLoss", by=["country", "day"], intervals=True)


def _head_and_tail() -> Any:
    qrels, _ = _lists()
    return {query: "head" if i % 3 else "tail" for i, query in enumerate(qrels)}


def _compared_in_slices() -> Any:
    return rm.compare(*_lists(), ["nDCG@5", "RR"], baseline="old", by=_head_and_tail())


def _sliced_runs() -> Any:
    qrels, runs = _lists()
    popularity = {query: ("0-10", "11-100", ">100")[i % 3] for i, query in enumerate(qrels)}
    return Runs({name: rm.evaluate(qrels, run, "nDCG@5", by=popularity) for name, run in runs.items()})


def _classes() -> Any:
    """Classes one of which is called what could be a tag, and one that no label is."""
    rng = np.random.default_rng(1)
    names, label = ["cat", "<dog>", "طائر", "fish"], rng.integers(0, 3, 300)
    scores = rng.random((300, 4))
    scores[np.arange(300), label] += 0.5
    table = {"label": [names[i] for i in label], **{name: scores[:, i] for i, name in enumerate(names)}}
    return rm.evaluate_predictions(table, "MulticlassAccuracy MulticlassF", score=names, classes=names)


def _recommended(door: Callable[..., Any]) -> Any:
    qrels, runs = _lists()
    known = rm.catalogue({item for run in runs.values() for items in run.values() for item in items})
    return door(qrels, runs, ["nDCG@5", "AP", "Coverage@5"], items=known)


DRAWN: Mapping[str, Callable[[], Any]] = {
    "agreement": _agreement,
    "answered": _partial,
    "board": lambda: _board("randomisation"),
    "coefficients": _agreeing,
    "critical-difference": lambda: _board("nemenyi"),
    "critical-difference of another test": lambda: _board("t"),
    "classes": _classes,
    "confusion": _classes,
    "confusion of a decision": lambda: rm.evaluate_predictions(_predictions(), "Confusion"),
    "conventions": lambda: rm.differences(*_judged(), ["nDCG@10", "RR"]),
    "conventions of two": lambda: rm.differences(*_judged(), "nDCG@10", like=["ranx", "lightgbm"]),
    "definitions": lambda: rm.identify(*_judged(), "nDCG@10", "0.41"),
    "definitions that are none": lambda: rm.identify(*_judged(), "AP", "0.99999"),
    "contributions": lambda: rm.explain(*_judged(), "nDCG@10", query="q1"),
    "contributions to what is no sum": lambda: rm.explain(*_judged(), "ListAUC", query="<q2>"),
    "cutoffs": _runs,
    "cutoffs of one": lambda: _runs()["old"],
    "differences": _comparison,
    "exposure": lambda: _recommended(rm.evaluate),
    "exposure of one": lambda: _recommended(rm.evaluate)["old"],
    **{name: _curve(name) for name in ("ROC", "PR", "DET", "gain", "lift", "KS", "F1", "scores")},
    "PCOPC": lambda: rm.curve(_predictions(), "calibration"),
    "distribution": _runs,
    "distribution of values that were given": lambda: rm.compare_matrix(
        {"old": [0.1, 0.2, 0.5, 0.3], "new": [0.2, 0.3, 0.4, 0.5]}, "AP"
    ).results["new"][0],
    "distribution of one": lambda: _runs(sure=False)["old"],
    "findings": lambda: rm.check(*_judged()),
    "findings of predictions": lambda: rm.check_predictions({"score": [0.1, 2.0], "label": [1, 1]}),
    "forest": _comparison,
    "forest of predictions": _compared_predictions,
    "gate": _gate,
    "gate by point estimates": lambda: rm.gate(*_judged(), _judged()[1], "RR", max_drop=0.1),
    "examination": lambda: rm.click_model(_shown(), resamples=20),
    "judged": _partial,
    "movers": _comparison,
    "moves": _explained,
    "moves that make no difference": lambda: rm.explain(
        *_judged(), "nDCG@1", query="q3", other={"q3": {"d": 1.0}}
    ),
    "movers of a gate": _gate,
    "power": lambda: rm.power(_comparison(), difference=0.05),
    "power of a gate": lambda: rm.power(_comparison(), max_drop=0.05),
    "power of numbers": lambda: rm.power(deviation=0.2, width=0.1, queries=50),
    "recall-precision": lambda: _runs(tuple(f"IPrec(recall={level / 10})" for level in range(11))),
    "reliability": lambda: rm.curve(_predictions(), "calibration"),
    "scatter": _comparison,
    "slices": lambda: _sliced_predictions().slices,
    "slices of a result": _sliced_predictions,
    "slices of several": _sliced_runs,
    "slices of a comparison": _compared_in_slices,
    "tradeoff": lambda: _recommended(rm.evaluate),
    "tradeoff of a comparison": lambda: _recommended(rm.compare),
    "trend": _sliced_predictions,
    "trend of several": _sliced_runs,
    "ties": _partial,
    "ties of one": lambda: _partial()["old"],
    "values of one": lambda: rm.evaluate_predictions(_predictions(), "AUC KS PCOPC LogLoss", intervals=True),
    "values": _runs,
    "values of predictions": lambda: Runs(
        {"model": rm.evaluate_predictions(_predictions(), ["AUC", "LogLoss"])}
    ),
    "values of a comparison": _comparison,
}
"""By the name of each picture, and words that say of what, a result."""


@functools.cache
def of(name: str) -> Figure:
    """A picture of `DRAWN`."""
    figure: Figure = DRAWN[name]().plot(name.partition(" ")[0])
    return figure
