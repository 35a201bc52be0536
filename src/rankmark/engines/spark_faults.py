"""What cannot be evaluated in rows that are on the executors of a Spark cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.aggregation.refusals import Fault, Some

if TYPE_CHECKING:
    import pyarrow as pa

    from rankmark.inputs.tables.spark_frames import FrameNames

__all__ = ["repeated_items", "several_lists", "wrong_rows", "wrong_values"]


def wrong_values(names: FrameNames, rows: pa.Table) -> dict[str, Fault]:
    """Nulls, and numbers that are none."""
    wrong = _nulls(names, rows)
    wrong |= {} if names.value is None else _numbers(names, rows)
    wrong |= {} if names.aspect_weight is None else _weights(names, rows)
    return {f"{names.side} {name}": fault for name, fault in wrong.items()}


def _nulls(names: FrameNames, rows: pa.Table) -> dict[str, Fault]:
    """Rows without an id or a number."""
    import pyarrow.compute as pc

    faults = {}
    columns = {"query": names.query, "item": names.item, "value": names.value}
    columns |= {"aspect": names.aspect, "aspect_weight": names.aspect_weight}
    for role, column in columns.items():
        if column is not None and rows[role].null_count:
            before = f"{names.described(names.value_role if role == 'value' else role, column)} has"
            wrong = wrong_rows(rows, pc.is_null(rows[role]))
            faults[f"{role} null"] = Fault(before, "null", "nulls", "remove those rows", wrong)
    return faults


def _numbers(names: FrameNames, rows: pa.Table) -> dict[str, Fault]:
    """Numbers that are none: grades have to be finite."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_floating(rows["value"].type):
        return {}
    if names.side == "qrels":
        which, kind = pc.invert(pc.is_finite(rows["value"])), "NaN or infinite"
    else:
        which, kind = pc.is_nan(rows["value"]), "NaN"
    wrong = wrong_rows(rows, which)
    if not wrong.count:
        return {}
    before = f"{names.described(names.value_role, names.value)} has"
    return {"value number": Fault(before, kind, kind, "remove or replace those rows", wrong)}


def _weights(names: FrameNames, rows: pa.Table) -> dict[str, Fault]:
    """Weights of aspects that are none."""
    import pyarrow.compute as pc

    weight = rows["aspect_weight"]
    wrong = wrong_rows(rows, pc.invert(pc.and_(pc.is_finite(weight), pc.greater_equal(weight, 0))))
    if not wrong.count:
        return {}
    before = f"{names.described('aspect_weight', names.aspect_weight)} has"
    one, more = "number that is no weight", "numbers that are no weights"
    return {"weight": Fault(before, one, more, "weights are finite numbers from 0", wrong)}


def several_lists(names: FrameNames, rows: pa.Table) -> dict[str, Fault]:
    """Whole queries with several lists."""
    import pyarrow.compute as pc

    if names.value is not None or not names.ranked:
        return {}
    tops = rows["query"].filter(pc.equal(rows["value"], 1))
    several = len(tops) - pc.count_distinct(tops).as_py()
    if not several:
        return {}
    what = "several lists, and no scores say how they are to be merged"
    one, more = f"query has {what}", f"queries have {what}"
    return {"run lists": Fault("run:", one, more, "give each query one", Some(several))}


def repeated_items(names: FrameNames, rows: pa.Table, verb: str) -> dict[str, Fault]:
    """The same item twice for one query."""
    import pyarrow.compute as pc

    one = ["query", "item"] if names.aspect is None else ["query", "item", "aspect"]
    pairs = rows.group_by(one).aggregate([([], "count_all")])
    again = pairs.filter(pc.greater(pairs["count_all"], 1))
    if not again.num_rows:
        return {}
    more = pc.sum(again["count_all"]).as_py() - again.num_rows
    what = f"an item that was {verb} before for the same query"
    some = Some(more, sorted(pc.unique(again["query"]).to_pylist())[:1])
    remedy = 'remove them or choose duplicates="best"'
    fault = Fault(f"{names.side}:", f"row has {what}", f"rows have {what}", remedy, some)
    return {f"{names.side} repeated": fault}


def wrong_rows(rows: pa.Table, which: Any) -> Some:
    """How many rows, and a query in which they are, if the rows have queries."""
    import pyarrow.compute as pc

    which = pc.fill_null(which, False)
    if "query" not in rows.column_names:
        return Some(pc.sum(which).as_py() or 0)
    queries = rows["query"].filter(which)
    return Some(len(queries), sorted(pc.unique(queries.drop_null()).to_pylist())[:1])
