"""What is to be said of systems of which one has more unjudged results at the top than another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankmark.comparing.pairs import direction
from rankmark.inputs import extent_of
from rankmark.language.names import as_measure
from rankmark.language.plan import asked_measures

if TYPE_CHECKING:
    from rankmark.comparing.pairs import Pair
    from rankmark.inputs import Input
    from rankmark.language.measure import Measure
    from rankmark.results.lists import ListResult

__all__ = ["Holes"]

AT_TOP = 10
"""Where lists are looked at for which no measure has a cutoff."""
APART = 0.1
"""From this difference of shares on it is said that one system has more unjudged results."""


class Holes:
    """The share of results at the top of lists that nobody judged, of systems that are compared.

    It is counted where judgements also say what is not relevant, as those of a pool do. Where only relevant
    items are judged, as where users bought something, nearly all results are unjudged, and more of them only
    say that fewer are relevant.

    Attributes:
        measure: the share down to the deepest cutoff of the measures, or to 10.

    """

    def __init__(self, asked: Iterable[Measure]) -> None:
        self._asked = tuple(asked)
        depth = max((each.cutoff for each in self._asked if each.cutoff), default=AT_TOP)
        self.measure = as_measure(f"Unjudged(denominator=retrieved)@{depth}")
        self._shares: dict[int, float] = {}

    @classmethod
    def of(cls, judged: Input | None, measures: str | Measure | Iterable[str | Measure]) -> Holes | None:
        """Those of systems that are evaluated by these; None where they would say nothing."""
        asked = [each for each in asked_measures(measures, items=True) if each.page.kind == "list"]
        grades = None if judged is None or not asked else extent_of(judged)
        return cls(asked) if grades is not None and grades.least <= 0 else None

    def seen(self, result: ListResult) -> ListResult:
        """The result without what is counted here."""
        counts = result.counts
        empty = counts.missing if result.choices["missing"] == "zero" else 0
        lists = counts.measures[str(self.measure)].averaged - empty
        found = float(np.nansum(result.query_values(self.measure))) / max(lists, 1)
        if self.measure not in self._asked:
            result = result.without(self.measure)
        self._shares[id(result)] = found
        return result

    def notes(self, results: dict[str, list[ListResult]], pairs: Sequence[Pair]) -> Iterator[str]:
        """Where the better system of a pair has far fewer unjudged results: judgements may decide."""
        shares = {
            name: float(np.mean([self._shares[id(each)] for each in own]))
            for name, own in results.items()
            if all(id(each) in self._shares for each in own)
        }
        apart: dict[tuple[str, str], float] = {}
        for pair in pairs:
            more, less = (pair.baseline, pair.system) if pair.better else (pair.system, pair.baseline)
            of_lists = pair.measure.page.kind == "list" and pair.measure.better != "neither"
            if of_lists and pair.difference * direction(pair.measure) and {more, less} <= shares.keys():
                apart[more, less] = shares[more] - shares[less]
        found = sorted((pair for pair, gap in apart.items() if gap >= APART), key=lambda pair: -apart[pair])
        if found:
            more, less = found[0]
            several = f" (of {len(found)} such pairs the widest apart)" if len(found) > 1 else ""
            yield (
                f"{shares[more]:.0%} of the first {self.measure.cutoff:,} results of {more} are unjudged, of "
                f"{less}, which is better, {shares[less]:.0%}{several}: they count as not relevant, "
                'and the difference may be of judgements; bounds="unjudged" (on the command line --bounds-of '
                "unjudged) shows what they leave open, rm.pool (rankmark pool) what to judge"
            )
