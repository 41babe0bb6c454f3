"""The training of examples/train_mlp.py, against the same in float64 of numpy."""

from __future__ import annotations

import numpy as np

import ptxgen as px
from examples.train_mlp import RATES, Sizes, Trainer, random_batch, random_weights

SIZES = Sizes(inputs=13, hidden=40, classes=7, batch=33)


def gradients(w, x, labels):
    """(mean loss, gradients) in float64."""
    rows = np.arange(len(x))
    hidden = np.maximum(x @ w["w1"].T + w["b1"], 0)
    logits = hidden @ w["w2"].T + w["b2"]
    shifted = logits - logits.max(axis=1, keepdims=True)
    logs = np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    d_logits = np.exp(shifted - logs)
    d_logits[rows, labels] -= 1
    d_logits /= len(x)
    d_hidden = d_logits @ w["w2"] * (hidden > 0)
    found = {"w1": d_hidden.T @ x, "b1": d_hidden.sum(0), "w2": d_logits.T @ hidden, "b2": d_logits.sum(0)}
    return (logs[:, 0] - shifted[rows, labels]).mean(), found


def trained(steps):
    """Losses and weights of AdamW (Loshchilov and Hutter 2019) in float64."""
    w = {name: each.astype(np.float64) for name, each in random_weights(SIZES, 0).items()}
    m, v = ({name: np.zeros_like(each) for name, each in w.items()} for _ in range(2))
    losses, (rate, one, two, eps, decay) = [], RATES.values()
    for step in range(1, steps + 1):
        x, labels = random_batch(SIZES, step)
        loss, found = gradients(w, x.astype(np.float64), labels)
        losses.append(loss)
        for name, g in found.items():
            m[name] = one * m[name] + (1 - one) * g
            v[name] = two * v[name] + (1 - two) * g**2
            moved = m[name] / (1 - one**step) / (np.sqrt(v[name] / (1 - two**step)) + eps)
            w[name] -= rate * (moved + decay * w[name])
    return losses, w


def test_gradients_are_those_of_float64(device_name):
    trainer = Trainer(px.device(device_name), SIZES)
    trainer.step(*random_batch(SIZES, 1))
    w = {name: each.astype(np.float64) for name, each in random_weights(SIZES, 0).items()}
    x, labels = random_batch(SIZES, 1)
    for name, exact in gradients(w, x.astype(np.float64), labels)[1].items():
        assert np.allclose(trainer.gradients[name].numpy(), exact, rtol=1e-4, atol=1e-6 * np.abs(exact).max()), name


def test_losses_fall_as_in_float64(device_name):
    trainer, (expected, weights) = Trainer(px.device(device_name), SIZES), trained(30)
    losses = [trainer.step(*random_batch(SIZES, step)) for step in range(1, 31)]
    assert np.allclose(losses, expected, rtol=1e-4)
    assert np.mean(losses[-5:]) < 0.75 * np.mean(losses[:5])
    for name, exact in weights.items():
        assert np.allclose(trainer.weights[name].numpy(), exact, atol=1e-4 * np.abs(exact).max()), name
