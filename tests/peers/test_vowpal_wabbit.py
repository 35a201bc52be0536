"""rankmark beside the progressive averages that Vowpal Wabbit printed of logged actions."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from rankmark import statistics


def test_its_average_losses_are_ips_after_1_2_4_events_and_all(data_file: Callable[[str], str]) -> None:
    log = pl.read_csv(data_file("vw_cb/rcv1_cb_log_with_policy.csv"))
    policy = log.select(
        pl.when(pl.col("action") == 1)
        .then("target_prob_action1")
        .otherwise("target_prob_action2")
        .alias("policy")
    )["policy"]
    printed = Path(data_file("vw_cb/rcv1_raw_cb_explore.stderr")).read_text()
    rows = re.findall(r"^(\d\.\d{6}) \d\.\d{6} +(\d+) ", printed, re.MULTILINE)
    (last,) = re.findall(r"average loss = ([\d.]+)", printed)
    assert len(rows) == 10
    for loss, events in [*rows, (last, "1000")]:
        head = log.head(int(events))
        found = statistics.policy_value("IPS", head["cost"], policy.head(int(events)), head["logging_prob"])
        assert found.value == pytest.approx(float(loss), abs=1e-6)
