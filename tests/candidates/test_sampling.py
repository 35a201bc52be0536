"""Candidates are what a user has not had, whatever the order of rows, and as likely as is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from rankmark.inputs.sampling import METADATA

ITEMS = [f"i{number:02}" for number in range(40)]
TRAIN = {f"u{user}": ITEMS[user : user + 12] for user in range(20)}
TEST = {f"u{user}": ITEMS[user + 12 : user + 14] for user in range(20)}
HOW: list[dict[str, Any]] = [
    {},
    {"method": "popularity"},
    {"method": "popularity", "exponent": 0.5, "replacement": True},
    {"method": "stratified", "strata": 2},
    {"replacement": True},
]


def by_user(drawn: Any) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for user, item, relevance, _ in drawn.frame.iter_rows():
        assert item not in found.setdefault(user, {})
        found[user][item] = relevance
    return found


@pytest.mark.parametrize("how", HOW)
def test_a_user_has_the_held_out_items_and_others_that_are_new(how: Any) -> None:
    drawn = rm.sample_candidates(TRAIN, TEST, 10, items=ITEMS, seed=3, **how)
    for user, rows in by_user(drawn).items():
        assert [item for item, relevance in rows.items() if relevance] == TEST[user]
        assert not {*rows} & {*TRAIN[user]}
        assert [*rows] == sorted(rows)  # so that their order says nothing of which are relevant
        assert len(rows) == 12 or "replacement" in how
    assert drawn.fewer == 0
    assert drawn.held_out == 40


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("integer", [False, True])
def test_neither_the_order_of_rows_nor_threads_nor_other_users_matter(how: Any, integer: bool) -> None:
    users = range(3_000)
    pairs = [(user, (7 * user + step**2) % 90) for user in users for step in range(8)]
    train = pl.DataFrame(pairs, schema=["user", "item"], orient="row").unique(maintain_order=True)
    test = pl.DataFrame({"user": users, "item": [(7 * user + 83) % 90 for user in users]})
    test = test.join(train, on=["user", "item"], how="anti")
    if not integer:
        train, test = (each.cast(pl.String) for each in (train, test))
    every = pl.Series(range(90)) if integer else pl.Series(map(str, range(90)))
    one = rm.sample_candidates(train, test, 9, items=every, seed=7, threads=1, **how)
    mixed = [each.sample(fraction=1, shuffle=True, seed=5) for each in (train, test, every.to_frame("item"))]
    other = rm.sample_candidates(mixed[0], mixed[1], 9, items=mixed[2], seed=7, threads=3, **how)
    assert one.frame.equals(other.frame)
    few = test.head(20)
    alone = rm.sample_candidates(train, few, 9, items=every, seed=7, **how).frame
    assert alone.equals(one.frame.filter(pl.col("query").is_in(few["user"].implode())))
    assert not one.frame.equals(rm.sample_candidates(train, test, 9, items=every, seed=8, **how).frame)


@pytest.mark.parametrize("n", [3, 20])  # by rejection, and from a list
def test_uniform_draws_have_their_chances(n: int) -> None:
    users = [f"u{user}" for user in range(4_000)]
    train, test = (dict.fromkeys(users, tuple(each)) for each in (ITEMS[:9], ITEMS[9:10]))
    drawn = rm.sample_candidates(train, test, n, items=ITEMS)
    frame = drawn.frame.filter(relevance=0)
    assert frame["probability"].unique().to_list() == [n / 30]
    counts = frame["item"].value_counts()["count"].to_numpy()
    deviation = np.sqrt(4_000 * (n / 30) * (1 - n / 30))
    assert len(counts) == 30
    assert np.abs(counts - 4_000 * n / 30).max() < 4.5 * deviation


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("n", [3, 15])
def test_popular_items_are_drawn_as_often_as_is_said(n: int, replacement: bool) -> None:
    """Item i is had by about 3200 / (i + 1) users; by rejection, and where that takes long, from a list."""
    others = {f"t{user}": [i for i in range(20) if user < 3_200 / (i + 1)] for user in range(3_200)}
    users = [f"u{user}" for user in range(6_000)]
    test = dict.fromkeys(users, (20,))
    how: Any = {"method": "popularity", "replacement": replacement, "items": range(22)}
    drawn = rm.sample_candidates(others, test, n, **how).frame.filter(relevance=0)
    found = drawn.group_by("item").agg(pl.len(), pl.col("probability").first()).sort("item")
    assert found["item"].to_list() == list(range(20))  # nobody has the others
    expected = found["probability"].to_numpy()
    assert np.abs(found["len"].to_numpy() / 6_000 - expected).max() < (0.025 if replacement else 0.035)


def test_two_draws_by_weight_by_hand() -> None:
    """Had by 3, 2 and 1 users: the first is drawn at once, after the second, or after the third."""
    train = {"a": [1, 2, 3], "b": [1, 2], "c": [1]}
    users = range(20_000)
    test = {f"u{user}": [4] for user in users}
    drawn = rm.sample_candidates(train, test, 2, method="popularity").frame.filter(relevance=0)
    share = drawn.filter(item=1).height / 20_000
    assert share == pytest.approx(3 / 6 + 2 / 6 * 3 / 4 + 1 / 6 * 3 / 5, abs=0.015)


def test_strata_have_their_shares() -> None:
    items = pl.DataFrame({"item": ITEMS, "kind": ["a"] * 20 + ["b"] * 15 + ["c"] * 5})
    test = {"u": ["i00"]}
    train = {"u": ["i39"]}
    for allocation, expected in (("proportional", [5, 4, 1]), ("equal", [4, 3, 3])):
        how: Any = {"method": "stratified", "strata": "kind", "allocation": allocation, "items": items}
        frame = rm.sample_candidates(train, test, 10, **how).frame.filter(relevance=0).join(items, on="item")
        assert frame.group_by("kind").len().sort("kind")["len"].to_list() == expected
        chances = frame.unique("kind").sort("kind")["probability"].to_list()
        assert chances == [expected[0] / 19, expected[1] / 15, expected[2] / 4]


def test_users_with_fewer_items_are_counted_left_out_or_refused() -> None:
    test = TEST | {"v": ["i00"]}
    train = TRAIN | {"v": ITEMS[1:38]}
    drawn = rm.sample_candidates(train, test, 5, items=ITEMS)
    said = "1 of 21 users have fewer than 5 items to draw from, the first is 'v' with 2"
    assert (drawn.fewer, drawn.notes) == (1, (f"{said}: they have all that there are",))
    assert [*by_user(drawn)["v"]] == ["i00", "i38", "i39"]
    skipped = rm.sample_candidates(train, test, 5, items=ITEMS, fewer="skip")
    assert "v" not in by_user(skipped)
    assert skipped.notes == (f"{said}: they are left out",)
    assert (skipped.users, skipped.held_out) == (20, 40)
    with pytest.raises(rm.DataError, match="1 of 21 users have fewer than 5"):
        rm.sample_candidates(train, test, 5, items=ITEMS, fewer="error")


def test_what_is_not_relevant_is_neither_held_out_nor_drawn() -> None:
    test = [("u", "a", 2), ("u", "b", 0), ("v", "a", 0)]
    drawn = rm.sample_candidates([("u", "c")], test, 3, items=list("abcdef"))
    assert by_user(drawn) == {"u": {"a": 2, "d": 0, "e": 0, "f": 0}}
    assert drawn.notes == (
        "1 user of the test without a relevant item: not sampled for",
        "2 rows of the test not relevant: neither held out nor drawn",
    )


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"n": 0}, "n=0 is not a whole number from 1"),
        ({"method": "uni"}, "method='uni' is not one of uniform, popularity, stratified"),
        ({"exponent": 1.0}, "exponent=1.0 is of method='popularity', and the method is 'uniform'"),
        ({"method": "popularity", "exponent": -1}, "exponent=-1 is not a number from 0 to 10"),
        ({"method": "stratified", "strata": "kind"}, "items has no column 'kind' beside the items"),
        ({"method": "stratified", "strata": 0}, "strata=0 is neither a column of items nor"),
        ({"fewer": "none"}, "fewer='none' is not one of all, skip, error"),
        ({"seed": -1}, "seed=-1 is not a whole number"),
        (
            {"items": ITEMS[:20]},
            "test: 25 held-out items of 40 not among the 20 items, the first is 'i22' of",
        ),
        ({"test": {"u": []}}, "test"),
    ],
)
def test_what_cannot_be_sampled(how: Any, message: str) -> None:
    how = {"train": TRAIN, "test": TEST, "n": 3, "items": ITEMS} | how
    with pytest.raises(rm.RankmarkError, match=message):
        rm.sample_candidates(**how)


def test_files_hold_the_rows_and_parquet_how_they_were_sampled(tmp_path: Path) -> None:
    drawn = rm.sample_candidates(TRAIN, TEST, 4, items=ITEMS, seed=5)
    for name in ("x.parquet", "x.csv", "x.tsv", "x.rankmark"):
        drawn.to_file(tmp_path / name)
    assert pl.read_parquet(tmp_path / "x.parquet").equals(drawn.frame)
    assert '"seed": 5' in pl.read_parquet_metadata(tmp_path / "x.parquet")[METADATA]
    assert pl.read_csv(tmp_path / "x.csv").equals(drawn.frame)
    assert pl.read_csv(tmp_path / "x.tsv", separator="\t").equals(drawn.frame)
    loaded = rm.load(tmp_path / "x.rankmark")
    assert isinstance(loaded, rm.results.SampledCandidates)
    assert loaded.frame.equals(drawn.frame)
    drawn.to_file(tmp_path / "x.txt")
    lines = (tmp_path / "x.txt").read_text().splitlines()
    assert lines[0].split() == ["u0", "0", "i12", "1"]
    run = {user: [*rows] for user, rows in by_user(drawn).items()}
    by_file = rm.evaluate(str(tmp_path / "x.txt"), run, "HR@3")
    assert by_file.values == rm.evaluate(drawn, run, "HR@3").values
    with pytest.raises(rm.UsageError, match="candidates are written as"):
        drawn.to_file(tmp_path / "x.xlsx")


def test_signatures_say_that_candidates_were_sampled() -> None:
    drawn = rm.sample_candidates(TRAIN, TEST, 4, items=ITEMS)
    run = {user: [*rows] for user, rows in by_user(drawn).items()}
    result = rm.evaluate(TEST, run, "HR@3", candidates=drawn.mark)
    assert "|candidates:sampled-4|" in result.signature("HR@3")
    assert any("among sampled-4 candidates" in note for note in result.notes)
    again = rm.from_signature(result.signature("HR@3")).evaluate(TEST, run)
    assert again.signature("HR@3") == result.signature("HR@3")
    plain = rm.evaluate(TEST, run, "HR@3")
    assert "candidates" not in plain.signature("HR@3")
    assert plain.values == result.values
    popular = rm.sample_candidates(TRAIN, TEST, 4, items=ITEMS, method="popularity")
    assert popular.mark == "sampled-4(popularity)"
    arrays = rm.evaluate_arrays(np.eye(3), np.eye(3), "AP", candidates="sampled-2")
    assert "candidates:sampled-2" in arrays.signature("AP")
    with pytest.raises(rm.ChoiceError, match="candidates='99' is neither all nor how many were sampled"):
        rm.evaluate(TEST, run, "HR@3", candidates="99")


def test_judgements_say_themselves_that_they_were_sampled(tmp_path: Path) -> None:
    drawn = rm.sample_candidates(TRAIN, TEST, 4, items=ITEMS)
    run = {user: [*rows] for user, rows in by_user(drawn).items()}
    drawn.to_file(tmp_path / "c.parquet")
    drawn.to_file(tmp_path / "c.csv")
    for judged in (drawn, tmp_path / "c.parquet", str(tmp_path / "c.parquet"), rm.read_qrels(drawn)):
        assert "|candidates:sampled-4|" in rm.evaluate(judged, run, "HR@3").signature("HR@3")
        for plain in (rm.evaluate(judged, run, "HR@3", candidates="all"), rm.evaluate(TEST, run, "HR@3")):
            assert "candidates" not in plain.signature("HR@3")
        with pytest.raises(rm.UsageError, match="candidates='sampled-9', and qrels say that they are sampl"):
            rm.evaluate(judged, run, "HR@3", candidates="sampled-9")
    assert "candidates" not in rm.evaluate(tmp_path / "c.csv", run, "HR@3").signature("HR@3")
    compared = rm.compare(tmp_path / "c.parquet", {"a": run, "b": run}, "HR@3", resamples=9)
    assert "candidates:sampled-4" in compared.format("json")
    drawn.frame.write_parquet(tmp_path / "c.parquet", metadata={METADATA: '{"n": 4}'})
    with pytest.raises(rm.FormatError, match="is damaged; sample the candidates again"):
        rm.evaluate(tmp_path / "c.parquet", run, "HR@3")


def test_lists_with_items_that_are_no_candidates_are_refused() -> None:
    drawn = rm.sample_candidates(TRAIN, TEST, 4, items=ITEMS)
    rows = by_user(drawn)
    every = dict.fromkeys(rows, ITEMS)
    alone = {user: [item for item in ITEMS if item in rows[user]] for user in rows}
    first = next(item for item in ITEMS if item not in rows["u0"])
    others = 20 * 40 - 20 * 6
    said = f"{others} items in lists are not among those that were judged, the first is '{first}' of 'u0'"
    unmarked = drawn.frame.drop("probability")
    sources: list[tuple[Any, dict[str, Any]]] = [(drawn, {}), (unmarked, {"candidates": "sampled-4"})]
    for judged, given in sources:
        with pytest.raises(rm.DataError, match=said):
            rm.evaluate(judged, every, "HR@3", **given)
        ignored = rm.evaluate(judged, every, "HR@3", unjudged="ignore", **given)
        assert ignored.values == rm.evaluate(judged, alone, "HR@3", **given).values
    whole = rm.evaluate(drawn, every, "HR@3", candidates="all")
    assert "candidates" not in whole.signature("HR@3")
    with pytest.raises(rm.DataError, match="lists hold more than 4 items beside the relevant ones"):
        rm.evaluate(TEST, every, "HR@3", candidates="sampled-4")
    top = dict.fromkeys(rows, ITEMS[:2])
    with pytest.raises(rm.DataError, match="are not among those that were judged"):
        rm.evaluate(unmarked, top, "HR@3", candidates="sampled-4")
    added = {"other": ["of nobody"]}
    assert rm.evaluate(TEST, alone | added, "HR@3", candidates="sampled-4").values == ignored.values


def test_held_out_items_that_are_in_train_are_noted() -> None:
    same = rm.sample_candidates(TEST, TEST, 4, items=ITEMS)
    assert any("all of 40 held-out items are in train as well" in note for note in same.notes)
    assert not rm.sample_candidates(TRAIN, TEST, 4, items=ITEMS).notes


def test_an_evaluator_is_made_for_the_candidates_that_judgements_say() -> None:
    drawn = rm.sample_candidates(TRAIN, TEST, 4, items=ITEMS)
    run = {user: [*rows] for user, rows in by_user(drawn).items()}
    own = rm.Evaluator("HR@3", candidates=drawn.mark)
    own.update(drawn, run)
    assert own.result().signature("HR@3") == rm.evaluate(drawn, run, "HR@3").signature("HR@3")
    others: list[dict[str, Any]] = [{}, {"candidates": "sampled-9"}]
    for other in others:
        with pytest.raises(rm.UsageError, match="qrels say that they are sampled-4, and the evaluator was"):
            rm.Evaluator("HR@3", **other).update(drawn, run)
    with pytest.raises(rm.DataError, match="items in lists are not among those that were judged"):
        rm.Evaluator("HR@3", candidates=drawn.mark).update(drawn, dict.fromkeys(run, ITEMS))


def test_rows_of_scores_with_more_items_than_were_drawn_are_refused() -> None:
    scores = np.arange(12.0).reshape(2, 6)
    marked: dict[str, Any] = {"candidates": "sampled-3"}
    said = "2 of 2 rows have more than 3 items beside the relevant ones, the first is row 0 .from 0. with 5"
    mask = np.array([[1, 1, 1, 1, 0, 0], [0, 0, 1, 1, 1, 1]], dtype=bool)
    for relevance in ([[0], [3]], np.eye(2, 6)):
        with pytest.raises(rm.DataError, match=said):
            rm.evaluate_arrays(scores, relevance, "RR", **marked)
        with pytest.raises(rm.DataError, match=said):
            rm.Evaluator("RR", **marked).update_arrays(scores, relevance)
    fine: list[dict[str, Any]] = [
        {"mask": mask},
        {"exclude": [[4, 5], [0, 1]]},
        {"unjudged": "ignore"},
        {"candidates": "all"},
    ]
    for how in fine:
        rm.evaluate_arrays(scores, [[0], [3]], "RR", **(marked | how))
    with pytest.raises(rm.DataError, match=r"1 of 2 rows .* the first is row 1"):
        rm.evaluate_arrays(scores, [[0], [3]], "RR", lengths=[4, 5], **marked)
