"""Spark DataFrames: their columns' roles, and judgements and results with a row an item.

Only the DataFrame API is used, which Spark Connect has too, and nothing is read before Spark is asked for
rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankmark.dataclassing import dataclass
from rankmark.errors import ColumnError, IdTypeError, UsageError, did_you_mean
from rankmark.inputs.aspects import no_aspects
from rankmark.inputs.column_checks import check_ids, check_numbers
from rankmark.inputs.names import listed
from rankmark.inputs.predictions.columns import WEIGHING
from rankmark.inputs.roles import (
    VALUE_OF,
    ColumnNames,
    Roles,
    Side,
    check_names,
    find_roles,
    missing_role,
    says_aspect,
)
from rankmark.inputs.source import notes_on

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from rankmark.inputs.predictions.columns import PredictionColumns

__all__ = [
    "PARTS",
    "Frame",
    "FrameNames",
    "Types",
    "as_they_are",
    "by_query",
    "by_score",
    "check_frame",
    "in_order",
    "labelled",
    "read_frames",
]

PARTS = 1 << 10
"""Parts that queries are dealt out to; of whatever is evaluated, one at a time is in an executor's memory."""

KINDS = {
    **dict.fromkeys(("byte", "short", "integer", "long"), "integer"),
    **dict.fromkeys(("string", "varchar", "char"), "string"),
    **dict.fromkeys(("float", "double"), "float"),
    "boolean": "boolean",
    "array": "list",
    "void": "null",
}


class Types:
    """The types of a DataFrame's columns, in the words that tables have for them."""

    def __init__(self, frame: DataFrame) -> None:
        self._types = {field.name: field.dataType for field in frame.schema.fields}

    def kind(self, name: str) -> str:
        """The kind of a column, or of the elements of one of lists."""
        return KINDS.get(self._element(name).typeName(), "other")

    def dtype(self, name: str) -> str:
        """What Spark calls the type."""
        return str(self._types[name].simpleString())

    def is_list(self, name: str) -> bool:
        """Whether each row has a list."""
        return bool(self._types[name].typeName() == "array")

    def _element(self, name: str) -> Any:
        return self._types[name].elementType if self.is_list(name) else self._types[name]


@dataclass(frozen=True, slots=True)
class FrameNames:
    """What the columns of a table are called, for messages.

    Attributes:
        side: whether it holds judgements or results.
        query: the column of queries.
        item: the column of items.
        value: the column of relevances, scores or ranks; None if every judgement counts 1, or if results
            came in lists, best first.
        ranked: whether results have ranks, not scores.
        aspect: the column of aspects of judgements, where these are looked at.
        aspect_weight: that of how much each weighs, if there is one.

    """

    side: Side
    query: str
    item: str
    value: str | None
    ranked: bool = False
    aspect: str | None = None
    aspect_weight: str | None = None

    @property
    def value_role(self) -> str:
        """What the numbers are."""
        return "rank" if self.ranked else VALUE_OF[self.side]

    def described(self, role: str, column: str | None) -> str:
        """How messages name a column."""
        return f"{self.side}: the {role} column {column!r}"


@dataclass(frozen=True, slots=True)
class Frame:
    """A DataFrame of judgements or results, with its columns' roles."""

    frame: DataFrame
    side: Side
    roles: Roles
    types: Types
    notes: tuple[str, ...]
    of_aspects: bool = False
    """Whether aspects of judgements are looked at."""

    @property
    def item(self) -> str:
        """The column of items."""
        return self.roles.items[0]

    @property
    def listed(self) -> bool:
        """Whether a row is a query with a list of items."""
        return self.types.is_list(self.item)

    @property
    def names(self) -> FrameNames:
        """What messages call the columns."""
        roles = self.roles
        ranked = self.side == "run" and roles.value is None
        aspects = (roles.aspect, roles.aspect_weight) if self.of_aspects else (None, None)
        return FrameNames(self.side, roles.query, self.item, roles.value or roles.rank, ranked, *aspects)


def check_frame(frame: object, where: str) -> None:
    """Refuses what is no DataFrame of Spark."""
    if not hasattr(frame, "mapInArrow"):
        raise UsageError(
            f"{where} is of type {type(frame).__name__}, not a Spark DataFrame; "
            "spark.createDataFrame makes one, and without Spark rankmark takes everything else"
        )


