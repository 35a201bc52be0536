"""What a policy shows that chooses from the results of a system."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, DataError, IdTypeError, MeasureError, UsageError
from rankmark.inputs import read_run
from rankmark.inputs.added_up import added_up
from rankmark.language.grammar import read, write
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import Floats

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs import Input
    from rankmark.logs.impressions import Impressions

__all__ = ["CHOOSING", "Choosing", "RunPolicy", "choosing_of"]

CHOOSING: Mapping[str, str] = {
    "top": "the best items of its run, in their order, each time",
    "epsilon-greedy": "the best item that is left, or with chance epsilon any item of the run that is left",
    "softmax": "an item that is left with a chance in proportion to exp(score / temperature), one after "
    "another (Plackett-Luce)",
}
"""How a policy shows items of its run, by name."""
PARAMETERS: Mapping[str, Mapping[str, float]] = {
    "top": {},
    "epsilon-greedy": {"epsilon": 0.1},
    "softmax": {"temperature": 1.0},
}


@dataclass(frozen=True, slots=True)
class Choosing:
    """How a policy shows items of its run.

    Attributes:
        name: one of `CHOOSING`.
        parameters: of it.

    """

    name: str
    parameters: Mapping[str, float]

    def __str__(self) -> str:
        return write(self.name, self.parameters)


def choosing_of(text: str) -> Choosing:
    """What is written: ``top``, ``epsilon-greedy(epsilon=0.1)``, ``softmax(temperature=1)``.

    Raises:
        ChoiceError: anything else.

    """
    if not isinstance(text, str):
        raise ChoiceError(f"choose={text!r} is not one of {', '.join(CHOOSING)}")
    try:
        written = read(text, "choice")
    except MeasureError as error:
        raise ChoiceError(f"choose={text!r}: {error}") from error
    check_choice("choose", written.name, CHOOSING)
    parameters = dict(PARAMETERS[written.name])
    for name, value in written.parameters.items():
        if name not in parameters:
            known = ", ".join(parameters) or "none"
            raise ChoiceError(f"choose={text!r}: {written.name} has no parameter {name!r}; it takes {known}")
        most = 1.0 if name == "epsilon" else math.inf
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= most:
            raise ChoiceError(f"choose={text!r}: {name} is a number above 0{', 1 at most' * (most == 1.0)}")
        parameters[name] = float(value)
    return Choosing(written.name, parameters)


@dataclass(frozen=True, slots=True, eq=False)
class RunPolicy:
    """A policy that shows items of a run.

    Attributes:
        name: of the policy.
        choosing: how.
        frame: a row a result, those of a query in their order: ``query``, ``item``, ``place`` from 0, and
            ``size``, how many results the query has. Of ``softmax`` also ``logit``, (score − the best) / T,
            and ``tail``, the logarithm of the sum of exp(logit) of this one and those after it.
        text_ids: whether the ids come from a format without types.

    """

    name: str
    choosing: Choosing
    frame: pl.DataFrame
    text_ids: bool

    @classmethod
    def of(cls, name: str, run: Any, choosing: Choosing, columns: Mapping[str, Any] | None) -> RunPolicy:
        """That of a run as `rankmark.evaluate` takes it."""
        import polars as pl

        read_run_ = read_run(run, columns)
        frame = pl.DataFrame(read_run_.table)
        found = frame.select(
            query=pl.col(read_run_.query), item=pl.col(read_run_.item), score=_scores(frame, read_run_)
        )
        if found.select(pl.struct("query", "item").is_duplicated().any()).item():
            again = found.filter(pl.struct("query", "item").is_duplicated()).row(0, named=True)
            raise DataError(
                f"policy {name!r}: item {again['item']!r} stands twice for query "
                f"{again['query']!r}; remove one"
            )
        found = found.sort(
            "query", "score", "item", descending=[False, True, True], maintain_order=True
        ).with_columns(
            place=pl.int_range(pl.len()).over("query"),
            size=pl.len().over("query"),
        )
        if choosing.name == "softmax":
            if read_run_.value is None:
                raise UsageError(f"policy {name!r}: softmax is of scores, and the run has ranks alone")
            found = _with_logits(found, name, choosing.parameters["temperature"])
        return cls(name, choosing, found.drop("score"), read_run_.text_ids)

    def alike(self, log: pl.DataFrame, text_ids: bool, where: str) -> RunPolicy:
        """The same with ids of the types of a log's.

        Raises:
            IdTypeError: ids of which one side is integers and the other strings.

        """
        import polars as pl

        frame = self.frame
        for role in ("query", "item"):
            own, theirs = frame[role], log[role]
            if own.dtype.is_integer() == theirs.dtype.is_integer():
                continue
            integers, texts = (own, theirs) if own.dtype.is_integer() else (theirs, own)
            if not (text_ids if texts is theirs else self.text_ids):
                raise IdTypeError(
                    f"{where} has {role} ids such as {theirs[0]!r}, and the run of policy {self.name!r} such "
                    f"as {own[0]!r}: cast one of them, integers and strings are not the same ids"
                )
            del integers
            dtype = theirs.dtype if own.dtype == pl.String else pl.String
            frame = frame.with_columns(pl.col(role).cast(dtype, strict=False))
        # An item whose id cannot be one of the log's is never found there, but takes its share of chances.
        return RunPolicy(self.name, self.choosing, frame.drop_nulls("query"), self.text_ids)

    def chances(self, log: Impressions) -> Floats:
        """The chance of each item that was shown, given those above it, [impressions, positions]."""
        import polars as pl

        frame = self.frame.with_row_index("row")
        found = log.rows.join(frame, on=["query", "item"], how="left", maintain_order="left")
        place = log.placed(found["place"].fill_null(-1).to_numpy(), -1.0).astype(np.int64)
        slots = np.arange(place.shape[1])
        if self.choosing.name == "top":
            return np.where(log.there, place == slots, 0.0).astype(np.float64)
        size = log.placed(found["size"].fill_null(0).to_numpy(), 0.0).max(axis=1)
        if self.choosing.name == "epsilon-greedy":
            return self._greedy(place, size, log.there)
        row = log.placed(found["row"].cast(pl.Float64).fill_null(-1.0).to_numpy(), -1.0).astype(np.int64)
        return self._drawn(row, place, log.there)

    def overlap(self, log: Impressions) -> Floats:
        """How many items of each impression the policy shows at any of its positions."""
        found = log.rows.join(self.frame, on=["query", "item"], how="left", maintain_order="left")
        place = log.placed(found["place"].fill_null(-1).to_numpy(), -1.0)
        shown = (place >= 0) & (place < log.there.sum(axis=1)[:, None])
        return np.asarray(shown.sum(axis=1), dtype=np.float64)

    def _greedy(self, place: NDArray[np.int64], size: Floats, there: NDArray[np.bool_]) -> Floats:
        epsilon = self.choosing.parameters["epsilon"]
        count, slots = place.shape
        used = np.zeros((count, slots + 1), dtype=bool)
        chances = np.zeros((count, slots))
        rows = np.arange(count)
        for slot in range(slots):
            own = place[:, slot]
            best = used.argmin(axis=1)
            left = size - used.sum(axis=1) - 0.0
            known = there[:, slot] & (own >= 0) & (left > 0)
            chances[known, slot] = epsilon / left[known] + (1 - epsilon) * (own == best)[known]
            near = known & (own <= slots)
            used[rows[near], own[near]] = True
            size = size - (known & (own > slots))
        return chances

    def _drawn(self, row: NDArray[np.int64], place: NDArray[np.int64], there: NDArray[np.bool_]) -> Floats:
        """Of ``softmax``: exp(logit) by the sum of those left, both relative to the best that is left.

        What is left is the tail from there without what was shown of it: each at most as likely as the best,
        so that the difference loses no more digits than items were shown, however sure the first ones are.
        """
        logit, tail = self.frame["logit"].to_numpy(), self.frame["tail"].to_numpy()
        count, slots = place.shape
        used = np.zeros((count, slots + 1), dtype=bool)
        chances = np.zeros((count, slots))
        known = there & (place >= 0)
        for slot in range(slots):
            at = np.flatnonzero(known[:, slot])
            own, best = row[at, slot], used[at].argmin(axis=1)
            first = own - place[at, slot] + best
            left = np.exp(tail[first] - logit[first])
            for above in range(slot):
                shown = known[at, above] & (place[at, above] > best)
                left -= np.where(shown, np.exp(logit[row[at, above]] - logit[first]), 0.0)
            chances[at, slot] = np.exp(logit[own] - logit[first]) / np.maximum(left, 1.0)
            near = at[place[at, slot] <= slots]
            used[near, place[near, slot]] = True
        return chances

    def expected(self, log: Impressions, values: Sequence[pl.DataFrame], parts: NDArray[np.int64]) -> Floats:
        """What the policy is expected to earn, by what items at positions are, [impressions, positions].

        Args:
            log: the impressions.
            values: of each part, ``item``, ``slot`` and ``value``.
            parts: the part of each impression.

        """
        import polars as pl

        found = np.zeros(log.there.shape)
        queries = log.queries()
        for part, known in enumerate(values):
            own = np.flatnonzero(parts == part)
            if self.choosing.name == "top":
                shown = self.frame.filter(pl.col("place") < log.there.shape[1]).rename({"place": "slot"})
                table = shown.with_columns(pl.col("slot").cast(pl.Int64)).join(
                    known, on=["item", "slot"], how="left", maintain_order="left"
                )
                table = table.with_columns(chance=pl.lit(1.0))
            else:
                first = known.filter(pl.col("slot") == 0)
                table = self.frame.join(first, on="item", how="left", maintain_order="left")
                table = table.with_columns(slot=pl.lit(0, pl.Int64), chance=self._chance())
            usual = dict(known.filter(pl.col("item").is_null()).select("slot", "value").iter_rows())
            missing = pl.col("slot").replace_strict(usual, default=0.0, return_dtype=pl.Float64)
            table = table.with_columns(value=pl.col("value").fill_null(missing) * pl.col("chance"))
            table = added_up(table, ["query", "slot"], sums={"value": pl.col("value")})
            asked = pl.DataFrame({"query": queries.gather(own), "row": own})
            joined = asked.join(table, on="query", how="inner")
            found[joined["row"].to_numpy(), joined["slot"].to_numpy()] = joined["value"].to_numpy()
        return np.where(log.there, found, 0.0)

    def _chance(self) -> pl.Expr:
        """The chance of each result to be shown first."""
        import polars as pl

        if self.choosing.name == "softmax":
            return (pl.col("logit") - pl.col("tail").first().over("query")).exp()
        epsilon = self.choosing.parameters["epsilon"]
        return epsilon / pl.col("size") + (1 - epsilon) * (pl.col("place") == 0).cast(pl.Float64)

    def unanswered(self, log: Impressions) -> int:
        """How many impressions have a query for which the run has nothing."""
        return int((~log.queries().is_in(self.frame["query"].unique().implode())).sum())

    def never_shown(self, log: Impressions) -> int:
        """In how many impressions the policy's first items have one that the log shows in none."""
        import polars as pl

        depth = log.there.shape[1]
        top = self.frame.filter(pl.col("place") < depth)
        new = top.filter(~pl.col("item").is_in(log.rows["item"].unique().implode()))["query"].unique()
        return int(log.queries().is_in(new.implode()).sum())


