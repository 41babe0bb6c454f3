"""The kernel library after every exact pass, on the device, against numpy: loops, barriers, shuffles, atomics, matrix tiles."""

from __future__ import annotations

import pytest

import ptxgen as px
from ptxgen import passes
from ptxgen.builder.entry import Kernel, argument_kinds
from ptxgen.builder.launching import ConfiguredKernel
from ptxgen.kernels import CATALOGUE

pytest.importorskip("numpy")

EXACT = [*passes.DEFAULT, "schedule"]
FIRST = [variants[0] for variants in CATALOGUE.values() if "sm_90a" not in variants[0].absent]
ONE_OF_EACH = [variant for variant in FIRST if isinstance(variant.kernel, Kernel)]


@pytest.fixture(scope="module")
def dev(device_name):
    return px.device(device_name)


@pytest.fixture
def rewritten(monkeypatch):
    """Kernels are loaded as the passes leave them; the list of those that were."""
    loaded: list[str] = []

    def on(self: Kernel, device=None, **options):
        place = device or px.device()
        chosen = self.signature.chosen(self.__name__, {**self._options, **options})
        module = self.using(**chosen).module(target=place.target)
        changed = passes.run(module, EXACT)
        loaded.append(self.__name__)
        kinds = argument_kinds(self.signature.typed(chosen), module.entries[0].tensors)
        return place.load(changed, kinds={self.__name__: kinds})[self.__name__]

    monkeypatch.setattr(Kernel, "on", on)
    monkeypatch.setattr(
        Kernel, "__getitem__", lambda self, shape: ConfiguredKernel(self, *shape)
    )  # one that came often asks nobody
    return loaded


@pytest.mark.parametrize("variant", ONE_OF_EACH, ids=lambda variant: variant.label)
def test_a_kernel_computes_the_same(dev, rewritten, variant):
    case = variant.case(variant.sizes[len(variant.sizes) // 2])
    assert case.run(dev).passed
    assert rewritten
