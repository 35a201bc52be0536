"""Every kind of table for papers is compiled: it is LaTeX and Typst, whatever names are in it."""

from __future__ import annotations

import functools
import re
import shutil
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import rankmark as rm
from installed import peer
from processes import ran
from rankmark.rendering.paper_options import OF_PAPERS
from rankmark.rendering.shown import Shown

ENGINES: Mapping[str, tuple[str, ...]] = {
    "tectonic": (),
    "xelatex": ("-interaction=nonstopmode", "-halt-on-error"),
    "pdflatex": ("-interaction=nonstopmode", "-halt-on-error"),
}
"""What compiles LaTeX, and its options."""
QRELS = {f"q{i}": {"a": 1, "b": 2} for i in range(12)}
RUNS = {
    "50% & $1 #2 {x} ~y ^z \\w": {query: ["b", "a"] for query in QRELS},
    "[i] a_b <c@d> *e* `f` 'g'": {q: ["b", "a"] if i % 3 else ["a", "b"] for i, q in enumerate(QRELS)},
    '= 1. -- // /* "h"': {q: ["x", "a", "b"] if i % 3 else ["x", "y", "a"] for i, q in enumerate(QRELS)},
}
SLICES = {query: "[head]" if i < 6 else "_tail_" for i, query in enumerate(QRELS)}
"""What has to be escaped is in the names of runs and slices."""
NAMES = list(RUNS)
MEASURES = ["nDCG@10", "RR(rel=2)@5", "NumRelRet"]


@functools.cache
def shown() -> Mapping[str, Shown]:
    """Something of each kind that has tables for papers."""
    runs = rm.evaluate(QRELS, RUNS, MEASURES, intervals=True, resamples=200, by=SLICES)
    noise = np.random.default_rng(1).normal(size=(3, 80))
    label = np.arange(80) % 2
    scores = {name: 1 / (1 + np.exp(-(own + label))) for name, own in zip(NAMES, noise, strict=True)}
    seeded = {**dict(list(RUNS.items())[1:]), NAMES[0]: [*RUNS.values()]}
    compared = rm.compare(QRELS, RUNS, MEASURES[:2], by=SLICES)
    return {
        "result": rm.evaluate(QRELS, RUNS[NAMES[0]], MEASURES, bounds=True),
        "runs": runs,
        "slices": rm.evaluate(QRELS, RUNS[NAMES[1]], MEASURES, by=SLICES).slices,
        "comparison": compared,
        "comparison of seeds": rm.compare(QRELS, seeded, MEASURES[:2], baseline=NAMES[1:]),
        "predictions": rm.compare_predictions(
            {"label": label, **scores}, {name: name for name in NAMES}, ["AUC", "LogLoss"], baseline=NAMES[0]
        ),
        "board": rm.board({name: runs[name] for name in NAMES}, "nDCG@10"),
        "board of collections": rm.board(dict.fromkeys(("nq_1", "fiqa&2"), compared), "nDCG@10"),
    }


OPTIONS: Mapping[str, Mapping[str, object]] = {
    "result": {"percent": True, "caption": "50% of {all} #1 \\x"},
    "runs": {"spread": "plus-minus", "label": "tab:runs", "per_query": True, "signatures": True},
    "slices": {"transpose": True},
    "comparison": {"transpose": True, "details": True, "anova": True, "margin": 0.1, "movers": 2},
    "predictions": {"spread": "interval", "digits": 2},
    "board": {"spread": "interval"},
}
"""How some are shown, in so many ways as there are."""


def written(name: str) -> str:
    return "\n".join(each.format(name, **OPTIONS.get(kind, {})) for kind, each in shown().items())


def test_every_option_is_compiled() -> None:
    assert {option for own in OPTIONS.values() for option in own} >= {*OF_PAPERS}


def test_typst_compiles(tmp_path: Path) -> None:
    compiler = peer("typst", "typst")
    source = tmp_path / "all.typ"
    source.write_text(written("typst") + "\nIn @tab:runs.", encoding="utf-8")
    pages = compiler.compile(str(source), format="svg")
    assert len(pages if isinstance(pages, list) else [pages]) > 1


@pytest.mark.process
def test_latex_compiles(tmp_path: Path) -> None:
    engine = next(filter(shutil.which, ENGINES), None)
    if engine is None:
        reason = f"NOT COMPARED with LaTeX: none of {', '.join(ENGINES)} is installed"
        warnings.warn(reason, pytest.PytestWarning, stacklevel=1)
        pytest.skip(reason)
    body = written("latex").replace(r"\begin{table}", r"\clearpage\begin{table}")
    document = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{body}\end{{document}}"
    (tmp_path / "all.tex").write_text(document, encoding="utf-8")
    done = ran([engine, *ENGINES[engine], "all.tex"], cwd=tmp_path)
    assert done.returncode == 0, re.findall(r"(?m)^(?:!|l\.\d+) .*", done.stdout) or done.stderr
    assert (tmp_path / "all.pdf").stat().st_size > 10_000
