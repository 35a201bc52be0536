"""Arrays of scores: the same values as of the same data written as tables, wherever the arrays live."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import log2
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import rankmark as rm
from rankmark.engines import dense, dense_places
from rankmark.inputs.arrays import libraries as arrays
from rankmark.language.choices import values_of
from strategies import MEASURES

LIBRARIES = {"torch": "tensor", "jax.numpy": "asarray", "array_api_strict": "asarray"}
"""How libraries that need not be installed make an array."""


def from_numpy(library: str) -> Callable[[np.ndarray[Any, Any]], Any]:
    """What makes an array of this library; says aloud if it is not installed."""
    if library == "numpy":
        return lambda array: array
    try:
        module = __import__(library, fromlist=["x"])
    except ImportError:
        warnings.warn(f"NOT COMPARED: {library} is not installed", stacklevel=2)
        pytest.skip(f"{library} is not installed")
    return getattr(module, LIBRARIES[library])  # type: ignore[no-any-return]


@pytest.fixture(params=["numpy", *LIBRARIES])
def library(request: pytest.FixtureRequest) -> Callable[[np.ndarray[Any, Any]], Any]:
    return from_numpy(request.param)


@pytest.fixture(params=["here", "there"])
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where scores are counted: here by the core, there by their own library, as on another device."""
    if request.param == "there":
        local_view = arrays.local_view
        monkeypatch.setattr(
            arrays,
            "local_view",
            lambda array: local_view(array) if isinstance(array, np.ndarray) else None,
        )
        monkeypatch.setattr(arrays, "to_numpy", lambda array: local_view(array))
        monkeypatch.setattr(dense_places, "to_numpy", lambda array: local_view(array))


class Shop:
    """Scores with ties and some of -inf, graded judgements, excluded items."""

    def __init__(self, seed: int = 0, queries: int = 40, items: int = 38, levels: int = 15) -> None:
        draw = np.random.default_rng(seed)
        self.scores = (draw.integers(0, levels, (queries, items)) / 8).astype(np.float32)
        self.scores[draw.random(self.scores.shape) < 0.05] = -np.inf
        self.grades = np.where(
            draw.random(self.scores.shape) < 0.15, draw.integers(-1, 4, self.scores.shape), 9
        )
        self.grades[3] = 9  # nothing is judged
        self.grades[4] = np.where(self.grades[4] == 9, 9, 0)
        self.excluded = draw.random(self.scores.shape) < 0.1
        self.scores[5] = -np.inf

    @property
    def relevance(self) -> sparse.csr_array:
        row, column = np.nonzero(self.grades != 9)
        return sparse.csr_array((self.grades[row, column], (row, column)), shape=self.grades.shape)

    @property
    def exclude(self) -> list[np.ndarray[Any, Any]]:
        return [np.flatnonzero(row) for row in self.excluded]

    def qrels(self) -> pl.DataFrame:
        row, column = np.nonzero(self.grades != 9)
        return pl.DataFrame({"query": row, "item": column, "relevance": self.grades[row, column]})

    def run(self) -> pl.DataFrame:
        row, column = np.nonzero(~self.excluded & (self.scores > -np.inf))
        return pl.DataFrame({"query": row, "item": column, "score": self.scores[row, column]})


def same(result: rm.results.ListResult, expected: rm.results.ListResult) -> None:
    assert result.per_query.equals(expected.per_query)
    assert repr(result.values) == repr(expected.values)  # to the last digit, and NaN is NaN
    assert result.counts == expected.counts


def measures_under(ties: str) -> list[str]:
    return [each for each in MEASURES if ties != "expected" or rm.parse(each).expected]


EVERYWHERE = pytest.mark.usefixtures("place")


