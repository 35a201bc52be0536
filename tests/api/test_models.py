"""Models are asked in batches, and what they answer is evaluated as if it had been a table."""

from __future__ import annotations

import io
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankmark as rm
from rankmark import progress
from rankmark.language.choices import values_of

MEASURES = ["nDCG@5", "AP@10", "RR@10", "P@5"]


class Catalogue:
    """Scores of 30 items for 50 users, with ties, and judgements."""

    def __init__(self, text: bool = False) -> None:
        draw = np.random.default_rng(11)
        users, items = 100 + draw.permutation(50), draw.permutation(300)[:30]
        self.users = [f"u{user}" for user in users] if text else users.tolist()
        self.items = [f"i{item}" for item in items] if text else items.tolist()
        self.scores = draw.integers(0, 12, (50, 30)) / 4
        judged = draw.random((50, 30)) < 0.2
        judged[:, 0] = True
        row, column = np.nonzero(judged)
        self.qrels = pl.DataFrame(
            {
                "query": [self.users[each] for each in row],
                "item": [self.items[each] for each in column],
                "relevance": draw.integers(0, 3, len(row)),
            }
        )
        self.asked: list[int] = []

    def run(self) -> pl.DataFrame:
        row, column = np.indices(self.scores.shape).reshape(2, -1)
        columns = {"query": [self.users[each] for each in row], "item": [self.items[each] for each in column]}
        return pl.DataFrame(columns | {"score": self.scores.ravel()})

    def best(self, user: Any, k: int) -> list[tuple[Any, float]]:
        scores = self.scores[self.users.index(user)]
        return sorted(zip(self.items, scores, strict=True), key=lambda pair: pair[::-1], reverse=True)[:k]


class Recommender(Catalogue):
    def recommend(self, users: Any, k: int) -> Any:
        self.asked.append(len(users))
        return [[item for item, _ in self.best(user, k)] for user in users]


class Predictor(Catalogue):
    def predict(self, user: Any, items: Any) -> Any:
        self.asked.append(user)
        order = [self.items.index(item) for item in items]
        return self.scores[self.users.index(user)][order]


def same(result: rm.results.ListResult, expected: rm.results.ListResult) -> None:
    assert result.per_query.equals(expected.per_query)
    assert result.values == expected.values


@pytest.mark.parametrize("text", [False, True])
def test_recommendations_are_evaluated_as_a_table_of_them(text: Any) -> None:
    model = Recommender(text)
    expected = rm.evaluate(model.qrels, model.run(), MEASURES)
    same(rm.evaluate_model(model, model.qrels, MEASURES, batch_size=20), expected)
    assert model.asked == [20, 20, 10]


def test_functions_arrays_and_scores_will_do_too() -> None:
    model = Catalogue()
    expected = rm.evaluate(model.qrels, model.run(), MEASURES)

    def items(users: Any, k: Any) -> Any:
        return np.array([[item for item, _ in model.best(user, k)] for user in users])

    def scored(users: Any, k: Any) -> Any:
        return items(users, k), np.array([[score for _, score in model.best(user, k)] for user in users])

    def padded(users: Any, k: Any) -> Any:
        return np.concatenate((items(users, k - 2), np.full((len(users), 2), -1)), axis=1)

    same(rm.evaluate_model(items, model.qrels, MEASURES), expected)
    same(rm.evaluate_model(scored, model.qrels, MEASURES, k=20), expected)
    same(rm.evaluate_model(padded, model.qrels, MEASURES, k=12), expected)
    tied = rm.evaluate_model(scored, model.qrels, MEASURES, k=30, ties="expected")
    same(tied, rm.evaluate(model.qrels, model.run(), MEASURES, ties="expected"))


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("ties", [each for each in values_of("ties") if each != "random"])
def test_predictions_are_evaluated_as_the_table_of_all_of_them(text: Any, ties: Any) -> None:
    model = Predictor(text)
    missed = model.qrels.head(1).with_columns(item=pl.lit("none" if text else 9999))
    qrels = pl.concat([model.qrels, missed.cast(model.qrels.schema)])
    in_order = model.run().sort("item") if ties == "input" else model.run()
    expected = rm.evaluate(qrels, in_order, [*MEASURES, "AP", "MPR"], ties=ties)
    result = rm.evaluate_model(model, qrels, [*MEASURES, "AP", "MPR"], items=model.items, ties=ties)
    same(result, expected)
    assert result.counts == expected.counts
    assert len(model.asked) == 50


