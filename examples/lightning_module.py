"""Lightning stops early by nDCG@10, which it logs as any other metric."""

import warnings

import lightning
import torch
from lightning.pytorch.callbacks import EarlyStopping

import rankmark as rm

USERS, ITEMS, FACTORS = 64, 200, 8
generator = torch.Generator().manual_seed(0)
taste = torch.randn(USERS, FACTORS, generator=generator) @ torch.randn(FACTORS, ITEMS, generator=generator)
liked = (taste + torch.randn(USERS, ITEMS, generator=generator) > 4).float()
held_out = torch.rand(USERS, ITEMS, generator=generator) < 0.3


class Factors(lightning.LightningModule):
    """A small model of factors, of random weights at first."""

    def __init__(self) -> None:
        super().__init__()
        self.users = torch.nn.Embedding(USERS, FACTORS)
        self.items = torch.nn.Parameter(torch.randn(FACTORS, ITEMS) / FACTORS)
        self.metric = rm.hooks.TorchMetric("nDCG@10, R@20")

    def training_step(self, users: torch.Tensor) -> torch.Tensor:
        """Learns what was liked, of what is not held out."""
        scores = self.users(users) @ self.items
        losses = torch.nn.functional.binary_cross_entropy_with_logits(scores, liked[users], reduction="none")
        return losses[~held_out[users]].mean()

    def validation_step(self, users: torch.Tensor) -> None:
        """Ranks what was held out; the ids are those of the users, which samplers may repeat."""
        self.metric.update(self.users(users) @ self.items, liked[users], users, mask=held_out[users])

    def on_validation_epoch_end(self) -> None:
        """Logs all measures of the epoch, which early stopping looks at."""
        values = self.metric.compute()
        self.metric.reset()
        self.log_dict(values)
        print({name: round(float(value), 4) for name, value in values.items()})

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Plain Adam."""
        return torch.optim.Adam(self.parameters(), lr=0.05)


warnings.simplefilter("ignore")  # on workers and logging intervals
torch.manual_seed(1)
loader = torch.utils.data.DataLoader(torch.arange(USERS), batch_size=16)
trainer = lightning.Trainer(
    accelerator="cpu",
    devices=1,
    max_epochs=30,
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    callbacks=[EarlyStopping("nDCG@10", mode="max", patience=2)],
)
trainer.fit(Factors(), loader, loader)
print(
    f"stopped after epoch {trainer.current_epoch}, nDCG@10 {float(trainer.callback_metrics['nDCG@10']):.4f}"
)
