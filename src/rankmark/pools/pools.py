"""A pool of judged items, and what it can judge, as it is shown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rankmark.dataclassing import dataclass
from rankmark.rendering.blocks import Block, Grid, Notes
from rankmark.rendering.files import write_whole
from rankmark.rendering.records import Record
from rankmark.rendering.words import counted
from rankmark.results.saved import Saved

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

__all__ = ["LeftOut", "Pool", "PoolDepth", "PoolGroup", "PoolSystem", "Reuse"]

Reuse: TypeAlias = Literal["yes", "no", "open"]
"""Whether the judgements can judge a system that had no part in them; ``open`` where that is not known."""


@dataclass(frozen=True, slots=True, repr=False)
class PoolDepth(Record):
    """What judging down to a depth takes and gives.

    Attributes:
        depth: how many items of each list are judged.
        items: how many these are, of all queries and systems together.
        unjudged: how many of them nobody judged.
        relevant: how many of them are relevant.
        share: what share these are of all relevant items that are known.
        tau: Kendall's τ of the order of systems by these judgements alone to that by all.
        tau_ap: the same by AP correlation, which minds the top most.
        fall: the most places that a system falls.

    """

    depth: int
    items: int
    unjudged: int | None
    relevant: int | None
    share: float | None
    tau: float | None
    tau_ap: float | None
    fall: int | None


@dataclass(frozen=True, slots=True, repr=False)
class PoolSystem(Record):
    """What a system gave to the pool, and what it loses without that.

    Attributes:
        system: its name.
        group: the group whose items are left out; of a system by itself its own name.
        items: how many items it has in the pool.
        unjudged: what share of these nobody judged.
        relevant: how many of them are relevant.
        unique: how many of the relevant ones no other system has in the pool.
        value: its value by all judgements.
        left_out: its value without the judgements that its group alone brought.
        low: the lower end of the interval of `left_out` − `value`.
        high: the upper end.
        rank: its rank by all judgements; equal values have the same.
        rank_left_out: its rank without those, among the others as they are.

    """

    system: str
    group: str
    items: int
    unjudged: float
    relevant: int
    unique: int
    value: float
    left_out: float
    low: float
    high: float
    rank: int
    rank_left_out: int


@dataclass(frozen=True, slots=True, repr=False)
class PoolGroup(Record):
    """What the systems of a group gave to the pool together.

    Attributes:
        group: its name.
        systems: how many there are.
        items: how many items they have in the pool.
        relevant: how many of these are relevant.
        unique: how many of the relevant ones no other group has in the pool.

    """

    group: str
    systems: int
    items: int
    relevant: int
    unique: int


@dataclass(frozen=True, slots=True, repr=False)
class LeftOut(Record):
    """How the order of systems changes where each is judged without what it, or its group, alone brought.

    Attributes:
        tau: Kendall's τ of both orders.
        low: the lower end of its interval, by the percentile bootstrap over queries.
        high: the upper end.
        tau_ap: AP correlation of both, the order by all judgements being the reference.
        fall: the most places that a system falls.
        drop: the greatest share of its value that one loses.
        mean_drop: that share on average.
        reusable: ``yes`` if the interval of τ is above `SAME`, ``no`` if it is below, else
            ``open``, as where most of the pool is not judged.

    """

    tau: float
    low: float
    high: float
    tau_ap: float
    fall: int
    drop: float
    mean_drop: float
    reusable: Reuse


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pool(Saved):
    """A pool: what is to be judged, and what the judgements can judge; ``print`` shows it.

    Attributes:
        depth: how many items of each list are pooled.
        queries: how many queries there are.
        systems: what each gave, and loses without it, in the order in which they came; empty without
            judgements.
        groups: the same of groups; empty where none were given.
        depths: what judging less deep would take and give.
        left: how the order of systems changes; None without judgements, or for one system.
        to_judge: the items of the pool that nobody judged: ``query``, ``item``, how many ``systems`` have it
            there, and the best ``rank`` that it has, best first.
        signature: of the measure by which systems are ordered; None without judgements.
        confidence: of the intervals.
        notes: what a reader should know.

    """

    depth: int
    queries: int
    systems: tuple[PoolSystem, ...]
    groups: tuple[PoolGroup, ...]
    depths: tuple[PoolDepth, ...]
    left: LeftOut | None
    to_judge: pl.DataFrame
    signature: str | None
    confidence: float
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Pool of depth {self.depth}, {counted(self.to_judge.height, 'item')} to judge>"

    @property
    def measure(self) -> str | None:
        """The measure, with its cutoff."""
        return None if self.signature is None else self.signature.partition("|")[0]

    def write_to_judge(self, path: str | Path) -> None:
        """Writes the items to judge to a file, whole or not at all.

        With the ending .csv it has the columns of `to_judge`; else it is TREC judgements in which each has
        -1, as pooled and not judged.

        Raises:
            UsageError: the file cannot be written.

        """
        import polars as pl

        if str(path).endswith(".csv"):
            write_whole(path, self.to_judge.write_csv())
            return
        lines = self.to_judge.select(pl.format("{} 0 {} -1\n", "query", "item")).to_series()
        write_whole(path, "".join(lines))

    def _blocks(self, digits: int) -> Iterator[Block]:
        yield Grid(0, _depths(self.depths, digits), "How deep to judge")
        if self.groups:
            header = ["group", "systems", "items", "relevant", "unique"]
            rows = [[each.group, *map(_count, list(asdict(each).values())[1:])] for each in self.groups]
            yield Grid(1, [header, *rows], "Groups")
        if self.systems:
            yield Grid(1, self._system_rows(digits), f"Systems by {self.measure}")
        yield Notes([*self._lines(), *self.notes])

    def _system_rows(self, digits: int) -> list[list[str]]:
        names = ["system", "items", "unjudged", "relevant", "unique", "value", "left out", "drop"]
        rows = [
            [
                each.system,
                _count(each.items),
                f"{100 * each.unjudged:.1f}%",
                _count(each.relevant),
                _count(each.unique),
                f"{each.value:.{digits}f}",
                f"{each.left_out:.{digits}f}",
                f"{each.left_out - each.value:+.{digits}f}",
                "" if math.isnan(each.low) else f"[{each.low:+.{digits}f}, {each.high:+.{digits}f}]",
                _count(each.rank),
                _count(each.rank_left_out),
            ]
            for each in sorted(self.systems, key=lambda each: each.rank)
        ]
        return [[*names, f"{100 * self.confidence:g}%", "rank", "rank left out"], *rows]

    def _lines(self) -> Iterator[str]:
        deepest = next(each for each in self.depths if each.depth == self.depth)
        line = f"depth {self.depth}: {counted(deepest.items, 'item')} of "
        yield f"{line}{counted(self.queries, 'query', 'queries')}, {self.to_judge.height:,} not judged"
        if self.left is None:
            return
        left = self.left
        yield (
            f"each system without the judgements that {'its group' if self.groups else 'it'} alone brought: "
            f"τ {left.tau:.3f} [{left.low:.3f}, {left.high:.3f}], τ_ap {left.tau_ap:.3f}; one falls by up to "
            f"{counted(left.fall, 'place')} and loses up to {100 * left.drop:.1f}% of its value, "
            f"{100 * left.mean_drop:.1f}% on average"
        )
        yield WORDS[left.reusable]

    def _record(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "signature": self.signature,
            "depth": self.depth,
            "queries": self.queries,
            "confidence": self.confidence,
            "left_out": None if self.left is None else asdict(self.left),
            "depths": list(map(asdict, self.depths)),
            "systems": list(map(asdict, self.systems)),
            "groups": list(map(asdict, self.groups)),
            "to_judge": self.to_judge.to_dicts(),
            "notes": list(self.notes),
        }

    def _frame(self) -> pl.DataFrame:
        import polars as pl

        table = pl.DataFrame(list(map(asdict, self.systems or self.depths)))
        if not self.systems:
            return table
        left = table.get_column_index("left_out") + 1
        return table.insert_column(left, (table["left_out"] - table["value"]).alias("drop"))


WORDS: Mapping[Reuse, str] = {
    "yes": "reusable: a new system like these would be judged nearly as they are",
    "no": "not reusable: new systems like these would lose their place; judge what they return as well",
    "open": "whether a new system can be judged is open: systems, queries or judgements are too few to tell",
}


def _depths(depths: tuple[PoolDepth, ...], digits: int) -> list[list[str]]:
    """A row a depth; without judgements there are but items."""
    judged = any(each.unjudged is not None for each in depths)
    header = ["depth", "items", *(["unjudged", "relevant", "share", "tau", "tau_ap", "fall"] * judged)]
    rows = []
    for each in depths:
        row = [_count(each.depth), _count(each.items)]
        if judged:
            row += [_count(each.unjudged), _count(each.relevant)]
            row += [_number(value, digits) for value in (each.share, each.tau, each.tau_ap)]
            row += [_count(each.fall)]
        rows.append(row)
    return [header, *rows]


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _number(value: float | None, digits: int) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.{digits}f}"