def test_what_a_model_was_trained_on_does_not_count() -> None:
    model = Predictor()
    seen = model.run().sample(fraction=0.3, seed=1).select("query", "item")
    unseen = model.run().join(seen, on=["query", "item"], how="anti")
    result = rm.evaluate_model(model, model.qrels, ["AP"], items=np.array(model.items), exclude=seen)
    same(result, rm.evaluate(model.qrels, unseen, ["AP"]))


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        (lambda *_: [[1]], rm.UsageError, "the items of 1 users, asked about 2"),
        (lambda *_: None, rm.UsageError, "gives items as NoneType; give a list a user"),
        (lambda *_: [1, 2], rm.UsageError, "does not give a list of items a user"),
        (lambda *_: [[1, 2, 3, 4]] * 2, rm.DataError, "gives user 'a' 4 items, asked for 3"),
        (lambda *_: [[], []], rm.DataError, "recommends nothing to any user"),
        (lambda *_: [[7, 7], []], rm.DataError, "the model: 1 item returned again"),
        (
            lambda *_: [[0.5], []],
            rm.UsageError,
            "not integers or strings, of one type: one is 0.5, of type float$",
        ),
        (lambda *_: [[np.float64(7)], []], rm.UsageError, r"of one type: one is .*7.0.*, of type float64$"),
        (lambda *_: [["a", 7], []], rm.UsageError, "of one type: one is 7, of type int$"),
        (lambda *_: [[2**70], []], rm.UsageError, "integers or strings, of one type, or not of 64 bits$"),
        (lambda *_: ["ab", "c"], rm.UsageError, "a list of items a user: user 'a' has one str"),
        (
            lambda *_: pl.DataFrame({"a": [1, 2]}),
            rm.UsageError,
            "gives items as DataFrame; give a list",
        ),
        (lambda *_: pd.DataFrame([[1], [2]]), rm.UsageError, "gives items as DataFrame; give a list"),
        (lambda *_: ([[1, 2], [3]], [[0.5], [0.1]]), rm.DataError, "user 'a' not as many scores as it"),
        (lambda *_: ([[1], [3]], [[float("nan")], [0.1]]), rm.DataError, "has 1 NaN"),
        (lambda *_: [["x"], []], rm.IdTypeError, "the item ids are strings in the model"),
        (
            lambda users: users,
            rm.UsageError,
            r"model: the function '<lambda>' raises TypeError for the 2 users from 'a' on: .*takes 1",
        ),
        (object(), rm.UsageError, "neither recommend.users, k. nor predict.user, items. and is no function"),
    ],
)
def test_answers_that_cannot_be_used_are_refused(answer: Any, kind: Any, message: Any) -> None:
    with pytest.raises(kind, match=message):
        rm.evaluate_model(answer, {"a": [1], "b": [2]}, "AP@3")


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        ({"items": None}, rm.UsageError, "needs items: the ids of all"),
        ({"items": [0.5]}, rm.UsageError, "items holds Float64, with 0 None; ids are integers or strings"),
        ({"items": [1, 1]}, rm.DataError, "items: 1 is there more than once"),
        ({"items": ["a"]}, rm.UsageError, "the ids of items are text, those of qrels .'item'. are not"),
        (
            {"items": [1]},
            rm.UsageError,
            r"predicts for user 'a' float64 of shape \(2,\), asked for the scores of 1",
        ),
        (
            {"qrels": [("a", 1, 1), ("a", 1, 2)]},
            rm.DataError,
            "1 judged again for the same query; the first is it",
        ),
        ({"exclude": {"a": ["x"]}}, rm.IdTypeError, "make both strings or both integers"),
        ({"batch_size": 0}, rm.UsageError, "batch_size=0 is not a whole number"),
    ],
)
def test_what_predict_needs_is_said(wrong: Any, kind: Any, message: Any) -> None:
    class Model:
        def predict(self, user: Any, items: Any) -> Any:  # noqa: ARG002
            return [0.5, 0.25]

    given = {"model": Model(), "qrels": {"a": [1]}, "measures": "AP", "items": [1, 2]} | wrong
    with pytest.raises(kind, match=message):
        rm.evaluate_model(**given)


def test_a_model_that_fails_is_named_with_the_user() -> None:
    class Model:
        def predict(self, user: Any, items: Any) -> Any:  # noqa: ARG002
            return {"a": [0.5, 0.25]}[user]

    with pytest.raises(rm.UsageError, match="the function 'predict' raises KeyError for user 'b'") as error:
        rm.evaluate_model(Model(), {"a": [1], "b": [2]}, "AP", items=[1, 2])
    assert isinstance(error.value.__cause__, KeyError)


def test_a_measure_without_cutoff_needs_k() -> None:
    with pytest.raises(
        rm.UsageError, match="AP has no cutoff: say with k how many items to ask the model for"
    ):
        rm.evaluate_model(lambda users, _: [[1]] * len(users), {"a": [1]}, "AP")
    with pytest.raises(rm.UsageError, match="recommend decides itself"):
        rm.evaluate_model(lambda users, _: [[1]] * len(users), {"a": [1]}, "AP", k=2, items=[1])


def test_a_bar_shows_how_many_users_were_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(progress, "INTERVAL", 0.001)
    monkeypatch.setattr("sys.stderr", Terminal())

    def slow(users: Any, _: Any) -> Any:
        # The second user is not answered before the bar has counted the first, however busy the machine.
        until = time.monotonic() + 20
        while users[0] == "b" and "1/2" not in sys.stderr.getvalue() and time.monotonic() < until:
            time.sleep(0.01)
        return [[1]] * len(users)

    rm.evaluate_model(slow, {"a": [1], "b": [1]}, "AP", k=1, batch_size=1)
    assert "asking the model" in sys.stderr.getvalue()
    assert "1/2" in sys.stderr.getvalue()


