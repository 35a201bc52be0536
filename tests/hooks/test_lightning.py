"""Lightning logs, watches and resets the metric as any of torchmetrics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rankmark as rm
from installed import beside, peer

tool_version = beside("lightning")


@pytest.mark.filterwarnings("ignore")  # its own
def test_a_model_logs_the_metric_and_stops_by_it() -> None:
    lightning, torch = peer("lightning", "lightning"), peer("torch", "torch")
    callbacks = peer("lightning.pytorch.callbacks", "lightning")
    rng = np.random.default_rng(0)
    scores, grades = torch.tensor(rng.random((20, 6))), torch.tensor(rng.integers(0, 2, (20, 6)))
    epochs = []

    class Model(lightning.LightningModule):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(1))
            self.one = rm.hooks.TorchMetric("AP").set_dtype(torch.float64)
            self.lists = rm.hooks.TorchMetric("nDCG@3, RR")

        def training_step(self, rows: Any) -> Any:
            return (self.weight - 1).square().sum() + 0 * len(rows)

        def validation_step(self, rows: Any) -> None:
            self.one(scores[rows], grades[rows], rows)
            self.log("val_ap", self.one, on_step=False, on_epoch=True)
            self.lists.update(scores[rows], grades[rows], rows)

        def on_validation_epoch_end(self) -> None:
            self.log_dict(self.lists.compute())
            self.lists.reset()
            epochs.append(self.current_epoch)

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    rows = torch.utils.data.DataLoader(torch.arange(20), batch_size=8)
    trainer = lightning.Trainer(
        accelerator="cpu",
        devices=1,
        max_epochs=9,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[callbacks.EarlyStopping("nDCG@3", mode="max", patience=1)],
    )
    trainer.fit(Model(), rows, rows)
    assert epochs[-1] < 8  # as nothing gets better
    expected = rm.evaluate_arrays(scores.numpy(), grades.numpy(), "AP, nDCG@3, RR")
    assert float(trainer.callback_metrics["val_ap"]) == pytest.approx(expected["AP"], rel=1e-6)
    assert float(trainer.callback_metrics["RR"]) == pytest.approx(expected["RR"], rel=1e-6)
