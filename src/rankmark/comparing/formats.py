"""Comparisons as text: for people, for papers, for programs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from rankmark.aggregation.intervals import SPANS
from rankmark.comparing.caveats import variance_lines
from rankmark.comparing.equivalences import correction_of
from rankmark.comparing.marks import Marks, beaten
from rankmark.comparing.pairs import finite
from rankmark.comparing.posteriors import (
    check_posterior,
    posterior_cells,
    posterior_header,
    posterior_line,
)
from rankmark.comparing.words import (
    APART,
    DOWN,
    UP,
    caution_lines,
    interval_line,
    mark_line,
    queries_line,
    run_lines,
    sign_lines,
    test_line,
    way_line,
)
from rankmark.dataclassing import dataclass
from rankmark.errors import UsageError
from rankmark.language.written import differing, paper_column, with_best, written
from rankmark.rendering.blocks import Block, Grid, Marked, Notes
from rankmark.rendering.drawn import Column, ranges
from rankmark.rendering.formats.json import ByName, NumberColumn
from rankmark.rendering.papers import PaperRow, PaperTable, PaperValue
from rankmark.rendering.words import chance, letters, listed, printable, rounded
from rankmark.results.runs import accounts
from rankmark.statistics.intervals import Interval
from rankmark.statistics.margins import check_margin
from rankmark.statistics.spread import standard_deviation

if TYPE_CHECKING:
    import polars as pl

    from rankmark.comparing.compared import Compared, Mover
    from rankmark.comparing.pairs import Pair
    from rankmark.comparing.posteriors import PairPosterior, PosteriorName
    from rankmark.language.measure import Measure
    from rankmark.results.base import Result

__all__ = ["ComparisonOptions", "View"]


class ComparisonOptions(TypedDict, total=False):
    """What formats take of comparisons, besides `digits`."""

    per_query: bool
    movers: int
    details: bool
    margin: float | None
    rope: float | None
    posterior: PosteriorName | None
    anova: bool


SOME = ("df", "zeros", "tied")
"""What only some tests have, and is shown only of these."""
TABLES = ("movers", "per_query", "margin", "rope", "anova")
"""The options that ask for a table of their own."""


def check_one_table(options: Mapping[str, Any]) -> None:
    """Refuses options that ask for several tables.

    Raises:
        UsageError: they do.

    """
    asked = [
        name for name in TABLES if options.get(name) or (name == "rope" and options.get(name) is not None)
    ]
    if len(asked) > 1:
        raise UsageError(f"CSV is one table: take one of {', '.join(asked)}, or another format")


@dataclass(frozen=True)
class View:
    """What is to be shown of a comparison, and the rows and lines that several formats share."""

    comparison: Compared
    per_query: bool = False
    movers: int = 0
    details: bool = False
    margin: float | None = None
    rope: float | None = None
    posterior: PosteriorName | None = None
    anova: bool = False
    digits: int = 4

    def __post_init__(self) -> None:
        if self.margin is not None:
            check_margin(self.margin)
        check_posterior(self.rope, self.posterior)

    @cached_property
    def letters(self) -> dict[str, str]:
        """What marks each system where there is not one baseline."""
        systems = self.comparison.systems
        return dict(zip(systems, letters(len(systems)), strict=True))

    @property
    def one_baseline(self) -> bool:
        """Whether all others are compared with one system."""
        return len(self.comparison.baselines) == 1

    def marks(self, system: str, measure: Measure) -> str:
        """What is significant: how it differs from the baseline, or which systems it is better than."""
        pairs = [pair for pair in self.comparison.pairs if pair.significant and pair.measure == measure]
        if self.one_baseline:
            neither = measure.better == "neither"
            own = [pair for pair in pairs if pair.system == system]
            return "".join(APART if neither else UP if pair.better else DOWN for pair in own)
        others = beaten(pairs, system)
        return "".join(self.letters[one] for one in self.comparison.systems if one in others)

    def title(self, system: str) -> str:
        """A system's name, with its letter where there is not one baseline."""
        shown = printable(system)
        return shown if self.one_baseline else f"{shown} ({self.letters[system]})"

    def named(self, rows: list[list[str]], caption: str, names: int = 3) -> Grid:
        """Rows that begin with measure, system and baseline, left out where it is always the same."""
        if not self.one_baseline:
            return Grid(names, rows, caption)
        against = f"{caption} (against {printable(self.comparison.baselines[0])})"
        return Grid(names - 1, [[*row[:2], *row[3:]] for row in rows], against)

    def number(self, measure: Measure, value: float) -> str:
        """A value for people; empty for NaN."""
        return written(measure, value, self.digits)

    def difference(self, measure: Measure, value: float) -> str:
        """A difference of values for people; empty for NaN."""
        return differing(measure, value, self.digits)

    def signed(self, value: float) -> str:
        """The end of an interval for people; empty for NaN."""
        return rounded(value, f"+.{self.digits}f")

    def span(self, interval: Interval) -> str:
        """An interval for people."""
        return (
            "" if math.isnan(interval.low) else f"{self.signed(interval.low)} … {self.signed(interval.high)}"
        )

    def chance(self, p: float) -> str:
        """A p-value for people."""
        return chance(p, self.digits)

    def means(self) -> Marked:
        """A row a system, a column a measure; marks of one column are as wide as each other."""
        shown = self.comparison
        columns, marks = [["system", *map(self.title, shown.systems)]], []
        for measure in shown.measures:
            values = [shown.value(system, measure) for system in shown.systems]
            cells = (self.number(measure, value) for value in values)
            columns.append([measure.label, *with_best(measure, cells, values)])
            own = [self.marks(system, measure) for system in shown.systems]
            widest = max(map(len, own))
            marks.append([each.ljust(widest) for each in own])
        rows = [list(row) for row in zip(*columns, strict=True)]
        return Marked(Grid(1, rows, "Means"), list(zip(*marks, strict=True)))

    def paper(self) -> PaperTable:
        """The same for a paper."""
        shown = self.comparison
        marks = Marks(shown.systems, shown.baselines, shown.pairs, shown.plan.alpha)
        rows = [
            PaperRow((marks.title(system),), [self._paper_value(system, m, marks) for m in shown.measures])
            for system in shown.systems
        ]
        queries = queries_line(shown).removeprefix("compared ")
        seeds = {len(own) for own in shown.results.values() if len(own) > 1}
        return PaperTable(
            names=("system",),
            columns=list(map(paper_column, shown.measures)),
            rows=rows,
            about=f"{listed([measure.label for measure in shown.measures])} {queries}",
            legend=(marks.legend(), test_line(shown), *shown.left_out),
            confidence=shown.plan.confidence,
            seeds=seeds,
            spread="seeds" if seeds else "none",
        )

    def _paper_value(self, system: str, measure: Measure, marks: Marks) -> PaperValue:
        shown = self.comparison
        seeds = shown.seed_values(system, measure)
        return PaperValue(
            shown.value(system, measure),
            marks.of(system, measure),
            shown.interval(system, measure),
            standard_deviation(np.array(seeds)) if len(seeds) > 1 else None,
        )

    def pairs(self) -> Grid:
        """A row a measure and pair."""
        plan = self.comparison.plan
        corrected = [] if plan.correction == "none" else [f"p ({plan.correction})"]
        header = [
            "measure",
            "system",
            "against",
            "difference",
            f"{_percent(plan.confidence)} interval",
            "p",
            *corrected,
        ]
        header += ["d", "delta", "superiority", "win/tie/loss"]
        pairs = self.comparison.pairs
        return self.named([header, *map(self._pair, pairs)], "Differences")._replace(drawn=self.drawn)

    def drawn(self) -> Column | None:
        """The differences with their intervals beside 0, if they are of one measure, whose scale is one."""
        if len(self.comparison.measures) > 1:
            return None
        pairs = self.comparison.pairs
        rows = ((pair.interval.low, pair.difference, pair.interval.high) for pair in pairs)
        return ranges("beside 0", rows, 0.0, behind="difference")

    def _pair(self, pair: Pair) -> list[str]:
        corrected = [] if self.comparison.plan.correction == "none" else [self.chance(pair.corrected)]
        return [
            pair.measure.label,
            pair.system,
            pair.baseline,
            differing(pair.measure, pair.difference, self.digits, surely=pair.significant),
            self.span(pair.interval),
            self.chance(pair.p),
            *corrected,
            *("" if math.isnan(x) else f"{x:+.2f}" for x in (pair.cohens_d, pair.cliffs_delta)),
            "" if math.isnan(pair.superiority) else f"{pair.superiority:.2f}",
            f"{pair.wins}/{pair.ties}/{pair.losses}" if pair.measure.page.aggregate != "run" else "",
        ]

    def detailed(self) -> Grid:
        """A row a measure and pair: what stands behind its p-value, and intervals of effect sizes."""
        plan = self.comparison.plan
        header = ["measure", "system", "against", "test", "statistic", "df", "n", "zeros", "tied"]
        header += ["d", "delta", "superiority"]
        header += [] if plan.correction == "none" else [f"{_percent(plan.confidence)} of all together"]
        rows = [*map(self._detailed, self.comparison.pairs)]
        there = [
            place for place, name in enumerate(header) if name not in SOME or any(r[place] for r in rows)
        ]
        kept = [[row[place] for place in there] for row in (header, *rows)]
        return self.named(kept, "What stands behind the p-values")

    def _detailed(self, pair: Pair) -> list[str]:
        own = pair.evidence
        behind = [""] * 6
        if own is not None:
            freedom = "" if own.freedom is None else f"{own.freedom:.6g}"
            counts = ["" if count is None else f"{count:,}" for count in (own.n, own.zeros, own.tied)]
            behind = [way_line(own), rounded(own.statistic, ".6g"), freedom, *counts]
        effects = (pair.cohens_d_interval, pair.cliffs_delta_interval)
        together = [] if self.comparison.plan.correction == "none" else [self.span(pair.simultaneous)]
        return [
            pair.measure.label,
            pair.system,
            pair.baseline,
            *behind,
            *(_span(ends, "+.2f") for ends in effects),
            _span(pair.superiority_interval, ".2f"),
            *together,
        ]

    def left_open(self) -> Grid:
        """A row a measure and pair: how low and how high the difference can be."""
        header = ["measure", "system", "against", "difference", "lowest", "highest", "sign"]
        rows = [
            [
                each.measure.label,
                each.system,
                each.baseline,
                *(self.difference(each.measure, end) for end in (each.difference, each.lowest, each.highest)),
                each.verdict,
            ]
            for each in self.comparison.bounds
        ]
        return self.named([header, *rows], "What unjudged items leave open")

    def equivalent(self) -> Grid:
        """A row a measure and pair: whether the difference is within the margin."""
        assert self.margin is not None
        plan = self.comparison.plan
        how = correction_of(plan)
        corrected = [] if how == "none" else [f"({how})"]
        header = ["measure", "system", "against", f"{_percent(1 - 2 * plan.alpha)} interval"]
        header += ["p not worse", *corrected, "p equivalent", *corrected, f"within {self.margin:g}"]
        rows = [header]
        for measure, found in self.comparison._equivalences(self.margin).items():
            for (system, other), own in found.items():
                p_values = [
                    self.chance(p)
                    for each in ((own.p_not_worse, own.corrected_not_worse), (own.p, own.corrected))
                    for p in each[: 1 + len(corrected)]
                ]
                rows.append([measure.label, system, other, self.span(own.interval), *p_values, own.verdict])
        return self.named(rows, "Equivalence")

    def probable(self) -> Grid:
        """A row a measure and pair: how likely it is to be worse, equivalent or better."""
        assert self.rope is not None
        titles = posterior_header(self.rope, self.comparison.plan.confidence, self.posterior)
        rows = [["measure", "system", "against", *titles]]
        for measure, (system, other), own in self._believed(self.rope):
            cells = posterior_cells(own, self.digits, self.posterior)
            rows.append([measure.label, system, other, *cells])
        return self.named(rows, "How likely each system is to be worse, as good or better")

    def variance(self) -> Grid:
        """A row a measure and source of variance."""
        rows = [["measure", "source", "squares", "df", "mean square", "F", "p", "η²", "ω²", "error"]]
        for measure in self.comparison.measures:
            for source, own in self.comparison.anova(measure).rows.items():
                shares = (rounded(each, ".2f") for each in (own.eta_squared, own.omega_squared))
                figures = [f"{own.squares:.4g}", f"{own.freedom:,}", f"{own.mean_square:.4g}"]
                figures += [rounded(own.f, ".2f"), self.chance(own.p), *shares, own.error]
                rows.append([measure.label, source, *figures])
        return Grid(2, rows, "Analysis of variance")

    def moved(self, exact: bool = False) -> Grid:
        """A row a query that changed most."""
        digits = None if exact else self.digits

        def figures(mover: Mover) -> list[str]:
            values = (written(mover.measure, each, digits) for each in (mover.value, mover.baseline_value))
            if exact:
                return [*values, written(mover.measure, mover.difference, None)]
            return [*values, self.difference(mover.measure, mover.difference)]

        header = ["measure", "system", "against", "query", "value", "before", "difference"]
        rows = [
            [m.measure.label, m.system, m.baseline, str(m.query), *figures(m)]
            for m in self.comparison.movers(self.movers)
        ]
        return self.named([header, *rows], "Queries that changed most", names=4)

    def queries(self, exact: bool = False) -> Grid:
        """A row a measure and query, a column a system."""
        shown = self.comparison
        rows = [["measure", "query", *shown.systems]]
        for measure in shown.query_measures:
            columns = [shown.query_values(system, measure).tolist() for system in shown.systems]
            for query, *values in zip(shown.query_ids, *columns, strict=True):
                cells = (written(measure, value, None if exact else self.digits) for value in values)
                rows.append([measure.label, str(query), *cells])
        return Grid(2, rows, "Queries")

    def blocks(self) -> Iterator[Block]:
        """What people want to see."""
        if self.per_query:
            yield self.queries().printable()
        yield self.means()
        yield self.pairs().printable()
        yield from self.asked()
        yield Notes(self.notes(mark_line(self.comparison)), closing=True)
        yield from self.slices()

    def paper_blocks(self) -> Iterator[Block | PaperTable]:
        """What a paper wants: the means, and other tables if they are asked for."""
        yield self.paper()
        if self.per_query:
            yield self.queries().printable()
        if self.details:
            yield self.pairs().printable()
        yield from self.asked()
        yield Notes(self.notes(), closing=True)
        if self.comparison.slices is not None:
            yield from self.comparison.slices._paper(self.digits)

    def asked(self) -> Iterator[Block]:
        """The tables of pairs that are asked for."""
        if self.comparison.bounds:
            yield self.left_open().printable()
        if self.details:
            yield self.detailed().printable()
        if self.margin is not None:
            yield self.equivalent().printable()
        if self.rope is not None:
            yield self.probable().printable()
        if self.anova:
            yield self.variance().printable()
        if self.movers:
            yield self.moved().printable()

    def slices(self) -> Iterator[Block]:
        """The pairs in slices, if they were asked for."""
        slices = self.comparison.slices
        return iter(()) if slices is None else slices._blocks(self.digits)

    def frame(self) -> pl.DataFrame | Grid:
        """The one table that is asked for, else the slices if there are any, else the pairs."""
        if self.movers:
            return self.moved(exact=True)
        if self.per_query:
            return self.queries(exact=True)
        if self.margin is not None:
            return _table(self._equivalences(self.margin))
        if self.rope is not None:
            return _table(self._posteriors(self.rope))
        if self.anova:
            return _table(self._variances())
        if self.comparison.slices is not None:
            return self.comparison.slices.frame
        return _table(pair.figures for pair in self.comparison.pairs)

    def record(self) -> dict[str, Any]:
        """Everything."""
        shown = self.comparison
        plan = {name: value for name, value in asdict(shown.plan).items() if name != "threads"}
        whole: dict[str, Any] = {"baselines": shown.baselines, **plan}
        whole["clusters"] = shown.clusters
        whole["weights"] = None if shown.weighed is None else shown.weighed.name
        whole["systems"] = {system: self._system(system) for system in shown.systems}
        whole["pairs"] = [pair.figures for pair in shown.pairs]
        if shown.slices is not None:
            whole["slices"] = shown.slices.records()
        if shown.bounds:
            whole["bounds"] = [each.figures for each in shown.bounds]
        whole["notes"] = list(shown.notes)
        if self.margin is not None:
            whole["equivalence"] = list(self._equivalences(self.margin))
        if self.rope is not None:
            whole["posterior"] = self.posterior or "t"
            whole["bayes"] = list(self._posteriors(self.rope))
        if self.anova:
            whole["anova"] = list(self._variances())
        if self.movers:
            whole["movers"] = [m._asdict() | {"measure": m.measure.label} for m in shown.movers(self.movers)]
        if self.per_query:
            values = {
                m.label: ByName((s, NumberColumn(shown.query_values(s, m))) for s in shown.systems)
                for m in shown.query_measures
            }
            whole["per_query"] = {"query": shown.query_ids, "values": ByName(values)}
        return whole

    def _system(self, system: str) -> dict[str, Any]:
        shown = self.comparison
        results = shown.results[system]
        means = {}
        for measure in shown.measures:
            mean = {"value": shown.value(system, measure), **shown.made_interval(system, measure)._asdict()}
            signatures = list(dict.fromkeys(result.signature(measure) for result in results))
            means[measure.label] = mean | {"signature": signatures[0] if len(signatures) == 1 else signatures}
        counts = [asdict(result.counts) for result in results]
        queries = [{name: value for name, value in each.items() if name != "measures"} for each in counts]
        return {"queries": queries[0] if len(queries) == 1 else queries, "measures": means}

    def _equivalences(self, margin: float) -> Iterator[dict[str, Any]]:
        for measure, found in self.comparison._equivalences(margin).items():
            for (system, other), own in found.items():
                names = {"measure": measure.label, "system": system, "baseline": other}
                figures = own._asdict()
                low, high = figures.pop("interval")
                yield names | figures | {"low": low, "high": high}

    def _posteriors(self, rope: float) -> Iterator[dict[str, Any]]:
        for measure, (system, other), own in self._believed(rope):
            yield {"measure": measure.label, "system": system, "baseline": other, **own._asdict()}

    def _believed(self, rope: float) -> Iterator[tuple[Measure, tuple[str, str], PairPosterior]]:
        """The posterior of each measure and pair."""
        for measure in self.comparison.measures:
            found = self.comparison.bayes(measure, rope, method=self.posterior or "t")
            yield from ((measure, pair, own) for pair, own in found.items())

    def _variances(self) -> Iterator[dict[str, Any]]:
        for measure in self.comparison.measures:
            for source, own in self.comparison.anova(measure).rows.items():
                yield {"measure": measure.label, "source": source, **own._asdict()}

    def notes(self, *marks: str) -> list[str]:
        """What stands beneath the tables, with what marks mean; lines of the one before are indented."""
        plan = self.comparison.plan
        lines = [
            test_line(self.comparison),
            *(f"  {line}" for line in marks),
            *(f"  {line}" for line in sign_lines(self.comparison)),
            *(f"  {line}" for line in run_lines(self.comparison.measures)),
            interval_line(self.comparison),
            *(f"  {line}" for line in caution_lines(self.comparison.pairs)),
            *([] if self.rope is None else [posterior_line(self.posterior, plan.resamples, plan.seed)]),
            *(variance_lines(self.comparison.labels) if self.anova else ()),
            queries_line(self.comparison),
        ]
        lines += (f"  {note}" for note in self.comparison.notes)
        told = {
            f"{name} (seed {number})" if len(results) > 1 else name: _account(result)
            for name, results in self.comparison.results.items()
            for number, result in enumerate(results, 1)
        }
        return [*lines, *accounts(told)]


def _span(ends: Interval, form: str) -> str:
    """An interval in this form; empty for NaN."""
    return "" if math.isnan(ends.low) else f"{ends.low:{form}} … {ends.high:{form}}"


def _account(result: Result) -> list[str]:
    """What is told of a result, but for its own intervals, which a comparison does not show."""
    return [line for line in result.account() if not line.startswith(SPANS)]


def _table(rows: Iterable[Mapping[str, Any]]) -> Grid:
    """Rows of the same figures, with all digits."""
    records = [finite(each) for each in rows]
    return Grid(0, [list(records[0]), *(list(map(_exact, own.values())) for own in records)])


def _percent(share: float) -> str:
    return f"{100 * share:.6g}%"


def _exact(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