class Popularity:
    """Scores items by a number of their own; who is asked, and for what, is kept."""

    def __init__(self, popular: dict[Any, float]) -> None:
        self.popular = popular
        self.asked: dict[Any, list[Any]] = {}

    def predict(self, user: Any, items: Any) -> list[float]:
        self.asked[user] = list(items)
        return [self.popular[item] for item in items]


POPULAR = {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.0}
TEST = {"ann": {"a": 0, "b": 1}, "bob": {"b": 0, "c": 0, "d": 1}}


def test_each_user_has_candidates_of_their_own() -> None:
    """Of the judged items alone b is second of two, and d third of three; of a table each is first."""
    model = Popularity(POPULAR)
    result = rm.evaluate_model(model, TEST, "RR", candidates="test")
    assert result.query_values("RR").tolist() == [1 / 2, 1 / 3]
    assert model.asked == {"ann": ["a", "b"], "bob": ["b", "c", "d"]}
    table = pl.DataFrame({"user": ["ann", "ann", "bob", "eve"], "item": ["b", "c", "d", "a"]})
    result = rm.evaluate_model(model, TEST, "RR P@2", candidates=table)
    assert result.values == {"RR": 1.0, "P@2": 0.5}
    assert "eve" not in model.asked
    assert rm.evaluate_model(model, TEST, "RR", candidates={"ann": ["b"]}).counts.missing == 1


def test_all_items_and_sampled_ones_stand_side_by_side() -> None:
    drawn = rm.sample_candidates({"ann": ["c"]}, TEST, 1, items=[*POPULAR])
    both = rm.evaluate_model(Popularity(POPULAR), TEST, "RR", items=[*POPULAR], candidates=drawn)
    assert isinstance(both, rm.results.Runs)
    assert [*both] == ["all items", "sampled-1"]
    alone = rm.evaluate_model(Popularity(POPULAR), TEST, "RR", candidates=drawn)
    assert isinstance(alone, rm.results.ListResult)
    assert both["sampled-1"].signature("RR") == alone.signature("RR")
    assert "|candidates:sampled-1|" in alone.signature("RR")
    assert "candidates" not in both["all items"].signature("RR")
    assert (
        both["all items"].values
        == rm.evaluate_model(Popularity(POPULAR), TEST, "RR", items=[*POPULAR]).values
    )


def test_excluded_items_and_those_of_score_minus_infinity_are_no_candidates() -> None:
    model = Popularity(POPULAR | {"c": -np.inf})
    result = rm.evaluate_model(model, TEST, "RR", candidates="test", exclude={"ann": ["a"]})
    assert result.query_values("RR").tolist() == [1.0, 1 / 2]


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        ({"k": 5}, rm.UsageError, "k ends lists of all items"),
        (
            {"candidates": {"eve": ["a"]}},
            rm.DataError,
            "none of the 2 judged users has any; users are such as 'ann'",
        ),
        ({"candidates": {"ann": [1]}}, rm.IdTypeError, "the item ids are"),
        (
            {"model": object()},
            rm.UsageError,
            "give an object with that method, or a function of these",
        ),
        (
            {"model": Popularity(POPULAR | {"b": np.nan})},
            rm.DataError,
            "predicts NaN for user 'ann', item 'b'",
        ),
    ],
)
def test_candidates_that_cannot_be_ranked_are_refused(wrong: Any, kind: Any, message: Any) -> None:
    said = {"model": Popularity(POPULAR), "qrels": TEST, "measures": "RR", "candidates": "test"}
    with pytest.raises(kind, match=message):
        rm.evaluate_model(**(said | wrong))


def test_candidates_of_a_file_without_types_have_the_ids_of_the_judgements(tmp_path: Path) -> None:
    (tmp_path / "test.csv").write_text("user,item,rating\n7,1,1\n7,2,0\n")
    model = Popularity({1: 0.5, 2: 1.0})
    assert rm.evaluate_model(model, tmp_path / "test.csv", "RR", candidates={7: [1, 2]}).values == {"RR": 0.5}
    frame = pl.DataFrame({"user": [7, 7], "item": [1, 2]}, schema={"user": pl.Int32, "item": pl.UInt8})
    assert rm.evaluate_model(model, {7: {1: 1}}, "RR", candidates=frame).values == {"RR": 0.5}


def test_a_function_predicts_the_scores_of_candidates() -> None:
    popular = ["a", "b", "c"]
    judged = {"ann": {"a": 0, "b": 1}, "bob": {"b": 0, "c": 0, "a": 1}}
    result = rm.evaluate_model(
        lambda _, items: [popular.index(item) for item in items], judged, "RR", candidates="test"
    )
    assert result.query_values("RR").tolist() == [1.0, 1 / 3]
