"""ranx's `compare` and its report."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from rankmark.compat.ranx.evaluation import query_values
from rankmark.compat.ranx.tables import Qrels, Run
from rankmark.dataclassing import dataclass
from rankmark.errors import NotHereError
from rankmark.kinds.lists import Values
from rankmark.rendering.files import write_whole
from rankmark.rendering.words import letters
from rankmark.statistics.significance import paired_t_test, randomisation_test

__all__ = ["Report", "compare"]

LABELS = {
    "hits": "Hits",
    "hit_rate": "Hit Rate",
    "precision": "P",
    "recall": "Recall",
    "f1": "F1",
    "r-precision": "R-Prec",
    "mrr": "MRR",
    "map": "MAP",
    "dcg": "DCG",
    "dcg_burges": "DCG Burges",
    "ndcg": "NDCG",
    "ndcg_burges": "NDCG Burges",
    "bpref": "BPref",
}
TESTS = {
    "fisher": "Fisher's randomization test",
    "student": "paired Student's t-test",
    "tukey": "Tukey's HSD test",
}
RAISED = dict(zip("abcdefghijklmnopqrstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ۹ʳˢᵗᵘᵛʷˣʸᶻ", strict=True))

Decided: TypeAlias = "Mapping[frozenset[str], Mapping[str, Mapping[str, Any]]]"
"""For each pair of systems and each metric ``p_value`` and whether it is ``significant``."""


def compare(
    qrels: Qrels,
    runs: Sequence[Run],
    metrics: list[str] | str,
    stat_test: str = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    make_comparable: bool = False,
) -> Report:
    """Evaluates several runs and tests each pair of them.

    Args:
        qrels: the judgements.
        runs: the results of the systems; those without a name are ``run_1``, ``run_2`` ….
        metrics: as in `evaluate`.
        stat_test: ``student`` (paired t), ``fisher`` (randomisation) or ``tukey`` (HSD, which takes the
            values of the systems as independent).
        n_permutations: how many are drawn by ``fisher`` where it cannot be exact.
        max_p: the greatest p at which a difference is significant; not corrected for the number of pairs,
            which `rankmark.compare` does.
        random_seed: of these.
        threads: how many threads to use; 0 for all cores.
        rounding_digits: of values shown.
        show_percentages: whether they are shown as percentages.
        make_comparable: as in `evaluate`.

    Raises:
        NotImplementedError: another test.
        AssertionError: queries in one of both only.
        ValueError: a metric that there is not.

    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if stat_test not in TESTS:
        raise NotHereError(f"stat_test is {stat_test!r}; there are {', '.join(TESTS)}")
    values: dict[str, dict[str, Values]] = {}
    for number, run in enumerate(runs, start=1):
        model = run.name if run.name is not None else f"run_{number}"
        values[model] = query_values(qrels, run, names, threads=threads, make_comparable=make_comparable)
    pairs = list(combinations(values, 2))
    decided: dict[frozenset[str], dict[str, Any]] = {frozenset(pair): {} for pair in pairs}
    for name in names:
        of_metric = {model: each[name] for model, each in values.items()}
        for pair, p in zip(pairs, _tested(of_metric, stat_test, n_permutations, random_seed), strict=True):
            decided[frozenset(pair)][name] = {"p_value": p, "significant": bool(p <= max_p)}
    return Report(
        list(values),
        {model: {name: np.float64(np.mean(each[name])) for name in names} for model, each in values.items()},
        decided,
        names,
        max_p,
        {
            (one, other): {name: _won(values[one][name], values[other][name]) for name in names}
            for one in values
            for other in values
            if one != other
        },
        rounding_digits,
        show_percentages,
        stat_test,
    )


def _tested(values: Mapping[str, Values], test: str, permutations: int, seed: int) -> Iterator[float]:
    """The p of each pair of systems."""
    if test == "tukey":
        from scipy.stats import tukey_hsd

        found = tukey_hsd(*values.values()).pvalue
        yield from (float(found[pair]) for pair in combinations(range(len(values)), 2))
        return
    for one, other in combinations(values.values(), 2):
        differences = one - other
        if test == "fisher":
            yield float(randomisation_test(differences, resamples=permutations, seed=seed))
        else:
            yield float(paired_t_test(differences)) if differences.any() else math.nan


def _won(one: Values, other: Values) -> dict[str, int]:
    signs = np.sign(one - other)
    return {word: int(np.count_nonzero(signs == sign)) for word, sign in (("W", 1), ("T", 0), ("L", -1))}


