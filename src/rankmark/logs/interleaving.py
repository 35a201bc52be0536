"""Makes lists of two systems in one, and credits the clicks on them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from rankmark.errors import ChoiceError, ColumnError, DataError
from rankmark.explaining.listed import ranked
from rankmark.inputs import align_ids, read_shared
from rankmark.inputs.added_up import added_up
from rankmark.inputs.click_logs import ClickLog, read_click_log
from rankmark.inputs.roles import check_names
from rankmark.language.choices import Choices, Ties
from rankmark.logs.interleaved import (
    METHODS,
    UNNAMED,
    InterleavedLists,
    Interleaving,
    InterleavingMethod,
    Tested,
)
from rankmark.progress import reading
from rankmark.rendering.words import counted, listed
from rankmark.statistics.interleaving import (
    CREDITS,
    CreditName,
    balanced_interleaving,
    balanced_preference,
    optimized_interleaving,
    probabilistic_interleaving,
    team_draft,
)
from rankmark.statistics.intervals import Interval, t_interval, wilson_interval
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import Floats, check_drawn, check_share
from rankmark.statistics.significance import randomisation_test, sign_test

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark.statistics.chance import PValue

__all__ = ["FAIR", "evaluate_interleaving", "interleave", "preference_test"]

Ranking: TypeAlias = Sequence[Any]
Placed: TypeAlias = "tuple[Any, float | None]"
"""An item, and the credit of a click on it."""
FAIR: Mapping[InterleavingMethod, Tested] = {
    "team-draft": "wins",
    "balanced": "wins",
    "optimized": "credit",
    "probabilistic": "credit",
}
"""What each method makes of no advantage to either for a user who clicks at random."""


def interleave(
    run_a: Any,
    run_b: Any,
    *,
    method: InterleavingMethod = "team-draft",
    k: int = 10,
    lists: int = 1,
    credit: CreditName = "inverse",
    softness: float = 3.0,
    ties: Ties = "item-desc",
    seed: int = 0,
    names: tuple[str, str] = UNNAMED,
    columns: Mapping[str, Any] | None = None,
) -> InterleavedLists:
    """Lists that mix two runs' best items, for users whose clicks say which run is better.

    What a query's list is depends on the seed, the query and the number of the list alone: not on other
    queries, threads or machines.

    Args:
        run_a: the results of A, as `evaluate` takes them.
        run_b: those of B; queries that only one of them has are left out.
        method: ``team-draft``, ``balanced``, ``optimized`` or ``probabilistic``; see `statistics`.
        k: how long a list is at most.
        lists: how many of each query, to be shown in turn.
        credit: of ``optimized``: ``inverse``, ``linear`` or ``binary``.
        softness: of ``probabilistic``: how much more likely the first items are to come first.
        ties: the order of equal scores.
        seed: of what is drawn.
        names: what to call A and B; a log of these lists says it, too.
        columns: the columns to use, where their names do not say it.

    Raises:
        UsageError: another method or choice, or a file that is not there.
        DataError: a table that cannot be read, runs without a common query; of ``optimized`` rankings for
            which no probabilities are fair with this credit.

    Source:
        `statistics.team_draft`, `statistics.balanced_interleaving`, `statistics.optimized_interleaving` and
        `statistics.probabilistic_interleaving`.

    Example:
        >>> import rankmark as rm
        >>> made = rm.interleave({"q": ["a", "b"]}, {"q": ["b", "c"]}, k=3)
        >>> made.frame["item", "team"].rows()
        [('b', 'B'), ('a', 'A'), ('c', 'B')]

    """
    import polars as pl

    check_choice("method", method, tuple(METHODS))
    check_choice("credit", credit, CREDITS)
    for name, value in (("k", k), ("lists", lists)):
        if not hasattr(value, "__index__") or isinstance(value, bool) or value < 1:
            raise ChoiceError(f"{name}={value!r} is not a whole number from 1")
    if isinstance(softness, bool) or not isinstance(softness, int | float) or not 0 < softness < math.inf:
        raise ChoiceError(f"softness={softness!r} is not a number above 0")
    check_drawn(1, seed)
    _check_names(names)
    if ties in ("best", "worst", "expected"):
        raise ChoiceError(f"ties={ties!r} needs judgements; here it is item-desc, item-asc, input or random")
    depth = math.inf if method == "probabilistic" else k
    one, other, notes = _rankings(run_a, run_b, depth, Choices(ties=ties, seed=seed), columns)
    way = _Way(method, k, credit, softness)
    made: list[dict[str, Any]] = []
    with reading("interleaving", None, None):
        for query in one:
            places = [{item: rank for rank, item in enumerate(own, 1)} for own in (one[query], other[query])]
            for number in range(1, lists + 1):
                random = _random(seed, query, number)
                for position, (item, worth) in enumerate(way.drawn(one[query], other[query], random), 1):
                    rank_a, rank_b = (own.get(item) for own in places)
                    made.append(
                        {
                            "query": query,
                            "list": number,
                            "position": position,
                            "item": item,
                            "team": _team(worth) if method == "team-draft" else None,
                            "rank_a": rank_a,
                            "rank_b": rank_b,
                            "credit": worth,
                        }
                    )
    types = {"team": pl.String, "rank_a": pl.Int64, "rank_b": pl.Int64, "credit": pl.Float64}
    frame = pl.DataFrame(made, infer_schema_length=None, schema_overrides=types)
    if names != UNNAMED:
        frame = frame.with_columns(name_a=pl.lit(names[0]), name_b=pl.lit(names[1]))
    return InterleavedLists(method, k, seed, frame, (names[0], names[1]), notes)


def _check_names(names: Any) -> None:
    """Refuses names of systems that do not tell one from the other."""
    two = isinstance(names, tuple | list) and len(names) == 2
    if not (two and all(isinstance(name, str) and name for name in names) and names[0] != names[1]):
        raise ChoiceError(f"names={names!r} are to be two different texts: what A and B are called")


def _team(worth: float | None) -> str | None:
    return None if worth is None else "A" if worth > 0 else "B"


def _random(seed: int, query: Any, number: int) -> Random:
    """What draws the list of a query, the same on every machine."""
    text = f"{seed}\0{query}\0{number}".encode()
    return Random(int.from_bytes(blake2b(text, digest_size=8).digest()))


class _Way(NamedTuple):
    """How lists are made."""

    method: InterleavingMethod
    k: int
    credit: CreditName
    softness: float

    def drawn(self, a: Ranking, b: Ranking, random: Random) -> Sequence[Placed]:
        """A list, with the credit of each item."""
        if self.method == "team-draft":
            return team_draft(a, b, self.k, random)
        if self.method == "balanced":
            first = random.random() < 1 / 2
            return [(item, None) for item in balanced_interleaving(a, b, self.k, a_first=first)]
        if self.method == "probabilistic":
            return probabilistic_interleaving(a, b, self.k, random, softness=self.softness)
        found = optimized_interleaving(a, b, self.k, credit=self.credit)
        at = random.random()
        for made, share in zip(found.lists, found.probabilities, strict=True):
            at -= share
            if at < 0:
                return made
        return found.lists[-1]


def _rankings(
    run_a: Any, run_b: Any, depth: float, choices: Choices, columns: Mapping[str, Any] | None
) -> tuple[dict[Any, list[Any]], dict[Any, list[Any]], tuple[str, ...]]:
    """The items of each query that both runs have, best first, down to a rank."""
    import polars as pl

    runs = [read_shared(each, "run", columns) for each in (run_a, run_b)]
    check_names(columns, {"run": [*runs[0].names, *runs[1].names]})
    runs = [*align_ids(*runs)]
    found = []
    for run in runs:
        rows = ranked(run.queries(), run, choices).filter(pl.col("rank") <= depth)
        lists = rows.group_by("query", maintain_order=True).agg("item")
        found.append(dict(lists.iter_rows()))
    one, other = found
    common = [query for query in one if query in other]
    if not common:
        raise DataError(f"{runs[0].name} and {runs[1].name} have no query in common")
    alone = len(one) + len(other) - 2 * len(common)
    left = "of one run alone left out"
    notes = (f"{counted(alone, 'query', 'queries')} {left}",) if alone else ()
    return {query: one[query] for query in common}, other, notes


# --- What clicks say ---------------------------------------------------------------------------------------


def evaluate_interleaving(
    log: Any,
    *,
    method: InterleavingMethod = "team-draft",
    clusters: str | None = None,
    alpha: float = 0.05,
    confidence: float = 0.95,
    names: tuple[str, str] | None = None,
    columns: Mapping[str, Any] | None = None,
) -> Interleaving:
    """Which of two systems the clicks on interleaved lists prefer.

    A list prefers whom more credit of its clicks goes to. Δ is (wins of A + ties/2) / lists − 1/2. Of team
    draft and balanced lists the wins are tested (exact sign test), of optimised and probabilistic lists the
    mean credit (`statistics.randomisation_test`), which is what these make fair: a user who clicks at random
    gives neither any, but may let one win more often. With clusters whole clusters change signs, of wins,
    too. Where A and B could be exchanged p holds however few lists and clicks there are. Of users who click
    at random credits are 0 on average, but may be skewed, so that p is right where many lists have credit.

    Args:
        log: a path, a table or a dict of columns with a row an item that was shown: query, item, position,
            click, the id of the list that it stood in, and what `interleave` says of it: ``team`` or
            ``credit`` of team draft, ``rank_a`` and ``rank_b`` of balanced, else ``credit``.
        method: how the lists were made.
        clusters: a column of what lists belong to, such as the user or the query, whose lists count together.
        alpha: up to which p one is said to be preferred.
        confidence: of the intervals: of wins Wilson's, or with clusters Kott's; else Student's. These are
            approximate for few lists that prefer one, and so can differ from the test.
        names: what A and B are; None for what columns ``name_a`` and ``name_b`` of the log say, if there are.
        columns: the columns to use, where their names do not say it.

    Raises:
        ChoiceError: another method, or names that do not tell one from the other.
        UsageError: what is no table, or a file that is not there.
        ColumnError: the log lacks what credits clicks.
        DataError: a log that is none, of several pairs of systems, or whose teams and credits are those of
            another method.

    Source:
        O. Chapelle, T. Joachims, F. Radlinski and Y. Yue, "Large-scale validation and analysis of interleaved
        search evaluation", TOIS 30, 2012, and those of the methods.

    Example:
        >>> import rankmark as rm
        >>> log = {"query": ["q"] * 6, "list": [1, 1, 2, 2, 3, 3], "item": ["a", "b"] * 3,
        ...        "position": [1, 2] * 3, "team": ["A", "B"] * 3, "click": [1, 0, 1, 0, 0, 1]}
        >>> found = rm.evaluate_interleaving(log)
        >>> found.wins_a, found.wins_b, round(found.delta, 4), found.preferred
        (2, 1, 0.1667, None)

    """
    check_choice("method", method, tuple(METHODS))
    check_share(alpha=alpha, confidence=confidence)
    if names is not None:
        _check_names(names)
    roles = ("rank_a", "rank_b") if method == "balanced" else ()
    others = () if clusters is None else (clusters,)
    read = _read(log, columns, method, roles, others)
    frame = _preferences(read, method)
    preference = frame["preference"].to_numpy().astype(float)
    credit = frame["credit"].cast(float).fill_null(math.nan).to_numpy()
    labels = None if clusters is None else read.clusters(clusters)
    wins_a, wins_b = int((preference > 0).sum()), int((preference < 0).sum())
    decided = preference != 0
    clicked = int((frame["clicks"] > 0).sum())
    half = of_credit = Interval(math.nan, math.nan)
    if clicked:
        low, high = t_interval(preference / 2, confidence=confidence, clusters=labels)
        half = Interval(*np.clip([low, high], -1 / 2, 1 / 2).tolist())  # Δ has no other values
    shares = _shares(preference, decided, labels, confidence)
    if method != "balanced" and clicked:
        of_credit = t_interval(credit, confidence=confidence, clusters=labels)
    tested = FAIR[method]
    test, p = preference_test(preference if tested == "wins" else credit, tested, labels)
    return Interleaving(
        method,
        frame,
        wins_a,
        wins_b,
        int((~decided).sum()),
        clicked,
        float(preference.mean() / 2),
        *half,
        float((preference[decided] > 0).mean()) if decided.any() else math.nan,
        *shares,
        float(credit.mean()),
        *of_credit,
        float(p),
        test,
        tested,
        alpha,
        clusters,
        confidence,
        _names_in(read) if names is None else (names[0], names[1]),
        tuple(_notes(read, frame, labels, decided, method)),
    )


NAMED = ("name_a", "name_b")
FEW = 25
"""Fewer lists that prefer one, or clusters, are noted."""
FEWEST_SIGNS = 6
"""Of which all have the same sign in 2 of 2⁶ choices, less than 5%."""


def _read(
    log: Any, columns: Any, method: InterleavingMethod, roles: tuple[str, ...], others: tuple[str, ...]
) -> ClickLog:
    """The log, with nulls of ranks for what one of both does not have."""
    read = read_click_log(log, columns, roles=(*roles, "team", "credit", *NAMED), others=others)
    there = read.frame.columns
    needed = {
        "team-draft": "'team', A or B, or 'credit', 1 or -1",
        "balanced": "'rank_a' and 'rank_b', the ranks of the item in both",
    }.get(method, "'credit'")
    lacks = any(role not in there for role in roles) if method == "balanced" else "credit" not in there
    if lacks and not (method == "team-draft" and "team" in there):
        raise ColumnError(
            f"{read.where} does not say to whom a click of {METHODS[method]} is credited: it needs {needed}, "
            "as `interleave` gives them with each item"
        )
    _refuse_other_methods(read, method)
    return read


def _names_in(log: ClickLog) -> tuple[str, str]:
    """What a log calls A and B.

    Raises:
        DataError: it has several names of one.

    """
    if any(role not in log.frame for role in NAMED):
        return UNNAMED
    own = [log.frame[role].unique(maintain_order=True).to_list() for role in NAMED]
    if any(len(each) > 1 for each in own):
        both = [listed(list(map(str, each))) for each in own]
        raise DataError(
            f"{log.where} is of several pairs of systems: {both[0]} as A, and {both[1]} as B; give the rows "
            'of one pair at a time, or say what they are called together: names=("A", "B") (on the command '
            "line --names A B)"
        )
    return str(own[0][0]), str(own[1][0])


def _refuse_other_methods(log: ClickLog, method: InterleavingMethod) -> None:
    """Refuses lists that say that they were made by another method.

    Raises:
        DataError: they do.

    """
    frame = log.frame
    filled = {name for name in ("team", "credit") if name in frame and frame[name].null_count() < len(frame)}
    if method == "team-draft" and "team" in frame and "team" not in filled:
        raise DataError(
            f"{log.where}: the column of teams is empty, as `interleave` has it of other methods than team "
            f"draft: say which made the lists, such as method={'optimized' if filled else 'balanced'!r}"
        )
    if method != "team-draft" and "team" in filled:
        raise DataError(
            f"{log.where}: its column of teams says that team draft made the lists, and not "
            f'{METHODS[method]}: say method="team-draft", or leave it out with columns={{"team": None}} (on '
            "the command line --column team=)"
        )
    if method == "balanced" and "credit" in filled:
        raise DataError(
            f"{log.where}: its items have credits, and those of balanced interleaving have none: say which "
            'method made the lists, such as method="optimized", or leave them out with '
            'columns={"credit": None} (on the command line --column credit=)'
        )
    if method in ("optimized", "probabilistic") and "credit" not in filled:
        raise DataError(
            f"{log.where}: the column of credits is empty, as `interleave` has it of balanced interleaving: "
            'say method="balanced"'
        )


def _preferences(log: ClickLog, method: InterleavingMethod) -> pl.DataFrame:
    """`Interleaving.preferences`."""
    import polars as pl

    rows = log.frame.with_columns(credit=_credits(log, method))
    if method == "balanced":
        clicked = [pl.col(name).filter("click") for name in ("rank_a", "rank_b")]
        found = rows.group_by("impression", maintain_order=True).agg(
            pl.col("query").first(), pl.col("click").sum().alias("clicks"), *clicked
        )
        sides = [balanced_preference(a, b) for a, b in zip(found["rank_a"], found["rank_b"], strict=True)]
        frame = found.with_columns(
            credit=pl.lit(None, pl.Float64), preference=pl.Series(sides, dtype=pl.Int64)
        )
    else:
        frame = added_up(
            rows,
            ["impression"],
            sums={"credit": pl.col("credit").filter("click")},
            others={"query": pl.col("query").first(), "clicks": pl.col("click").sum()},
        )
        rounding = pl.when(pl.col("credit").abs() < ROUNDING).then(0.0).otherwise("credit")
        frame = frame.with_columns(preference=rounding.sign().cast(pl.Int64))
    return frame.select("query", "impression", pl.col("clicks").cast(pl.Int64), "credit", "preference")


ROUNDING = 1e-9
"""Sums of credits that are less than this are none."""


def _credits(log: ClickLog, method: InterleavingMethod) -> pl.Series:
    """The credit of a click on each row."""
    import polars as pl

    frame = log.frame
    if method == "balanced":
        return pl.Series([None] * frame.height, dtype=pl.Float64)
    if method == "team-draft" and "team" in frame.columns:
        teams = frame["team"].cast(pl.String).str.strip_chars().str.to_uppercase()
        wrong = ~teams.is_in(["A", "B"]).fill_null(value=False)
        if wrong.any():
            first = frame.row(int(wrong.arg_max() or 0), named=True)
            raise DataError(
                f"{log.where}: {int(wrong.sum()):,} of {counted(frame.height, 'row')} have another team than "
                f"A or B, such as {first['team']!r} of item {first['item']!r} at position "
                f"{first['position']} of query {first['query']!r}: give whose turn it was"
            )
        return (teams == "A").cast(pl.Float64) * 2 - 1
    worth = frame["credit"].cast(pl.Float64, strict=False)
    if worth.null_count() or not worth.is_finite().all():
        raise DataError(f"{log.where}: the column of credits has what are no numbers")
    if method == "team-draft" and (other := worth.filter(worth.abs() != 1)).len():
        raise DataError(
            f"{log.where}: {other.len():,} of {counted(frame.height, 'row')} have a credit such as "
            f"{other[0]:g}, and those of team draft are 1 or -1: say which method made the lists, such as "
            'method="optimized"'
        )
    return worth


def _shares(
    preference: Floats, decided: NDArray[np.bool_], labels: NDArray[Any] | None, confidence: float
) -> Interval:
    """The interval of the share of A's wins."""
    if not decided.any():
        return Interval(math.nan, math.nan)
    own = None if labels is None else labels[decided]
    return wilson_interval((preference[decided] > 0).astype(float), confidence=confidence, clusters=own)