def _with_logits(frame: pl.DataFrame, name: str, temperature: float) -> pl.DataFrame:
    """With the columns that ``softmax`` needs.

    Raises:
        DataError: scores that are infinite, or too far apart for the temperature.

    """
    import polars as pl

    logit = (pl.col("score") - pl.col("score").max().over("query")) / temperature
    frame = frame.with_columns(logit=logit)
    if len(beyond := frame.filter(~pl.col("logit").is_finite())):
        query, item, score = beyond.select("query", "item", "score").row(0)
        raise DataError(
            f"policy {name!r}: softmax is of scores whose differences divided by the temperature "
            f"{temperature:g} are finite, and of {len(beyond)} they are not, the first that of item {item!r} "
            f"of query {query!r}, {score:g}; replace them, or take a higher temperature"
        )
    logits, place = frame["logit"].to_numpy(), frame["place"].to_numpy()
    last = place == frame["size"].to_numpy() - 1
    tail = logits.copy()
    for depth in range(int(place.max(initial=0)) - 1, -1, -1):
        here = np.flatnonzero((place == depth) & ~last)
        tail[here] = np.logaddexp(logits[here], tail[here + 1])
    return frame.with_columns(tail=pl.Series(tail))


def _scores(frame: pl.DataFrame, run: Input) -> pl.Expr:
    """The greater the better: scores, ranks turned around, or the order of rows."""
    import polars as pl

    if run.value is not None:
        return pl.col(run.value).cast(pl.Float64)
    if run.rank is not None:
        return -pl.col(run.rank).cast(pl.Float64)
    return -pl.int_range(frame.height).cast(pl.Float64)
