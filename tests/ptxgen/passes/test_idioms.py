"""Every pass on drawn kernels of single assignments: what it makes computes the same bits on the device, and each finds work."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import ptxgen as px
from ptxgen import passes
from tests.ptxgen.passes.idioms import WORDS, kernel_of, steps

np = pytest.importorskip("numpy")

EXACT = [name for name in passes.PASSES if name != "fma"]
INPUT = np.random.default_rng(0).integers(0, 1 << 32, WORDS, dtype=np.uint32)


@pytest.fixture(scope="module")
def dev(device_name):
    return px.device(device_name)


def run(dev, module: px.Module) -> list[int]:
    y = dev.array(np.full(32 * WORDS, 0xA5A5A5A5, np.uint32))
    dev.load(module)["idioms"].launch(1, 32, (dev.array(INPUT), y))
    return y.numpy().tolist()


@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(drawn=steps)
def test_a_pass_keeps_every_bit(dev, name, drawn):
    before = kernel_of(drawn).module(target=dev.target)
    after = passes.run(before, [name], read_only=["x"])
    if after is not before:
        assert run(dev, after) == run(dev, before)


@settings(max_examples=50, suppress_health_check=list(HealthCheck))
@given(drawn=steps)
def test_all_passes_together_keep_every_bit(dev, drawn):
    before = kernel_of(drawn).module(target=dev.target)
    after = passes.run(before, ["split", *passes.DEFAULT, "schedule"], read_only=["x"])
    assert run(dev, after) == run(dev, before)


def test_every_pass_finds_work():
    """The properties above say something of each pass."""
    changed: set[str] = set()

    @settings(max_examples=60, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(drawn=steps)
    def look(drawn):
        module = kernel_of(drawn).module(target="sm_80")
        for name in set(EXACT) - changed:
            if passes.run(module, [name], read_only=["x"]) is not module:
                changed.add(name)

    look()
    assert changed == set(EXACT)