@EVERYWHERE
@pytest.mark.parametrize("ties", values_of("ties"))
@pytest.mark.parametrize("unjudged", values_of("unjudged"))
def test_arrays_give_what_tables_give_to_the_last_bit(ties: Any, unjudged: Any, library: Any) -> None:
    shop = Shop()
    choices = {"ties": ties, "unjudged": unjudged, "seed": 3}
    if unjudged == "relevant" and ties in ("best", "worst"):
        with pytest.raises(rm.ChoiceError, match="unjudged items as not relevant"):
            rm.evaluate_arrays(library(shop.scores), shop.relevance, "RR", **choices)
        return
    measures = measures_under(ties)
    result = rm.evaluate_arrays(
        library(shop.scores), shop.relevance, measures, exclude=shop.exclude, **choices
    )
    expected = rm.evaluate(shop.qrels(), shop.run(), measures, **choices)
    assert result.counts.missing == 1
    assert result.counts.unjudged == 1
    assert result.query_ids == expected.query_ids
    same(result, expected)


FIRST_OF_EQUALS = {
    "item-desc": ("item", True),
    "item-asc": ("item", False),
    "input": ("item", False),
    "best": ("better", True),
    "worst": ("better", False),
}


@pytest.mark.slow
@EVERYWHERE
@pytest.mark.parametrize("ties", FIRST_OF_EQUALS)
@pytest.mark.parametrize(
    ("k", "unjudged"), [(1, "nonrelevant"), (5, "nonrelevant"), (5, "ignore"), (1000, "nonrelevant")]
)
def test_k_gives_what_tables_of_the_first_k_results_give(
    ties: Any, unjudged: Any, k: Any, library: Any
) -> None:
    shop = Shop(seed=1)
    column, descending = FIRST_OF_EQUALS[ties]
    # An unjudged item is of grade 0, and worse than one judged 0.
    better = pl.col("relevance").fill_null(0) + pl.col("relevance").is_not_null() * 0.25
    first = (
        shop.run()
        .join(shop.qrels(), on=["query", "item"], how="left")
        .with_columns(better=better)
        .sort("query", "score", column, descending=[False, True, descending], maintain_order=True)
        .group_by("query", maintain_order=True)
        .head(k)
        .select("query", "item", "score")
    )
    choices = {"ties": ties, "unjudged": unjudged}
    result = rm.evaluate_arrays(
        library(shop.scores), shop.relevance, MEASURES, exclude=shop.exclude, k=k, **choices
    )
    expected = rm.evaluate(shop.qrels(), first.sort("query", "item"), MEASURES, **choices)
    assert result.per_query.equals(expected.per_query)


@EVERYWHERE
@pytest.mark.parametrize("ties", ["random", "expected"])
def test_k_changes_nothing_for_measures_of_the_first_k(ties: Any, library: Any) -> None:
    shop, measures = Shop(seed=2), ["nDCG@5", "AP@3", "RR@5", "P@5", "HR@1"]
    whole, cut = (
        rm.evaluate_arrays(library(shop.scores), shop.relevance, measures, ties=ties, k=k) for k in (None, 5)
    )
    same(cut, whole)
    assert any(each.tied for each in whole.counts.measures.values())


