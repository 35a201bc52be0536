"""Keras logs nDCG@5 and RR in `fit`, and stops early by the first."""

import os

import numpy as np

os.environ.setdefault("KERAS_BACKEND", "torch")  # which has to be said before Keras is imported
import keras

import rankmark as rm

keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
features = rng.random((200, 10, 4), dtype=np.float32)  # lists of 10 items with 4 features each
grades = np.clip(features @ np.array([3, -2, 1, 0]) + rng.normal(0, 0.5, (200, 10)), 0, 3).round()

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1), keras.layers.Flatten()])
metric = rm.hooks.KerasMetric("nDCG(gain=exp2)@5, RR")
model.compile(optimizer="adam", loss="mse", metrics=[metric])  # other backends than torch: run_eagerly=True
stop = keras.callbacks.EarlyStopping("val_nDCG(gain=exp2)@5", mode="max", patience=2)
data = {"x": features[:150], "y": grades[:150], "validation_data": (features[150:], grades[150:])}
seen = model.fit(**data, epochs=4, verbose=0, callbacks=[stop])
for epoch, value in enumerate(seen.history["val_nDCG(gain=exp2)@5"]):
    print(f"epoch {epoch}: {value:.4f}")

metric.reset_state()
metric.update_state(grades[150:], model.predict(features[150:], verbose=0))
print(metric.full_result(intervals=True))