def read_frames(
    qrels: Any, run: Any, columns: ColumnNames | None, measure: object = None
) -> tuple[Frame | None, Frame]:
    """Finds the columns' roles, and refuses types that cannot be evaluated or do not go together.

    Args:
        qrels: the judgements.
        run: the results.
        columns: the columns to use.
        measure: one that looks at aspects of judgements, if any does.

    """
    if qrels is not None:
        check_frame(qrels, "qrels")
    check_frame(run, "run")
    if qrels is None:
        check_names(columns, {"run": run.columns})
        return None, _read_frame(run, "run", columns)
    judgements, results = _read_frame(qrels, "qrels", columns), _read_frame(run, "run", columns)
    if measure is not None or says_aspect(columns):
        _check_aspects(judgements, measure)
        judgements = replace(judgements, of_aspects=True)
    check_names(columns, {"qrels": qrels.columns, "run": run.columns})
    for role in ("query", "item"):
        (one, kind), (other, other_kind) = (
            (side, side.types.kind(getattr(side.names, role))) for side in (judgements, results)
        )
        if kind != other_kind:
            strings, integers = (one, other) if kind == "string" else (other, one)
            raise IdTypeError(
                f"the {role} ids are strings in {strings.side} (column {getattr(strings.names, role)!r}) but "
                f"integers in {integers.side} (column {getattr(integers.names, role)!r}); "
                "make both strings or both integers"
            )
    return judgements, results


def _check_aspects(judgements: Frame, measure: object) -> None:
    """Refuses judgements without a column of aspects that can be one."""
    where, roles = judgements.side, judgements.roles
    if judgements.listed:
        raise ColumnError(
            f"{where}: aspects are of judgements with a row an item and aspect, and not of lists"
        )
    if roles.aspect is None:
        raise no_aspects(where, measure)
    check_ids(judgements.types, roles.aspect, "aspect", where)
    check_numbers(judgements.types, roles.aspect_weight, "aspect_weight", where)


def _read_frame(frame: DataFrame, side: Side, columns: ColumnNames | None) -> Frame:
    roles = find_roles(frame.columns, side, columns, side)
    if roles.wide:
        raise ColumnError(
            f"{side}: a column a rank is not read from Spark; make the items one column of lists with "
            f"F.array_compact(F.array({', '.join(map(repr, roles.items[:2]))}, …))"
        )
    types = Types(frame)
    numbers = [name for name in (roles.value, roles.rank) if name is not None]
    item = roles.items[0]
    if side == "run" and not (numbers or types.is_list(item)):
        raise missing_role("score", frame.columns, side, columns)
    if types.is_list(roles.query):
        raise ColumnError(f"{side}: the query column {roles.query!r} is {types.dtype(roles.query)}")
    for name in numbers:
        if types.is_list(name) != types.is_list(item):
            raise ColumnError(
                f"{side}: the columns {item!r} ({types.dtype(item)}) and {name!r} ({types.dtype(name)}) must "
                "both hold lists, or neither"
            )
    check_ids(types, roles.query, "query", side)
    check_ids(types, item, "item", side)
    check_numbers(types, roles.value, VALUE_OF[side], side)
    check_numbers(types, roles.rank, "rank", side)
    return Frame(frame, side, roles, types, notes_on(side, side, frame.columns, roles, columns))


def as_they_are(side: Frame, *, text_items: bool) -> DataFrame:
    """A row an item, where the rows are and of the types that they have.

    The columns are ``query``, ``item`` and ``value``, of judgements of aspects also ``aspect`` and, where
    they weigh, ``aspect_weight``. Where queries are texts ``part`` is the number of the part that each is of.
    """
    from pyspark.sql import functions as F  # noqa: N812 - what all users of Spark call it

    rows = _named(side, None)
    if text_items:
        rows = rows.withColumn("item", F.col("item").cast("string"))
    if "value" not in rows.columns:
        rows = rows.withColumn("value", F.lit(1.0))
    if side.types.kind(side.roles.query) == "string":
        rows = rows.withColumn("part", F.pmod(F.xxhash64("query"), F.lit(PARTS)).cast("short"))
    return rows


def in_order(
    qrels: Frame | None, run: Frame, *, order: str, ordered: Sequence[Side], text_items: bool
) -> DataFrame:
    """All rows in one DataFrame, those of a query together in a partition, sorted by the query's hash.

    The columns are ``key`` (the hash), ``judged`` (whether the row is a judgement), and those of
    `as_they_are` but for the part. The rows of `ordered` tables are in the order of the column `order` within
    their query.
    """
    from pyspark.sql import functions as F  # noqa: N812

    rows = _rows(run, order if "run" in ordered else None, text_items)
    if qrels is not None:
        judgements = _rows(qrels, order if "qrels" in ordered else None, text_items)
        rows = judgements.unionByName(rows, allowMissingColumns=True)
    rows = rows.withColumn("key", F.xxhash64("query"))
    orders = [name for name in rows.columns if name.startswith("order_")]
    # By one number, which Spark sorts by its digits; by the query itself it would take far longer.
    return rows.repartition("key").sortWithinPartitions("key", *orders).drop(*orders)


