"""Marks behind the values of systems: from which others they differ by more than chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from rankmark.comparing.pairs import is_better
from rankmark.dataclassing import dataclass
from rankmark.rendering.words import letters, listed, printable

if TYPE_CHECKING:
    from rankmark.comparing.pairs import Opposed
    from rankmark.language.measure import Measure

__all__ = ["Marks", "beaten"]

SIGNS = "†‡§¶‖"
"""What papers mark by; for more baselines than these there are letters."""
WORSE = "−"
"""Behind the sign of a baseline than which a system is worse."""


def beaten(pairs: Iterable[Opposed], system: str) -> set[str]:
    """The systems than which this is better by these pairs; of a measure of which neither is, all others."""
    found = set()
    for pair in pairs:
        better, worse = (pair.system, pair.baseline) if is_better(pair) else (pair.baseline, pair.system)
        if system == better:
            found.add(worse)
        elif system == worse and pair.measure.better == "neither":
            found.add(better)
    return found


@dataclass(frozen=True)
class Marks:
    """The marks of a paper, a sign a baseline; without baselines a letter a system.

    Attributes:
        systems: their names.
        baselines: those with which all others are compared; none for all pairs.
        pairs: what was found of each, of any measure.
        alpha: the level of significance.

    """

    systems: Sequence[str]
    baselines: Sequence[str]
    pairs: Sequence[Opposed]
    alpha: float

    @cached_property
    def signs(self) -> Mapping[str, str]:
        """What stands for each system with which others are compared."""
        own = self.baselines or self.systems
        few = self.baselines and len(own) <= len(SIGNS)
        return dict(zip(own, SIGNS if few else letters(len(own)), strict=False))

    def title(self, system: str) -> str:
        """A system's name, with its letter if it has one."""
        sign = self.signs.get(system, "")
        return f"{printable(system)} ({sign})" if sign and sign not in SIGNS else printable(system)

    def of(self, system: str, measure: Measure) -> str:
        """The signs of the baselines from which it differs, or of the systems than which it is better."""
        pairs = [pair for pair in self._significant if pair.measure == measure]
        if not self.baselines:
            others = beaten(pairs, system)
            return "".join(sign for name, sign in self.signs.items() if name in others)
        behind = {p.baseline: WORSE * (_way(p) == "worse than") for p in pairs if p.system == system}
        return "".join(sign + behind[name] for name, sign in self.signs.items() if name in behind)

    @property
    def _significant(self) -> list[Opposed]:
        return [pair for pair in self.pairs if pair.significant]

    def legend(self) -> str:
        """What the marks mean."""
        level = f"(p ≤ {self.alpha:g})"
        if not self._significant:
            compared = f" from {listed(list(map(printable, self.baselines)))}" if self.baselines else ""
            return f"no difference{compared} is significant {level}{self._untested()}"
        if not self.baselines:
            neither = dict.fromkeys(p.measure.label for p in self.pairs if p.measure.better == "neither")
            differs = f", by {listed(list(neither))} different from it" if neither else ""
            return f"a letter: significantly better than the system with that letter{differs} {level}"
        told = [f"{mark} significantly {way} {printable(name)}" for mark, way, name in self._ways()]
        return f"{', '.join(told)} {level}{self._untested()}"

    def _ways(self) -> Iterator[tuple[str, str, str]]:
        """Each mark there is, how systems with it differ from a baseline, and the baseline."""
        for name, sign in self.signs.items():
            ways = {_way(pair) for pair in self._significant if pair.baseline == name}
            for way in sorted(ways):
                yield sign + WORSE * (way == "worse than"), way, name

    def _untested(self) -> str:
        """That baselines have no marks of each other, where there are several."""
        tested = any(pair.system in self.baselines for pair in self.pairs)
        return (
            "; baselines are not compared with each other" if len(self.baselines) > 1 and not tested else ""
        )


def _way(pair: Opposed) -> str:
    """How its system differs from its baseline."""
    if pair.measure.better == "neither":
        return "different from"
    return "better than" if is_better(pair) else "worse than"
