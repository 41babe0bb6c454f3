"""The model of examples/torch_llama.py writes the same tokens with our operators as without."""

from __future__ import annotations

import pytest

from tests import extras


@pytest.fixture
def llama():
    return extras.module("examples.torch_llama")


def test_our_operators_write_the_same_tokens(llama, device_name):
    config, prompt = llama.Config(), llama.torch.arange(8, device=device_name).reshape(2, 4)
    models = [llama.make_model(config, device_name, llama.torch.float32) for _ in range(3)]
    llama.replaced(models[1])
    llama.replaced(models[2], llama.FOR_COMPILER)
    exact, *found = (llama.generate(model, model, prompt, 6)[0] for model in models)
    assert all(llama.torch.equal(each, exact) for each in found)
    assert exact.unique().numel() > 2, "a model that repeats one token would hide a difference"


def test_attention_of_single_tokens_is_ours(llama, device_name):
    torch = llama.torch
    config = llama.Config(hidden_size=256, num_attention_heads=4, num_key_value_heads=2)
    model = llama.replaced(llama.make_model(config, device_name, torch.bfloat16))
    attention = model.layers[0].self_attn
    drawn = torch.Generator().manual_seed(3)
    q, keys, values = (
        torch.randn(shape, generator=drawn).to(device_name, torch.bfloat16)
        for shape in ((3, 4, 1, 64), (3, 2, 16, 64), (3, 2, 16, 64))
    )
    places = torch.tensor([9], device=device_name)
    seen = torch.arange(16, device=device_name) <= places[:, None]
    found = attention.attend(q, keys, values, places, seen)
    exact = type(attention).attend(attention, q.double(), keys.double(), values.double(), places, seen)
    assert found.shape == exact.shape
    assert (found.double() - exact).abs().max() < 0.02


def test_its_gradients_are_those_of_the_original(llama, device_name):
    config, tokens = llama.Config(num_hidden_layers=1), llama.torch.arange(6, device=device_name).reshape(1, 6)
    gradients = []
    for change in (lambda model: model, lambda model: llama.replaced(model, llama.OURS)):
        model = change(llama.make_model(config, device_name, llama.torch.float32))
        model(tokens, llama.torch.arange(6, device=device_name), model.new_cache(1, 6)).square().sum().backward()
        gradients.append({name: weight.grad for name, weight in model.named_parameters()})
    for name, exact in gradients[0].items():
        assert llama.torch.allclose(gradients[1][name], exact, rtol=1e-3, atol=1e-4 * exact.abs().max()), name


def test_what_it_measures(llama, device_name):
    found = list(llama.compare(llama.Config(), device_name, llama.torch.float32, batch=1, prompt=2, count=5))
    ways = [way for way, _, _ in found if "graph" not in way]
    assert ways == ["original", "original, torch.compile", "ours", "ours, torch.compile"]
    assert all(speed > 0 for _, _, speed in found)
    assert all(llama.torch.equal(tokens, found[0][1]) for _, tokens, _ in found)
