"""Device functions: `.func` definitions that kernels call."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f16, f32, f64, s32, u32, u64
from ptxgen.builder.values import Value

E = TypeVar("E", bound=Value)


@px.func
def square(k: px.Builder, x: f32) -> f32:
    return x * x


@px.kernel
def calls(k: px.Builder, x: px.ptr[f32], z: px.ptr[f32]):
    i = k.tid.x
    z[i] = square(square(x[i])) + square(3.0)


def test_a_function_is_defined_once_and_called_often(run):
    x = np.arange(8, dtype=np.float32)
    _, z = run(calls, x, x * 0, block=8)
    assert z.tolist() == (x**4 + 9).tolist()
    text = str(calls.module())
    assert (text.count(".func"), text.count("call.uni")) == (1, 3)


@px.func
def divmod_(k: px.Builder, a: u32, b: u32) -> tuple[u32, u32]:
    return a // b, a % b


@px.kernel
def several_results(k: px.Builder, a: u32, b: u32, z: px.ptr[u32]):
    z[0], z[1] = divmod_(a, b)


def test_several_results(run):
    (z,) = run(several_results, 100, 7, np.zeros(2, np.uint32), block=1)
    assert z.tolist() == [14, 2]


@px.func
def affine(k: px.Builder, x: u32, by: u32 = 10, plus: u32 = 1) -> u32:
    return x * by + plus


@px.kernel
def leaves_out(k: px.Builder, z: px.ptr[u32]):
    z[0], z[1], z[2] = affine(z[0]), affine(z[0], 2), affine(z[0], 2, z[0])


def test_the_last_parameters_may_have_defaults(run):
    (z,) = run(leaves_out, np.array([3, 0, 0], np.uint32), block=1)
    assert z.tolist() == [31, 7, 9]


@px.func
def accumulate(k: px.Builder, place: px.ptr[s32], value: s32) -> None:
    place[0] = place[0] + value


@px.kernel
def through_pointers(k: px.Builder, z: px.ptr[s32]):
    accumulate(z, 5)
    accumulate(z.at(1), k.const(s32, 6))
    accumulate(z.at(k.tid.x + 2), 7)
    mine = k.shared(s32, 4)
    mine[2] = 30
    accumulate(mine.at(2), 3)
    z[3] = mine[2]
    here = k.local(s32, 2)
    here[0] = 8
    accumulate(here.pointer, 1)
    z[4] = here[0]


def test_pointers_to_every_space_make_a_function_for_each(run):
    (z,) = run(through_pointers, np.array([1, 1, 1, 0, 0], np.int32), block=1)
    assert z.tolist() == [6, 7, 8, 33, 9]
    assert str(through_pointers.module()).count(".func") == 3


@px.func
def power(k: px.Builder, x: E, *, element: type[E], exponent: int) -> E:
    result = k.const(element, 1)
    for _ in range(exponent):
        result = result * x
    return result


@px.kernel
def variants(k: px.Builder, x: f32, y: f64, h: f16, z: px.ptr[f64]):
    z[0] = power(x, element=f32, exponent=2).to(f64)
    z[1] = power(x, element=f32, exponent=3).to(f64)
    z[2] = power(y, element=f64, exponent=2)
    z[3] = power(h, element=f16, exponent=2).to(f64)
    z[4] = power(x, element=f32, exponent=2).to(f64)


def test_compile_time_parameters_make_variants(run):
    (z,) = run(variants, 1.5, 3.0, 2.0, np.zeros(5), block=1)
    assert z.tolist() == [2.25, 3.375, 9.0, 4.0, 2.25]
    assert str(variants.module()).count(".func") == 4


@px.func
def gcd(k: px.Builder, a: u32, b: u32) -> u32:
    x, y = k.var(u32, a), k.var(u32, b)
    with k.while_(lambda: y != 0):
        rest = x % y
        x.set(y)
        y.set(rest)
    return x


@px.func
def lcm(k: px.Builder, a: u32, b: u32) -> u32:
    return a // gcd(a, b) * b


@px.kernel
def functions_in_functions(k: px.Builder, x: px.ptr[u32], z: px.ptr[u32]):
    i = k.tid.x
    with k.if_(i < 6):
        z[i] = lcm(x[i], 12)


def test_functions_call_functions_even_where_threads_diverge(run):
    x = np.array([1, 5, 8, 12, 18, 100, 7, 7], np.uint32)
    _, z = run(functions_in_functions, x, x * 0, block=8)
    assert z.tolist() == [int(np.lcm(v, 12)) for v in x[:6]] + [0, 0]


@px.func
def nothing(k: px.Builder) -> None:
    k.syncwarp()


@px.kernel
def calls_nothing(k: px.Builder):
    nothing()


def test_a_function_without_parameters_or_results(run):
    run(calls_nothing)


@pytest.mark.parametrize(
    "call, complaint",
    [
        (lambda k, x: square(x), r"square: argument 'x' is .u32(.|\n)*needs +f32"),
        (lambda k, x: square(), r"square takes 1 arguments, not 0"),
        (lambda k, x: square(1.0, exact=True), r"square has no compile-time parameter 'exact'"),
        (lambda k, x: power(x.to(f32), element=f32), r"power needs the compile-time parameter 'exponent'"),
        (lambda k, x: power(x.to(f32), element="f32", exponent=1), r"'element' is 'f32'(.|\n)*a device type"),
        (lambda k, x: accumulate(x, 1), r"accumulate: argument 'place' is .u32"),
    ],
)
def test_wrong_arguments(call, complaint):
    @px.kernel
    def wrong(k: px.Builder, x: u32):
        call(k, x)

    with pytest.raises(px.BuildError, match=complaint):
        wrong.module()


def test_a_wrong_result():
    @px.func
    def promises(k: px.Builder, x: u32) -> tuple[u32, u32]:
        return x

    @px.func
    def returns_text(k: px.Builder, x: u32) -> str:
        return "x"

    @px.kernel
    def kernel(k: px.Builder, x: u32, *, function: object):
        function(x)

    with pytest.raises(px.BuildError, match="promises returns 1 values, its annotation says 2"):
        kernel.module(function=promises)
    with pytest.raises(px.BuildError, match=r"returns_text: <class 'str'> is not a result type"):
        kernel.module(function=returns_text)


def test_a_call_outside_a_kernel():
    with pytest.raises(px.BuildError, match=r"outside a kernel(.|\n)*px.kernel"):
        square(1.0)


def test_these_kernels_assemble(assembles):
    assembles(globals())


@px.kernel
def one(k: px.Builder, z: px.ptr[f32]):
    z[0] = square(2.0)


@px.kernel
def other(k: px.Builder, z: px.ptr[f32], n: u64):
    z[n] = square(3.0)


def test_entries_of_a_module_share_functions(dev):
    module = px.module(one, other, target="sm_75", strict=True)
    assert [entry.name for entry in module.entries] == ["one", "other"]
    assert str(module).count(".func") == 1
    kernels, z = dev.load(module), dev.zeros(2, f32)
    kernels["one"].launch(1, 1, (z,))
    kernels["other"].launch(1, 1, (z, 1))
    assert z.numpy().tolist() == [4.0, 9.0]


# ---- what a device function takes ------------------------------------------------------------------------------------


@px.func
def third(k: px.Builder, x: px.ptr[u32]) -> u32:
    return x[3]


@px.kernel
def gives_arrays(k: px.Builder, z: px.ptr[u32]):
    mine, own = k.shared(u32, (2, 4)), k.local(u32, 4)
    mine[0, 3], own[3] = 7, 8
    z[0], z[1] = third(mine), third(own)


def test_an_array_is_a_pointer_to_its_first_element(run):
    (z,) = run(gives_arrays, np.zeros(2, np.uint32), block=1)
    assert z.tolist() == [7, 8]


class Counts(px.Struct):
    n: u32


@px.func
def of_counts(k: px.Builder, counts: Counts) -> u32:
    return counts.n


@px.func
def of_a_map(k: px.Builder, source: px.TensorMap) -> None:
    pass


@pytest.mark.parametrize(
    "call, said",
    [
        (
            lambda k, c, m, x: third(k.shared(f32, 4)),
            r"argument 'x' is ptr\[f32\](.|\n)*ptr\[u32\](.|\n)*x.cast\(u32\)",
        ),
        (lambda k, c, m, x: third(x.bounded(4)), r"argument 'x' is Bounded(.|\n)*x.bounded\(n\) inside"),
        (lambda k, c, m, x: third(5), r"argument 'x' is int(.|\n)*an array or a pointer"),
        (lambda k, c, m, x: square(x[0]), r"argument 'x' is .u32(.|\n)*x.to\(f32\)"),
        (lambda k, c, m, x: of_counts(c), r"'counts' is a Counts, which only kernels take by value(.|\n)*its fields"),
        (
            lambda k, c, m, x: of_a_map(m),
            r"'source' is a TensorMap, which only kernels take by value(.|\n)*map.address",
        ),
    ],
)
def test_arguments_that_it_does_not_take(call, said):
    @px.kernel
    def kernel(k: px.Builder, counts: Counts, source: px.TensorMap, x: px.ptr[u32]):
        call(k, counts, source, x)

    with pytest.raises(px.BuildError, match=said):
        kernel.module()


# ---- recursion -------------------------------------------------------------------------------------------------------


@px.func
def factorial(k: px.Builder, n: u32) -> u32:
    result = k.var(u32, 1)
    with k.if_(n > 0):
        result.set(n * factorial(n - 1))
    return result


@px.func
def even(k: px.Builder, n: u32) -> u32:
    return odd(n - 1)


@px.func
def odd(k: px.Builder, n: u32) -> u32:
    return even(n - 1)


@px.func
def endless(k: px.Builder, n: u32, *, depth: int) -> u32:
    return endless(n, depth=depth + 1)


@px.func
def halved(k: px.Builder, n: u32, *, times: int) -> u32:
    return halved(n >> 1, times=times - 1) if times else n


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda n: factorial(n), "factorial calls itself while it is built: factorial -> factorial"),
        (lambda n: odd(n), "odd calls itself while it is built: odd -> even -> odd"),
        (lambda n: endless(n, depth=0), "endless calls itself while it is built: endless -> endless -> endless -> ..."),
    ],
)
def test_recursion_says_what_there_is_instead(call, said):
    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[u32]):
        x[0] = call(x[0])

    for _ in range(2):  # a failed build leaves nothing behind
        with pytest.raises(px.BuildError, match=said + r"(.|\n)*k.while_ or k.range(.|\n)*px.parse"):
            kernel.module()


def test_recursion_that_compile_time_parameters_end(run):
    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[u32]):
        x[0] = halved(x[0], times=3)

    (x,) = run(kernel, np.array([88], np.uint32), block=1)
    assert x.tolist() == [11]
