"""ranx's judgements and results: dicts that are sorted by query, each list best first."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from rankmark.errors import CallError, DataError, NotHereError, UsageError
from rankmark.rendering.files import write_whole
from rankmark.rendering.words import brief

if TYPE_CHECKING:
    from typing import Self

__all__ = ["Lists", "Qrels", "Run"]

Lists: TypeAlias = "dict[str, dict[str, Any]]"
KINDS = ("json", "trec", "gz", "lz4", "parquet")
BY_SUFFIX = {"txt": "trec", "parq": "parquet"}


class Table:
    """Numbers of items for queries; what `Qrels` and `Run` share."""

    _what = "score"

    def __init__(self, lists: Mapping[str, Mapping[str, Any]] | None = None, name: str | None = None) -> None:
        self._lists: Lists = {}
        self.name = name
        for query, entries in (lists or {}).items():
            if not isinstance(entries, Mapping):
                raise CallError(
                    f"query {query!r} has {brief(entries)}, and not a dict {{item: {self._what}}}"
                )
            self._set(query, entries.items())

    def _set(self, query: object, entries: Iterable[tuple[Any, Any]]) -> None:
        of_query = self._lists.setdefault(_text(query, "query"), {})
        of_query |= {_text(item, "item"): self._number(value) for item, value in entries}

    @staticmethod
    def _number(value: Any) -> Any:
        return float(value)

    def _sorted(self) -> Lists:
        """The lists in ranx's order: queries ascending, numbers descending, equal ones as they came."""
        lists = sorted(self._lists.items())
        self._lists = {
            query: dict(sorted(entries.items(), key=lambda entry: -entry[1])) for query, entries in lists
        }
        return self._lists

    def keys(self) -> KeysView[str]:
        """The queries."""
        return self._sorted().keys()

    def add_score(self, q_id: str, doc_id: str, score: float) -> None:
        """Adds an item to a query, or gives it another number."""
        self._set(q_id, [(doc_id, score)])

    def add(self, q_id: str, doc_ids: Sequence[str], scores: Sequence[float]) -> None:
        """Adds a query with its items."""
        self.add_multi([q_id], [doc_ids], [scores])

    def add_multi(
        self, q_ids: Sequence[str], doc_ids: Sequence[Sequence[str]], scores: Sequence[Sequence[float]]
    ) -> None:
        """Adds several queries with their items."""
        for query, items, numbers in zip(q_ids, doc_ids, scores, strict=True):
            self._set(query, zip(items, numbers, strict=True))

    def get_query_ids(self) -> list[str]:
        """The queries."""
        return list(self.keys())

    def get_doc_ids_and_scores(self) -> list[dict[str, Any]]:
        """The items of each query with their numbers."""
        return list(self._sorted().values())

    def sort(self) -> None:
        """Does nothing that is not done anyway."""

    def to_dict(self) -> Lists:
        """The lists as a dict."""
        found: Lists = defaultdict(dict)
        found.update({query: dict(entries) for query, entries in self._sorted().items()})
        return found

    def to_dataframe(self) -> Any:
        """The rows as a pandas DataFrame with the columns ``q_id``, ``doc_id`` and ``score``."""
        pandas = import_module("pandas")

        return pandas.DataFrame(list(self._rows()), columns=["q_id", "doc_id", "score"])

    def _rows(self) -> Iterator[tuple[str, str, Any]]:
        for query, entries in self._sorted().items():
            for item, number in entries.items():
                yield query, item, number

    def save(self, path: str, kind: str | None = None) -> None:
        """Writes a file whole or not at all: JSON, TREC text or Parquet, as its ending or `kind` says."""
        chosen = _kind(path, kind)
        if chosen == "json":
            write_whole(path, json.dumps(self._sorted(), indent=2, ensure_ascii=False))
        elif chosen == "parquet":
            import polars as pl

            rows = pl.DataFrame(list(self._rows()), schema=["q_id", "doc_id", "score"], orient="row")
            write_whole(path, rows.write_parquet)
        else:
            write_whole(path, "\n".join(self._trec_lines()))

    def _trec_lines(self) -> Iterator[str]:
        raise NotImplementedError

    @classmethod
    def _read(cls, path: str, kind: str | None, fields: int, value: int) -> tuple[Lists, str | None]:
        """The lists in a file of JSON or TREC text, and the name in its last field."""
        chosen = _kind(path, kind)
        if chosen == "json":
            return json.loads(Path(path).read_text()), None
        if chosen == "parquet":
            raise UsageError(f"{path} is read by from_parquet")
        found: Lists = defaultdict(dict)
        tag = None
        with gzip.open(path, "rt") if chosen == "gz" else Path(path).open() as lines:
            for place, line in enumerate(lines, start=1):
                parts = line.split()
                if len(parts) != fields:
                    raise DataError(f"{path}, line {place}: {len(parts)} fields, and not {fields}")
                found[parts[0]][parts[2]] = cls._number(parts[value])
                tag = tag or parts[-1]
        return found, tag

    @classmethod
    def _from_columns(cls, table: Any, names: tuple[str, str, str], **said: Any) -> Self:
        """From a table of pandas or polars with a column each of queries, items and numbers."""
        if missing := [name for name in names if name not in list(table.columns)]:
            raise UsageError(f"the table has no column {missing[0]!r}; it has {', '.join(table.columns)}")
        made = cls(**said)
        columns = (table[name] for name in names)
        lists = ((each.tolist() if hasattr(each, "tolist") else each.to_list()) for each in columns)
        for query, item, number in zip(*lists, strict=True):
            made.add_score(query, item, number)
        return made

    @property
    def size(self) -> int:
        """The number of queries."""
        return len(self._lists)

    def __getitem__(self, q_id: str) -> dict[str, Any]:
        return dict(self._sorted()[q_id])

    def __len__(self) -> int:
        return len(self._lists)

    def __repr__(self) -> str:
        return repr(self._sorted())


