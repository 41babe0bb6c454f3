#!/usr/bin/env python3
"""Training of a small MLP: forward, cross entropy, backward and AdamW by kernels of the library, with a loss that falls.

    examples/train_mlp.py [--steps N] [--device cpu|cuda]

Data and weights are random, from a seed; a batch's labels are those of another MLP. Forward and backward are one captured graph.
AdamW's launches are not: its corrections differ from step to step.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

import ptxgen as px
from ptxgen import f32, s64
from ptxgen.ops import column_sums, cross_entropy, cross_entropy_backward, matmul, optimiser_step, transposed

RATES = {"rate": 3e-3, "beta1": 0.9, "beta2": 0.99, "eps": 1e-8, "decay": 0.01}
"""Of AdamW."""


class Sizes(NamedTuple):
    """Of the layers, from the inputs to the classes, and the rows of a batch."""

    inputs: int = 24
    hidden: int = 64
    classes: int = 10
    batch: int = 96


def random_weights(sizes: Sizes, seed: int) -> dict[str, Any]:
    """f32 of numpy; matrices are (outputs, inputs)."""
    rng = np.random.default_rng(seed)
    first = rng.standard_normal((sizes.hidden, sizes.inputs), dtype=np.float32) * np.float32(2 / sizes.inputs) ** 0.5
    last = rng.standard_normal((sizes.classes, sizes.hidden), dtype=np.float32) * np.float32(1 / sizes.hidden) ** 0.5
    biases = {"b1": np.zeros(sizes.hidden, np.float32), "b2": np.zeros(sizes.classes, np.float32)}
    return {"w1": first, "w2": last, **biases}


def random_batch(sizes: Sizes, seed: int) -> tuple[Any, Any]:
    """Inputs, f32, and labels, s64: those that an MLP of other weights gives."""
    x = np.random.default_rng(seed).standard_normal((sizes.batch, sizes.inputs), dtype=np.float32)
    teacher = random_weights(sizes, seed=12_345)
    return x, (np.maximum(x @ teacher["w1"].T, 0) @ teacher["w2"].T).argmax(axis=1)


def plus_bias(k: px.Builder, value: f32, row: Any, column: Any, bias: Any) -> Any:
    """The epilogue of a linear layer."""
    return value + bias[column]


def plus_bias_relu(k: px.Builder, value: f32, row: Any, column: Any, bias: Any) -> Any:
    """That of one with max(0, x) behind it."""
    return k.max(value + bias[column], 0)


def where_positive(k: px.Builder, value: f32, row: Any, column: Any, result: Any) -> Any:
    """The gradient through max(0, x), by its result."""
    return k.select(result[row, column] > 0, value, 0.0)


class Trainer:
    """The weights, their gradients and moments, and a batch's arrays, on a device."""

    def __init__(self, dev: px.Device, sizes: Sizes, seed: int = 0) -> None:
        batch = sizes.batch
        self.dev, self.steps = dev, 0
        self.weights = {name: dev.array(each) for name, each in random_weights(sizes, seed).items()}
        self.gradients, *self.moments = (
            {name: dev.zeros(each.shape, f32) for name, each in self.weights.items()} for _ in range(3)
        )
        self.x, self.labels = dev.zeros((batch, sizes.inputs), f32), dev.zeros(batch, s64)
        self.hidden, self.d_hidden = (dev.empty((batch, sizes.hidden), f32) for _ in range(2))
        self.logits, self.d_logits = (dev.empty((batch, sizes.classes), f32) for _ in range(2))
        self.losses, self.logs = (dev.empty(batch, f32) for _ in range(2))
        self.shares = dev.full(batch, 1 / batch, f32)  # of each loss in the mean
        self.differentiate()  # loads every kernel
        with dev.capture() as self.graph:
            self.differentiate()

    def differentiate(self) -> None:
        """The losses of the batch, and the gradients of their mean."""
        w, g = self.weights, self.gradients
        exact: Any = {"exact": True}
        matmul(self.x, transposed(w["w1"]), self.hidden, epilogue=plus_bias_relu, arguments=(w["b1"],), **exact)
        matmul(self.hidden, transposed(w["w2"]), self.logits, epilogue=plus_bias, arguments=(w["b2"],), **exact)
        cross_entropy(self.logits, self.labels, self.losses, logs=self.logs)
        cross_entropy_backward(self.shares, self.logits, self.labels, self.logs, self.d_logits)
        matmul(transposed(self.d_logits), self.hidden, g["w2"], **exact)
        column_sums(self.d_logits, g["b2"])
        matmul(self.d_logits, w["w2"], self.d_hidden, epilogue=where_positive, arguments=(self.hidden,), **exact)
        matmul(transposed(self.d_hidden), self.x, g["w1"], **exact)
        column_sums(self.d_hidden, g["b1"])

    def step(self, x: Any, labels: Any) -> float:
        """Learn from a batch; its mean loss before that."""
        self.steps += 1
        self.x.copy_from(x)
        self.labels.copy_from(labels)
        self.graph.launch()
        first, second = self.moments
        for name, weight in self.weights.items():
            rates: dict[str, Any] = {**RATES, "step": self.steps}
            optimiser_step("adamw", weight, self.gradients[name], first[name], second[name], **rates)
        return float(self.losses.numpy().mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--device", choices=("cpu", "cuda"), default=None)
    given = parser.parse_args()
    sizes = Sizes()
    trainer = Trainer(px.device(given.device) if given.device else px.device(), sizes)
    for step in range(given.steps):
        loss = trainer.step(*random_batch(sizes, step))
        if step % 10 == 0 or step == given.steps - 1:
            print(f"step {step}: loss {loss:.3f}")


if __name__ == "__main__":
    main()
