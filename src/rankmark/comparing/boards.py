"""A leaderboard, as it is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from rankmark.comparing.posteriors import beliefs, posterior_cells, posterior_header, posterior_line
from rankmark.comparing.words import corrected_line
from rankmark.dataclassing import dataclass
from rankmark.language.written import paper_column
from rankmark.rendering.blocks import Block, Grid, Notes, toned
from rankmark.rendering.drawn import Column, ranges
from rankmark.rendering.numbers import Numbered, Parts
from rankmark.rendering.papers import PaperRow, PaperTable, PaperValue
from rankmark.rendering.records import Record
from rankmark.rendering.words import chance, counted, printable, resamples_words, rounded
from rankmark.results.saved import Saved
from rankmark.statistics.friedman import critical_difference
from rankmark.statistics.intervals import INTERVALS

if TYPE_CHECKING:
    import polars as pl

    from rankmark.comparing.plan import ComparisonPlan
    from rankmark.comparing.posteriors import PairPosterior
    from rankmark.language.measure import Measure
    from rankmark.statistics.friedman import Friedman
    from rankmark.statistics.groups import RankInterval
    from rankmark.statistics.intervals import Interval, Made

__all__ = ["POSTERIORS", "TITLES", "Board", "BoardPair", "BoardPosterior", "BoardRow", "BoardTest", "Over"]

Over: TypeAlias = Literal["queries", "collections"]
BoardTest: TypeAlias = Literal["randomisation", "t", "nemenyi"]
BoardPosterior: TypeAlias = Literal["t", "signed-rank"]
POSTERIORS: tuple[BoardPosterior, ...] = get_args(BoardPosterior)
TITLES: Mapping[str, str] = {
    "randomisation": "randomisation test (random signs)",
    "t": "paired t test",
    "nemenyi": "Nemenyi's test of mean ranks",
}
"""What tests the pairs of systems."""
FEWEST_COLLECTIONS = 6
"""Of fewer no test by signs can have p ≤ .05: 2 / 2⁵ is .0625."""
WIDE = 6
"""As many collections have a column each."""


@dataclass(frozen=True, slots=True, repr=False)
class BoardRow(Record):
    """A system.

    Attributes:
        system: its name.
        value: the mean of the collections' values; of one collection its value.
        interval: of `value`, over queries of these collections, or over collections such as these, and how
            it was made.
        rank: its place by `value`; that of systems with equal values is the first of theirs.
        ranks: the ranks that it can have, after the tests of all pairs.
        groups: letters, a to z and then a1, b1, …; systems that share one are not told apart.
        mean_rank: of its ranks in each query, or in each collection; of several collections the mean of
            theirs, which count alike.
        values: that of each collection.

    """

    system: str
    value: float
    interval: Made
    rank: int
    ranks: RankInterval
    groups: tuple[str, ...]
    mean_rank: float
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True, repr=False)
class BoardPair(Record):
    """A system against another.

    Attributes:
        system: the one that stands above.
        other: the other.
        difference: its value less the other's.
        interval: of the difference.
        p: the test's p-value.
        corrected: the same, corrected for all pairs.
        significant: whether `corrected` is at most alpha.
        posterior: how likely the system is to be worse, as good or better; None without a region of
            practical equivalence.

    """

    system: str
    other: str
    difference: float
    interval: Interval
    p: float
    corrected: float
    significant: bool
    posterior: PairPosterior | None = None


class Board(Saved, Numbered):
    """Systems in the order of their values; ``print(board)`` shows them.

    Attributes:
        measure: what was measured.
        rows: a system each, the best first.
        pairs: each system against each that stands below it.
        collections: how many queries each collection has with a value of every system.
        over: of what other draws would be, ``queries`` or ``collections``.
        test: of the pairs.
        plan: its correction, level, confidence, resamples and seed.
        friedman: the test of whether any system ranks otherwise than the others, in each query or collection;
            None over queries that do not count alike, as those of several collections or with weights.
        rope: the region of practical equivalence; None without one.
        posterior: by which pairs' chances of it are.
        weighed: whether some queries weigh more than others.
        accounts: what happened to the queries, as the results tell it.
        notes: what a reader should know of how the results were brought together.

    """

    def __init__(
        self,
        *,
        measure: Measure,
        rows: tuple[BoardRow, ...],
        pairs: tuple[BoardPair, ...],
        collections: Mapping[str, int],
        over: str,
        test: str,
        plan: ComparisonPlan,
        friedman: Friedman | None,
        rope: float | None = None,
        posterior: BoardPosterior = "t",
        weighed: bool = False,
        accounts: tuple[str, ...] = (),
        notes: tuple[str, ...] = (),
    ) -> None:
        self.measure = measure
        self.rows = rows
        self.pairs = pairs
        self.collections = dict(collections)
        self.over = over
        self.test = test
        self.plan = plan
        self.friedman = friedman
        self.rope = rope
        self.posterior = posterior
        self.weighed = weighed
        self.accounts = accounts
        self.notes = notes

    def _kept(self) -> dict[str, Any]:
        return dict(vars(self))

    @property
    def critical_difference(self) -> float | None:
        """The least difference of mean ranks that Nemenyi's test finds; None without `friedman`."""
        if self.friedman is None:
            return None
        return critical_difference(len(self.rows), self.friedman.blocks, alpha=self.plan.alpha)

    @property
    def table(self) -> pl.DataFrame:
        """A row a system."""
        import polars as pl

        return pl.DataFrame(list(map(self._figures, self.rows)), infer_schema_length=None)

    def _figures(self, row: BoardRow) -> dict[str, Any]:
        named = {"rank": row.rank, "system": row.system, "value": row.value}
        named |= {"low": row.interval.low, "high": row.interval.high}
        named |= {"rank_low": row.ranks.low, "rank_high": row.ranks.high, "groups": " ".join(row.groups)}
        named["mean_rank"] = row.mean_rank
        several = row.values.items() if len(self.collections) > 1 else ()
        return named | {f"value in {name}": value for name, value in several}

    def _numbers(self) -> Mapping[Parts, float]:
        return {
            (row.system, self.measure.label, figure): value
            for row in self.rows
            for figure, value in {
                "": row.value,
                "low": row.interval.low,
                "high": row.interval.high,
                "rank": row.rank,
            }.items()
        }

    def __repr__(self) -> str:
        return f"<Board of {counted(len(self.rows), 'system')} by {self.measure}>"

    def _blocks(self, digits: int) -> Iterator[Block]:
        several = list(self.collections) if 1 < len(self.collections) <= WIDE else []
        interval = f"{100 * self.plan.confidence:g}% interval"
        header = ["system", "rank", *map(printable, several), self.measure.label, interval]
        header += ["ranks", "mean rank", *(["groups"] if self._lettered else [])]
        rows = [self._cells(row, several, digits) for row in self.rows]
        yield Grid(1, [header, *rows], f"Systems by {self.measure.label}", self._drawn)
        if self.rope is not None:
            yield self._believed(self.rope, digits)
        yield Notes(self.account(), closing=True)

    def _drawn(self) -> Column | None:
        """The values with their intervals."""
        rows = ((row.interval.low, row.value, row.interval.high) for row in self.rows)
        return ranges("interval", rows, behind=self.measure.label)

    def _paper(self, digits: int) -> Iterator[Block | PaperTable]:  # noqa: ARG002 - the format's
        mean = paper_column(self.measure)
        several = list(self.collections) if len(self.collections) > 1 else []
        rows = [
            PaperRow(
                (printable(row.system),),
                [
                    *(PaperValue(row.values[name]) for name in several),
                    PaperValue(row.value, "".join(row.groups) if self._lettered else "", row.interval[:2]),
                ],
            )
            for row in self.rows
        ]
        columns = [*(replace(mean, title=printable(name)) for name in several)]
        yield PaperTable(
            names=("system",),
            columns=[*columns, replace(mean, title="mean") if several else mean],
            rows=rows,
            about=self._mean(),
            legend=(self._groups_line().removeprefix("groups: "), self._tested()) if self._lettered else (),
            confidence=self.plan.confidence,
        )
        yield Notes(self.account(), closing=True)

    def _believed(self, rope: float, digits: int) -> Grid:
        """How likely each system is to be worse, as good or better than those below it."""
        titles = posterior_header(rope, self.plan.confidence, self.posterior)
        rows = [["system", "against", *titles]]
        for pair in self.pairs:
            if pair.posterior is not None:
                cells = posterior_cells(pair.posterior, digits, self.posterior)
                rows.append([printable(pair.system), printable(pair.other), *cells])
        return Grid(2, rows, "How likely each system is to be worse, as good or better")

    def _cells(self, row: BoardRow, several: Sequence[str], digits: int) -> list[str]:
        low, high = (rounded(each, f".{digits}f") for each in row.interval[:2])
        return [
            printable(row.system),
            str(row.rank),
            *(rounded(row.values[name], f".{digits}f") for name in several),
            toned(rounded(row.value, f".{digits}f"), "best" if row.rank == 1 else None),
            f"{low} … {high}" if low else "",
            f"{row.ranks.low} … {row.ranks.high}" if row.ranks.low < row.ranks.high else str(row.ranks.low),
            f"{row.mean_rank:.2f}",
            *(["".join(row.groups)] if self._lettered else []),
        ]

    @property
    def _lettered(self) -> bool:
        """Whether a letter is enough for each group, so that they are shown."""
        return all(len(letter) == 1 for row in self.rows for letter in row.groups)

    def account(self) -> list[str]:
        """What the figures are, and how the systems were tested."""
        confidence = f"{100 * (1 - self.plan.alpha):g}%"
        lines = [
            f"{self._mean()}; its interval is {self._made()}, over {self.over}",
            f"ranks: those that each can have, all at once with {confidence} confidence",
            self._groups_line(),
            f"  {self._tested()}",
            *self._of_ranks(),
        ]
        if self.rope is not None:
            lines.append(
                f"{posterior_line(self.posterior, self.plan.resamples, self.plan.seed)}; over {self.over}"
            )
        few = len(self.collections) < FEWEST_COLLECTIONS and self.test == "randomisation"
        if self.over == "collections" and few:
            lines.append(
                f"{len(self.collections)} collections say little of others: by signs no p is below "
                f"{2 / 2 ** len(self.collections):.4g}"
            )
        return [*lines, *self.notes, *self.accounts]

    def _tested(self) -> str:
        """By which test systems are told apart."""
        corrected = "which corrects for all pairs"
        if self.test != "nemenyi":
            corrected = corrected_line(self.plan.correction, len(self.pairs))
        if self.test == "randomisation":
            corrected = (
                f"{self.plan.resamples:,} resamples where not exact, seed {self.plan.seed}; {corrected}"
            )
        return f"{TITLES[self.test]}, two-sided, over {self.over}; {corrected}"

    def _groups_line(self) -> str:
        if self._lettered:
            return "groups: systems that share a letter are not told apart"
        return "more groups of systems that are not told apart than letters; JSON and CSV have them"

    def _of_ranks(self) -> Iterator[str]:
        """What stands behind the mean ranks."""
        if self.friedman is None:
            several = "the mean of the collections', " * (len(self.collections) > 1)
            yield (
                f"mean rank: {several}over the queries"
                + " of each" * bool(several)
                + ", as they weigh" * self.weighed
            )
            return
        yield f"mean rank: over {counted(self.friedman.blocks, *BLOCKS[self.over])}"
        yield f"  Friedman's χ² = {self.friedman.statistic:.2f}, p {_equals(self.friedman.p)}"
        least = f"{self.critical_difference:.2f}"
        yield f"  Nemenyi's critical difference {least} (α = {self.plan.alpha:g})"

    def _made(self) -> str:
        """How the intervals of the systems were made."""
        ways = dict.fromkeys(INTERVALS[row.interval.method].title for row in self.rows)
        drawn = resamples_words(row.interval.resamples for row in self.rows)
        return " or ".join(ways) + (f" ({drawn}, seed {self.plan.seed})" if drawn else "")

    def _mean(self) -> str:
        if len(self.collections) == 1:
            return f"{self.measure.label} of {counted(sum(self.collections.values()), 'query', 'queries')}"
        sizes = ", ".join(f"{printable(name)} {count:,}" for name, count in self.collections.items())
        return f"{self.measure.label}: the mean of {len(self.collections)} collections' (queries: {sizes})"

    def _frame(self) -> pl.DataFrame:
        return self.table

    def _record(self) -> dict[str, Any]:
        plan = {name: getattr(self.plan, name) for name in KEPT_OF_PLAN}
        if self.test == "nemenyi":
            plan["correction"] = None
        rows = [{**asdict(row), "low": row.interval.low, "high": row.interval.high} for row in self.rows]
        for row in rows:
            row["rank_low"], row["rank_high"] = row.pop("ranks")
            del row["interval"]
        return {
            "measure": self.measure.label,
            "over": self.over,
            "test": self.test,
            **plan,
            "rope": self.rope,
            "posterior": None if self.rope is None else self.posterior,
            "collections": self.collections,
            "systems": rows,
            "pairs": [_pair(each) for each in self.pairs],
            "friedman": self.friedman and self.friedman._asdict(),
            "critical_difference": self.critical_difference,
            "notes": [*self.notes, *self.accounts],
        }


KEPT_OF_PLAN = ("correction", "alpha", "confidence", "resamples", "seed")
BLOCKS: Mapping[str, tuple[str, str]] = {
    "queries": ("query", "queries"),
    "collections": ("collection", "collections"),
}


def _pair(pair: BoardPair) -> dict[str, Any]:
    named = asdict(pair)
    low, high = named.pop("interval")
    del named["posterior"]
    return named | {"low": low, "high": high} | beliefs(pair.posterior)


def _equals(p: float) -> str:
    shown = chance(p, 4)
    return shown if shown.startswith("<") else f"= {shown}"
