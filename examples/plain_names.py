"""Numbers for any tracker: a flat dict of names that consist of letters, digits and underscores."""

import rankmark as rm

qrels = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
result = rm.evaluate(qrels, {"q1": ["b", "a"], "q2": ["x", "c"]}, ["nDCG@10", "nDCG(gain=exp2)@10"])
for name, value in result.to_dict(names="plain").items():
    print(f"{name} {value:.4f}  # {result.signature(result.plain_names[name], short=True)}")

# As Prometheus reads it from a file of the node exporter.
lines = [f"rankmark_{name} {value}" for name, value in result.to_dict(names="plain").items()]
print("\n".join(lines))
