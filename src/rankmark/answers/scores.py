"""What nuggets and citations of an answer come to: a value an answer and measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from rankmark.dataclassing import dataclass
from rankmark.inputs.added_up import added_up
from rankmark.inputs.answer_tables import AnswerTable, TableKind
from rankmark.rendering.words import listed

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ANSWER_MEASURES", "AnswerMeasure", "of_answers"]

Needs = Literal["importance", "support", "score"]


@dataclass(frozen=True, slots=True)
class AnswerMeasure:
    """A measure of answers.

    Attributes:
        name: what it is called.
        kind: of which tables it is.
        means: what it is, in a line.
        needs: the column that it needs besides those that all such tables have.
        told: what its signature says after its name.

    """

    name: str
    kind: TableKind
    means: str
    needs: Needs | None
    told: tuple[str, ...]


HALF, STRICT, OKAY = "partial:0.5", "partial:0", "okay:0.5"
ANSWER_MEASURES: Mapping[str, AnswerMeasure] = {
    each.name: each
    for each in (
        AnswerMeasure("all", "nuggets", "Σ s / n of all nuggets", None, (HALF,)),
        AnswerMeasure("all_strict", "nuggets", "the same, partial support counting 0", None, (STRICT,)),
        AnswerMeasure("vital", "nuggets", "Σ s / n of the vital nuggets", "importance", (HALF,)),
        AnswerMeasure("vital_strict", "nuggets", "the same, strict", "importance", (STRICT,)),
        AnswerMeasure("weighted", "nuggets", "Σ w·s / Σ w, w = 1 vital, ½ okay", "importance", (HALF, OKAY)),
        AnswerMeasure("weighted_strict", "nuggets", "the same, strict", "importance", (STRICT, OKAY)),
        AnswerMeasure("weighted_precision", "citations", "Σ s / citations", "support", (HALF,)),
        AnswerMeasure("weighted_recall", "citations", "Σ of the best s / sentences", "support", (HALF,)),
        AnswerMeasure("citation_precision", "citations", "needed ones / citations", "support", (STRICT,)),
        AnswerMeasure("citation_recall", "citations", "supported ones / sentences", "support", (STRICT,)),
        AnswerMeasure("citation_f1", "citations", "harmonic mean of the last two", "support", (STRICT,)),
        AnswerMeasure("passage_score", "citations", "mean over sentences of the mean score", "score", ()),
    )
}
"""The measures by their names; s is 1 for support, ½ for partial support and 0 for none."""


def of_answers(table: AnswerTable) -> pl.DataFrame:
    """A row an answer: ``query``, ``system`` if there are several, and the measures that the table allows.

    Raises:
        DataError: a row that contradicts others.

    """
    by_kind: Mapping[TableKind, Callable[[AnswerTable], pl.DataFrame]] = {
        "nuggets": _of_nuggets,
        "citations": _of_citations,
    }
    return by_kind[table.kind](table)


def _keys(table: AnswerTable) -> list[str]:
    return [role for role in ("query", "system") if role in table.frame.columns]


def _of_nuggets(table: AnswerTable) -> pl.DataFrame:
    import polars as pl

    s = pl.col("assignment")
    strict = (s == 1).cast(pl.Float64)
    found = {"all": s.mean(), "all_strict": strict.mean()}
    if "importance" in table.frame.columns:
        _check_importance(table)
        vital, weight = pl.col("importance") == 1, (1 + pl.col("importance")) / 2
        found |= {"vital": s.filter(vital).mean(), "vital_strict": strict.filter(vital).mean()}
        found |= {
            name: (weight * each).sum() / weight.sum()
            for name, each in (("weighted", s), ("weighted_strict", strict))
        }
    _check_complete(table)
    return table.frame.group_by(_keys(table), maintain_order=True).agg(**found)


def _check_importance(table: AnswerTable) -> None:
    """Refuses a nugget that is vital for one system, and not for another."""
    import polars as pl

    odd = table.frame.filter(pl.col("importance").n_unique().over("query", "nugget") > 1)
    if odd.height:
        query, nugget, row = odd.row(0, named=True)["query"], odd["nugget"][0], odd["row"][0]
        raise table.refused(
            f"nugget {nugget!r} of query {query!r} is vital in some rows and okay in others "
            f"(column {table.names['importance']!r})",
            row,
            "a nugget has one importance, whoever answers",
        )


def _check_complete(table: AnswerTable) -> None:
    """Refuses an answer that lacks nuggets of its query which other systems' answers have."""
    if "system" not in table.frame.columns:
        return
    answers = table.frame.select("query", "system").unique(maintain_order=True)
    nuggets = table.frame.unique(["query", "nugget"], keep="first", maintain_order=True)
    wanted = answers.join(nuggets.select("query", "nugget", "row"), on="query", maintain_order="left")
    lacking = wanted.join(
        table.frame.select("query", "system", "nugget"), on=["query", "system", "nugget"], how="anti"
    )
    if lacking.height:
        first = lacking.row(0, named=True)
        raise table.refused(
            f"nugget {first['nugget']!r} of query {first['query']!r} is not assigned for system "
            f"{first['system']!r}"
            + (f", as are {lacking.height - 1:,} others of answers" if lacking.height > 1 else ""),
            first["row"],
            "each answer to a query is judged by all its nuggets: add rows with not_support in the column "
            f"{table.names['assignment']!r} for those that it lacks",
        )


