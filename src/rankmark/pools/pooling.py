"""Which items of runs are judged, and what that does to systems that had no part in it.

The items that some system has among its first `depth` are the pool, which is judged (K. Spärck Jones,
C. J. van Rijsbergen 1975). What no system of it found counts as not relevant, so that a new system may be
judged too low. How much that can be is seen where one leaves out each system, or all of its group, in turn:
the judgements of items that it alone brought are taken away, and it is judged by what is left (J. Zobel, "How
reliable are the results of large-scale information retrieval experiments?", SIGIR 1998; C. Buckley et al.,
"Bias and the limits of pooling for large collections", Information Retrieval 2007).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark._native import Table
from rankmark.api.evaluation import evaluate
from rankmark.comparing.agreement import rank_correlation, rank_correlations
from rankmark.errors import DataError, UsageError
from rankmark.explaining.listed import ranked
from rankmark.inputs import read_shared
from rankmark.inputs.item_tables import read_groups
from rankmark.inputs.roles import check_names
from rankmark.inputs.tables.several import of_system
from rankmark.language.choices import UnseededChoices, given
from rankmark.language.plan import planned
from rankmark.pools.pools import LeftOut, Pool, PoolDepth, PoolGroup, PoolSystem, Reuse
from rankmark.progress import reading
from rankmark.rendering.words import counted
from rankmark.statistics.intervals import percentile_interval, t_interval
from rankmark.statistics.resampling import check_drawn, check_share

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs import Input
    from rankmark.language.measure import Measure

__all__ = ["SAME", "pool"]

DEPTHS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000)
"""How deep judging is looked at, down to that of the pool."""
SAME = 0.9
"""Orders of systems with a greater τ are taken as the same (E. M. Voorhees 2000)."""
FEW = 5
"""Fewer systems have an order of which τ tells nothing."""
HOLES = 0.1
"""From this share on it is said that items of the pool are not judged."""
MOST = 0.5
"""From this share on the judgements are not said to be reusable."""

Values = NDArray[np.float64]


def pool(
    qrels: Any,
    runs: Mapping[str, Any],
    measure: str | Measure = "AP",
    *,
    depth: int = 100,
    groups: Any = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    like: str | None = None,
    columns: Mapping[str, Any] | None = None,
    threads: int | None = None,
    **choices: Unpack[UnseededChoices],
) -> Pool:
    """Which items of systems to judge, what each system found alone, and whether others can be judged.

    The pool are the items that some system has among its first `depth`. For smaller depths it is told how
    many items would be judged, what share of the relevant ones that are known would be found, and how the
    order of systems would change. Each system is judged again without the judgements of items that it, or its
    group, alone has in the pool, as if it had had no part in it; the others keep their values.

    Args:
        qrels: the judgements, as `evaluate` takes them; items judged below 0 count as not judged. None where
            nothing is judged yet: then it is only told what to judge.
        runs: the results of systems by their names.
        measure: by which systems are ordered: a mean over queries.
        depth: how many items of each list are in the pool, 1 or more.
        groups: which systems belong together, as those of one team: ``{system: group}``, or a path or table
            with the systems in its first column and the groups in the second.
        confidence: of the intervals, 0 to 1.
        resamples: how many draws of queries there are for the interval of τ.
        seed: of these, and of ``ties="random"``.
        like: a convention, as in `evaluate`.
        columns: the columns to use, where their names do not say it.
        threads: how many threads to use; all cores if None.
        **choices: those of `evaluate`, but for those that leave out queries.

    Returns:
        What to judge, a row a depth, a system and a group, and how far orders of systems agree.

    Raises:
        UsageError: an unknown measure or choice, a measure that is no mean over queries, or a file that is
            not there.
        DataError: a table that cannot be evaluated as it is, or a system without a group.

    Example:
        a is found by both systems, b by old alone: without its judgement old has one relevant item of one.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 1}}
        >>> runs = {"old": {"q": ["a", "b"]}, "new": {"q": ["a", "c"]}}
        >>> pool = rm.pool(qrels, runs, "P@2", depth=2)
        >>> pool.to_judge.rows()
        [('q', 'c', 1, 2)]
        >>> [(each.system, each.unique, each.value, each.left_out) for each in pool.systems]
        [('old', 1, 1.0, 0.5), ('new', 0, 0.5, 0.5)]

    """
    chosen = given(choices, UnseededChoices, pool)
    _check(runs, depth)
    check_share(confidence=confidence)
    check_drawn(resamples, seed)
    chosen["seed"] = seed
    plan = planned(measure, like, chosen)
    if len(plan.measures) != 1:
        raise UsageError(f"systems are ordered by one measure, and here are {len(plan.measures)}")
    (asked,) = plan.measures
    _check_measure(asked)
    decided = plan.own.get(asked, plan.choices)
    if "skip" in (decided.missing, decided.no_relevant, decided.short_lists):
        raise UsageError('a pool is of the same queries for all, and "skip" leaves some of them out')
    judged = None if qrels is None else read_shared(qrels, "qrels", columns)
    if judged is not None:
        _refuse_samples(judged)
    results = {
        name: of_system(name, lambda run: read_shared(run, "run", columns), run) for name, run in runs.items()
    }
    check_names(
        columns,
        {
            "qrels": () if judged is None else judged.names,
            "run": [name for each in results.values() for name in each.names],
        },
    )
    listed = _listed(judged, results, lambda q, run: ranked(q, run, replace(decided, unjudged="nonrelevant")))
    teams = _groups(groups, results)
    pooled = _Pooled(judged, listed, depth, teams, asked.arguments.get("rel", 1))
    if judged is None:
        return pooled.pool()

    def values(judgements: Input, system: str) -> tuple[list[str], Values, str]:
        how = {"like": like, "columns": columns, "threads": threads, **chosen}
        found = of_system(system, lambda run: evaluate(judgements, run, asked, **how), results[system])
        return list(map(str, found.query_ids)), found.query_values(asked), found.signature(asked)

    with reading("leaving out systems", None, None):
        standing = _Standing(pooled, list(results), values, less=asked.better == "less")
        return standing.pool(confidence, resamples, seed)


def _check(runs: Mapping[str, Any], depth: int) -> None:
    if not isinstance(runs, Mapping) or not runs:
        raise UsageError("a pool is of runs by their names: {'bm25': run, 'dense': other}")
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 1:
        raise UsageError(f"depth={depth!r} is not a whole number from 1")


def _refuse_samples(judged: Input) -> None:
    """Refuses judgements of a sample, of which what was left out says nothing of who brought it."""
    how = next((each for each in (judged.probability, judged.stratum) if each), None)
    if how is not None:
        raise DataError(
            f"{judged.name}: the column {how!r} says that judgements are of a sample of the pool, of "
            "which most items that a system brought are unknown, and a pool needs all; evaluate a sample by "
            "xinfAP or statAP, or leave the column out if all are judged"
        )


def _check_measure(measure: Measure) -> None:
    if measure.page.kind != "list" or not measure.is_mean_of_queries:
        raise UsageError(f"{measure} is no mean over queries, by which a pool orders systems")


def _groups(groups: Any, systems: Iterable[str]) -> dict[str, str] | None:
    """The group of each system; None where none are given."""
    if groups is None:
        return None
    known = read_groups(groups)
    if lacking := [system for system in systems if system not in known]:
        raise DataError(
            f"groups lacks {counted(len(lacking), 'system')}, the first {lacking[0]!r}; it has "
            f"{', '.join(map(repr, list(known)[:3]))}{' …' * (len(known) > 3)}"
        )
    return {system: known[system] for system in systems}


def _listed(
    judged: Input | None, results: Mapping[str, Input], lists: Callable[[Input, Input], pl.DataFrame]
) -> pl.DataFrame:
    """The lists of all systems, of judged queries: ``system`` (its number), ``query``, ``rank``, ``item``."""
    import polars as pl

    text = pl.col("query", "item").cast(pl.String)
    frames = []
    for number, (name, run) in enumerate(results.items()):
        own = of_system(name, lambda run: lists(run.queries(), run), run)
        own = own if judged is None else _of_queries(own, judged)
        frames.append(own.select(pl.lit(number).alias("system"), "rank", text))
    return pl.concat(frames)


def _of_queries(lists: pl.DataFrame, judged: Input) -> pl.DataFrame:
    import polars as pl

    queries = pl.DataFrame(judged.table)[judged.query].cast(pl.String).unique()
    return lists.filter(pl.col("query").cast(pl.String).is_in(queries.implode()))


class _Pooled:
    """The items of a pool, with who has them there and how they are judged."""

    def __init__(
        self,
        judged: Input | None,
        listed: pl.DataFrame,
        depth: int,
        groups: Mapping[str, str] | None,
        rel: float,
    ) -> None:
        import polars as pl

        self.judged, self.depth, self.groups = judged, depth, groups
        self.listed = listed.filter(pl.col("rank") <= depth)
        self.deepest = int(listed["rank"].max() or 0)  # type: ignore[arg-type]
        self.grades = self._grades(rel)
        by_item = self.listed.group_by("query", "item", maintain_order=True).agg(
            pl.col("rank").min(), systems=pl.len(), system=pl.col("system").first()
        )
        known = self.grades.group_by("query", "item").agg(pl.col("judged").max(), pl.col("relevant").max())
        self.items = by_item.join(known, on=["query", "item"], how="left", maintain_order="left")

    def _grades(self, rel: float) -> pl.DataFrame:
        """A row a judgement: query, item, whether it is one, and whether the item is relevant."""
        import polars as pl

        if self.judged is None:
            return pl.DataFrame(
                schema={"query": pl.String, "item": pl.String, "judged": pl.Boolean, "relevant": pl.Boolean}
            )
        table = self.judged
        grade = pl.lit(1.0) if table.value is None else pl.col(table.value).cast(pl.Float64)
        return (
            pl.DataFrame(table.table)
            .select(
                query=pl.col(table.query).cast(pl.String),
                item=pl.col(table.item).cast(pl.String),
                judged=grade >= 0,
                relevant=(grade >= rel) & (grade >= 0),
            )
            .with_row_index("row")
        )

    @cached_property
    def queries(self) -> int:
        """How many queries there are."""
        return int((self.listed if self.judged is None else self.grades)["query"].n_unique())

    def to_judge(self) -> pl.DataFrame:
        """The items that nobody judged."""
        import polars as pl

        frame = self.items.filter(pl.col("judged").fill_null(False).not_())
        first = self.items.select(pl.col("query").unique(maintain_order=True)).with_row_index("place")
        ordered = frame.join(first, on="query", how="left", maintain_order="left")
        ordered = ordered.sort("place", "rank", -pl.col("systems").cast(pl.Int64), maintain_order=True)
        return ordered.select("query", "item", pl.col("systems").cast(pl.Int64), "rank")

    def depths(self) -> list[int]:
        """The depths that are looked at."""
        most = min(self.depth, max(self.deepest, 1))
        return [*(each for each in DEPTHS if each < most and each < self.depth), self.depth]

    def at(self, depth: int) -> PoolDepth:
        """What a depth takes and gives, but for the order of systems."""
        import polars as pl

        found = self.items.filter(pl.col("rank") <= depth)
        if self.judged is None:
            return PoolDepth(depth, found.height, None, None, None, None, None, None)
        relevant, known = int(found["relevant"].sum()), int(self.grades["relevant"].sum())
        unjudged = found.height - int(found["judged"].sum())
        share = relevant / known if known else math.nan
        return PoolDepth(depth, found.height, unjudged, relevant, share, None, None, None)

    def without(self, items: pl.DataFrame) -> Input:
        """The judgements without those of these items; as they are where there are none of these."""
        rows = self.grades.join(items, on=["query", "item"], how="anti", maintain_order="left")["row"]
        assert self.judged is not None
        return self.judged if len(rows) == self.grades.height else self._with(rows)

    def down_to(self, depth: int) -> Input:
        """The judgements of items down to a depth alone."""
        import polars as pl

        items = self.items.filter(pl.col("rank") <= depth)
        return self._with(
            self.grades.join(items, on=["query", "item"], how="semi", maintain_order="left")["row"]
        )

    def _with(self, rows: pl.Series) -> Input:
        import polars as pl

        table = self.judged
        assert table is not None
        frame = pl.DataFrame(table.table)[rows]
        own = None if table.rows is None else table.rows[rows.to_numpy()]
        return replace(table, table=Table.from_arrow(frame.to_struct()), rows=own, aspects=None)

    def brought(self, systems: Sequence[int]) -> pl.DataFrame:
        """The items that these systems alone have in the pool."""
        import polars as pl

        own = pl.col("system").is_in(list(systems))
        shares = self.listed.group_by("query", "item", maintain_order=True).agg(alone=own.all())
        return shares.filter("alone").select("query", "item")

    def of(self, systems: Sequence[int]) -> tuple[int, int, int, int]:
        """How many items these systems have, how many are judged, relevant, and relevant and theirs alone."""
        import polars as pl

        own = self.listed.filter(pl.col("system").is_in(list(systems))).select("query", "item").unique()
        found = own.join(self.items, on=["query", "item"], how="left")
        alone = self.brought(systems).join(self.items, on=["query", "item"], how="left")
        judged, relevant = int(found["judged"].sum()), int(found["relevant"].sum())
        return found.height, judged, relevant, int(alone["relevant"].sum())

    def notes(self) -> list[str]:
        """What a reader should know of how the judgements fit to the pool."""
        notes = []
        deepest = self.at(self.depth)
        if deepest.unjudged and deepest.unjudged >= HOLES * deepest.items:
            notes.append(
                f"{100 * deepest.unjudged / deepest.items:.0f}% of the pool is not judged: the judgements "
                "are not of these systems down to this depth, or not yet; what was not judged counts as not "
                "relevant"
            )
        beyond = self.grades.filter("judged").join(self.items, on=["query", "item"], how="anti").height
        if beyond:
            notes.append(
                f"{counted(beyond, 'judgement')} of items that no system has in the pool, which stay in "
                "every evaluation"
            )
        return notes

    @property
    def is_mostly_unjudged(self) -> bool:
        """Whether nobody judged most of the pool, so that it says little of what systems would lose."""
        deepest = self.at(self.depth)
        return bool(deepest.unjudged and deepest.unjudged >= MOST * deepest.items)

    def pool(self) -> Pool:
        """What is to be judged, where nothing is yet."""
        depths = tuple(self.at(each) for each in self.depths())
        return Pool(self.depth, self.queries, (), (), depths, None, self.to_judge(), None, math.nan)


class _Standing:
    """The order of systems by all judgements, and by some of them."""

    def __init__(
        self,
        pooled: _Pooled,
        names: Sequence[str],
        values: Callable[[Input, str], tuple[list[str], Values, str]],
        *,
        less: bool,
    ) -> None:
        assert pooled.judged is not None
        self.pooled, self.names, self._values, self.sign = pooled, list(names), values, -1.0 if less else 1.0
        found = [values(pooled.judged, name) for name in self.names]
        self.queries, _, self.signature = found[0]
        self.full = np.array([each for _, each, _ in found])
        self.groups = pooled.groups or {name: name for name in self.names}

    def by(self, judgements: Input, system: str) -> Values:
        """The values of a system by some of the judgements; 0 for a query of which none are left."""
        if not judgements.table.num_rows:
            return np.zeros(len(self.queries))
        queries, values, _ = self._values(judgements, system)
        own = dict(zip(queries, values.tolist(), strict=True))
        return np.array([own.get(query, 0.0) for query in self.queries])

    def pool(self, confidence: float, resamples: int, seed: int) -> Pool:
        """All of it."""
        left_out = self._left_out()
        pooled = self.pooled
        groups = self._groups() if pooled.groups else ()
        left = self._left(left_out, confidence, resamples, seed) if len(self.names) > 1 else None
        systems = tuple(self._system(number, left_out, confidence) for number in range(len(self.names)))
        return Pool(
            pooled.depth,
            len(self.queries),
            systems,
            groups,
            tuple(self._depth(each) for each in pooled.depths()),
            left,
            pooled.to_judge(),
            self.signature,
            confidence,
            (*pooled.notes(), *_told_of_outsiders(systems)),
        )

    def _left_out(self) -> Values:
        """The values of each system without the judgements of items that its group alone brought."""
        left_out = self.full.copy()
        for own in self._members().values():
            without = self.pooled.without(self.pooled.brought(own))
            if without is not self.pooled.judged:
                for number in own:
                    left_out[number] = self.by(without, self.names[number])
        return left_out

    def _members(self) -> dict[str, list[int]]:
        """The numbers of the systems of each group."""
        members: dict[str, list[int]] = {}
        for number, name in enumerate(self.names):
            members.setdefault(self.groups[name], []).append(number)
        return members

    def _groups(self) -> tuple[PoolGroup, ...]:
        def group(name: str, own: list[int]) -> PoolGroup:
            items, _, relevant, unique = self.pooled.of(own)
            return PoolGroup(name, len(own), items, relevant, unique)

        return tuple(group(name, own) for name, own in self._members().items())

    def _system(self, number: int, left_out: Values, confidence: float) -> PoolSystem:
        items, judged, relevant, unique = self.pooled.of([number])
        means = _means(self.full)
        own, other = float(means[number]), float(_means(left_out[number : number + 1])[0])
        ends = (math.nan, math.nan)
        if len(self.queries) > 1:
            low, high = t_interval(left_out[number] - self.full[number], confidence=confidence)
            ends = float(low), float(high)
        return PoolSystem(
            self.names[number],
            self.groups[self.names[number]],
            items,
            1 - judged / items if items else 0.0,
            relevant,
            unique,
            own,
            other,
            *ends,
            self._rank(own, np.delete(means, number)),
            self._rank(other, np.delete(means, number)),
        )

    def _rank(self, value: float, others: Values) -> int:
        """1 + how many of the others are better."""
        return 1 + int(np.count_nonzero(self.sign * others > self.sign * value))

    def _depth(self, depth: int) -> PoolDepth:
        """What judging down to a depth takes and gives."""
        found = self.pooled.at(depth)
        if len(self.names) < 2:
            return found
        judgements = self.pooled.down_to(depth)
        values = np.array([self.by(judgements, name) for name in self.names])
        tau, tau_ap, fall = self._agreement(_means(self.full), _means(values))
        return replace(found, tau=tau, tau_ap=tau_ap, fall=fall)

    def _agreement(self, reference: Values, other: Values) -> tuple[float, float, int]:
        """Kendall's τ, AP correlation, and the most places that a system falls."""
        found = rank_correlation(self.sign * reference, self.sign * other, ["Tau", "TauAP"])
        ranks = [
            np.array([self._rank(value, means) for value in means.tolist()]) for means in (reference, other)
        ]
        return *found.values(), int(max(0, (ranks[1] - ranks[0]).max()))  # type: ignore[return-value]

    def _left(self, left_out: Values, confidence: float, resamples: int, seed: int) -> LeftOut:
        """How the order changes."""
        reference, other = _means(self.full), _means(left_out)
        tau, tau_ap, _ = self._agreement(reference, other)
        falls = [
            self._rank(other[number], np.delete(reference, number))
            - self._rank(reference[number], np.delete(reference, number))
            for number in range(len(self.names))
        ]
        lost = self.sign * (reference - other)
        drops = np.divide(lost, np.abs(reference), out=np.zeros(len(lost)), where=reference != 0)
        low, high = self._interval(left_out, confidence, resamples, seed)
        return LeftOut(
            tau,
            low,
            high,
            tau_ap,
            max(0, *falls),
            float(drops.max()),
            float(drops.mean()),
            self._reusable(low, high),
        )

    def _interval(
        self, left_out: Values, confidence: float, resamples: int, seed: int
    ) -> tuple[float, float]:
        """That of τ, by the percentile bootstrap over queries, which are drawn for both orders at once."""
        count = len(self.queries)
        if count < 2:
            return math.nan, math.nan
        rng = np.random.default_rng(seed)
        drawn = rng.multinomial(count, np.full(count, 1 / count), resamples)
        full, other = (self.sign * drawn @ values.T / count for values in (self.full, left_out))
        taus = rank_correlations(full, other, "Tau")
        defined = taus[~np.isnan(taus)]
        return percentile_interval(defined, confidence=confidence) if len(defined) else (math.nan, math.nan)

    def _reusable(self, low: float, high: float) -> Reuse:
        if len(set(self.groups.values())) < FEW or math.isnan(low):
            return "open"
        if low >= SAME:
            return "open" if self.pooled.is_mostly_unjudged else "yes"
        return "no" if high < SAME else "open"


def _told_of_outsiders(systems: Iterable[PoolSystem]) -> Iterator[str]:
    """What to say of systems whose drop is nothing because nobody judged what they alone have."""
    found = [each for each in systems if not each.unique and each.unjudged >= HOLES]
    if found:
        most = max(found, key=lambda each: each.unjudged)
        yield (
            f"{counted(len(found), 'system')} with many items that nobody judged and no relevant one that it "
            f"alone brought, most of all {most.system!r}, {100 * most.unjudged:.0f}% not judged: its own "
            "value may be too low, which its drop does not show; judge what it returned"
        )


def _means(values: Values) -> Values:
    """That of each row, of the exact sum, as results have it."""
    return np.array([_native.exact_sum(np.ascontiguousarray(row)) / len(row) for row in values])
