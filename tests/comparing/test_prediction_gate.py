"""Whether a model's predictions pass, by which numbers, and with which exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rankmark as rm
from rankmark import statistics
from rankmark.cli import main

RNG = np.random.default_rng(3)
CLICK = np.arange(400) % 3 == 0
OLD = np.clip(0.3 * CLICK + 0.2 + RNG.normal(0, 0.15, 400), 0.01, 0.99)
WORSE = np.clip(OLD + RNG.normal(0, 0.1, 400), 0.01, 0.99)
TABLE = pl.DataFrame(
    {"click": CLICK.astype(int), "person": [f"u{i % 40}" for i in range(400)], "old": OLD, "new": WORSE}
)
SYSTEMS = {"old": "old", "new": "new"}
AUC = {name: rm.evaluate_predictions(TABLE, "AUC", score=name)["AUC"] for name in SYSTEMS}
LOSS = {name: rm.evaluate_predictions(TABLE, "LogLoss", score=name)["LogLoss"] for name in SYSTEMS}


def gated(measures: Any = "AUC", **conditions: Any) -> Any:
    return rm.gate_predictions(TABLE, SYSTEMS, measures, baseline="old", **conditions)


def gated_often(**conditions: Any) -> Any:
    """Of so many rows that their variance says more than that none was seen."""
    often = pl.concat([TABLE] * 10)
    return rm.gate_predictions(often, SYSTEMS, "AUC", baseline="old", **conditions)


def test_the_point_estimate_decides() -> None:
    drop = AUC["old"] - AUC["new"]
    (own,) = gated(max_drop=drop + 0.001).measures
    assert (own.baseline, own.candidate, own.drop) == (AUC["old"], AUC["new"], drop)
    assert (own.by, own.units, own.unit, own.passed) == ("point", 400, "rows", True)
    assert not gated(max_drop=drop - 0.001)
    assert not gated(max_drop=f"{100 * drop / AUC['old'] - 0.01}%")
    assert rm.gate_predictions(TABLE, SYSTEMS, "AUC", baseline="new", max_drop=0)


def test_a_user_may_see_an_item_twice() -> None:
    """One table has nothing to match, and two of the same order are matched by position."""
    log = TABLE.rename({"person": "user"}).with_columns(item=pl.lit(7))
    assert rm.gate_predictions(log, "new", at_least={"AUC": AUC["new"] - 0.001})
    assert not rm.gate_predictions(log, "new", at_least={"AUC": AUC["new"] + 0.001})
    tables = {name: log.rename({name: "p"}).select("click", "user", "item", "p") for name in SYSTEMS}
    gate = rm.gate_predictions(tables, "p", "AUC", baseline="old", max_drop=0.5)
    assert (gate.measures[0].baseline, gate.measures[0].candidate) == (AUC["old"], AUC["new"])
    assert "rows matched by position, where queries, items and labels agree" in str(gate)


def test_where_less_is_better_a_rise_is_a_drop() -> None:
    (own,) = gated("LogLoss", max_drop="1%").measures
    assert own.drop == pytest.approx(LOSS["new"] / LOSS["old"] - 1, rel=1e-12)
    assert (LOSS["new"] > LOSS["old"], own.passed) == (True, False)


def test_with_confidence_delongs_bound_decides_of_auc() -> None:
    (own,) = gated_often(max_drop=0.1, confidence=0.95).measures
    found = statistics.delong_test(*(np.tile(each, 10) for each in (CLICK, OLD, WORSE)), confidence=0.9)
    assert (own.by, own.resamples) == ("delong", None)
    assert own.bound == pytest.approx(found.interval.high, rel=1e-6)
    assert gated_often(max_drop=own.bound + 1e-6, confidence=0.95)
    assert not gated_often(max_drop=own.bound - 1e-6, confidence=0.95)


def test_the_bound_of_a_share_is_that_of_a_ratio() -> None:
    (own,) = gated_often(max_drop="30%", confidence=0.95).measures
    drawn = np.random.default_rng(0).integers(400, size=(2000, 400))
    ratios = []
    for rows in drawn:
        one, other = (_auc(CLICK[rows], scores[rows]) for scores in (OLD, WORSE))
        ratios.append(1 - other / one)
    error = np.std(ratios) / np.sqrt(10)
    assert own.bound == pytest.approx(own.drop + 1.645 * error, abs=0.15 * error)


def _auc(labels: Any, scores: Any) -> float:
    order = np.argsort(scores)
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    m = labels.sum()
    return float((ranks[labels].sum() - m * (m + 1) / 2) / (m * (len(labels) - m)))


def test_of_functions_of_sums_the_bound_is_of_what_each_row_adds() -> None:
    (own,) = gated("LogLoss", max_drop=0.9, confidence=0.95).measures
    loss = {n: -np.where(CLICK, np.log(s), np.log(1 - s)) for n, s in (("old", OLD), ("new", WORSE))}
    gain = loss["new"] - loss["old"]
    assert (own.by, own.resamples, own.unit, own.units) == ("gaffke-seen", None, "rows", 400)
    assert own.bound == pytest.approx(statistics.gaffke_bound(gain, most=gain.max()), rel=1e-5)
    error = gain.std() / 20
    assert own.bound == pytest.approx(gain.mean() + 1.645 * error, abs=2.5 * error)


@pytest.mark.parametrize("measure", ["GAUC(weight=uniform)", "AP"])
def test_of_means_over_queries_the_bound_knows_the_ends_of_the_measure(measure: str) -> None:
    (own,) = gated(measure, max_drop=0.5, confidence=0.95, query="person").measures
    old, new = (rm.evaluate_predictions(TABLE, measure, score=name, query="person") for name in SYSTEMS)
    drops = old.query_values(measure) - new.query_values(measure)
    assert (own.by, own.unit, own.units) == ("gaffke", "queries", np.count_nonzero(~np.isnan(drops)))
    assert (own.baseline, own.candidate) == (old[measure], new[measure])
    assert own.bound == pytest.approx(statistics.gaffke_bound(drops, most=1), rel=1e-7)
    few = TABLE.filter(pl.col("person").is_in(["u1", "u2", "u3"]))
    (of_three,) = rm.gate_predictions(
        few, SYSTEMS, measure, baseline="old", max_drop=0.8, confidence=0.95, query="person"
    ).measures
    assert of_three.bound == pytest.approx(1 - 0.05 ** (1 / 3), abs=0.3)


def test_of_queries_that_weigh_differently_the_worst_weighs_as_the_largest() -> None:
    rows = TABLE.filter((pl.col("person") != "u1") | (pl.int_range(pl.len()) > 200))
    (own,) = rm.gate_predictions(
        rows, SYSTEMS, "GAUC", baseline="old", max_drop=0.5, confidence=0.95, query="person"
    ).measures
    assert (own.by, own.units) == ("gaffke", 40)
    assert own.bound is not None
    assert own.drop < own.bound < own.drop + 0.1


def test_where_no_worst_is_known_a_note_says_so() -> None:
    line = "the worst row seen stands for the worst there is, so that rare greater losses can make the bound"
    told = gated("AUC LogLoss MSE", max_drop=0.5, confidence=0.95).notes
    assert [each for each in told if line in each] == [f"LogLoss, MSE: {line} too small"]
    assert not any(line in each for each in gated("AUC LogLoss", max_drop=0.5).notes)
    assert not any(line in each for each in gated("AUC", max_drop=0.5, confidence=0.95).notes)


def test_of_other_measures_what_rows_move_by_the_jackknife_decides_or_the_bootstrap() -> None:
    decided = gated("KS", max_drop=0.6, confidence=0.95, resamples=200)
    (own,) = decided.measures
    assert (own.by, own.passed) == ("gaffke-seen", True)
    assert "KS: the worst row seen stands for the worst there is" in str(decided)


def test_a_row_that_falls_to_the_end_can_have_others_beside_it() -> None:
    """By BCa alone the bound is 0.196: it passes 41 of 100 drops as great, where few positive rows fall."""
    rng = np.random.default_rng(2)
    label = np.arange(100) < 20
    old = rng.normal(0, 1, 100) + 1.5 * label
    third = np.argsort(-np.where(label, old, -9))[2]
    table = {"label": label.astype(int), "old": old, "new": np.where(np.arange(100) == third, old - 9, old)}
    (own,) = rm.gate_predictions(
        table, SYSTEMS, "AveragePrecision", baseline="old", max_drop=0.22, confidence=0.95, resamples=200
    ).measures
    assert (own.by, own.passed) == ("gaffke-seen", False)
    assert own.bound == pytest.approx(0.2847, abs=5e-5)


def test_rows_that_do_not_change_show_nothing_where_the_worst_is_not_known() -> None:
    twice = TABLE.with_columns(new=pl.col("old"))
    decided = rm.gate_predictions(
        twice, SYSTEMS, "MSE KS", baseline="old", max_drop=0.1, confidence=0.95, resamples=200
    )
    assert [(own.by, own.bound, own.passed) for own in decided.measures] == [("few", None, False)] * 2
    assert "fewer than 10 of 400 rows differ from the baseline, too few for a bound" in str(decided)
    share = rm.gate_predictions(twice, SYSTEMS, "MSE", baseline="old", max_drop="1%", confidence=0.95)
    assert (share.measures[0].by, share.passed) == ("few", False)


def test_of_an_auc_that_does_not_change_pairs_that_were_not_seen_decide() -> None:
    twice = TABLE.with_columns(new=pl.col("old"))
    positive = int(CLICK.sum())
    how: Any = {"baseline": "old", "max_drop": 0.03, "confidence": 0.95}
    (own,) = rm.gate_predictions(twice, SYSTEMS, "AUC", **how).measures
    # As many pairs that share no row as there are positive rows, and none was worse.
    assert (own.by, own.bound, own.passed) == ("unseen", pytest.approx(1 - 0.05 ** (1 / positive)), True)
    (people,) = rm.gate_predictions(twice, SYSTEMS, "AUC", query="person", **how).measures
    assert (people.by, people.passed) == ("unseen", False)
    assert people.bound == pytest.approx(1 - 0.05 ** (1 / 20))
    limit = rm.gate_predictions(TABLE, "old", at_least={"AUC": 0.6}, query="person", confidence=0.95).limits[
        0
    ]
    assert limit.bound == pytest.approx(0.05 ** (1 / 20) * AUC["old"])


def test_an_auc_that_few_users_lose_does_not_pass() -> None:
    random, wrong = np.random.default_rng(21), 0
    for _ in range(40):
        user = np.repeat(np.arange(60), 10)
        y, noise = random.random(600) < 0.3, random.normal(0, 1, (3, 600))
        old = 1.2 * y + noise[0]
        hurt = (random.random(60) < 0.1)[user]
        new = np.where(hurt, -1.2 * y + noise[1], old + 0.05 * noise[2])
        table = {"label": y.astype(int), "user": user, "old": old, "new": new}
        # The drop of all users is 0.061.
        wrong += bool(
            rm.gate_predictions(
                table, SYSTEMS, "AUC", baseline="old", max_drop=0.06, confidence=0.95, query="user"
            )
        )
    assert wrong <= 2


def test_what_it_takes_is_no_less_than_what_makes_a_bound() -> None:
    twice = TABLE.with_columns(new=pl.col("old"))
    how: Any = {"baseline": "old", "confidence": 0.95}
    (auc,) = rm.gate_predictions(twice, SYSTEMS, "AUC", max_drop=0.01, **how).measures
    pairs = np.log(0.05) / np.log(0.99)
    assert auc.needed == np.ceil(400 * pairs / CLICK.sum())
    (easy,) = gated("LogLoss", max_drop=5, confidence=0.95).measures
    assert easy.needed == 25


def test_of_a_log_loss_that_does_not_change_the_clip_says_what_a_row_could_lose() -> None:
    twice = TABLE.with_columns(new=pl.col("old"))
    how: Any = {"baseline": "old", "confidence": 0.95}
    (own,) = rm.gate_predictions(twice, SYSTEMS, "LogLoss(clip=1e-6)", max_drop=0.2, **how).measures
    most = -np.log(1e-6)
    assert (own.by, own.passed) == ("gaffke", True)
    assert own.bound == pytest.approx(most * (1 - 0.05 ** (1 / 400)), rel=1e-5)
    (people,) = rm.gate_predictions(
        twice, SYSTEMS, "LogLoss(clip=1e-6)", max_drop=0.2, query="person", **how
    ).measures
    assert people.bound == pytest.approx(most * (1 - 0.05 ** (1 / 40)), rel=1e-5)


def test_too_few_says_of_what() -> None:
    def said(rows: pl.DataFrame) -> str:
        return str(rm.gate_predictions(rows, SYSTEMS, "MSE", baseline="old", max_drop=0.5, confidence=0.95))

    assert "10 rows are too few for a bound, which takes 25" in said(TABLE[:10])
    one = TABLE.with_columns(new=pl.when(pl.int_range(400) < 3).then("new").otherwise("old"))
    assert "fewer than 10 of 400 rows differ from the baseline" in said(one)


@pytest.mark.parametrize("measure", ["ECE", "ACE"])
def test_the_bound_of_an_error_of_calibration_is_the_end_of_its_interval(measure: str) -> None:
    how: Any = {"score": "new", "intervals": True}
    found = rm.evaluate_predictions(TABLE, measure, **how)
    (own,) = rm.gate_predictions(TABLE, "new", at_most={measure: 0.9}, confidence=0.975).limits
    assert (own.by, own.bound) == ("gaps", found.intervals[measure].high)
    (drop,) = gated(measure, max_drop=0.5, confidence=0.975).measures
    alone: Any = rm.evaluate_predictions(TABLE, measure, **(how | {"score": "old", "confidence": 0.975}))
    new: Any = rm.evaluate_predictions(TABLE, measure, **(how | {"confidence": 0.975}))
    assert drop.bound == pytest.approx(new.intervals[measure].high - alone.intervals[measure].low, rel=1e-12)


@pytest.mark.parametrize("measure", ["MCE", "BrierReliability", "ECE(norm=l2)"])
def test_errors_of_calibration_without_an_interval_have_no_bound(measure: str) -> None:
    decided = rm.gate_predictions(TABLE, "new", at_most={measure: 0.9}, confidence=0.95)
    (own,) = decided.limits
    assert (own.by, own.bound, own.passed) == ("none", None, False)
    assert "chance adds to it, and no bound of it is known" in decided.reason(own)
    (drop,) = gated(measure, max_drop=0.5, confidence=0.95).measures
    assert (drop.by, drop.bound, drop.passed) == ("none", None, False)


def test_shares_of_rows_have_exact_bounds() -> None:
    right = TABLE.with_columns(p=pl.col("click") * 0.8 + 0.1, q=1 - (pl.col("click") * 0.8 + 0.1))
    limits = {"Accuracy": 0.5, "Precision": 0.5, "Recall": 0.5}
    decided = rm.gate_predictions(right, "p", at_least=limits, confidence=0.95)
    positive = int(CLICK.sum())
    # Clopper and Pearson: of n that are all right 0.05^(1/n).
    assert [own.bound for own in decided.limits] == pytest.approx(
        [0.05 ** (1 / n) for n in (400, positive, positive)], rel=1e-6
    )
    assert {own.by for own in decided.limits} == {"exact"}
    none = rm.gate_predictions(right, "q", at_least={"Accuracy": 0.5}, confidence=0.95)
    assert (none.limits[0].bound, none.passed) == (pytest.approx(0, abs=1e-12), False)
    wrong = right.with_columns(
        p=pl.when(pl.int_range(400) < 30).then(0.5 - 0.4 * pl.col("click")).otherwise("p")
    )
    some = rm.gate_predictions(wrong, "p", at_least={"Accuracy": 0.5}, confidence=0.95).limits[0]
    ones = round(some.value * 400)
    assert some.bound == pytest.approx(stats.beta.ppf(0.05, ones, 401 - ones), rel=1e-6)


def test_a_share_that_does_not_drop_passes_where_enough_rows_are_seen() -> None:
    twice = TABLE.with_columns(new=pl.col("old"))
    (own,) = rm.gate_predictions(
        twice, SYSTEMS, "Accuracy", baseline="old", max_drop=0.01, confidence=0.95
    ).measures
    assert (own.by, own.passed) == ("gaffke", True)
    assert own.bound == pytest.approx(1 - 0.05 ** (1 / 400), rel=1e-5)


def test_limits_of_one_model() -> None:
    one: Any = rm.gate_predictions(
        TABLE, "new", at_least={"AUC": 0.7}, at_most={"LogLoss": 0.9, "PCOPC": 1.5}
    )
    assert [(each.measure, each.side, each.passed) for each in one.limits] == [
        ("AUC", "least", True),
        ("LogLoss", "most", True),
        ("PCOPC", "most", True),
    ]
    near = AUC["new"] - 0.001
    assert rm.gate_predictions(TABLE, "new", at_least={"AUC": near})
    assert not rm.gate_predictions(TABLE, "new", at_least={"AUC": near}, confidence=0.95)
    with pytest.raises(rm.MeasureError, match="of LogLoss less is better: say at_most"):
        rm.gate_predictions(TABLE, "new", at_least={"LogLoss": 0.3})


def test_limits_that_everything_keeps_are_refused() -> None:
    with pytest.raises(rm.UsageError, match="at least 0: AUC is always, so that this gate cannot fail"):
        rm.gate_predictions(TABLE, "new", at_least={"AUC": 0})
    # On its own scale a partial area can be less than 0.
    assert rm.gate_predictions(TABLE, "new", at_least={"AUC(max_fpr=0.5)": 0})


def test_tables_of_two_systems() -> None:
    tables = {name: TABLE.select("click", "person", p=name) for name in SYSTEMS}
    assert rm.gate_predictions(tables, "p", "AUC", baseline="old", max_drop=0.5).measures == tuple(
        gated(max_drop=0.5).measures
    )


def test_a_stored_baseline(tmp_path: Path) -> None:
    path = tmp_path / "x.rankmark"
    rm.evaluate_predictions(TABLE, "AUC GAUC", score="old", query="person").save(path)
    saved: Any = rm.load(path)
    how: Any = {"query": "person", "max_drop": "30%"}
    decided = rm.gate_predictions(TABLE, "new", "AUC GAUC", baseline=saved, **how)
    assert decided.measures == gated("AUC GAUC", **how).measures
    assert "baseline: saved; that its rows are the same is known by their number alone" in decided.notes
    assert not any("matched" in note for note in decided.notes)
    with pytest.raises(rm.UsageError, match="values and no rows to draw: leave out the confidence"):
        rm.gate_predictions(TABLE, "new", "AUC", baseline=saved, confidence=0.95, **how)
    with pytest.raises(rm.ChoiceError, match="AUC with positive:1, here with positive:0"):
        rm.gate_predictions(TABLE, "new", "AUC", baseline=saved, positive=0, **how)
    with pytest.raises(rm.DataError, match="on other rows: rows 400, here 399"):
        rm.gate_predictions(TABLE[1:], "new", "AUC", baseline=saved, **how)
    assert rm.gate_predictions(TABLE, "new", "AUC GAUC", baseline=path, **how).measures == decided.measures
    lists = rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP")
    with pytest.raises(rm.UsageError, match="a ListResult is neither a run nor the PredictionResult"):
        rm.gate_predictions(TABLE, "new", "AUC", baseline=lists, **how)


def test_what_makes_no_gate_is_refused() -> None:
    with pytest.raises(rm.UsageError, match="which of old, new is the baseline"):
        rm.gate_predictions(TABLE, SYSTEMS, at_least={"AUC": 0.3})
    with pytest.raises(rm.UsageError, match="which of old, new is the baseline\\? say baseline='old'"):
        rm.gate_predictions(TABLE, SYSTEMS, "AUC", max_drop=0.1)
    three = {**SYSTEMS, "other": "new"}
    with pytest.raises(rm.UsageError, match="a gate decides of one candidate; here are 3 systems"):
        rm.gate_predictions(TABLE, three, "AUC", max_drop=0.1)
    with pytest.raises(rm.UsageError, match="a gate decides of one candidate; here are 3 systems"):
        rm.gate_predictions(TABLE, three, "AUC", baseline="old", max_drop=0.1)
    with pytest.raises(rm.UsageError, match="baseline='odl' is not one of the systems"):
        rm.gate_predictions(TABLE, SYSTEMS, "AUC", baseline="odl", max_drop=0.1)
    with pytest.raises(TypeError, match=r"gate_predictions\(\) got an unexpected keyword argument 'by'"):
        gated(max_drop=0.1, by="person")
    with pytest.raises(rm.MeasureError, match="PCOPC: neither more nor less of it is better"):
        gated("PCOPC", max_drop=0.1)
    one_class = TABLE.filter(click=1)
    with pytest.raises(rm.DataError, match="AUC of the baseline has no value"):
        rm.gate_predictions(one_class, SYSTEMS, "AUC", baseline="old", max_drop=0.1)
    with pytest.raises(rm.DataError, match="AUC of the baseline has no value"):
        rm.gate_predictions(one_class, SYSTEMS, "AUC", baseline="old", max_drop=0.1, confidence=0.9)


def test_json_says_of_what_was_decided() -> None:
    record = json.loads(gated("AUC LogLoss", max_drop="50%", hash_inputs=True).to_json())
    result = rm.evaluate_predictions(TABLE, "AUC", score="new", hash_inputs=True)
    assert record["signatures"]["AUC"] == result.signature("AUC")
    assert record["inputs"]["candidate"] == result.inputs
    assert record["inputs"]["baseline"] != result.inputs


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    TABLE.write_csv("clicks.csv")
    for name in SYSTEMS:
        TABLE.select("click", "person", p=name).write_csv(f"{name}.csv")


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("old.csv new.csv -m AUC --max-drop 1%", 1, "failed: AUC 0."),
        ("old.csv new.csv -m AUC --max-drop 30%", 0, "passed: AUC 0."),
        ("new.csv old.csv -m AUC -m LogLoss --max-drop 0", 0, "passed: LogLoss"),
        ("a=old.csv b=new.csv -m AUC --max-drop 0 --baseline b", 0, "passed: AUC"),
        ("clicks.csv --system old=old --system new=new -m AUC --max-drop 0", 1, "failed: AUC"),
        (
            "old.csv new.csv -m AUC --max-drop 30% --confidence .95",
            0,
            "by the one-sided bound of pairs as bad as can be that were not seen on 400 rows",
        ),
        ("old.csv new.csv -m GAUC --query person --max-drop 30%", 0, "on 40 queries"),
        ("base.rankmark new.csv -m AUC --max-drop 30%", 0, "passed: AUC"),
        ("new.csv --at-least AUC=.5 --at-most PCOPC=3", 0, "wanted at most 3"),
        ("new.csv --at-least AUC=.99", 1, "failed: AUC"),
        (
            "new.csv -m AUC --max-drop 1%",
            2,
            "is from a baseline: give one, such as --baseline old of --score old=",
        ),
        ("new.csv base.rankmark -m AUC --max-drop 1%", 2, "it stands first"),
        ("base.rankmark -m AUC --max-drop 1%", 2, "it stands first"),
        ("base.rankmark new.csv -m AUC --max-drop 1% --baseline new", 2, "leave out one of them"),
        ("old.csv none.csv -m AUC --max-drop 1%", 2, "not decided"),
        ("old.csv new.csv -m AUC --max-drop 1% --label person", 2, "not decided"),
        ("old.csv new.csv -m AUC", 2, "nothing decides"),
        ("old.csv new.csv x=new.csv -m AUC --max-drop 1%", 2, "here are 3 systems: old, new, x"),
    ],
)
def test_exit_codes(line: str, code: int, said: str, capfd: pytest.CaptureFixture[str]) -> None:
    main(["predictions", "old.csv", "-m", "AUC", "-o", "base.rankmark"])
    assert main(["gate-predictions", *line.split()]) == code
    out, err = capfd.readouterr()
    assert said in (err if code == 2 else out)


def test_what_was_decided_is_written(capfd: pytest.CaptureFixture[str]) -> None:
    line = "gate-predictions old.csv new.csv -m AUC --max-drop 30% -o gate.json"
    assert main(line.split()) == 0
    out, err = capfd.readouterr()
    assert not out
    assert err.startswith("passed: AUC 0.")
    record = json.loads(Path("gate.json").read_text())
    assert (record["passed"], list(record["inputs"])) == (True, ["baseline", "candidate"])


def test_where_no_user_changes_one_counts_all_of_whose_rows_are_as_bad_as_can_be() -> None:
    users = np.repeat(np.arange(40), 10)
    right = pl.DataFrame({"label": CLICK.astype(int), "user": users, "old": CLICK * 0.8 + 0.1})
    right = right.with_columns(new="old")
    how: dict[str, Any] = {"query": "user", "confidence": 0.95}
    (own,) = rm.gate_predictions(right, SYSTEMS, "Accuracy", baseline="old", max_drop=0.2, **how).measures
    # 1 − 0.05^(1/40) of 40 that are all right, of which one more is wrong on all rows.
    assert (own.by, own.passed) == ("gaffke", True)
    assert own.bound == pytest.approx(1 - 0.05 ** (1 / 40), rel=1e-6)
    (limit,) = rm.gate_predictions(right, "new", at_least={"Accuracy": 0.8}, **how).limits
    assert limit.bound == pytest.approx(0.05 ** (1 / 40), rel=1e-6)
    (brier,) = rm.gate_predictions(right, SYSTEMS, "Brier", baseline="old", max_drop=0.2, **how).measures
    assert brier.passed
    (loss,) = rm.gate_predictions(right, SYSTEMS, "LogLoss", baseline="old", max_drop=3.0, **how).measures
    most = -np.log(rm.evaluate_predictions(right, "LogLoss", score="old").measures[0].arguments["clip"])
    assert loss.bound == pytest.approx(most * (1 - 0.05 ** (1 / 40)), rel=1e-6)
    twice = pl.concat([right.filter(pl.col("user") == 3), right])
    (larger,) = rm.gate_predictions(twice, SYSTEMS, "Accuracy", baseline="old", max_drop=0.2, **how).measures
    assert own.bound is not None
    assert larger.bound is not None
    assert larger.bound > 1.5 * own.bound


def test_of_log_loss_it_is_said_that_rare_losses_can_be_greater() -> None:
    found = rm.gate_predictions(TABLE, "new", at_most={"LogLoss": 2.0}, confidence=0.95)
    assert "the worst row seen stands for the worst there is" in " ".join(str(found).split())


def test_of_users_of_uneven_sizes_few_of_whom_lose_no_gate_passes_what_it_should_not() -> None:
    # One user in ten loses all rows: a drop of 0.1, which linearised sums let pass in a fifth of such tables.
    passed = 0
    for seed in range(15):
        rng = np.random.default_rng([40, seed])
        users = np.repeat(np.arange(40), 1 + (3 * rng.pareto(1.5, 40)).astype(int).clip(0, 200))
        label = rng.integers(0, 2, len(users))
        label[:2] = 0, 1
        wrong = (rng.random(40) < 0.1)[users]
        table = {"label": label, "user": users, "old": 0.1 + 0.8 * label}
        table["new"] = np.where(wrong, 1 - table["old"], table["old"])
        how: dict[str, Any] = {"query": "user", "confidence": 0.95, "max_drop": 0.1}
        passed += bool(rm.gate_predictions(table, SYSTEMS, "Accuracy", baseline="old", **how))
    assert passed == 0
