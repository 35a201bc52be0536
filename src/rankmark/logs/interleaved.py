"""Lists of two systems in one, and what clicks on them say, as they are shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rankmark.dataclassing import dataclass
from rankmark.rendering.blocks import Block, Grid, Notes
from rankmark.rendering.numbers import Numbered, Parts
from rankmark.rendering.words import chance, counted, listed, rounded
from rankmark.results.saved import Saved

if TYPE_CHECKING:
    import polars as pl

__all__ = ["METHODS", "UNNAMED", "InterleavedLists", "Interleaving", "InterleavingMethod", "Tested"]

InterleavingMethod: TypeAlias = Literal["team-draft", "balanced", "optimized", "probabilistic"]
METHODS: Mapping[InterleavingMethod, str] = {
    "team-draft": "team draft",
    "balanced": "balanced interleaving",
    "optimized": "optimised interleaving",
    "probabilistic": "probabilistic interleaving",
}
"""How lists are made and clicks are credited."""
Tested: TypeAlias = Literal["wins", "credit"]
UNNAMED = ("A", "B")
"""What systems are called that have no names."""
SHOWN = 10
"""Rows that are printed."""
NUMBERS = ("list", "position", "rank_a", "rank_b")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class InterleavedLists(Saved):
    """Lists to be shown, and to whom a click is credited; ``print`` shows the first, ``write`` a file of all.

    Attributes:
        method: how they were made.
        k: how long they are at most.
        seed: of what was drawn.
        frame: a row an item, in the order of queries, lists and positions: ``query``, ``list`` from 1,
            ``position`` from 1, ``item``, ``team`` (A, B; null where a method has none), ``rank_a`` and
            ``rank_b`` (null where it is not among those looked at), ``credit`` of a click (above 0 it is A's,
            null of balanced lists, whose clicks count together); ``name_a`` and ``name_b`` where names were
            given, for `evaluate_interleaving`.
        names: what A and B are.
        notes: what a reader should know.

    """

    method: InterleavingMethod
    k: int
    seed: int
    frame: pl.DataFrame
    names: tuple[str, str]
    notes: tuple[str, ...] = ()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """`frame`, for whatever reads tables."""
        return self.frame.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<InterleavedLists {self._line()}>"

    def _line(self) -> str:
        queries, lists = self.frame["query"].n_unique(), self.frame.select("query", "list").unique().height
        named = "" if self.names == UNNAMED else f" of A, {self.names[0]}, and B, {self.names[1]}"
        return (
            f"{METHODS[self.method]}{named}; {counted(lists, 'list')} of "
            f"{counted(queries, 'query', 'queries')}, {counted(self.k, 'position')} at most, seed {self.seed}"
        )

    def _blocks(self, digits: int) -> Iterator[Block]:
        rows = [
            [
                str(row["query"]),
                str(row["item"]),
                row["team"] or "",
                *(
                    "" if row[name] is None else str(row[name])
                    for name in ("list", "position", "rank_a", "rank_b")
                ),
                "" if row["credit"] is None else rounded(row["credit"], f".{digits}f"),
            ]
            for row in self.frame[:SHOWN].iter_rows(named=True)
        ]
        header = ["query", "item", "team", "list", "position", "rank A", "rank B", "credit"]
        yield Grid(3, [header, *rows], "Interleaved lists")
        rest = self.frame.height - SHOWN
        yield Notes([*([f"… {counted(rest, 'row')} more"] if rest > 0 else []), *self.account()])

    def account(self) -> list[str]:
        """What was made, and what a reader should know."""
        return [self._line(), *self.notes]

    def _record(self) -> dict[str, Any]:
        own = {name: getattr(self, name) for name in ("method", "k", "seed", "notes")}
        return own | {"names": dict(zip("ab", self.names, strict=True)), "rows": self.frame.to_dicts()}

    def _frame(self) -> pl.DataFrame:
        return self.frame

    def _queries(self) -> pl.DataFrame:
        """What a Parquet file has."""
        return self.frame


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Interleaving(Saved, Numbered):
    """Which of two systems clicks on interleaved lists prefer; ``print`` shows it.

    Attributes:
        method: how clicks were credited.
        preferences: a row a list that was shown: ``query``, ``impression`` (its number), ``clicks``,
            ``credit`` (their sum; null of balanced lists), ``preference`` (1 A, 0 neither, −1 B).
        wins_a: how many lists prefer A.
        wins_b: how many prefer B.
        ties: how many neither, among these those without clicks.
        clicked: how many lists have clicks.
        delta: (wins_a + ties/2) / lists − 1/2; above 0 A is preferred.
        delta_low: the lower end of its interval.
        delta_high: the upper end.
        win_rate: the share of A of the lists that prefer one; NaN of none.
        win_low: the lower end of its interval.
        win_high: the upper end.
        credit: the mean credit of a list; NaN of balanced lists.
        credit_low: the lower end of its interval.
        credit_high: the upper end.
        p: that of the test.
        test: its name.
        tested: of what it is: ``wins`` or ``credit``.
        alpha: up to which p it says that one is preferred.
        clusters: what lists belong to, such as users; None where each stands for itself.
        confidence: of the intervals.
        names: what A and B are.
        notes: what a reader should know.

    """

    method: InterleavingMethod
    preferences: pl.DataFrame
    wins_a: int
    wins_b: int
    ties: int
    clicked: int
    delta: float
    delta_low: float
    delta_high: float
    win_rate: float
    win_low: float
    win_high: float
    credit: float
    credit_low: float
    credit_high: float
    p: float
    test: str
    tested: Tested
    alpha: float
    clusters: str | None
    confidence: float
    names: tuple[str, str]
    notes: tuple[str, ...] = ()

    @property
    def preferred(self) -> str | None:
        """The name of the system that is shown to be preferred; None if neither is."""
        above = self.credit if self.tested == "credit" else self.delta
        return None if not self.p <= self.alpha or not above else self.names[0 if above > 0 else 1]

    def __repr__(self) -> str:
        return f"<Interleaving {self._line()}>"

    def _line(self) -> str:
        verdict = f"{self.preferred} is preferred" if self.preferred else "neither is shown to be preferred"
        return f"{METHODS[self.method]}: {verdict} ({self.test}, p {chance(self.p, 4)}, alpha {self.alpha:g})"

    def _blocks(self, digits: int) -> Iterator[Block]:
        form = f".{digits}f"

        def row(name: str, value: float, low: float, high: float) -> list[str]:
            return [name, *(rounded(each, form) for each in (value, low, high))]

        header = ["", "value", "low", "high"]
        rows = [
            row("Δ of A over B", self.delta, self.delta_low, self.delta_high),
            row("wins of A where one wins", self.win_rate, self.win_low, self.win_high),
        ]
        if self.method != "balanced":
            rows.append(row("credit of A", self.credit, self.credit_low, self.credit_high))
        yield Grid(1, [header, *rows], "Which system clicks prefer")
        yield Notes([self._line(), self._counts(), *self.notes])

    def _counts(self) -> str:
        a, b = self.names
        shown = counted(self.preferences.height, "list")
        told = [f"{self.wins_a:,} prefer {a}", f"{self.wins_b:,} {b}", f"{self.ties:,} neither"]
        by = "" if self.clusters is None else f" in clusters by {self.clusters}"
        return (
            f"{shown}, {self.clicked:,} with clicks: {listed(told)}; {100 * self.confidence:g}% intervals{by}"
        )

    def _numbers(self) -> Mapping[Parts, float]:
        found: dict[Parts, float] = {}
        for name, low, high in (
            ("delta", self.delta_low, self.delta_high),
            ("win_rate", self.win_low, self.win_high),
            ("credit", self.credit_low, self.credit_high),
        ):
            found |= {(name,): getattr(self, name), (name, "low"): low, (name, "high"): high}
        counts = ("wins_a", "wins_b", "ties")
        return found | {(name,): float(getattr(self, name)) for name in counts} | {("p",): self.p}

    def _record(self) -> dict[str, Any]:
        own = (name for name in self.__dataclass_fields__ if name not in ("preferences", "names"))
        names = dict(zip("ab", self.names, strict=True))
        record = {name: getattr(self, name) for name in own}
        return record | {"names": names, "lists": self.preferences.height, "preferred": self.preferred}

    def _frame(self) -> pl.DataFrame:
        return self.preferences