def _rows(side: Frame, order: str | None, text_items: bool) -> DataFrame:
    """A row an item, with columns by their roles, of the same types for judgements and results."""
    from pyspark.sql import functions as F  # noqa: N812

    names = side.names
    frame = _named(side, order)
    types = {
        "query": id_type(side.types, side.roles.query),
        "item": "string" if text_items else id_type(side.types, side.item),
        "value": "double",
        "aspect": names.aspect and id_type(side.types, names.aspect),
        "aspect_weight": names.aspect_weight and "double",
    }
    if "value" not in frame.columns:
        frame = frame.withColumn("value", F.lit(1))
    return frame.select(
        *(F.col(name).cast(kind).alias(name) for name, kind in types.items() if kind),
        F.lit(side.side == "qrels").alias("judged"),
        *([] if order is None else [F.col("order").alias(f"order_{side.side}")]),
    )


def _named(side: Frame, order: str | None) -> DataFrame:
    """A row an item, with columns by their roles; judgements that are all 1 have no ``value``."""
    names = side.names
    chosen = {"query": side.roles.query, "item": side.item, "value": side.roles.value or side.roles.rank}
    chosen |= {"aspect": names.aspect, "aspect_weight": names.aspect_weight}
    if order is not None:
        chosen["order"] = _order(side, order)
    # As text, which is one call of Java; columns as objects are some dozens.
    frame = side.frame.selectExpr(*(f"{quoted(name)} AS {role}" for role, name in chosen.items() if name))
    if not side.listed:
        return frame
    rows = _exploded(frame)
    return rows if side.side == "run" or chosen["value"] else rows.drop("value")


def _exploded(frame: DataFrame) -> DataFrame:
    """One row an item, of rows with lists; its place in the list is its rank where there are no numbers."""
    from pyspark.sql import functions as F  # noqa: N812

    lists = [name for name in ("item", "value") if name in frame.columns]
    others = [name for name in frame.columns if name not in lists]
    rows = frame.select(*others, F.posexplode(F.arrays_zip(*lists)).alias("place", "row"))
    value = F.col("row.value") if "value" in lists else F.col("place") + 1
    order = [F.struct("order", "place").alias("order")] if "order" in others else []
    return rows.select("query", F.col("row.item").alias("item"), value.alias("value"), *order)


def labelled(frame: DataFrame, columns: PredictionColumns, types: Types) -> DataFrame:
    """Labelled scores, with columns by their roles and numbers as float64, and those that queries weigh."""
    numbers = {"label": columns.label, "score": columns.score, "weight": columns.weight}
    numbers |= {WEIGHING + name: name for name in columns.weighing}
    ids = (
        []
        if columns.query is None
        else [column(columns.query).cast(id_type(types, columns.query)).alias("query")]
    )
    return frame.select(
        *ids, *(column(name).cast("double").alias(role) for role, name in numbers.items() if name)
    )


def by_query(rows: DataFrame) -> DataFrame:
    """The rows of a query together in a partition, sorted by its hash, the ``key``."""
    from pyspark.sql import functions as F  # noqa: N812

    # By one number, which Spark sorts by its digits; by the query itself it would take far longer.
    return rows.withColumn("key", F.xxhash64("query")).repartition("key").sortWithinPartitions("key")


def by_score(rows: DataFrame) -> DataFrame:
    """Ranges of scores, each in a partition and sorted; the ``key`` is the score."""
    from pyspark.sql import functions as F  # noqa: N812

    return rows.withColumn("key", F.col("score")).repartitionByRange("key").sortWithinPartitions("key")


def id_type(types: Types, name: str) -> str:
    """Spark's type for ids of a column."""
    return "bigint" if types.kind(name) == "integer" else "string"


def _order(side: Frame, order: str) -> str:
    names = side.frame.columns
    if order not in names:
        raise ColumnError(
            f"{side.side} has no column {order!r}, which order={order!r} asks for"
            f"{did_you_mean(order, names) or ';'} its columns are {listed(names)}"
        )
    return order


def column(name: str) -> Column:
    """The column of this very name, whatever is in it."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.col(quoted(name))


def quoted(name: str) -> str:
    """The name of a column as SQL has it, whatever is in it."""
    return "`" + name.replace("`", "``") + "`"