def preference_test(values: Floats, tested: Tested, labels: NDArray[Any] | None) -> tuple[str, PValue]:
    """The name of the test of what lists say, and its p."""
    if labels is not None:
        return "randomisation test of clusters", randomisation_test(values, clusters=labels)
    if tested == "wins":
        return "sign test", sign_test(values)
    return "randomisation test", randomisation_test(values)


def _notes(
    log: ClickLog,
    frame: pl.DataFrame,
    labels: NDArray[Any] | None,
    decided: NDArray[np.bool_],
    method: InterleavingMethod,
) -> Iterator[str]:
    yield from log.notes
    if method == "team-draft" and "team" not in log.frame:
        yield "there is no column of teams: by credits of 1 and -1 the lists are taken for team draft"
    if labels is not None and (count := len(np.unique(labels))) < FEW:
        yield f"there are {count} clusters, fewer than {FEW}: the intervals can be too short"
        if count < FEWEST_SIGNS:
            yield (
                f"{counted(count, 'cluster')} cannot have p of 0.05 or less, whatever is clicked: it takes "
                f"{FEWEST_SIGNS}"
            )
    if int(decided.sum()) < FEW:
        yield f"{counted(int(decided.sum()), 'list')} of {frame.height:,} prefer one, which tells little"
    if labels is None:
        yield "each list stands for itself; of users or queries with several, clusters count theirs together"