@EVERYWHERE
@pytest.mark.parametrize("ties", FIRST_OF_EQUALS)
@pytest.mark.parametrize("levels", [4, 3000])
@pytest.mark.parametrize("excluding", [False, True])
def test_among_the_highest_scores_items_stand_as_among_all(
    ties: Any, levels: Any, excluding: Any, library: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few levels tie many scores with the last one that was selected."""
    shop = Shop(seed=levels, queries=12, items=600, levels=levels)
    shop.scores[6, :590] = -np.inf  # fewer are left than are selected
    exclude = [items[:9] for items in shop.exclude] if excluding else None
    measures = ["nDCG", "AP", "Judged@5", "RR"]
    result, expected = (
        rm.evaluate_arrays(scores, shop.relevance, measures, ties=ties, k=7, exclude=exclude)
        for scores in (library(shop.scores), shop.scores)
    )
    same(result, expected)
    if library(shop.scores[:1]) is not shop.scores[:1]:
        monkeypatch.setattr(dense_places, "SHARE", 1000)  # so that none are selected
        same(
            rm.evaluate_arrays(
                library(shop.scores), shop.relevance, measures, ties=ties, k=7, exclude=exclude
            ),
            expected,
        )


@EVERYWHERE
def test_no_tie_beyond_the_cut_is_counted(library: Any) -> None:
    scores, grades = np.array([[0.0, 3.0, 0.0]]), np.array([[1.0, np.nan, 0.0]])
    choices: dict[str, Any] = {"k": 1, "unjudged": "ignore", "ties": "item-asc"}
    result = rm.evaluate_arrays(library(scores), grades, "P@1", **choices)
    assert result.counts.measures["P@1"].tied == 0


def test_ties_across_the_cut_are_counted() -> None:
    scores = np.array([[3.0, 2.0, 2.0, 1.0], [3.0, 2.0, 1.0, 1.0]])
    counts = rm.evaluate_arrays(scores, [[1], [1]], ["AP", "P@1", "R", "R@9"], k=2).counts.measures
    assert {name: each.tied for name, each in counts.items()} == {"AP": 1, "P@1": 0, "R": 1, "R@9": 1}


def test_expected_lists_do_not_end_between_equal_scores() -> None:
    scores = np.array([[1.0, 1.0, 1.0]])
    for measure in ("AP", "P@3", "PartialAUC@1"):
        with pytest.raises(rm.UsageError, match="give the measure a cutoff up to 2, or leave out k"):
            rm.evaluate_arrays(scores, [[1]], measure, ties="expected", k=2)
    assert rm.evaluate_arrays(scores, [[1]], "P@2 NumRel", ties="expected", k=2)["P@2"] == pytest.approx(
        1 / 3
    )


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(values_of("ties")),
    st.integers(1, 40),
    st.booleans(),
    st.sampled_from([np.float32, np.float64, np.float16, np.int8, np.uint16]),
)
def test_any_scores_rank_as_in_tables(seed: Any, ties: Any, items: Any, whole: Any, dtype: Any) -> None:
    draw = np.random.default_rng(seed)
    scores = draw.integers(0, 1 + draw.integers(1, 60), (6, items)).astype(dtype)
    judged = draw.random(scores.shape) < draw.random()
    grades = draw.integers(-2, 4, scores.shape) / 2
    row, item = np.nonzero(judged)
    if not len(row):
        return
    qrels = pl.DataFrame({"query": row, "item": item, "relevance": grades[row, item]})
    relevance: Any = np.where(judged, grades, np.nan)
    if not whole:
        relevance = sparse.coo_array((grades[row, item], (row, item)), shape=scores.shape)
    place = np.indices(scores.shape).reshape(2, -1)
    run = pl.DataFrame({"query": place[0], "item": place[1], "score": scores.ravel().astype(float)})
    measures = ["nDCG@3", "AP", "RR", "P@2", "Judged@5"]
    same(
        rm.evaluate_arrays(scores, relevance, measures, ties=ties, seed=seed),
        rm.evaluate(qrels, run, measures, ties=ties, seed=seed),
    )


def test_blocks_and_threads_change_nothing(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop(queries=100)
    expected = rm.evaluate_arrays(shop.scores, shop.relevance, MEASURES, exclude=shop.exclude)
    monkeypatch.setattr(dense, "CELLS", 7 * shop.scores.shape[1])
    result = rm.evaluate_arrays(
        library(shop.scores), shop.relevance, MEASURES, exclude=shop.exclude, threads=2
    )
    same(result, expected)


def test_large_arrays_give_what_tables_give_on_any_number_of_threads() -> None:
    shop = Shop(queries=300, items=3000, levels=2000)
    judged = [np.flatnonzero(row != 9)[:5] for row in shop.grades]
    row = np.repeat(np.arange(300), [len(items) for items in judged])
    qrels = pl.DataFrame({"query": row, "item": np.concatenate(judged)})
    for k in (None, 50):
        one, three = (
            rm.evaluate_arrays(
                shop.scores, judged, ["nDCG", "RR@50"], exclude=shop.exclude, k=k, threads=threads
            )
            for threads in (1, 3)
        )
        same(one, three)
        if k is None:
            same(one, rm.evaluate(qrels, shop.run(), ["nDCG", "RR@50"]))


def test_every_form_of_judgements_and_exclusions_says_the_same() -> None:
    shop = Shop()
    relevant = [np.flatnonzero((row != 9) & (row >= 1)) for row in shop.grades]
    ones = sparse.csr_array(np.where((shop.grades != 9) & (shop.grades >= 1), 1, 0))
    expected = rm.evaluate_arrays(shop.scores, ones, MEASURES, exclude=shop.exclude)
    forms = [ones, ones.tocsc(), ones.tocoo(), sparse.csr_matrix(ones), sparse.lil_array(ones), relevant]
    forms += [np.where((shop.grades != 9) & (shop.grades >= 1), 1.0, np.nan)]
    for relevance in forms:
        same(rm.evaluate_arrays(shop.scores, relevance, MEASURES, exclude=shop.exclude), expected)
    left_out = sparse.csr_array(shop.excluded)
    for exclude in (left_out, left_out.tocsc(), sparse.coo_array(left_out.astype(float)), shop.exclude):
        same(rm.evaluate_arrays(shop.scores, ones, MEASURES, exclude=exclude), expected)
    masked = np.where(shop.excluded, -np.inf, shop.scores)
    same(rm.evaluate_arrays(masked, ones, MEASURES), expected)


def test_stored_zeros_are_judged_and_dense_zeros_too() -> None:
    scores, stored = np.array([[3.0, 2.0, 1.0]]), sparse.csr_array(([0.0, 1.0], ([0, 0], [0, 1])), (1, 3))
    assert rm.evaluate_arrays(scores, stored, "Judged@3")["Judged@3"] == pytest.approx(2 / 3)
    assert rm.evaluate_arrays(scores, np.array([[0, 1, 0]]), "Judged@3")["Judged@3"] == 1
    assert rm.evaluate_arrays(scores, [[1]], "Judged@3")["Judged@3"] == pytest.approx(1 / 3)


def test_sorting_and_counting_rank_alike() -> None:
    draw = np.random.default_rng(3)
    scores = draw.integers(0, 400, (3, 2000)).astype(np.float32)
    grades = draw.integers(0, 3, scores.shape)
    place = np.indices(scores.shape).reshape(2, -1)
    tables = (
        pl.DataFrame({"query": place[0], "item": place[1], name: values.ravel()})
        for name, values in (("relevance", grades), ("score", scores))
    )
    qrels, run = tables
    for ties in values_of("ties"):
        result = rm.evaluate_arrays(scores, grades, ["nDCG@10", "AP"], ties=ties)
        same(result, rm.evaluate(qrels, run, ["nDCG@10", "AP"], ties=ties))


@EVERYWHERE
def test_padding_counts_for_nothing(library: Any) -> None:
    shop, measures = Shop(), ["nDCG@3", "AP", "ListAUC", "NumRet"]
    lengths = np.arange(len(shop.scores)) % 30 + 1
    present = np.arange(shop.scores.shape[1]) < lengths[:, None]
    grades = np.where(shop.grades == 9, 0, shop.grades).astype(float)
    row, item = np.nonzero(present)
    qrels = pl.DataFrame({"query": row, "item": item, "relevance": grades[row, item]})
    run = pl.DataFrame({"query": row, "item": item, "score": shop.scores[row, item]})
    expected = rm.evaluate(qrels, run.filter(pl.col("score") > -np.inf), measures)
    scores, padded = np.where(present, shop.scores, np.nan), np.where(present, grades, np.nan)
    same(rm.evaluate_arrays(library(scores), library(grades), measures, lengths=lengths), expected)
    same(rm.evaluate_arrays(library(scores), padded, measures, mask=library(present)), expected)


@pytest.mark.parametrize("ties", values_of("ties"))
def test_candidates_are_the_items_that_they_are(ties: Any, library: Any) -> None:
    shop = Shop(items=30)
    draw = np.random.default_rng(5)
    items = np.stack([draw.permutation(1000)[:30] for _ in shop.scores])
    lengths = np.arange(len(items)) % 25 + 5
    present = np.arange(30) < lengths[:, None]
    row, column = np.nonzero(present & (shop.scores > -np.inf))
    run = pl.DataFrame({"query": row, "item": items[row, column], "score": shop.scores[row, column]})
    row, column = np.nonzero(shop.grades != 9)
    values = shop.grades[row, column]
    relevance = sparse.csr_array((values, (row, items[row, column])), shape=(len(items), 1000))
    qrels = pl.DataFrame({"query": row, "item": items[row, column], "relevance": values})
    measures = ["nDCG@10", "AP", "R@5"]
    result = rm.evaluate_arrays(
        library(shop.scores), relevance, measures, items=library(items), lengths=lengths, ties=ties
    )
    same(result, rm.evaluate(qrels, run, measures, ties=ties))
    aligned = np.where((shop.grades == 9) | ~present, np.nan, shop.grades)
    row, column = np.nonzero(~np.isnan(aligned))
    qrels = pl.DataFrame({"query": row, "item": items[row, column], "relevance": aligned[row, column]})
    result = rm.evaluate_arrays(shop.scores, aligned, measures, items=items, lengths=lengths, ties=ties)
    same(
        result,
        rm.evaluate(qrels, run, measures, ties=ties),
    )


def test_excluded_candidates_are_in_no_list() -> None:
    scores, items = np.array([[3.0, 2.0, 1.0]]), np.array([[7, 5, 9]])
    assert rm.evaluate_arrays(scores, [[9]], "RR", items=items, exclude=[[5, 70]])["RR"] == 0.5


@EVERYWHERE
def test_factors_give_what_their_products_give(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(4)
    users, items = draw.integers(-2, 3, (40, 8)).astype(np.float32), draw.integers(-2, 3, (38, 8))
    shop = Shop()
    monkeypatch.setattr(dense, "CELLS", 20 * 38)
    for ties in ("item-desc", "random"):
        same(
            rm.evaluate_factors(
                library(users),
                library(items.astype(np.float32)),
                shop.relevance,
                ["nDCG@10", "AP"],
                exclude=shop.exclude,
                ties=ties,
            ),
            rm.evaluate_arrays(
                users @ items.T.astype(np.float32),
                shop.relevance,
                ["nDCG@10", "AP"],
                exclude=shop.exclude,
                ties=ties,
            ),
        )


def test_queries_have_their_ids_and_these_draw_the_order() -> None:
    shop = Shop()
    names = [f"user {number * 37 % 40}" for number in range(40)]
    renamed = [
        table.with_columns(query=pl.col("query").replace_strict(dict(enumerate(names))))
        for table in (shop.qrels(), shop.run())
    ]
    result = rm.evaluate_arrays(
        shop.scores, shop.relevance, ["AP"], exclude=shop.exclude, queries=names, ties="random", seed=9
    )
    same(result, rm.evaluate(*renamed, ["AP"], ties="random", seed=9))
    assert result.signature("AP", short=True).startswith("AP|ties:random(seed=9)|item_ids:integer|")


@EVERYWHERE
def test_precision_decides_what_is_equal(library: Any) -> None:
    scores = np.array([[1.0, 1.0 + 1e-12, 0.5]])
    strict = rm.evaluate_arrays(scores, [[0]], "RR")
    single = rm.evaluate_arrays(scores, [[0]], "RR", precision="float32", ties="item-asc")
    assert (strict["RR"], single["RR"]) == (0.5, 1.0)
    assert rm.evaluate_arrays(library(scores.astype(np.float32)), [[0]], "RR", ties="item-asc")["RR"] == 1.0


def test_bfloat16_is_compared_as_it_is() -> None:
    torch = pytest.importorskip("torch")
    scores = torch.tensor([[0.5, 0.25, 0.25, 1.0]], dtype=torch.bfloat16, requires_grad=True)
    assert rm.evaluate_arrays(scores, [[1]], "RR")["RR"] == 0.25


def test_nothing_is_changed_and_any_layout_will_do() -> None:
    shop = Shop()
    expected = rm.evaluate_arrays(shop.scores, shop.relevance, ["AP"], exclude=shop.exclude)
    layouts = [
        np.asfortranarray(shop.scores),
        np.repeat(shop.scores, 2, axis=1)[:, ::2],
        shop.scores[::-1][::-1],
    ]
    layouts += [shop.scores.astype(">f4"), shop.scores.astype(np.longdouble)]
    for scores in layouts:
        before = scores.copy()
        scores.flags.writeable = False
        same(rm.evaluate_arrays(scores, shop.relevance, ["AP"], exclude=shop.exclude), expected)
        assert np.array_equal(scores, before)


def test_bounds_are_those_of_tables() -> None:
    shop = Shop()
    result = rm.evaluate_arrays(
        shop.scores, shop.relevance, ["AP", "nDCG@5"], exclude=shop.exclude, bounds=True
    )
    assert result.bounds == rm.evaluate(shop.qrels(), shop.run(), ["AP", "nDCG@5"], bounds=True).bounds
    assert result.bounds["AP"].tied > 0


ONE = np.array([[0.5, 0.2, 0.1]])
NAN = np.array([[0.5, 0.2, 0.1], [0.5, np.nan, np.nan]])


@EVERYWHERE
@pytest.mark.parametrize("exclude", [None, [[], [1]]])
def test_undefined_scores_are_refused_with_their_place(library: Any, exclude: Any) -> None:
    with pytest.raises(rm.DataError, match=r"scores: 2 NaN, the first in row 1, column 1 \(from 0\)"):
        rm.evaluate_arrays(library(NAN), [[1], [1]], "AP", exclude=exclude)


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        ({"scores": np.ones(3)}, rm.UsageError, r"scores has 1 axis, shape \(3,\), and needs two"),
        (
            {"scores": np.ones((1, 3), dtype=complex)},
            rm.UsageError,
            "scores holds complex128, not real numbers",
        ),
        ({"scores": "x"}, rm.UsageError, "scores is of type str, not a dense array"),
        (
            {"scores": pl.DataFrame({"a": [1]})},
            rm.UsageError,
            "scores is of type DataFrame, not a dense array",
        ),
        ({"scores": sparse.coo_array(ONE[0])}, rm.UsageError, "scores is of type coo_array, not a dense"),
        ({"queries": [None]}, rm.UsageError, "queries"),
        ({"scores": [[1.0], [1.0, 2.0]]}, rm.UsageError, "rows of unequal length; pad them"),
        ({"scores": NAN, "relevance": [[0], [0]]}, rm.DataError, "2 NaN, the first in row 1, column 1"),
        ({"relevance": [[0], [1]]}, rm.UsageError, "relevance has the items of 2 rows and the scores have 1"),
        ({"relevance": [0, 1]}, rm.UsageError, r"each row has a list of its own, as in \[\[0, 1\], \[2\]\]"),
        (
            {"relevance": [[3]]},
            rm.DataError,
            "1 of the items are none of the 3 columns .* first is 3 in row 0",
        ),
        (
            {"relevance": [[0.5]]},
            rm.UsageError,
            "row 0 .* the items are numbers of columns, and this is float64",
        ),
        ({"relevance": [3]}, rm.UsageError, "row 0 .from 0.: 3 is no list of items"),
        ({"relevance": {0: [1]}}, rm.UsageError, "relevance is of type dict; give a sparse matrix"),
        ({"relevance": [[]]}, rm.DataError, "nothing is judged in any of the 1 rows"),
        (
            {"relevance": [[1, 1, 0]]},
            rm.DataError,
            "1 judged again in the same row; the first is item 1 in row 0",
        ),
        (
            {"relevance": np.ones((1, 2))},
            rm.UsageError,
            r"relevance has the shape \(1, 2\) and the scores \(1, 3\)",
        ),
        ({"relevance": np.array([[1, np.inf, 0]])}, rm.DataError, "1 infinite, the first in row 0, column 1"),
        (
            {"relevance": sparse.csr_array(([np.nan], ([0], [2])), (1, 3))},
            rm.DataError,
            "1 NaN or infinite, the first of item 2 in row 0",
        ),
        ({"exclude": [[0, 5]]}, rm.DataError, "exclude: 1 of the items are none"),
        ({"exclude": [[0, 1, 2]]}, rm.DataError, "every list is empty"),
        ({"exclude": np.ones((1, 3))}, rm.UsageError, "exclude is of type ndarray; give a sparse matrix"),
        ({"k": 0}, rm.UsageError, "k=0 is not a whole number from 1"),
        ({"k": 2.5}, rm.UsageError, "k=2.5 is not a whole number from 1"),
        (
            {"k": 2, "items": np.ones((1, 3), dtype=int)},
            rm.UsageError,
            "lists of candidates end where they do",
        ),
        ({"lengths": [4]}, rm.DataError, "lengths: 1 are not from 0 to 3, the first is 4 in row 0"),
        ({"lengths": [1, 2]}, rm.UsageError, "a whole number for each of the 1 rows"),
        ({"lengths": [1], "mask": ONE > 0}, rm.UsageError, "give lengths or a mask, not both"),
        ({"mask": ONE}, rm.UsageError, "mask holds float64 .* it needs booleans"),
        ({"items": np.ones((1, 2), dtype=int)}, rm.UsageError, "integers of the shape of the scores"),
        ({"items": np.array([[4, 4, 5]])}, rm.DataError, "scores: 1 item returned again"),
        ({"queries": ["a", "b"]}, rm.UsageError, "queries has 2 ids and the scores have 1 rows"),
        ({"queries": [0.5]}, rm.UsageError, "queries holds Float64; ids are integers or strings"),
        ({"precision": "half"}, rm.UsageError, "scores='half' is not one of float64, float32"),
        ({"threads": 0}, rm.UsageError, "threads=0 is not a whole number"),
    ],
)
def test_what_does_not_fit_is_refused(wrong: Any, kind: Any, message: Any) -> None:
    given = {"scores": ONE, "relevance": [[1]], "measures": "AP"} | wrong
    with pytest.raises(kind, match=message):
        rm.evaluate_arrays(**given)


def test_rows_and_choices_are_accounted_for() -> None:
    scores = np.array([[0.5, 0.2], [0.3, 0.1], [-np.inf, -np.inf]])
    result = rm.evaluate_arrays(scores, [[0], [], [1]], "RR", missing="skip")
    assert (result.counts.judged, result.counts.missing, result.counts.unjudged) == (2, 1, 1)
    assert result["RR"] == 1
    assert result.query_ids == [0, 2]
    with pytest.raises(rm.DataError, match="nothing is judged in 1 of 3 rows"):
        rm.evaluate_arrays(scores, [[0], [], [1]], "RR", unjudged_queries="error")
    with pytest.raises(rm.DataError, match=r"the list is empty of 1 query \(2\), because"):
        rm.evaluate_arrays(scores, [[0], [], [1]], "RR", missing="error")
    with pytest.raises(rm.DataError, match="queries: 7 is the id of several rows, such as 0 and 2"):
        rm.evaluate_arrays(scores, [[0], [], [1]], "RR", queries=[7, 8, 7])


def test_an_item_judged_twice_counts_as_asked() -> None:
    twice = sparse.coo_array(([1.0, 3.0], ([0, 0], [1, 1])), shape=(1, 3))
    assert rm.evaluate_arrays(ONE, twice, "DCG@3", duplicates="first")["DCG@3"] == pytest.approx(
        0.63093, abs=1e-5
    )
    assert rm.evaluate_arrays(ONE, twice, "DCG@3", duplicates="best")["DCG@3"] == pytest.approx(
        1.89279, abs=1e-5
    )


def test_factors_must_fit() -> None:
    with pytest.raises(rm.UsageError, match="query_factors has 2 factors and item_factors 3"):
        rm.evaluate_factors(np.ones((1, 2)), np.ones((4, 3)), [[1]], "AP")


@pytest.mark.parametrize("short", [False, True])
def test_a_signature_says_where_lists_end_if_the_measure_looks_further(short: Any) -> None:
    shop = Shop()
    result = rm.evaluate_arrays(shop.scores, shop.relevance, ["AP", "RR@3", "P@20"], k=10, ties="item-asc")
    cut = {str(measure): "|k:10|" in result.signature(measure, short=short) for measure in result.measures}
    assert cut == {"AP": True, "RR@3": False, "P@20": True}
    for measure in result.measures:
        again = rm.from_signature(result.signature(measure, short=short))
        assert again.evaluate_arrays(shop.scores, shop.relevance).values == {str(measure): result[measure]}
    with pytest.raises(rm.UsageError, match="lists end after 10 items; evaluate such with evaluate_arrays"):
        rm.from_signature(result.signature("AP")).evaluate(shop.qrels(), shop.run())


def test_lists_that_name_every_column_are_told_to_be_no_grades() -> None:
    scores = np.array([[0.1, 0.9, 0.5, 0.2]])
    lists = rm.evaluate_arrays(scores, [[3, 2, 1, 0]], "nDCG")
    assert lists["nDCG"] == 1.0
    assert len(lists.notes) == 1
    assert "lists such as [3, 2, 1, 0] are the numbers of relevant columns, here of all" in lists.notes[0]
    grades = rm.evaluate_arrays(scores, np.array([[3, 2, 1, 0]]), "nDCG")
    assert grades["nDCG"] == pytest.approx((2 + 1 / log2(3) + 3 / log2(5)) / (3 + 2 / log2(3) + 1 / 2))
    assert grades.notes == rm.evaluate_arrays(scores, [[3, 2, 1]], "nDCG").notes == ()
    evaluator = rm.Evaluator("nDCG")
    evaluator.update_arrays(scores, [[3, 2, 1, 0]])
    assert evaluator.result().notes == lists.notes
    with pytest.raises(rm.DataError, match=r"judged again .* not grades, of which an array"):
        rm.evaluate_arrays(scores, [[3, 2, 0, 0]], "nDCG")


def test_factors_stand_among_all_items_and_among_candidates() -> None:
    rng = np.random.default_rng(4)
    users, items = rng.standard_normal((30, 4)), rng.standard_normal((50, 4))
    test = {user: [int(item)] for user, item in enumerate(rng.integers(0, 40, 30))}
    train = {user: [40 + user % 10] for user in range(30)}
    drawn = rm.sample_candidates(train, test, 9, items=range(50))
    relevance, had = [*test.values()], [*train.values()]
    both = rm.evaluate_factors(users, items, relevance, "HR@3 RR", exclude=had, candidates=drawn)
    assert [*both] == ["all items", "sampled-9"]
    alone = rm.evaluate_factors(users, items, relevance, "HR@3 RR", exclude=had)
    assert both["all items"].values == alone.values
    ids = drawn.frame["query"].to_numpy(), drawn.frame["item"].to_numpy()
    run = drawn.frame.select("query", "item", score=(users @ items.T)[ids])
    assert both["sampled-9"].values == pytest.approx(rm.evaluate(drawn, run, "HR@3 RR").values)
    assert "candidates:sampled-9" in both["sampled-9"].signature("RR")
    assert "candidates" not in both["all items"].signature("RR")
    lists = [drawn.frame.filter(query=user)["item"].to_list() for user in range(30)]
    listed = rm.evaluate_factors(users, items, relevance, "HR@3 RR", candidates=lists)
    assert listed["candidates"].values == both["sampled-9"].values
    named = rm.evaluate_factors(users, items, relevance, "RR", candidates="sampled-9")
    assert "candidates:sampled-9" in named.signature("RR")
    with pytest.raises(rm.DataError, match="candidates: 1 of 1 items are no numbers of the 50 rows"):
        rm.evaluate_factors(users, items, relevance, "RR", candidates={0: ["x"]})
    with pytest.raises(rm.DataError, match="candidates: none of the queries has any"):
        rm.evaluate_factors(users, items, relevance, "RR", candidates={99: [1]})
