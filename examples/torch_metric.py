"""Measures as a metric of torchmetrics: added up batch by batch, and in several processes."""

import torch
from torchmetrics import MetricCollection

import rankmark as rm

torch.manual_seed(0)
metrics = MetricCollection(
    {
        "lists": rm.hooks.TorchMetric("nDCG@10, R@100"),
        "clicks": rm.hooks.TorchMetric("AUC, LogLoss"),
    }
)
lists, clicks = metrics["lists"], metrics["clicks"]
for batch in range(5):
    # 8 users and all 1,000 items; the ids let a sampler repeat users in other processes.
    scores = torch.randn(8, 1000)
    relevant = (scores + 2 * torch.randn(8, 1000) > 5).long()
    users = torch.arange(8) + 8 * batch
    of_batch = lists(scores, relevant, users)
    clicks.update(torch.sigmoid(scores[:, :20]).flatten(), relevant[:, :20].flatten())
    print(batch, {name: round(float(value), 4) for name, value in of_batch.items()})

print({name: round(float(value), 4) for name, value in metrics.compute().items()})
print(lists.result(intervals=True))