class Qrels(Table):
    """Judgements: ``{query: {item: grade}}`` with texts and whole numbers.

    Args:
        qrels: the judgements; none if None.
        name: what they are called.

    Raises:
        TypeError: ids that are no texts.
        ValueError: grades that are no whole numbers.

    """

    _what = "grade"

    def __init__(self, qrels: Mapping[str, Mapping[str, int]] | None = None, name: str | None = None) -> None:
        super().__init__(qrels, name)

    @staticmethod
    def _number(value: Any) -> int:
        whole = int(value)
        if not isinstance(value, str) and whole != value:
            raise DataError(
                f"the grade {value} is no whole number, to which ranx cuts it; rm.evaluate takes it"
            )
        return whole

    @property
    def qrels(self) -> Lists:
        """The judgements."""
        return self._sorted()

    def set_relevance_level(self, rel_lvl: int = 1) -> None:
        """Takes ``rel_lvl - 1`` from each grade."""
        for entries in self._lists.values():
            for item in entries:
                entries[item] -= rel_lvl - 1

    def _trec_lines(self) -> Iterator[str]:
        return (f"{query} 0 {item} {grade}" for query, item, grade in self._rows())

    @staticmethod
    def from_dict(d: Mapping[str, Mapping[str, int]]) -> Qrels:
        """From a dict of dicts."""
        return Qrels(d)

    @staticmethod
    def from_file(path: str, kind: str | None = None) -> Qrels:
        """From a file of JSON or TREC text, also with gzip, as its ending or `kind` says."""
        return Qrels(Qrels._read(path, kind, 4, 3)[0])

    @staticmethod
    def from_df(
        df: Any, q_id_col: str = "q_id", doc_id_col: str = "doc_id", score_col: str = "score"
    ) -> Qrels:
        """From a table of pandas or polars."""
        return Qrels._from_columns(df, (q_id_col, doc_id_col, score_col))

    @staticmethod
    def from_parquet(
        path: str,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: Any = None,
    ) -> Qrels:
        """From a Parquet file."""
        return Qrels.from_df(_parquet(path, pd_kwargs), q_id_col, doc_id_col, score_col)

    @staticmethod
    def from_ir_datasets(dataset_id: str) -> Qrels:
        """Refused, since it downloads."""
        raise NotHereError(
            f"from_ir_datasets downloads; give Qrels(ir_datasets.load({dataset_id!r}).qrels_dict())"
        )


