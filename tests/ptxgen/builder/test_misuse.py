"""What a value is not: Python's number, numpy's operand, a name of a type, an index of two dimensions. Each says what is."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f32, u32
from ptxgen.errors import OperatorError

_CASES = {
    "type by name": (lambda k, n, v, x: n.to("f32"), "'f32' is not a type", "f32 itself"),
    "bits by name": (lambda k, n, v, x: n.bits("f32"), "'f32' is not a type", "f32 itself"),
    "constant by name": (lambda k, n, v, x: k.const("u8", 1), "'u8' is not a type", "u8 itself"),
    "shared by name": (lambda k, n, v, x: k.shared("f32", 4), "'f32' is not a type", "f32 itself"),
    "shape of a fraction": (lambda k, n, v, x: k.shared(f32, 1.5), "a shape of 1.5", None),
    "shape of fractions": (lambda k, n, v, x: k.local(f32, (2, 2.0)), "a shape of (2, 2.0)", None),
    "Python's type": (lambda k, n, v, x: v.to(int), "is not a type of the device", "s32 itself"),
    "numpy's type": (lambda k, n, v, x: n.to(np.float32), "is not a type of the device", "f32 itself"),
    "type called": (lambda k, n, v, x: f32(n), "f32 is a type", "x.to(f32)"),
    "type of a number": (lambda k, n, v, x: f32(1.5), "f32 is a type", "k.const(f32, 1.5)"),
    "pointer of a number": (lambda k, n, v, x: n.to(px.ptr[f32]), "a .u32 value as a ptr[f32]", "k.pointer(x, f32)"),
    "pointer of bits": (lambda k, n, v, x: x.address.bits(px.ptr[u32]), "as a ptr[u32]", "k.pointer(x, u32)"),
    "no operand": (lambda k, n, v, x: k.ptx.add.u32(k.var(u32), None, n), "None is not an operand", None),
    "address of a negation": (lambda k, n, v, x: k.ptx.ld.u32(k.var(u32), ~(n < 3)), "is not an address", None),
    "two indices": (lambda k, n, v, x: x[1, n], "a pointer has one dimension", "x[row * columns + column]"),
    "three numbers": (lambda k, n, v, x: x[k.tid], "an index is one number", "k.tid.x"),
    "max": (lambda k, n, v, x: max(x[0], 0.0), "known only on the device", "k.max(a, b)"),
    "min": (lambda k, n, v, x: min(v, 0.0), "known only on the device", "k.min(a, b)"),
    "math.exp": (lambda k, n, v, x: math.exp(v), "not a Python float", "k.exp(x)"),
    "math.erf": (lambda k, n, v, x: math.erf(v), "not a Python float", "the functions of k"),
    "np.exp": (lambda k, n, v, x: np.exp(v), "numpy's exp of a .f32 value", "k.exp(...)"),
    "np.maximum": (lambda k, n, v, x: np.maximum(v, 0), "numpy's maximum", "k.max(...)"),
    "np.arctan": (lambda k, n, v, x: np.arctan(v), "numpy's arctan", "the builder k"),
    "a ufunc's method": (lambda k, n, v, x: np.add.reduce(v), "numpy's add", None),
}


def _built(write):
    @px.kernel
    def kernel(k: px.Builder, n: u32, v: f32, x: px.ptr[f32]):
        write(k, n, v, x)

    return kernel.module()


@pytest.mark.parametrize("name", _CASES)
def test_misuse(name):
    write, said, remedy = _CASES[name]
    with pytest.raises(px.BuildError) as caught:
        _built(write)
    (finding,) = caught.value.diagnostics
    assert said in finding.message
    assert remedy is None or remedy in finding.hint
    assert finding.locations[0].file == __file__


def test_numpy_operators_of_scalars_and_values():
    def numpy_first(k, n, v, x):
        x[n - 1] = np.float32(2) * v + np.float64(1)
        x[0] = k.select(np.float32(0) < v, np.float32(3) / v, v)

    def python_first(k, n, v, x):
        x[n - 1] = 2.0 * v + 1.0
        x[0] = k.select(v > 0.0, 3.0 / v, v)

    assert str(_built(numpy_first)) == str(_built(python_first))


def test_an_array_of_numpy_times_a_value_is_an_array_of_values():
    def write(k, n, v, x):
        for i, each in enumerate(np.array([1.0, 2.0, 3.0]) * v):
            x[i] = each

    assert str(_built(write)).count("st.global.f32") == 3


@px.kernel
def saxpy(k: px.Builder, n: u32, a: f32, x: px.ptr[f32], y: px.ptr[f32], *, width: int = 1):
    y[k.global_id.x] = a


def test_a_launch_s_parameters_are_positional():
    with pytest.raises(
        px.BuildError, match=r"'n' is a parameter of the launch(?s:.)*saxpy\[grid, block\]\(n, a, x, y\)"
    ):
        saxpy[1, 128](n=100, a=2.0, x=None, y=None)
    with pytest.raises(px.BuildError, match="no compile-time parameter 'wide'"):
        saxpy[1, 128](100, 2.0, None, None, wide=1)


def test_a_kernel_is_not_called_without_a_grid():
    with pytest.raises(px.BuildError, match=r"saxpy\[grid, block\]\(\.\.\.\)"):
        saxpy(100, 2.0, None, None)


OPERATORS = {
    "u32 ** 2": (lambda k, n, v, x: n**2, r"\*\* of .u32 and int", "a product for a whole power"),
    "2 ** f32": (lambda k, n, v, x: 2**v, r"\*\* of int and .f32", r"k.exp2\(y \* k.log2\(x\)\)"),
    "f32 // 2": (lambda k, n, v, x: v // 2.0, "// of .f32 and float", r"k.floor\(a / b\)"),
    "f32 % 2": (lambda k, n, v, x: v % 2.0, "% of .f32 and float", r"a - k.floor\(a / b\) \* b"),
    "f32 & 1": (lambda k, n, v, x: v & 1, "& of .f32 and int", r"x.bits\(b32\)"),
    "~f32": (lambda k, n, v, x: ~v, "~ of .f32", r"x.bits\(b32\)"),
    "1 << u32": (lambda k, n, v, x: 1 << n, "<< of int and .u32", r"k.const\(u32, 1\) << n"),
    "2 / u32": (lambda k, n, v, x: 2 / n, "/ of int and .u32", "// truncates"),
    "divmod": (lambda k, n, v, x: divmod(n, 3), "divmod of .u32 and int", "a // b and a % b"),
    "round": (lambda k, n, v, x: round(v), "round of .f32", r"k.round\(x\)"),
    "floor": (lambda k, n, v, x: math.floor(v), "math.floor of .f32", r"k.floor\(x\)"),
    "+p": (lambda k, n, v, x: (n > 1) + 1, r"\+ of .pred and int", r"p.to\(u32\)"),
    "p < p": (lambda k, n, v, x: (n > 1) < (n > 2), "< of .pred and .pred", r"p.to\(u32\)"),
    "bits": (lambda k, n, v, x: n.bits(px.b32) + 1, r"\+ of .b32 and int", r"x.bits\(u32\)"),
    "fp8": (lambda k, n, v, x: v.to(px.e4m3) * 2.0, r"\* of .e4m3 and float", r"x.to\(f32\)"),
    "x - y": (lambda k, n, v, x: x - x, r"- of ptr\[f32\] and ptr\[f32\]", "x.address"),
    "1 + x": (lambda k, n, v, x: 1 + x, r"\+ of int and ptr\[f32\]", r"x.at\(i\)"),
    "a @ b": (lambda k, n, v, x: v @ v, "@ of .f32 and .f32", ""),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_that_a_type_does_not_have(name):
    use, said, instead = OPERATORS[name]

    @px.kernel
    def kernel(k: px.Builder, n: u32, v: f32, x: px.ptr[f32]):
        use(k, n, v, x)

    with pytest.raises(OperatorError, match=rf"PTX220: {said}(.|\n)*{instead}") as caught:
        kernel.module()
    assert isinstance(caught.value, TypeError)
    assert caught.value.diagnostics[0].locations


@pytest.mark.parametrize(
    "use, said, instead",
    [
        (lambda k, x: k.min(1, 2), "1 is used where a value of the device is wanted", "k.const(type, 1)"),
        (lambda k, x: k.shfl_up(5, 1), "5 is used where a value", "k.const(type, 5)"),
        (lambda k, x: k.select(1, x[0], x[1]), "a condition is a predicate, not 1", "x != 0"),
        (lambda k, x: k.fma("s", x[0], 1), "'s' is used where a value", "such as x[i]"),
        (lambda k, x: k.clamp(1, x[0], x[1]), "1 is used where a value", "k.const(type, 1)"),
    ],
)
def test_what_is_no_value_of_the_device(use, said, instead):
    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[f32]):
        use(k, x)

    with pytest.raises(px.BuildError) as caught:
        kernel.module()
    (finding,) = caught.value.diagnostics
    assert said in finding.message
    assert instead in finding.hint
    assert "lambda k, x: k." in finding.locations[0].excerpt()


def test_what_is_no_kernel():
    with pytest.raises(px.BuildError, match=r"a kernel of a function, not of 3(.|\n)*def f\(k, x\)"):
        px.kernel(3)
    with pytest.raises(px.BuildError, match="a module is made of kernels, not of <function"):
        px.module(lambda k: None)

    @px.kernel
    def nothing():
        pass

    with pytest.raises(
        px.BuildError, match=r"nothing has no parameter for the builder(.|\n)*def nothing\(k: px.Builder"
    ):
        nothing.module()


def built(body):
    def kernel(k: px.Builder, x: px.ptr[f32]):
        body(k, x)

    return px.kernel(kernel).module(target="sm_90a")


def test_what_is_named_and_not_called():
    @px.kernel
    def barrier(k: px.Builder, x: px.ptr[f32]):
        with k.while_(lambda: x[0] > 0):
            k.barrier

    @px.kernel
    def fence(k: px.Builder, x: px.ptr[f32]):
        k.ptx.wgmma.fence.sync.aligned

    @px.kernel
    def fine(k: px.Builder, x: px.ptr[f32]):
        x.type  # of something else
        k.barrier()

    for wrong in (barrier, fence):
        with pytest.raises(px.BuildError) as caught:
            wrong.module(target="sm_90a")
        assert caught.value.diagnostics[0].code == "PTX331"
        assert caught.value.diagnostics[0].locations[0].excerpt().startswith("k.")
    with pytest.raises(AttributeError):
        fine.module()


@pytest.mark.parametrize(
    "body, code, said",
    [
        (lambda k, x: k.ptx.ld.shared.f32(k.var(f32), x), "PTX207", "a is a pointer to .global"),
        (lambda k, x: k.ptx.ld.shared.f32(k.var(f32), [x, 4]), "PTX207", "a is a pointer to .global"),
        (lambda k, x: k.ptx.ld.global_.v2.f32([k.var(f32), k.var(f32)], x), "PTX204", "a tuple, not a list"),
        (lambda k, x: k.ptx[3](1), "PTX200", "3 is no instruction's name"),
        (lambda k, x: k.tile(f32, 64), "PTX221", "(rows, columns)"),
        (lambda k, x: k.tile(px.bf16, (64, 64), stages=2).at(0, 0), "PTX202", "tile[stage]"),
        (lambda k, x: k.sums(64, 64).add_product(None, 3), "PTX220", "a product of None and 3"),
    ],
)
def test_exact_instructions_and_tiles(body, code, said):
    with pytest.raises(px.BuildError) as caught:
        built(body)
    assert caught.value.diagnostics[0].code == code
    assert said in str(caught.value)


def test_a_plan_does_not_hide_another_space():
    """A second call with operands of the same classes takes no look at the form."""

    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[f32], *, wrong: bool = False):
        tile, v = k.shared(f32, 4), k.var(f32)
        pointer = tile.at(k.tid.x)
        k.ptx.ld.shared.f32(v, pointer)
        k.ptx.ld.shared.f32(v, x if wrong else pointer)
        x[0] = v

    kernel.module()
    with pytest.raises(px.BuildError, match="PTX207"):
        kernel.module(wrong=True)


def test_functions_that_make_no_kernel():
    def generator(k: px.Builder):
        yield

    async def waiting(k: px.Builder):
        pass

    def pointer(k: px.Builder, x: px.ptr):
        pass

    for wrong in (generator, waiting):
        with pytest.raises(px.BuildError, match="a generator or asynchronous"):
            px.kernel(wrong)
    with pytest.raises(px.BuildError, match=r"'x' is annotated with(.|\n)*px.ptr\[f32\]"):
        px.kernel(pointer).module()


@pytest.mark.parametrize("name", ["my-kernel", "1k", "<lambda>", "größe"])
def test_names_that_ptx_does_not_have(name):
    def kernel(k: px.Builder):
        pass

    kernel.__name__ = name
    with pytest.raises(px.VerifyError, match=r"PTX315.*is no name in PTX"):
        px.kernel(kernel).module()


@pytest.mark.parametrize("target, said", [(90, "no target 90; similar: sm_90"), (["sm_80"], "one target, not")])
def test_targets(target, said):
    with pytest.raises(px.BuildError, match=said):
        px.module(target=target)
