"""Modules: what they say of their kernels and variables, and images that are refused."""

from __future__ import annotations

import ctypes

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import PTX, SIGNATURES, words


def test_a_module(context, module):
    function = module.function("add")
    attributes = function.attributes
    assert 0 < attributes.registers < 256
    assert attributes.max_threads == 1024
    assert attributes.static_shared == 0
    assert attributes.max_dynamic_shared >= 49152
    address, size = module.global_("counter")
    assert size == 4
    assert words(context, address, 1) == [5]
    assert sorted(module.function_names()) == sorted(SIGNATURES)
    with pytest.raises(dc.NotFoundError, match=r"there are: .*add"):
        module.function("sub")
    with pytest.raises(dc.NotFoundError):
        module.global_("sub")


def test_the_driver_knows_the_parameters_sizes(context):
    function = context.load(PTX).function("echo")
    assert [param.size for param in function.signature.params] == [8, 1, 2, 4, 8, 2, 2, 4, 8, 16]
    wrong = {"add": SIGNATURES["put_long"]}
    with pytest.raises(dc.ArgumentError, match=r"parameters of \[8, 4, 8\] bytes, the loaded code of \[8, 4, 4\]"):
        context.load(PTX, signatures=wrong).function("add")


@pytest.mark.parametrize(
    "old, new",
    [
        ("add.u64 %d3", "frob.u64 %d3"),
        ("add.u64 %d3, %d1, %d2;", "add.u64 %d3, %d1, %r1;"),
        ("bra DONE", "bra NOWHERE"),
    ],
    ids=["opcode", "type", "label"],
)
def test_refused_ptx_names_its_line(context, old, new):
    line = PTX[: PTX.index(old)].count("\n") + 1
    with pytest.raises(dc.JitError) as caught:
        context.load(PTX.replace(old, new, 1), line_map=lambda n: f"source.py:{n}")
    error = caught.value
    assert any(message.line == line for message in error.messages), error
    assert f"> {line:5} |" in str(error)
    assert f"from source.py:{line}" in str(error)


@pytest.mark.parametrize("image", ["", "hello world", ".version 99.0\n.target sm_75\n.address_size 64\n"])
def test_an_image_that_is_none(context, image):
    with pytest.raises(dc.CudaError):
        context.load(image)
    context.synchronize()


FILL = """.version 7.8
.target sm_75
.address_size 64
.visible .entry fill(.param .u64 .ptr .global .align 4 x, .param .f32 value)
{
    .reg .f32 %f<2>; .reg .u64 %d<2>;
    ld.param.u64 %d1, [x];
    ld.param.f32 %f1, [value];
    st.global.f32 [%d1], %f1;
    ret;
}
"""


@pytest.mark.parametrize("way", ["module", "library"])
def test_without_a_signature_the_text_tells_what_it_declares(context, x, way):
    """An int for a float is converted, as with a signature: its bits would be another number."""
    with context.load(FILL) if way == "module" else context.load_library(FILL) as code:
        fill = code.function("fill") if way == "module" else code.kernel("fill").function()
        assert str(fill.signature) == "(x: pointer, value: f32)"
        fill.launch(1, 1, x, 2)
        assert words(context, x, 1, "f") == [2.0]
        launch = fill.bind(1, 1)
        launch(x, 3)
        launch(x.pointer, 4.5)
        assert words(context, x, 1, "f") == [4.5]
        with pytest.raises(dc.ArgumentError, match=r"x is at .*, its vector accesses need 4-byte alignment"):
            fill.launch(1, 1, x.pointer + 2, 2)
        fill.launch(1, 1, x, ctypes.c_float(2.5))
        assert words(context, x, 1, "f") == [2.5]
        with pytest.raises(dc.ArgumentTypeError, match=r"value: f32.: expected a number, found str '2'"):
            fill.launch(1, 1, x, "2")