class Run(Table):
    """Results: ``{query: {item: score}}`` with texts and numbers.

    Args:
        run: the results; none if None.
        name: what the run is called.

    Attributes:
        scores: ``{metric: {query: value}}`` of `evaluate`.
        mean_scores: their means.
        std_scores: their standard deviations, if they were asked for.
        metadata: what a user keeps with it.

    Raises:
        TypeError: ids that are no texts.

    """

    def __init__(self, run: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None) -> None:
        super().__init__(run, name)
        self.metadata: dict[str, Any] = {}
        self.scores: dict[str, dict[str, float]] = defaultdict(dict)
        self.mean_scores: dict[str, float] = {}
        self.std_scores: dict[str, float] = {}

    @property
    def run(self) -> Lists:
        """The results."""
        return self._sorted()

    def make_comparable(self, qrels: Qrels) -> Run:
        """Gives judged queries without results an empty list, and drops queries that nobody judged."""
        self._lists = {query: self._lists.get(query, {}) for query in qrels.keys()}  # noqa: SIM118 - sorted
        return self

    def _trec_lines(self) -> Iterator[str]:
        for query, entries in self._sorted().items():
            for rank, (item, score) in enumerate(entries.items(), start=1):
                yield f"{query} Q0 {item} {rank} {score} {self.name}"

    @staticmethod
    def from_dict(d: Mapping[str, Mapping[str, float]], name: str | None = None) -> Run:
        """From a dict of dicts."""
        return Run(d, name)

    @staticmethod
    def from_file(path: str, kind: str | None = None, name: str | None = None) -> Run:
        """From a file of JSON or TREC text, also with gzip; called as its tag says, unless `name` does."""
        lists, tag = Run._read(path, kind, 6, 4)
        return Run(lists, name if name is not None else tag)

    @staticmethod
    def from_df(
        df: Any,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> Run:
        """From a table of pandas or polars."""
        return Run._from_columns(df, (q_id_col, doc_id_col, score_col), name=name)

    @staticmethod
    def from_parquet(
        path: str,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: Any = None,
        name: str | None = None,
    ) -> Run:
        """From a Parquet file."""
        return Run.from_df(_parquet(path, pd_kwargs), q_id_col, doc_id_col, score_col, name)

    @staticmethod
    def from_ranxhub(id: str) -> Run:  # noqa: A002 - its name there
        """Refused, since it downloads."""
        raise NotHereError(f"from_ranxhub downloads; give Run(ranx.Run.from_ranxhub({id!r}).to_dict())")


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise CallError(f"the {what} {value!r} is a {type(value).__name__}, and not a text")
    return value


def _kind(path: str, kind: str | None) -> str:
    suffix = Path(path).suffix[1:]
    chosen = BY_SUFFIX.get(suffix, suffix) if kind is None else kind
    if chosen not in KINDS:
        raise AssertionError(f"kind {chosen!r} of {path} is none of {', '.join(KINDS)}")
    if chosen == "lz4":
        raise NotHereError(f"{path}: files of LZ4 are neither read nor written; take JSON, TREC or Parquet")
    return chosen


def _parquet(path: str, pd_kwargs: Any) -> Any:
    import polars as pl

    if pd_kwargs:
        raise NotHereError(
            "pd_kwargs are of pandas, which does not read the file here: give from_df(your table)"
        )
    return pl.read_parquet(path)
