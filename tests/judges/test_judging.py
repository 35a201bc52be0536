"""Systems by labels of people and of a judge: by the functions that it is made of, and what is said of it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from rankmark.errors import (
    ChoiceError,
    ColumnError,
    DataError,
    MeasureError,
    NotEvaluatedError,
    SignatureError,
    UsageError,
)
from rankmark.results import JudgeEvaluation
from rankmark.statistics import gaffke_bound, prediction_powered_mean, prediction_powered_strata, t_interval

Labels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def tables(queries: int = 120, labelled: int = 40, seed: int = 1) -> tuple[Labels, Labels, Run, Run]:
    """Labels of people of the first queries, of a judge who keeps two in three, and two runs."""
    rng = np.random.default_rng(seed)
    people, judge, one, other = {}, {}, {}, {}
    for number in range(queries):
        true = {f"d{item}": int(rng.integers(1, 4)) * int(rng.random() < 0.3) for item in range(12)}
        name = f"q{number}"
        judge[name] = {i: g if rng.random() < 0.67 else int(rng.integers(0, 4)) for i, g in true.items()}
        if number < labelled:
            people[name] = true
        one[name] = {item: 0.5 * grade + rng.normal() for item, grade in true.items()}
        other[name] = {item: grade + rng.normal() for item, grade in true.items()}
    return people, judge, one, other


PEOPLE, JUDGE, ONE, OTHER = tables()
KINDS = {f"q{number}": "odd" if number % 3 else "third" for number in range(120)}


def query_values(qrels: Labels, run: Run, measure: str = "nDCG@10") -> dict[str, float]:
    result = rm.evaluate(qrels, run, measure)
    return dict(zip(map(str, result.query_ids), result.query_values(measure).tolist(), strict=True))


def arrays(run: Run, queries: list[str], measure: str = "nDCG@10") -> tuple[Any, Any, Any]:
    """y, f of the labelled queries among these, and f of the others."""
    people, judge = query_values(PEOPLE, run, measure), query_values(JUDGE, run, measure)
    known = [query for query in queries if query in people]
    return (
        np.array([people[query] for query in known]),
        np.array([judge[query] for query in known]),
        np.array([judge[query] for query in queries if query not in people]),
    )


def test_a_value_is_the_prediction_powered_mean_of_queries_values() -> None:
    found = rm.evaluate_with_judge(PEOPLE, JUDGE, ONE, ["nDCG@10", "P@5"])
    for measure in ("nDCG@10", "P@5"):
        y, f, others = arrays(ONE, list(JUDGE), measure)
        want, value = prediction_powered_mean(y, f, others), found.of(measure)
        assert (value.value, *value.interval) == pytest.approx((want.value, *want.interval))
        assert (value.labelled, value.queries) == (40, 120)
        assert value.power == pytest.approx(want.power)
        assert value.human == pytest.approx(y.mean())
        assert value.judge == pytest.approx(np.concatenate([f, others]).mean())
        assert value.bias == pytest.approx((f - y).mean())
        low, high = t_interval(f - y)
        assert value.bias_high - value.bias_low == pytest.approx(high - low, rel=0.06)
        alone = prediction_powered_mean(y, f, [])
        assert (value.human_low, value.human_high) == pytest.approx(tuple(alone.interval))
        assert value.effective == pytest.approx(40 * (alone.error / want.error) ** 2)
    assert found["P@5"] == found.of("P@5").value
    assert found.of("P@5").p is None


def test_a_difference_is_that_of_the_same_queries_and_p_are_corrected() -> None:
    runs = {
        "one": ONE,
        "other": OTHER,
        "third": {query: dict.fromkeys(items, 1.0) for query, items in ONE.items()},
    }
    found = rm.evaluate_with_judge(PEOPLE, JUDGE, runs, "nDCG@10")
    assert [each.name for each in found.differences] == ["other − one", "third − one", "third − other"]
    own, others = arrays(ONE, list(JUDGE)), arrays(OTHER, list(JUDGE))
    want = prediction_powered_mean(*(b - a for a, b in zip(own, others, strict=True)))
    difference = found.differences[0]
    assert (difference.value, difference.p) == pytest.approx((want.value, want.p))
    p = [each.p for each in found.differences if each.p is not None]
    assert [each.corrected for each in found.differences] == pytest.approx(
        rm.statistics.corrected(p, "holm").tolist()
    )
    against = rm.evaluate_with_judge(PEOPLE, JUDGE, runs, "nDCG@10", baseline="third")
    assert [each.name for each in against.differences] == ["one − third", "other − third"]
    with pytest.raises(NotEvaluatedError, match="one, other, third: say of which"):
        found["nDCG@10"]
    with pytest.raises(NotEvaluatedError, match=r"AP was not evaluated; here are nDCG@10 of one"):
        found.of("AP")


def test_slices_are_estimated_by_their_own_queries() -> None:
    found = rm.evaluate_with_judge(PEOPLE, JUDGE, ONE, "nDCG@10", by=KINDS)
    for row in found.slices:
        want = prediction_powered_mean(*arrays(ONE, [query for query in JUDGE if KINDS[query] == row.slice]))
        assert (row.value, row.low) == pytest.approx((want.value, want.low))
    assert [(row.slice, row.labelled, row.queries) for row in found.slices] == [
        ("odd", 26, 80),
        ("third", 14, 40),
    ]
    few = rm.evaluate_with_judge(PEOPLE, JUDGE, ONE, "nDCG@10", by=lambda query: query == "q119")
    assert [np.isnan(row.value) for row in few.slices] == [False, True]


def test_strata_count_by_their_queries() -> None:
    found = rm.evaluate_with_judge(PEOPLE, JUDGE, ONE, "nDCG@10", strata=KINDS)
    strata = [arrays(ONE, [query for query in JUDGE if KINDS[query] == kind]) for kind in ("odd", "third")]
    want = prediction_powered_strata(strata)
    assert (found["nDCG@10"], found.values[0].low) == pytest.approx((want.value, want.low))
    assert "each of 2 strata" in str(found)
    assert "|strata:yes|" in found.signature("nDCG@10")


def test_a_stratum_of_too_few_labels_is_said_by_its_name() -> None:
    kinds = {query: "rare" if query in ("q0", "q119") else "usual" for query in JUDGE}
    with pytest.raises(DataError, match="stratum rare has fewer than 2 queries with labels of people"):
        rm.evaluate_with_judge(PEOPLE, JUDGE, ONE, "nDCG@10", strata=kinds)
    del kinds["q0"], kinds["q119"]
    with pytest.raises(DataError, match=r"stratum \(none\) has fewer than 2"):
        rm.evaluate_with_judge(PEOPLE, JUDGE, ONE, "nDCG@10", strata=kinds)


def test_every_measure_that_is_said_to_be_a_sum_over_items_is_taken() -> None:
    people, _ = some_items(0.5)
    said = str(rm.evaluate_with_judge.__doc__).split("sums over items: ")[1].split(".")[0]
    for name in said.replace(" and ", ", ").split(", "):
        found = rm.evaluate_with_judge(people, JUDGE, ONE, f"{name}@5", inclusion="chance")
        assert found[f"{name}@5"] > 0


def test_the_bias_counts_strata_by_their_queries_as_people_alone_do() -> None:
    # In 10 of 12 labelled queries, of the first 20 of 100, the judge is right; in 2 of the other 80 it is .5
    # and 1 too high: .2·0 + .8·.75, and not 1.5/12.
    few = [f"q{number}" for number in (20, 21)]
    judge = {f"q{number}": {"a": 1, "b": 1} for number in range(100)}
    people = {query: judge[query] for query in list(judge)[:10]} | {
        few[0]: {"a": 1, "b": 0},
        few[1]: {"a": 0},
    }
    run = {query: ["a", "b"] for query in judge}
    strata = {query: "easy" if number < 20 else "hard" for number, query in enumerate(judge)}
    (value,) = rm.evaluate_with_judge(people, judge, run, "P@2", strata=strata).values
    assert value.bias == pytest.approx(0.6)
    assert value.human == pytest.approx(value.judge - value.bias)
    wrong = [([0.0] * 10, [0.0] * 10, [0.0] * 10), ([0.5, 1.0], [0.0] * 2, [0.0] * 78)]
    want = prediction_powered_strata(wrong, power=0)
    assert (value.bias_low, value.bias_high) == pytest.approx((max(want.low, -1), min(want.high, 1)))
    (slice_,) = rm.evaluate_with_judge(people, judge, run, "P@2", strata=strata, by=lambda _: "all").slices
    assert slice_.bias == pytest.approx(0.6)


def test_the_bias_of_a_judge_that_is_right_so_far_may_have_either_sign() -> None:
    right = {query: JUDGE[query] for query in list(JUDGE)[:60]}
    runs = {"one": ONE, "other": OTHER}
    found = rm.evaluate_with_judge(right, JUDGE, runs, ["nDCG@10", "DCG@5"])
    # Clopper's and Pearson's bound of how many queries may be off, by 1 at most, or 2 in a difference.
    reach = 1 - 0.025 ** (1 / 60)
    value, difference = found.of("nDCG@10", "one"), found.differences[0]
    assert (value.bias, value.bias_low, value.bias_high) == pytest.approx((0, -reach, reach))
    assert (difference.bias_low, difference.bias_high) == pytest.approx((-2 * reach, 2 * reach))
    assert np.isnan(found.of("DCG@5", "one").bias_low), "how far others are off has no bound"
    assert any("judge's bias of DCG@5 of one has no interval" in note for note in found.notes)
    (strata,) = rm.evaluate_with_judge(right, JUDGE, ONE, "nDCG@10", strata=KINDS).values
    reach = 2 / 3 * (1 - 0.025 ** (1 / 40)) + 1 / 3 * (1 - 0.025 ** (1 / 20))
    assert (strata.bias_low, strata.bias_high) == pytest.approx((-reach, reach))
    everything = rm.evaluate_with_judge(dict(JUDGE), JUDGE, ONE, "nDCG@10", finite=True).values[0]
    assert (everything.bias_low, everything.bias_high) == (0, 0), "there are no others"
    sampled = rm.evaluate_with_judge(right, JUDGE, ONE, "P@5", inclusion="counts").values[0]
    assert np.isnan(sampled.bias_low)


def test_where_few_queries_tell_judge_and_people_apart_its_bias_is_bounded_by_what_can_be() -> None:
    judge = {f"q{number}": {"a": 1} for number in range(60)}
    people = {query: {"a": int(number > 0)} for number, query in enumerate(list(judge)[:40])}
    (value,) = rm.evaluate_with_judge(people, judge, {query: ["a"] for query in judge}, "P@1").values
    wrong = [1.0] + [0.0] * 39
    assert value.bias == pytest.approx(1 / 40)
    assert value.bias_high == pytest.approx(gaffke_bound(wrong, most=1, confidence=0.975))
    assert value.bias_low == pytest.approx(-gaffke_bound([-each for each in wrong], most=1, confidence=0.975))
    assert value.bias_low < 0 < value.bias_high


def test_a_signature_says_that_a_judge_had_a_part_in_it() -> None:
    found = rm.evaluate_with_judge(PEOPLE, JUDGE, ONE, "nDCG@10", finite=True, power=1, ties="expected")
    signature = found.signature("nDCG@10").split("|")
    assert signature[0] == "nDCG@10"
    assert "ties:expected" in signature
    assert signature[-4:-1] == ["judge:prediction-powered", "power:1", "population:these"]
    assert "of these queries alone" in str(found)
    with pytest.raises(SignatureError, match=r"which rm\.evaluate_with_judge puts together"):
        rm.from_signature(found.signature("nDCG@10"))
    assert rm.from_signature("|".join([*signature[:-4], signature[-1]])).measure == rm.parse("nDCG@10")


def test_no_end_is_beyond_what_a_measure_can_be() -> None:
    perfect = {query: {item: float(grade) for item, grade in JUDGE[query].items()} for query in JUDGE}
    few = {query: PEOPLE[query] for query in list(PEOPLE)[:3]}
    (value,) = rm.evaluate_with_judge(few, JUDGE, perfect, "RR").values
    assert value.high <= 1
    assert value.human_high <= 1


def test_files_frames_and_numbers_as_ids_are_read_as_everywhere(tmp_path: Any) -> None:
    def frame(labels: Any, value: str) -> pl.DataFrame:
        rows = [(int(q[1:]), int(i[1:]), x) for q, items in labels.items() for i, x in items.items()]
        return pl.DataFrame(rows, schema=["query", "item", value], orient="row")

    people, judge, run = frame(PEOPLE, "relevance"), frame(JUDGE, "relevance"), frame(ONE, "score")
    want = rm.evaluate_with_judge(PEOPLE, JUDGE, ONE, "P@5")["P@5"]
    assert rm.evaluate_with_judge(people, judge, run, "P@5")["P@5"] == pytest.approx(want)
    people.write_csv(tmp_path / "people.csv")
    judge.write_parquet(tmp_path / "judge.parquet")
    paths = str(tmp_path / "people.csv"), str(tmp_path / "judge.parquet")
    assert rm.evaluate_with_judge(*paths, run, "P@5")["P@5"] == pytest.approx(want)
    assert rm.evaluate_with_judge(PEOPLE, JUDGE, ONE, "P@5", like="trec_eval")["P@5"] == pytest.approx(want)


def notes(people: Any, judge: Any, run: Any = ONE, **options: Any) -> str:
    return " ".join(rm.evaluate_with_judge(people, judge, run, "nDCG@10", **options).notes)


def test_what_speaks_against_the_labels_is_said() -> None:
    plain = notes(PEOPLE, JUDGE)
    for phrase in ("hardly", "too few", "did not label", "grades", "nothing left", "left out", "same value"):
        assert phrase not in plain
    assert "5 queries with labels of people are too few" in notes(dict(list(PEOPLE.items())[:5]), JUDGE)
    assert "1 query with labels of people and none of the judge" in notes(PEOPLE | {"new": {"a": 1}}, JUDGE)
    assert "nothing left for the judge to say" in notes(
        {query: dict(items) for query, items in JUDGE.items()}, JUDGE
    )
    shorter = {query: dict(list(items.items())[:9]) for query, items in PEOPLE.items()}
    assert "people did not label 120 of 480 items that the judge labelled" in notes(shorter, JUDGE)
    longer = {query: items | {"new": 1} for query, items in PEOPLE.items()}
    assert "the judge did not label 40 of 520 items" in notes(longer, JUDGE)
    binary = {query: {item: min(grade, 1) for item, grade in items.items()} for query, items in JUDGE.items()}
    assert "people gave grades from 0 to 3, and the judge in the same queries from 0 to 1" in notes(
        PEOPLE, binary
    )
    constant = {query: dict.fromkeys(items, 0) for query, items in JUDGE.items()}
    assert "the same value in all queries that people labelled" in notes(PEOPLE, constant)


def test_labels_that_are_identical_are_said_to_be() -> None:
    assert "identical" not in notes(PEOPLE, JUDGE)
    assert "labels of people and of the judge are identical, all 1,440: was one table" in notes(JUDGE, JUDGE)
    assert "identical, all 480" in notes(PEOPLE, PEOPLE)
    assert "identical" not in notes(PEOPLE, {query: items | {"new": 1} for query, items in PEOPLE.items()})
    assert "identical, all 480" in " ".join(rm.agree_on_labels(PEOPLE, PEOPLE).notes)


def test_it_is_said_whether_the_judge_alone_can_be_trusted() -> None:
    def told(measure: str, **options: Any) -> str:
        return " ".join(rm.evaluate_with_judge(PEOPLE, JUDGE, OTHER, measure, **options).account())

    wrong = told("nDCG@10")
    assert "judge's bias: its value less that of people, in the units of the measure" in wrong
    assert "the judge alone is not to be trusted: 1 of 1 values" in wrong
    assert "beside people the judge adds nothing to 1 of 1 values" in told("nDCG@10", power=0)
    right = {query: JUDGE[query] for query in list(JUDGE)[:60]}
    found = rm.evaluate_with_judge(right, JUDGE, ONE, "nDCG@10")
    assert "no bias was found in 1 value, but one of 0.06 may be there" in " ".join(found.account())


def test_a_difference_that_has_a_lambda_of_its_own_is_said_not_to_be_that_of_values() -> None:
    runs = {"one": ONE, "other": OTHER}
    found = rm.evaluate_with_judge(PEOPLE, JUDGE, runs, "nDCG@10")
    own = "differences have a lambda of their own, and so are not quite those of the values"
    assert own in found.account()
    one, other, difference = *found.values, found.differences[0]
    assert difference.value != pytest.approx(other.value - one.value)
    fixed = rm.evaluate_with_judge(PEOPLE, JUDGE, runs, "nDCG@10", power=1)
    assert own not in fixed.account()
    assert fixed.differences[0].value == pytest.approx(fixed.values[1].value - fixed.values[0].value)
    assert "lambda" in str(fixed).splitlines()[0]


def test_tables_are_less_than_100_columns_wide() -> None:
    runs = {"one": ONE, "other": OTHER}
    shown = str(rm.evaluate_with_judge(PEOPLE, JUDGE, runs, "nDCG@10", by=KINDS))
    assert max(map(len, shown.splitlines())) < 100


def test_labels_of_the_queries_that_a_judge_finds_easy_are_no_random_sample() -> None:
    values = query_values(JUDGE, ONE)
    true = tables(labelled=120)[0]
    easy = sorted(values, key=values.__getitem__)[-40:]
    told = notes({query: true[query] for query in easy}, JUDGE)
    assert "hardly a random sample" in told
    assert "higher in them than in the others" in told
    # Where the sample was drawn from strata it is looked at in each.
    assert "hardly" not in notes(
        {query: true[query] for query in list(true)[:9] + easy[::2]},
        JUDGE,
        strata={query: "easy" if query in easy else "hard" for query in JUDGE},
    )


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"human_qrels": {"other": {"a": 1}}}, DataError, r"0 queries with labels .*'other'.*'q0'"),
        ({"human_qrels": {"q1": {"d1": 1}}}, DataError, r"1 query with labels.*label 2 at least"),
        ({"human_qrels": JUDGE, "judge_qrels": PEOPLE}, DataError, r"are the two swapped"),
        ({"inclusion": 3}, UsageError, r"inclusion=3 is no column of qrels"),
        ({"measures": "AP(mean=geometric)"}, MeasureError, r"no mean over queries"),
        ({"no_relevant": "skip"}, MeasureError, r"leaves out queries by their labels"),
        ({"baseline": "bm25"}, UsageError, r"baseline='bm25'.*one system alone"),
        ({"confidence": 95}, UsageError, r"confidence=95"),
        ({"power": -0.5}, UsageError, r"power=-0.5 is below 0"),
        ({"tuning": "ppi"}, UsageError, r"tuning='ppi'"),
        ({"strata": "kind"}, ColumnError, r"strata='kind': no table"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], error: type[Exception], message: str) -> None:
    usual: dict[str, Any] = {"human_qrels": PEOPLE, "judge_qrels": JUDGE, "run": ONE, "measures": "nDCG@10"}
    with pytest.raises(error, match=message):
        rm.evaluate_with_judge(**usual | options)


def test_it_has_the_faces_of_results() -> None:
    found = rm.evaluate_with_judge(PEOPLE, JUDGE, {"one": ONE, "other": OTHER}, "nDCG@10", by=KINDS)
    assert isinstance(found, JudgeEvaluation)
    assert repr(found) == "<JudgeEvaluation of 2 systems: 40 of 120 queries with labels of people>"
    assert found.to_dict()["one nDCG@10"] == found.of("nDCG@10", "one").value
    assert found.table.height == 2 + 1 + 4
    record = json.loads(found.format("json"))
    assert record["values"][0]["judge"] == found.values[0].judge
    assert record["signatures"]["nDCG@10"].startswith("nDCG@10|")
    for part in ("people alone", "judge's bias", "Differences", "Slices by", "worth"):
        assert part in found.format("html") or part in str(found)


def test_estimates_of_a_wrong_judge_are_right_on_average() -> None:
    gap = []
    for seed in range(40):
        people, judge, one, _ = tables(100, 100, seed)
        some = {query: people[query] for query in list(people)[:30]}
        found = rm.evaluate_with_judge(some, judge, one, "P@5").values[0]
        gap.append((found.value - rm.evaluate(people, one, "P@5")["P@5"], found.judge - found.human))
    errors, bias = np.array(gap).T
    assert abs(errors.mean()) < 3 * errors.std() / np.sqrt(40)
    assert abs(bias.mean()) > 10 * abs(errors.mean())


# --- Labels of some items ----------------------------------------------------------------------------------


def some_items(share: float, seed: int = 0, *, counts: bool = False) -> tuple[pl.DataFrame, Labels]:
    """Labels of people of a random sample of items with the chance of each, and all of them."""
    rng = np.random.default_rng(seed)
    everything = tables(labelled=120)[0]
    rows = []
    for query, items in list(everything.items())[:40]:
        chosen = (
            rng.choice(list(items), 6, replace=False)
            if counts
            else [i for i in items if rng.random() < share]
        )
        rows += [(query, str(item), items[str(item)], share) for item in chosen]
    return pl.DataFrame(rows, schema=["query", "item", "relevance", "chance"], orient="row"), everything


def test_of_sampled_items_a_query_is_worth_what_its_items_add() -> None:
    people, _ = some_items(0.5, counts=True)
    found = rm.evaluate_with_judge(people, JUDGE, ONE, ["P@5", "DCG@5"], inclusion="counts")
    value = found.of("DCG@5")
    assert value.labelled == 40
    # By hand: what each found item adds, by the judge and, where drawn, by people for twice as many.
    y, alone = [], []
    for query in people["query"].unique(maintain_order=True):
        given = {item: grade for q, item, grade, _ in people.rows() if q == query}
        ranked = sorted(ONE[query], key=lambda item: -ONE[query][item])[:5]
        weights = {item: 1 / np.log2(rank + 1) for rank, item in enumerate(ranked, 1)}
        y.append(
            sum(
                w * (JUDGE[query][i] + (2 * (given[i] - JUDGE[query][i]) if i in given else 0))
                for i, w in weights.items()
            )
        )
        alone.append(sum(2 * w * given[i] for i, w in weights.items() if i in given))
    judge = query_values(JUDGE, ONE, "DCG@5")
    f = np.array([judge[query] for query in people["query"].unique(maintain_order=True)])
    others = np.array([own for query, own in judge.items() if query not in set(people["query"])])
    want = prediction_powered_mean(np.array(y), f, others)
    assert (value.value, value.low, value.high) == pytest.approx((want.value, want.low, want.high))
    assert value.human == pytest.approx(np.mean(alone))
    assert "|inclusion:counts|" in found.signature("P@5")
    assert not any("did not label" in note for note in found.notes)
    few = people.filter(pl.col("query").is_in(["q0", "q1", "q2"]))
    told = rm.evaluate_with_judge(few, JUDGE, ONE, "P@5", inclusion="counts").notes
    assert any("people and judge differ on" in note and "label more items" in note for note in told)


def test_queries_that_are_left_out_of_lists_are_so_of_sampled_items() -> None:
    people, _ = some_items(0.5, counts=True)
    answered = {query: items for query, items in ONE.items() if query != "q3"}
    found = rm.evaluate_with_judge(people, JUDGE, answered, "P@5", inclusion="counts", missing="skip")
    assert (found.values[0].labelled, found.values[0].queries) == (39, 119)


def test_estimates_of_sampled_items_are_right_on_average() -> None:
    truth = {"P@5": 0.0, "DCG@5": 0.0}
    found: dict[str, list[tuple[float, float]]] = {measure: [] for measure in truth}
    for seed in range(30):
        people, everything = some_items(0.5, seed)
        # The sample of queries is the same: without predictions they are what is estimated.
        (*values,) = rm.evaluate_with_judge(
            people, JUDGE, ONE, list(truth), inclusion="chance", power=0
        ).values
        for value in values:
            found[value.measure].append((value.value, value.human))
        queries = {query: everything[query] for query in list(everything)[:40]}
        truth = {measure: rm.evaluate(queries, ONE, measure)[measure] for measure in truth}
    for measure, true in truth.items():
        both, alone = np.array(found[measure]).T
        assert abs(both.mean() - true) < 3 * both.std() / np.sqrt(30)
        assert both.std() < alone.std(), "what the judge says makes it surer"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"measures": "nDCG@10"}, MeasureError, r"nDCG@10 is no sum over items"),
        ({"measures": "R@5"}, MeasureError, r"R@5 is no sum over items"),
        ({"measures": "P(denominator=min)@5"}, MeasureError, r"no sum over items"),
        ({"ties": "best"}, ChoiceError, r"orders items by grades"),
        ({"no_relevant": "one"}, ChoiceError, r"a sample of items does not say"),
        ({"finite": True}, UsageError, r"inclusion with finite"),
        ({"inclusion": "other"}, ColumnError, r"other"),
        ({"inclusion": "relevance"}, DataError, r"of 'relevance' are no chance"),
        ({"judge_qrels": {q: {"d0": 1} for q in JUDGE}}, DataError, r"that the judge did not"),
    ],
)
def test_what_sampled_items_cannot_tell_is_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    usual: dict[str, Any] = {"human_qrels": some_items(0.5)[0], "judge_qrels": JUDGE, "run": ONE}
    with pytest.raises(error, match=message):
        rm.evaluate_with_judge(**usual | {"measures": "P@5", "inclusion": "chance"} | options)
