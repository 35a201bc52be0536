"""Draws candidates for each user of a test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rankmark._native import Table, query_seeds, sample_negatives, sets_of
from rankmark.candidates.sampled import Fewer, SampledCandidates, SamplingMethod
from rankmark.errors import ChoiceError, ColumnError, DataError, UsageError, did_you_mean
from rankmark.forking import need_polars_threads
from rankmark.inputs.catalogue import Catalogue, alike
from rankmark.inputs.item_tables import read_held_out, read_items, read_train
from rankmark.inputs.roles import ColumnNames
from rankmark.kinds.ragged import offsets_of
from rankmark.language.choices import check_seed
from rankmark.language.plan import check_threads
from rankmark.progress import reading
from rankmark.rendering.words import brief, counted
from rankmark.statistics.record import check_choice

if TYPE_CHECKING:
    import polars as pl

__all__ = ["sample_candidates"]

Allocation: TypeAlias = Literal["proportional", "equal"]
METHODS: tuple[SamplingMethod, ...] = ("uniform", "popularity", "stratified")
MOST, MOST_STRATA, MOST_EXPONENT = 10**6, 10_000, 10
"""Items drawn for one user; strata; the exponent of popularity."""
AGAIN = -2
"""The place of an item that was drawn again."""
ROUNDING = 1e-9
"""By which a share of the items may fall short of a whole number."""


def sample_candidates(
    train: Any,
    test: Any,
    n: int = 99,
    *,
    method: SamplingMethod = "uniform",
    seed: int = 0,
    items: Any = None,
    exponent: float | None = None,
    strata: str | int | None = None,
    allocation: Allocation | None = None,
    replacement: bool = False,
    fewer: Fewer = "all",
    columns: ColumnNames | None = None,
    threads: int | None = None,
) -> SampledCandidates:
    """Draws for each user of a test items to rank beside those held out, which the user has not had.

    What is drawn for a user depends on the seed, the user's id, the catalogue and what the user had: neither
    on the order of rows, nor on other users, nor on the number of threads. Items of the test that are not
    relevant (relevance 0 or less) are neither drawn nor held out.

    Args:
        train: the interactions before, ``{user: [item, …]}`` or a path or table of users and items.
        test: those held out, as `train` or as judgements with a relevance; it says which users there are.
        n: how many are drawn for each user.
        method: ``uniform``, all items alike; ``popularity``, in proportion to (users who had it in
            `train`) ** `exponent`; ``stratified``, uniformly from each stratum.
        seed: 0 ≤ seed < 2⁶⁴; the same seed draws the same items.
        items: all items, as `catalogue` takes them or made them; if None those of `train` and `test`.
        exponent: of popularity; 1 if None.
        strata: for ``stratified`` a column of `items`, or so many groups of items of like popularity, of as
            many items each; 10 if None.
        allocation: how many are drawn of each stratum: in proportion to its items (``proportional``, which
            None means), or as many of each (``equal``).
        replacement: whether an item can be drawn again, which then counts once, so that lists can be shorter.
        fewer: what is with users that have fewer items than `n` to draw: ``all`` of them are taken, ``skip``
            leaves these users out, or ``error``. Of strata each has to have enough.
        columns: the columns to use where their names do not say it, for one table alone as ``train.item``,
            ``test.query`` or ``items.item``.
        threads: how many threads to use; all cores if None.

    Returns:
        A table with the account of how it was drawn, which `SampledCandidates.to_file` writes.

    Raises:
        UsageError: a method, a number or an option that there is not, or that does not go with others.
        DataError: tables that cannot be read, held-out items that are not among `items`, no user with a
            relevant item, or users with fewer items, if these are an error.

    Note:
        Values among sampled candidates are higher than among all items and can put systems into another
        order: see `correct_sampled`. Without replacement the probability of ``popularity`` is that of Rosén's
        approximation, 1 − exp(−w·t), within some percent.

    Source:
        B. Rosén, "Asymptotic theory for order sampling", Journal of Statistical Planning and Inference 62,
        1997; M. D. Vose, "A linear algorithm for generating random numbers with a given distribution", IEEE
        Transactions on Software Engineering 17, 1991.

    Example:
        >>> import rankmark as rm
        >>> train, test = {"ann": ["a", "b"], "bob": ["c"]}, {"ann": ["c"], "bob": ["a"]}
        >>> drawn = rm.sample_candidates(train, test, 2, items=["a", "b", "c", "d", "e"])
        >>> drawn.frame.filter(query="ann")["item"].to_list()
        ['c', 'd', 'e']
        >>> drawn.frame.filter(query="bob")["probability"].to_list()[0]
        1.0

    """
    _check(n, method, exponent, strata, allocation, replacement, fewer)
    check_seed(seed)
    check_threads(threads)
    need_polars_threads()
    with reading("sampling candidates", None, None):
        tables = _Tables(train, test, items, columns)
        weights = _weights(tables, 1.0 if exponent is None else exponent) if method == "popularity" else None
        parts = _strata(tables, 10 if strata is None else strata) if method == "stratified" else None
        drawn_from = parts or _Strata(np.arange(tables.count, dtype=np.int32), np.array([tables.count]), "")
        offsets, item, place, chance = sample_negatives(
            query_seeds(Table.from_arrow(tables.users.to_frame()), "query", seed),
            tables.had,
            tables.held_out,
            (
                drawn_from.members,
                offsets_of(drawn_from.sizes).tolist(),
                drawn_from.takes(n, allocation or "proportional"),
            ),
            (weights, replacement),
            threads or 0,
        )
        rows = _Rows(np.diff(offsets), item, place, chance)
        drawn = rows.lengths - np.diff(tables.held_out[0])
        short = drawn < n
        said = _said_of_fewer(tables, drawn, n)
        if said and fewer == "error":
            raise DataError(f"{said}; ask for fewer, or choose fewer='all' or 'skip'")
        kept = rows.where(~short) if fewer == "skip" else rows
        if not len(kept.lengths):
            raise DataError(f"{said}; ask for fewer")
        frame = kept.once.frame(tables, tables.users.filter(~short) if fewer == "skip" else tables.users)
    ends = {"all": "they have all that there are", "skip": "they are left out"}
    return SampledCandidates(
        frame=frame,
        n=n,
        method=method,
        seed=seed,
        catalogue=tables.count,
        users=len(kept.lengths),
        held_out=int((kept.place >= 0).sum()),
        fewer=int(short.sum()),
        exponent=None if weights is None else float(1 if exponent is None else exponent),
        strata=None if parts is None else parts.said,
        replacement=replacement,
        notes=(*tables.notes, *_of_unpopular(weights), *([f"{said}: {ends[fewer]}"] if said else [])),
    )


def _check(
    n: Any, method: str, exponent: Any, strata: Any, allocation: Any, replacement: Any, fewer: Any
) -> None:
    """Refuses options that there are not, or that say nothing of the method."""
    if not isinstance(n, int) or isinstance(n, bool) or not 1 <= n <= MOST:
        raise ChoiceError(f"n={brief(n)} is not a whole number from 1 to {MOST:,}")
    check_choice("method", method, METHODS)
    check_choice("fewer", fewer, get_args(Fewer))
    if not isinstance(replacement, bool):
        raise ChoiceError(f"replacement={brief(replacement)} is neither True nor False")
    own = {"exponent": "popularity", "strata": "stratified", "allocation": "stratified"}
    for name, value in {"exponent": exponent, "strata": strata, "allocation": allocation}.items():
        if value is not None and method != own[name]:
            raise UsageError(
                f"{name}={brief(value)} is of method={own[name]!r}, and the method is {method!r}"
            )
    if exponent is not None:
        known = isinstance(exponent, int | float) and not isinstance(exponent, bool)
        if not known or not 0 <= exponent <= MOST_EXPONENT:
            raise ChoiceError(f"exponent={brief(exponent)} is not a number from 0 to {MOST_EXPONENT}")
    if allocation is not None:
        check_choice("allocation", allocation, get_args(Allocation))
    if (
        strata is not None
        and not isinstance(strata, str)
        and not (_is_count(strata) and strata <= MOST_STRATA)
    ):
        raise ChoiceError(
            f"strata={brief(strata)} is neither a column of items nor a whole number from 1 to "
            f"{MOST_STRATA:,}"
        )


def _is_count(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 1


Lists: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32]]
"""Ascending numbers of items, one list a user: where each begins, and the numbers."""


def _sets(rows: pl.DataFrame, count: int) -> Lists:
    """The second numbers of each of so many first ones, each once."""
    import polars as pl

    first, second = (rows[name].cast(pl.Int32).to_numpy() for name in rows.columns)
    return sets_of(first, second, count)


class _Tables:
    """What is known of users and items, by numbers that depend on the ids alone.

    Attributes:
        users: the users with a held-out item, ascending.
        items: all items, ascending.
        had: the items that each user has had or has in the test.
        held_out: those of them that are held out.
        relevance: of these, in their order.
        notes: what was left out.

    """

    def __init__(self, train: Any, test: Any, items: Any, columns: ColumnNames | None) -> None:
        import polars as pl

        held, interactions = read_held_out(test, columns), read_train(train, columns)
        if isinstance(items, Catalogue):
            listed = items.items
        else:
            listed = None if items is None else read_items(items, columns)
        for role in ("query", "item"):
            whole = held[role].dtype.is_integer()
            interactions = interactions.with_columns(alike(interactions[role], whole, "train").alias(role))
            held = held.with_columns(alike(held[role], whole, "test").alias(role))
        if listed is None:
            every = pl.concat([interactions["item"], held["item"]]).unique()
            listed = every.to_frame("item")
        else:
            whole = held["item"].dtype.is_integer()
            listed = listed.with_columns(alike(listed["item"], whole, "items").alias("item"))
        self.catalogue = listed.sort("item")
        self.items = self.catalogue["item"]
        self.count = len(self.items)
        self.notes: list[str] = []
        relevant = held.filter(pl.col("relevance") > 0)
        self.users = relevant["query"].unique().sort()
        self._note_irrelevant(held)
        if not len(self.users):
            raise DataError("test: no item is relevant: every relevance is 0 or less")
        self._numbers = self.items.to_frame().with_row_index("number")
        self._places = self.users.to_frame().with_row_index("place")
        self._refuse_unknown(relevant)
        self._before = interactions.join(self._numbers, on="item")
        if unknown := interactions.height - self._before.height:
            rows = counted(unknown, "row")
            self.notes.append(f"{rows} of train with items that are not among all: passed over")
        out = self._keys(relevant.join(self._numbers, on="item")).sort("key")
        if out["key"].is_duplicated().any():
            again = relevant.filter(pl.struct("query", "item").is_duplicated()).sort("query", "item")
            raise DataError(
                f"test: {len(out) - out['key'].n_unique():,} held-out items are there again for their user, "
                f"the first is {again['item'][0]!r} of {again['query'][0]!r}; remove them"
            )
        before = self._keys(self._before)
        if known := out.join(before, on="key", how="semi").height:
            self.notes.append(
                f"{'all' if known == out.height else known} of {counted(out.height, 'held-out item')} are "
                "in train as well, where the user had them: take them out of train"
            )
        of_test = self._keys(held.join(self._numbers, on="item"))
        had = pl.concat([each.select("place", "number") for each in (before, of_test)])
        self.had = _sets(had, len(self.users))
        counts = np.bincount(out["place"].to_numpy(), minlength=len(self.users))
        self.held_out: Lists = offsets_of(counts), out["number"].cast(pl.Int32).to_numpy()
        self.relevance = out["relevance"]

    def _keys(self, rows: pl.DataFrame) -> pl.DataFrame:
        """One ascending number for the user and the item of each row of a user."""
        import polars as pl

        key = pl.col("place").cast(pl.Int64) * self.count + pl.col("number")
        return rows.join(self._places, on="query").with_columns(key.alias("key"))

    def _note_irrelevant(self, held: pl.DataFrame) -> None:
        import polars as pl

        others = held["query"].n_unique() - len(self.users)
        if others:
            self.notes.append(
                f"{counted(others, 'user')} of the test without a relevant item: not sampled for"
            )
        if rows := held.filter(~(pl.col("relevance") > 0)).height:
            self.notes.append(f"{counted(rows, 'row')} of the test not relevant: neither held out nor drawn")

    def _refuse_unknown(self, relevant: pl.DataFrame) -> None:
        unknown = relevant.join(self._numbers, on="item", how="anti").sort("query", "item")
        if unknown.height:
            raise DataError(
                f"test: {counted(unknown.height, 'held-out item')} of {relevant.height:,} not among the "
                f"{self.count:,} items, the first is {unknown['item'][0]!r} of {unknown['query'][0]!r}; give "
                "all items, or take those out of the test"
            )

    def popularity(self) -> NDArray[np.int64]:
        """How many users of `train` had each item."""
        users = self._before["query"].unique().to_frame().with_row_index("user")
        rows = self._before.join(users, on="query").select("user", "number")
        _, items = _sets(rows, len(users))
        return np.bincount(items, minlength=self.count)


def _weights(tables: _Tables, exponent: float) -> NDArray[np.float64]:
    """How likely items are drawn by their popularity; 0 for one that nobody had."""
    popularity = tables.popularity()
    if not popularity.any():
        raise DataError("train: nobody had any of the items, so that none is popular")
    weights = popularity / popularity.max()
    return np.where(weights > 0, weights**exponent, 0.0)


class _Strata(NamedTuple):
    """Items in strata.

    Attributes:
        members: all items, stratum by stratum.
        sizes: how many are in each.
        said: by what they are.

    """

    members: NDArray[np.int32]
    sizes: NDArray[np.int64]
    said: str

    def takes(self, n: int, allocation: Allocation) -> list[int]:
        """How many of `n` are drawn of each stratum: what is left over goes to the largest remainders."""
        share = (
            self.sizes / self.sizes.sum()
            if allocation == "proportional"
            else np.full(len(self.sizes), 1 / len(self.sizes))
        )
        wanted = n * share
        takes = np.floor(wanted + ROUNDING).astype(np.int64)
        takes[np.argsort(takes - wanted, kind="stable")[: n - takes.sum()]] += 1
        return takes.tolist()  # type: ignore[no-any-return]


def _strata(tables: _Tables, strata: str | int) -> _Strata:
    """The strata of a column of items, or of items of like popularity."""
    if isinstance(strata, str):
        if strata not in tables.catalogue.columns or strata == "item":
            names = [name for name in tables.catalogue.columns if name != "item"]
            hint = did_you_mean(strata, names) or (f"; its columns are {', '.join(names)}" if names else "")
            raise ColumnError(
                f"items has no column {strata!r} beside the items{hint or '; give items with one'}"
            )
        column = tables.catalogue[strata]
        if column.dtype.is_nested() or column.dtype.is_float():
            raise ColumnError(
                f"items: {strata!r} is {column.dtype}; strata are by one text or whole number an item"
            )
        if missing := column.null_count():
            raise DataError(f"items: {missing:,} of {tables.count:,} items have no {strata!r}; give each one")
        label = column.rank("dense").to_numpy().astype(np.int64) - 1
        if (several := int(label.max()) + 1) > MOST_STRATA:
            raise DataError(
                f"items: {strata!r} has {several:,} values, and strata are {MOST_STRATA:,} at most"
            )
        said = f"{strata} ({counted(several, 'value')})"
    else:
        count = min(strata, tables.count)
        rank = np.empty(tables.count, dtype=np.int64)
        rank[np.argsort(tables.popularity(), kind="stable")] = np.arange(tables.count)
        label = rank * count // tables.count
        said = f"popularity ({counted(count, 'group')})"
    members = np.argsort(label, kind="stable").astype(np.int32)
    return _Strata(members, np.bincount(label), said)


class _Rows(NamedTuple):
    """What was drawn, user after user.

    Attributes:
        lengths: how many rows each user has.
        item: the numbers of items.
        place: where a held-out one stands, -1 for one that was drawn, -2 for one drawn again.
        chance: how likely each was to be there.

    """

    lengths: NDArray[np.int64]
    item: NDArray[np.int32]
    place: NDArray[np.int32]
    chance: NDArray[np.float64]

    def where(self, kept: NDArray[np.bool_]) -> _Rows:
        """Those of some users."""
        rows = np.repeat(kept, self.lengths)
        return _Rows(self.lengths[kept], self.item[rows], self.place[rows], self.chance[rows])

    @property
    def once(self) -> _Rows:
        """Those without what was drawn again."""
        again = self.place == AGAIN
        if not again.any():
            return self
        starts = np.cumsum(self.lengths) - self.lengths
        lengths = self.lengths - np.add.reduceat(again, starts, dtype=np.int64)
        return _Rows(lengths, self.item[~again], self.place[~again], self.chance[~again])

    def frame(self, tables: _Tables, users: pl.Series) -> pl.DataFrame:
        """The rows with their ids."""
        import polars as pl

        user = np.repeat(np.arange(len(users), dtype=np.uint32), self.lengths)
        grades = np.append(tables.relevance.to_numpy(), 0)  # the last is that of what was drawn
        return pl.DataFrame(
            {
                "query": users.gather(user),
                "item": tables.items.gather(self.item.view(np.uint32)),
                "relevance": grades[self.place],
                "probability": self.chance,
            }
        )


def _said_of_fewer(tables: _Tables, drawn: NDArray[np.int64], n: int) -> str:
    """How many users have fewer items to draw than wanted; empty if none."""
    short = drawn < n
    if not short.any():
        return ""
    first = int(short.argmax())
    return (
        f"{int(short.sum()):,} of {counted(len(short), 'user')} have fewer than {n:,} items to draw from, "
        f"the first is {tables.users[first]!r} with {drawn[first]:,}"
    )


def _of_unpopular(weights: NDArray[np.float64] | None) -> Iterator[str]:
    if weights is not None and (never := int((weights == 0).sum())):
        yield f"{counted(never, 'item')} of {len(weights):,} that nobody has in train: never drawn"
