"""The model of examples/torch_llama.py writes the same tokens with our operators as without."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="PyTorch, the extra `torch`, is not installed")

from examples.torch_llama import Config, compare, generate, make_model, replaced


def test_our_operators_write_the_same_tokens(device_name):
    config, prompt = Config(), torch.arange(8, device=device_name).reshape(2, 4)
    models = [make_model(config, device_name, torch.float32) for _ in range(2)]
    replaced(models[1])
    exact, found = (generate(model, model, prompt, 6)[0] for model in models)
    assert torch.equal(found, exact)
    assert exact.unique().numel() > 2, "a model that repeats one token would hide a difference"


def test_its_gradients_are_those_of_the_original(device_name):
    config, tokens = Config(num_hidden_layers=1), torch.arange(6, device=device_name).reshape(1, 6)
    gradients = []
    for change in (lambda model: model, replaced):
        model = change(make_model(config, device_name, torch.float32))
        model(tokens, torch.arange(6, device=device_name), model.new_cache(1, 6)).square().sum().backward()
        gradients.append({name: weight.grad for name, weight in model.named_parameters()})
    for name, exact in gradients[0].items():
        assert torch.allclose(gradients[1][name], exact, rtol=1e-3, atol=1e-4 * exact.abs().max()), name


def test_what_it_measures(device_name):
    found = compare(Config(), device_name, torch.float32, batch=1, prompt=2, count=4)
    assert list(found) == ["original", "original, torch.compile", "ours", "ours, torch.compile"]
    assert all(speed > 0 for _, speed in found.values())
