"""The Rust core."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__version__: str
MOST_THREADS: int

class Table:
    """Columns in Arrow memory, held without copying."""

    @staticmethod
    def from_arrow(source: object) -> Table: ...
    @staticmethod
    def from_polars(frame: object) -> Table: ...
    @staticmethod
    def from_entries(
        entries: list[Any],
        queries: list[Any],
        value: str,
        *,
        whole: bool = False,
        flags: bool = True,
    ) -> Table | None: ...
    @staticmethod
    def from_tuples(tuples: list[Any], value: str | None, *, flags: bool = True) -> Table | None: ...
    @staticmethod
    def from_objects(columns: list[tuple[str, NDArray[np.object_]]]) -> Table | None: ...
    def beside(self, other: Table) -> Table: ...
    @staticmethod
    def of_lists(
        name: str, values: NDArray[np.int32] | NDArray[np.float64], offsets: NDArray[np.int64]
    ) -> Table: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def num_rows(self) -> int: ...
    def kind(self, name: str) -> str: ...
    def dtype(self, name: str) -> str: ...
    def column_values(self, name: str) -> list[int] | list[str]: ...
    def first_numbers(self, name: str, most: int) -> list[float]: ...
    def range(self, name: str) -> tuple[float, float, bool]: ...
    def take(self, name: str, rows: NDArray[np.uint32], new_name: str) -> Table: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Packed:
    """Rows that are read piece by piece, kept in less memory than the pieces take."""

    def __init__(self) -> None: ...
    def add(self, table: Table) -> None: ...
    def table(self) -> Table | None: ...

class Partitions:
    """Tables dealt out to partitions, in memory while there is room, then in files."""

    def __init__(self, folder: str | PathLike[str], count: int, level: int, room: int) -> None: ...
    def deal(self, name: str, table: Table, column: str) -> None: ...
    def deal_to(self, name: str, table: Table, places: NDArray[np.uint16]) -> None: ...
    def size(self, partition: int) -> int: ...
    def take(self, name: str, partition: int) -> list[Table]: ...

def places_between(table: Table, column: str, borders: NDArray[np.float64]) -> NDArray[np.uint16]: ...
def queries_come_back(table: Table, column: str) -> bool: ...

class Progress:
    """How many bytes of a file a running read has done."""

    def __init__(self) -> None: ...
    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int: ...

def read_trec(path: str, side: str, limit: int, progress: Progress) -> Table: ...
def read_as_trec_eval(
    path: str, side: str, progress: Progress, content: bytes | None = None
) -> tuple[Table, bytes | None]: ...
def trec_forms(side: str) -> list[str]: ...
def decompress(path: str, limit: int) -> bytes | None: ...
def read_plain_rows(
    text: bytes, separator: str, fields: int, columns: list[tuple[str, int, bool]]
) -> Table | None: ...
def expanded_size(path: str) -> int: ...
def repeated_name(path: str) -> tuple[int, str] | None: ...

class TextReader:
    """The content of a file, decompressed while it is read."""

    def __init__(self, path: str, progress: Progress, limit: int = ...) -> None: ...
    def read(self, limit: int) -> bytes: ...

class TrecReader:
    """A TREC text file that is read in batches."""

    def __init__(self, path: str, side: str, size: int, progress: Progress) -> None: ...
    def next(self) -> Table | None: ...

class JudgedLists:
    queries: slice | NDArray[np.uint32]
    rank: NDArray[np.int64]
    tied_first: NDArray[np.int64] | None
    tied_last: NDArray[np.int64] | None
    relevance: NDArray[np.float64]
    offsets: NDArray[np.int64]
    ideal: NDArray[np.float64]
    ideal_offsets: NDArray[np.int64]
    retrieved: NDArray[np.int64]
    answered: NDArray[np.bool_]
    tied_rank: NDArray[np.int64]
    first: tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.int64]] | None

    def compute(self, measures: Sequence[CompiledMeasure]) -> list[NDArray[np.float64]]: ...
    def order(self) -> tuple[int, int]: ...

class CompiledMeasure:
    """A measure that the core computes: `JudgedLists.compute` and `observe_lists`."""

    @staticmethod
    def gains(binary: bool, discounts: Sequence[float]) -> CompiledMeasure: ...
    @staticmethod
    def hits(
        found: str, rel: float, cutoff: int | None, denominator: float | None = None
    ) -> CompiledMeasure: ...
    def extreme(
        self, search: str, highest: bool, grade: float | None, otherwise: float
    ) -> CompiledMeasure | None: ...

class ItemNumbers:
    """Items with numbers."""

    @staticmethod
    def of(columns: list[tuple[Table, str, str]]) -> tuple[ItemNumbers, list[NDArray[np.int32]]]: ...
    def opened(self) -> ItemNumbers: ...
    def rows(self, table: Table, what: str, name: str) -> NDArray[np.int32]: ...
    def __len__(self) -> int: ...
    def ids(self, numbers: NDArray[np.int32]) -> list[int | str]: ...
    def renumber(self, lists: NDArray[np.int32], offsets: NDArray[np.int64]) -> NDArray[np.int32]: ...

def sample_negatives(
    keys: NDArray[np.uint64],
    had: tuple[NDArray[np.int64], NDArray[np.int32]],
    held_out: tuple[NDArray[np.int64], NDArray[np.int32]],
    strata: tuple[NDArray[np.int32], list[int], list[int]],
    how: tuple[NDArray[np.float64] | None, bool],
    threads: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]: ...
def sets_of(
    owners: NDArray[np.int32], members: NDArray[np.int32], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
def owners_of(
    owners: NDArray[np.int32], members: NDArray[np.int32], counts: tuple[int, int]
) -> NDArray[np.float64]: ...
def owners_of_both(
    sets: tuple[NDArray[np.int64], NDArray[np.int32]],
    of_member: tuple[NDArray[np.int64], NDArray[np.int32]],
    x: NDArray[np.int32],
    y: NDArray[np.int32],
) -> NDArray[np.float64]: ...
def different_of(
    sets: tuple[NDArray[np.int64], NDArray[np.int32]],
    lists: tuple[NDArray[np.int64], NDArray[np.int32]],
    count: int,
) -> NDArray[np.float64]: ...
def sums_of(
    numbers: NDArray[np.float64], lists: tuple[NDArray[np.int64], NDArray[np.int32]]
) -> NDArray[np.float64]: ...
def counts_of(numbers: NDArray[np.int32], count: int) -> NDArray[np.float64]: ...
def in_sets(
    sets: tuple[NDArray[np.int64], NDArray[np.int32]],
    of_list: NDArray[np.int64],
    lists: tuple[NDArray[np.int64], NDArray[np.int32]],
) -> NDArray[np.bool_]: ...
def squared_sums(
    vectors: NDArray[np.float64], lists: tuple[NDArray[np.int64], NDArray[np.int32]]
) -> NDArray[np.float64]: ...

Columns = tuple[Table, str, str, str | None, str | None, str | None]

class ListChoices(Protocol):
    """What the core asks of choices."""

    @property
    def ties(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def duplicates(self) -> str: ...
    @property
    def unjudged(self) -> str: ...
    @property
    def unjudged_queries(self) -> str: ...
    @property
    def scores(self) -> str: ...

def judge_lists(
    qrels: Columns,
    run: Columns,
    consume: Callable[[JudgedLists], None],
    choices: ListChoices,
    *,
    whole: bool = False,
    threads: int = 0,
    top: tuple[ItemNumbers, int] | None = None,
) -> tuple[NDArray[np.uint32], int]: ...

class CompiledCoefficient:
    """A coefficient that the core computes: of lists without equal scores."""

    @staticmethod
    def jaccard(cutoff: int | None) -> CompiledCoefficient: ...
    @staticmethod
    def overlap(shorter: bool, cutoff: int | None) -> CompiledCoefficient: ...
    @staticmethod
    def tau(cutoff: int | None) -> CompiledCoefficient: ...
    @staticmethod
    def tau_ap(cutoff: int | None) -> CompiledCoefficient: ...
    @staticmethod
    def rbo(weights: Sequence[float], beyond: Sequence[float], cutoff: int | None) -> CompiledCoefficient: ...

Ranked = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
PairedLists = tuple[Ranked, Ranked, Ranked]

def pair_lists(
    a: Columns,
    b: Columns,
    coefficients: Sequence[CompiledCoefficient | None],
    consume: Callable[[NDArray[np.uint32], list[NDArray[np.float64] | None], PairedLists | None], None],
    choices: ListChoices,
    *,
    threads: int = 0,
) -> tuple[NDArray[np.uint32], tuple[int, int]]: ...

class QueryValues:
    """One value a query, and an array from when somebody looks at it."""

    def __init__(self, values: NDArray[np.float64]) -> None: ...
    @property
    def array(self) -> NDArray[np.float64]: ...
    def copy(self) -> QueryValues: ...

class ObservedQueries:
    """The judged queries; what there is of each is an array from when somebody looks at it."""

    def __init__(
        self,
        first_rows: NDArray[np.uint32],
        answered: NDArray[np.bool_],
        retrieved: NDArray[np.int64],
        tied_rank: NDArray[np.int64],
        hits: int,
        order: tuple[int, int],
    ) -> None: ...
    @property
    def first_rows(self) -> NDArray[np.uint32]: ...
    @property
    def answered(self) -> NDArray[np.bool_]: ...
    @property
    def retrieved(self) -> NDArray[np.int64]: ...
    @property
    def tied_rank(self) -> NDArray[np.int64]: ...
    @property
    def missing(self) -> int: ...
    @property
    def ties(self) -> bool: ...
    @property
    def apart(self) -> bool: ...
    @property
    def hits(self) -> int: ...
    @property
    def order(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...
    def ids(self, judgements: Table, column: str) -> Table: ...
    def unanswered(self, ids: Table, most: int) -> list[int] | list[str]: ...
    def tied(self, last: int, cut: bool) -> int: ...

def observe_lists(
    qrels: Columns,
    run: Columns,
    measures: Sequence[CompiledMeasure],
    choices: ListChoices,
    *,
    threads: int = 0,
) -> tuple[int, ObservedQueries, list[QueryValues]]: ...
def count_before(
    scores: NDArray[np.float32] | NDArray[np.float64],
    judged: tuple[NDArray[np.int64], NDArray[np.int64]],
    excluded: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
    *,
    ties: str,
    seeds: NDArray[np.uint64] | None,
    limit: int | None,
    threads: int,
) -> tuple[
    NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int, tuple[int, int] | None
]: ...
def ranked_lists(
    places: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    retrieved: NDArray[np.int64],
    judged: tuple[NDArray[np.int64], NDArray[np.float64]],
    queries: NDArray[np.uint32],
    *,
    ties: str,
    unjudged: str,
    k: int | None,
) -> tuple[JudgedLists, NDArray[np.int64]]: ...
def query_seeds(queries: Table, column: str, seed: int) -> NDArray[np.uint64]: ...

Ties = tuple[NDArray[np.int64], NDArray[np.int64]]

def segment_sum(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]: ...
def segment_count(values: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.float64]: ...
def segment_kept(
    kept: NDArray[np.bool_],
    rank: NDArray[np.int64],
    relevance: NDArray[np.float64],
    ties: Ties | None,
    offsets: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.float64], Ties | None, NDArray[np.int64]]: ...
def segment_ranked(
    scores: NDArray[np.float64],
    rows: NDArray[np.int64],
    grades: NDArray[np.float64],
    offsets: NDArray[np.int64],
    shares: bool,
) -> tuple[NDArray[np.float64], Ties | None]: ...
def segment_shared_weighted_sum(
    values: NDArray[np.float64],
    ties: Ties,
    weights: NDArray[np.float64],
    offsets: NDArray[np.int64],
) -> NDArray[np.float64]: ...
def segment_shared_precision(
    ties: Ties, cutoff: int | None, offsets: NDArray[np.int64]
) -> NDArray[np.float64]: ...
def segment_below_and_equal(
    values: NDArray[np.int64], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def segment_below_and_equal_in_turn(
    x: NDArray[np.int64], y: NDArray[np.int64], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def segment_below_in_both(
    x: NDArray[np.int64], y: NDArray[np.int64], offsets: NDArray[np.int64]
) -> NDArray[np.int64]: ...
def segment_pair_counts(
    x: NDArray[np.int64], y: NDArray[np.int64], offsets: NDArray[np.int64]
) -> list[NDArray[np.float64]]: ...
def segment_first(values: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.float64]: ...
def segment_ranks(offsets: NDArray[np.int64]) -> NDArray[np.int64]: ...
def segment_descending(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]: ...
def segment_running_sum(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]: ...
def segment_running_product(
    values: NDArray[np.float64], offsets: NDArray[np.int64]
) -> NDArray[np.float64]: ...
def segment_weighted_sum(
    values: NDArray[np.float64],
    ranks: NDArray[np.int64],
    weights: NDArray[np.float64],
    offsets: NDArray[np.int64],
) -> NDArray[np.float64]: ...

JudgedItems = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]
Segments = tuple[NDArray[np.float64], NDArray[np.int64]]

def open_filled(
    judged: JudgedItems,
    ideal: Segments,
    queries: NDArray[np.int64],
    fills: Segments,
    top: bool,
    last: int,
    zeros: bool,
    best: int,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.int64],
]: ...
def open_totals(
    judged: JudgedItems,
    gain: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    first_alone: bool,
    top: bool,
    last: int,
) -> Segments: ...
def open_best_totals(
    known: Segments,
    gain: NDArray[np.float64],
    first: NDArray[np.int64],
    offsets: NDArray[np.int64],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def open_best_grades(
    judged: JudgedItems,
    known: tuple[NDArray[np.float64], NDArray[np.float64]],
    known_offsets: NDArray[np.int64],
    highest: tuple[NDArray[np.float64], NDArray[np.float64]],
    weights: NDArray[np.float64],
    last: int,
) -> Segments: ...
def ratio(
    numerator: NDArray[np.float64],
    denominator: float | NDArray[np.float64],
    relevant: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def count_unlike(first: NDArray[np.float64], others: list[NDArray[np.float64]]) -> int: ...
def rising_above(values: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.int64]: ...
def settle(
    measures: list[tuple[QueryValues, NDArray[np.bool_] | None, float]],
) -> list[tuple[float, int, int]]: ...
def exact_sum(values: NDArray[np.float64]) -> float: ...

class LabelledRows:
    def __new__(
        cls,
        table: Table,
        name: str,
        label: str,
        score: str,
        weight: str | None,
        *,
        positive: float,
        threads: int,
    ) -> LabelledRows: ...
    def content(self) -> tuple[int, int, list[float], int, int]: ...
    def binary_sums(self) -> tuple[float, float, float, float, float]: ...
    def number_sums(self) -> tuple[float, float, float, float, float]: ...
    @property
    def weighted(self) -> bool: ...
    def confusion(self, threshold: float) -> tuple[float, float, float, float]: ...
    def moments(self, mean_label: float, mean_score: float) -> tuple[float, float, float, float]: ...
    def relative_errors(self) -> tuple[float, float, float]: ...
    def correlation(self) -> tuple[tuple[int, int, int, int], tuple[float, float, float]]: ...
    def query_errors(self, column: str) -> QueryErrors: ...
    def query_totals(self, query: str, column: str) -> NDArray[np.float64]: ...
    def log_loss(self, clip: float) -> float: ...
    def ranked(self) -> RankedScores: ...
    def queries(self, column: str) -> QuerySums: ...
    def bins(self, borders: NDArray[np.float64]) -> list[NDArray[np.float64]]: ...

class LogOdds:
    @property
    def ranges(self) -> tuple[float, float, float, float]: ...
    def logistic(
        self, intercept: float, slope: float, center: float
    ) -> tuple[float, float, float, float, float, float]: ...

class RankedScores:
    def totals(self) -> tuple[float, float]: ...
    def pairs(self) -> float: ...
    def shape(self) -> tuple[float, float, float, float, float]: ...
    def beyond(self, weights: NDArray[np.float64]) -> list[NDArray[np.float64]]: ...
    def bins(self, borders: NDArray[np.float64]) -> list[NDArray[np.float64]]: ...
    def log_odds(self, clip: float) -> LogOdds: ...
    def curve(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...

class QuerySums:
    first_rows: NDArray[np.uint32]
    rows: NDArray[np.float64]
    pairs: NDArray[np.float64]
    positives: NDArray[np.float64]
    negatives: NDArray[np.float64]

class QueryErrors:
    first_rows: NDArray[np.uint32]
    rows: NDArray[np.float64]
    weights: NDArray[np.float64]
    squared: NDArray[np.float64]
    absolute: NDArray[np.float64]
    relative: NDArray[np.float64]
    symmetric: NDArray[np.float64]

def bootstrap_sums(
    values: NDArray[np.float64], resamples: int, seed: int, threads: int
) -> NDArray[np.float64]: ...
def signed_counts(
    values: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    first: int,
    end: int,
    seed: int,
    threads: int,
) -> NDArray[np.uint64]: ...
def chances_of_sums(
    steps: NDArray[np.uint32], offsets: NDArray[np.uint64], least: NDArray[np.uint64], threads: int
) -> NDArray[np.float64]: ...
def permuted_ranges(
    values: NDArray[np.float64], resamples: int, seed: int, threads: int
) -> NDArray[np.float64]: ...
def json_numbers(values: object, between: str) -> str | None: ...
def are_finite(values: object) -> bool: ...
