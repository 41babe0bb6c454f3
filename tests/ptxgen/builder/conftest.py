"""How a test of the builder runs its kernel: `run(kernel, *arguments)` on the device under test, and back to numpy."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen.assembler import assemble_many

TARGETS = ("sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120")


@pytest.fixture(scope="session")
def dev(device_name):
    return px.device(device_name)


@pytest.fixture
def run(dev):
    """Launch; the list of what the array arguments hold afterwards. numpy arrays are copied to the device.

    With `target`, the program for that (older) target, which a newer GPU and the CPU device run too.
    """

    def launch(kernel, *arguments, grid=1, block=32, shared=0, target=None, **options):
        given = [dev.array(a) if isinstance(a, np.ndarray) else a for a in arguments]
        if target is None:
            kernel[grid, block](*given, shared=shared, **options)
        else:
            module = kernel.module(target=target, strict=True, **options)
            dev.load(module)[kernel.__name__].launch(grid, block, tuple(given), shared=shared)
        return [a.numpy() for a in given if isinstance(a, px.Array)]

    return launch


@pytest.fixture
def assembles(assembler):
    """Kernels (or a test file's globals) are verified without a warning and assembled for every target, or those given."""

    def check(kernels, targets=TARGETS):
        if isinstance(kernels, dict):
            kernels = [k for k in kernels.values() if isinstance(k, px.Kernel)]
        modules = [px.module(k, target=t, strict=True) for k in kernels for t in targets]
        assert modules
        results = assemble_many([str(module) for module in modules])
        refused = [f"{m.name} for {m.target}: {r}" for m, r in zip(modules, results) if not hasattr(r, "cubin")]
        assert refused == []

    return check
