"""What is given where a module, a shape or a kernel's name is wanted: taken where it makes sense, else said what to give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes import ArgumentTypeError, ClosedError, JitError
from ptxgen import f32, passes, u32
from ptxgen.host.loading import UnknownKernelError


@px.kernel
def twice(k: px.Builder, n: u32, x: px.ptr[f32]):
    with k.if_(k.global_id.x < n):
        x[k.global_id.x] = x[k.global_id.x] * 2.0


FORMS = {"module": twice.module, "kernel": lambda: twice, "text": twice.ptx}


@pytest.mark.parametrize("form", FORMS)
def test_a_module_a_kernel_or_text(form: str) -> None:
    given: Any = FORMS[form]()
    assert px.verify(given) == []
    assert passes.run(given, []).entries[0].name == "twice"


@pytest.mark.parametrize("form", FORMS)
def test_each_is_loaded(dev: px.Device, form: str) -> None:
    given: Any = FORMS[form]() if form == "kernel" else px.parse(twice.ptx(target=dev.target))
    with dev.array(np.ones(4, np.float32)) as x:
        dev.load(str(given) if form == "text" else given)["twice"].launch(1, 32, (4, x))
        np.testing.assert_array_equal(x.numpy(), 2.0)


@pytest.mark.parametrize("form", FORMS)
def test_each_is_assembled(assembler: object, form: str) -> None:
    given: Any = FORMS[form]()
    assert px.assemble(given).cubin == px.assemble(twice.ptx()).cubin


@pytest.mark.parametrize(
    "wrong, said", [(3, "of int"), (None, "of NoneType"), (Path("a.ptx"), "of PosixPath"), ("a.ptx", "not PTX text")]
)
def test_what_is_no_module(dev: px.Device, wrong: Any, said: str) -> None:
    for use in (px.verify, passes.run, px.parse, dev.load):
        if use is px.parse and isinstance(wrong, str):
            continue  # it has syntax errors of its own
        with pytest.raises(px.PtxError, match=said):
            use(wrong)


def test_a_kernel_that_the_module_does_not_have(dev: px.Device) -> None:
    kernels = dev.load(twice)
    for error in (KeyError, UnknownKernelError):
        with pytest.raises(error, match=r"^the module has no kernel 'twise'\n  Fix: it has: twice$"):
            kernels["twise"]
    assert kernels.get("twise") is None


@pytest.mark.parametrize("shape", [3.0, (2, 1.5), "3", None])
def test_what_is_no_shape(dev: px.Device, shape: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="an integer, or a tuple of integers"):
        dev.zeros(shape, f32)


@pytest.mark.parametrize("shape", [3, np.int64(3), [3], np.array([3]), (np.uint8(3),), range(3, 4)])
def test_shapes(dev: px.Device, shape: Any) -> None:
    with dev.zeros(shape, f32) as x:
        assert x.shape == (3,)
        assert type(x.shape[0]) is int


@pytest.mark.cpu_only
def test_a_module_for_another_target(dev: px.Device) -> None:
    with pytest.raises(JitError, match=r"the module is for sm_100a, .* build it with target=dev\.target"):
        dev.load(twice.module(target="sm_100a"))


@pytest.mark.cpu_only
def test_an_array_from_before_a_reset() -> None:
    place = px.device("cpu:0")
    old = place.zeros(4, f32)
    place.reset()
    with pytest.raises(ClosedError, match="make the array, stream or kernel again"):
        old.numpy()
    with pytest.raises(ClosedError, match="make the array, stream or kernel again"):
        twice[1, 32](4, old)


def test_a_wrong_grid_does_not_stand_for_the_right_one():
    """1.0 is equal to 1, and was found in its place."""
    dev = px.device("cpu")
    x = dev.zeros(1, u32)

    @px.kernel
    def one(k: px.Builder, x: px.ptr[u32]):
        x[0] = 1

    with pytest.raises(px.Error, match=r"grid=1.0 is not"):
        one[1.0, 1](x)
    one[1, 1](x)
    assert x.numpy().tolist() == [1]
    with pytest.raises(px.Error, match="shared='1k' is no number of bytes"):
        one[1, 1](x, shared="1k")
    with pytest.raises(px.Error, match=r"a tuple: launch\(grid"):
        dev.load(one)["one"].launch(1, 1, x)