# --- Citations ---------------------------------------------------------------------------------------------


def _of_citations(table: AnswerTable) -> pl.DataFrame:
    import polars as pl

    there = table.frame.columns
    _check_cited(table, [role for role in ("support", "score") if role in there])
    keys = _keys(table)
    cited = pl.col("citation").is_not_null()
    found: dict[str, pl.Expr] = {}
    sentences: dict[str, pl.Expr] = {"cited": cited.sum()}
    score = {"score": pl.col("score")} if "score" in there else {}
    if "support" in there:
        sentences |= {
            "given": pl.col("support").sum(),
            "best": pl.col("support").max().fill_null(0.0),
            "joint": pl.col("joint").max(),
            "needed": pl.col("needed").sum(),
        }
        citations = pl.col("cited").sum()

        def share(of: str) -> pl.Expr:
            return pl.when(citations > 0).then(pl.col(of).sum() / citations).otherwise(0.0)

        found |= {"weighted_precision": share("given"), "weighted_recall": pl.col("best").mean()}
        found |= {"citation_precision": share("needed"), "citation_recall": pl.col("joint").mean()}
    rows = _needed(table) if "support" in there else table.frame
    of_sentences = added_up(rows, [*keys, "sentence"], means=score, others=sentences)
    of_sentences = of_sentences.with_columns(each.fill_null(0.0) for each in score.values())
    of_answers = {f"passage_{name}": each for name, each in score.items()}
    scores = added_up(of_sentences, keys, means=of_answers, others=found)
    if "support" not in there:
        return scores
    both = pl.col("citation_precision") + pl.col("citation_recall")
    f1 = 2 * pl.col("citation_precision") * pl.col("citation_recall") / both
    return scores.with_columns(citation_f1=pl.when(both > 0).then(f1).otherwise(0.0))


def _check_cited(table: AnswerTable, roles: list[str]) -> None:
    """Refuses rows that say something of no citation, or nothing of one."""
    import polars as pl

    bare = pl.col("citation").is_null()
    several = bare & (pl.len().over(*_keys(table), "sentence") > 1)
    for wrong, why, instead in (
        (several, "the sentence has other rows, and here no citation", "remove this row"),
        *(
            each
            for role in roles
            for each in (
                (
                    bare & pl.col(role).is_not_null() & (pl.col(role) != 0),
                    f"there is a value of {table.names[role]!r}, and no citation",
                    "a sentence without citations has a row without both",
                ),
                (
                    ~bare & pl.col(role).is_null(),
                    f"there is a citation without a value of {table.names[role]!r}",
                    "say what was found of each citation"
                    + (f", one of {listed(('full', 'partial', 'none'))}" if role == "support" else ""),
                ),
            )
        ),
    ):
        rows = table.frame.filter(wrong)["row"]
        if len(rows):
            raise table.refused(why, rows[0], instead)


def _needed(table: AnswerTable) -> pl.DataFrame:
    """The rows with ``joint``, whether the sentence is fully supported, and ``needed``.

    A citation is needed where its sentence is supported and it supports this alone, or the others do not
    without it. Where nothing says it, a sentence is supported if a citation alone supports it, and others
    support it without this one if one of them does alone.
    """
    import polars as pl

    keys = [*_keys(table), "sentence"]
    full = (pl.col("support") == 1).fill_null(value=False)
    number, alone = pl.col("citation").count().over(keys), full.sum().over(keys)
    frame = table.frame.with_columns(full=full, cited=number, alone=alone)
    joint, others = pl.col("alone") > 0, pl.col("alone") - pl.col("full").cast(pl.Int64) > 0
    unknown = (pl.col("alone") == 0) & (pl.col("cited") > 2) & pl.col("joint")
    if "together" in frame.columns:
        _check_together(table, frame, keys)
        joint = (pl.col("together").max().over(keys) == 1).fill_null(joint)
    if "rest" in frame.columns:
        unknown = unknown & pl.col("rest").is_null()
        others = (pl.col("rest") == 1).fill_null(others)
    frame = frame.with_columns(joint=joint)
    if len(rows := frame.filter(unknown)["row"]):
        raise table.refused(
            "three citations or more support the sentence together and none does alone, and nothing says "
            "whether the others do without this one",
            rows[0],
            "say so in a column 'rest': full or none",
        )
    necessary = pl.col("full") | ~others | (pl.col("cited") == 1)
    needed = pl.col("citation").is_not_null() & pl.col("joint") & necessary
    return frame.with_columns(joint=pl.col("joint").cast(pl.Float64), needed=needed.cast(pl.Float64))


def _check_together(table: AnswerTable, frame: pl.DataFrame, keys: list[str]) -> None:
    """Refuses rows of a sentence that differ in what is of all its citations."""
    import polars as pl

    odd = frame.filter(pl.col("together").drop_nulls().n_unique().over(keys) > 1)["row"]
    if len(odd):
        name = table.names["together"]
        why = f"the rows of a sentence differ in {name!r}, which is of all its citations"
        raise table.refused(why, odd[0], "correct one of them")