@dataclass(frozen=True, repr=False)
class Report:
    """The values of several systems, and how they compare.

    Attributes:
        model_names: the systems.
        results: ``{system: {metric: mean}}``.
        comparisons: for each pair, a frozenset of two names, ``{metric: {"p_value": …, "significant": …}}``.
        metrics: their names.
        max_p: the greatest p at which a difference is significant.
        win_tie_loss: for each ordered pair ``{metric: {"W": …, "T": …, "L": …}}``.
        rounding_digits: of values shown.
        show_percentages: whether they are shown as percentages.
        stat_test: the test.

    """

    model_names: list[str]
    results: Mapping[str, Mapping[str, float]]
    comparisons: Decided
    metrics: list[str]
    max_p: float
    win_tie_loss: Mapping[tuple[str, str], Mapping[str, Mapping[str, int]]]
    rounding_digits: int = 3
    show_percentages: bool = False
    stat_test: str = "student"

    def to_table(self) -> str:
        """A table as text: behind a value the letters of the systems that are significantly worse."""
        head = ["#", "Model", *map(self.get_metric_label, self.metrics)]
        rows = [
            [letter, model]
            + [f"{self.format_score(value)}{self._raised(model, name)}" for name, value in of_model.items()]
            for letter, (model, of_model) in zip(self._letters(), self.results.items(), strict=True)
        ]
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = [head, ["-" * width for width in widths], *rows]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )

    def _letters(self) -> list[str]:
        return letters(len(self.model_names))

    def _beaten(self, model: str, metric: str) -> list[str]:
        """The letters of the systems that are significantly worse."""
        return [
            letter
            for letter, other in zip(self._letters(), self.model_names, strict=True)
            if other != model
            and self.comparisons[frozenset((model, other))][metric]["significant"]
            and self.results[model][metric] > self.results[other][metric]
        ]

    def _raised(self, model: str, metric: str) -> str:
        return "".join(RAISED.get(letter, letter) for letter in self._beaten(model, metric))

    def format_score(self, score: float) -> str:
        """A value as it is shown."""
        if self.show_percentages:
            digits = max(0, self.rounding_digits - 2)
            return f"{round(score * 100, digits):.{digits}f}"
        return f"{round(score, self.rounding_digits):.{self.rounding_digits}f}"

    def get_metric_label(self, m: str) -> str:
        """A metric as it is shown."""
        name, level, of_level = m.partition("-l") if not m.startswith("r-") or "-l" in m else (m, "", "")
        name, at, cutoff = name.partition("@")
        label = LABELS.get(name, name.upper())
        return f"{label}{at}{cutoff}{level}{of_level}"

    def to_dict(self) -> dict[str, Any]:
        """The report as a dict: of each system ``scores``, ``comparisons`` (p) and ``win_tie_loss``."""
        found: dict[str, Any] = {
            "stat_test": self.stat_test,
            "metrics": self.metrics,
            "model_names": self.model_names,
        }
        for model in self.model_names:
            others = [other for other in self.model_names if other != model]
            found[model] = {
                "scores": dict(self.results[model]),
                "comparisons": {
                    other: {
                        name: each["p_value"]
                        for name, each in self.comparisons[frozenset((model, other))].items()
                    }
                    for other in others
                },
                "win_tie_loss": {other: dict(self.win_tie_loss[model, other]) for other in others},
            }
        return found

    def to_dataframe(self) -> Any:
        """The values as a pandas DataFrame, a row a system."""
        pandas = import_module("pandas")

        return pandas.DataFrame([{"model_names": model, **each} for model, each in self.results.items()])

    def to_latex(self) -> str:
        """A table in LaTeX (booktabs): the best values in bold, raised letters as in `to_table`."""
        best = {
            name: max(self.results, key=lambda model: self._rounded(model, name)) for name in self.metrics
        }
        head = " & ".join(rf"\textbf{{{_escaped(label)}}}" for label in ["#", "Model", *self._labels()])
        rows = []
        for letter, model in zip(self._letters(), self.model_names, strict=True):
            cells = []
            for name in self.metrics:
                shown = self.format_score(self.results[model][name])
                bold = rf"\textbf{{{shown}}}" if best[name] == model else shown
                beaten = "".join(self._beaten(model, name))
                cells.append(f"{bold}$^{{{beaten}}}$" if beaten else bold)
            rows.append(" & ".join([letter, _escaped(model), *cells]) + r" \\")
        caption = (
            "Overall effectiveness of the models. The best results are in boldface. Superscripts denote "
            f"significant differences in {TESTS[self.stat_test]} with $p \\le {self.max_p}$."
        )
        return "\n".join(
            [
                r"\begin{table*}[ht]",
                r"\centering",
                rf"\caption{{{caption}}}",
                rf"\begin{{tabular}}{{c|l{'|c' * len(self.metrics)}}}",
                r"\toprule",
                rf"{head} \\",
                r"\midrule",
                *rows,
                r"\bottomrule",
                r"\end{tabular}",
                r"\label{tab:results}",
                r"\end{table*}",
            ]
        )

    def _labels(self) -> list[str]:
        return [self.get_metric_label(name) for name in self.metrics]

    def _rounded(self, model: str, metric: str) -> float:
        return round(self.results[model][metric], self.rounding_digits)

    def save(self, path: str) -> None:
        """Writes `to_dict` as a JSON file, whole or not at all."""
        write_whole(path, json.dumps(self.to_dict(), indent=4))

    def print_results(self) -> None:
        """Prints the values as JSON."""
        print(json.dumps(self.results, indent=4))  # noqa: T201 - what it is for

    def __repr__(self) -> str:
        return self.to_table()

    __str__ = __repr__


def _escaped(text: str) -> str:
    return text.replace("_", r"\_").replace("#", r"\#")
