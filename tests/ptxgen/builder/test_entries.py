"""Kernels as modules: parameters, compile-time parameters, several entries, launch bounds, versions."""

from __future__ import annotations

import threading
from typing import TypeVar

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f16, f32, s32, u8, u32, u64
from ptxgen.builder.values import Value

E = TypeVar("E", bound=Value)
A = TypeVar("A", bound=Value)


@px.kernel
def saxpy(k: px.Builder, n: u32, a: f32, x: px.ptr[f32], y: px.ptr[f32], *, unroll: int = 1):
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = k.fma(a, x[i], y[i])


def test_the_kernel_of_the_front_page(run):
    x = np.arange(1000, dtype=np.float32)
    _, y = run(saxpy, 1000, 2.0, x, np.ones_like(x), grid=4, block=256)
    assert y.tolist() == (2 * x + 1).tolist()


PTX = """\
.version 6.3
.target sm_75
.address_size 64

.visible .entry saxpy(
	.param .u32 n,
	.param .f32 a,
	.param .u64 .ptr .global .align 4 x,
	.param .u64 .ptr .global .align 4 y
)
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<7>;
	.reg .f32 %f<5>;
	ld.param.u32 %r1, [n];
	ld.param.f32 %f1, [a];
	ld.param.u64 %rd1, [x];
	cvta.to.global.u64 %rd2, %rd1;
	ld.param.u64 %rd3, [y];
	cvta.to.global.u64 %rd4, %rd3;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %ctaid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.u32 %r5, %r3, %r2, %r4;
	setp.lt.u32 %p1, %r5, %r1;
	@!%p1 bra $L_endif_1;
	mad.wide.u32 %rd5, %r5, 4, %rd2;
	ld.global.f32 %f2, [%rd5];
	mad.wide.u32 %rd6, %r5, 4, %rd4;
	ld.global.f32 %f3, [%rd6];
	fma.rn.f32 %f4, %f1, %f2, %f3;
	st.global.f32 [%rd6], %f4;
$L_endif_1:
	ret;
}
"""


def test_what_it_is_printed_as():
    assert str(saxpy.module(target="sm_75", strict=True)).rstrip() + "\n" == PTX
    assert saxpy.ptx(target="sm_75") == str(saxpy.module(target="sm_75"))


# ---- versions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target, version",
    [("sm_75", (6, 3)), ("sm_80", (7, 0)), ("sm_90a", (8, 0)), ("sm_100a", (8, 6)), ("sm_120", (8, 7))],
)
def test_the_lowest_version_that_is_enough(target, version):
    assert saxpy.module(target=target).version == version


@pytest.mark.parametrize("version", [8.0, 8, "abc", "8", None, (8,), ("8", "0"), [8, 0], (8.0, 0)])
def test_what_is_no_version(version):
    with pytest.raises(px.BuildError, match=r'PTX401: version=.* is not a PTX version(.|\n)*"8.0", \(8, 0\) or "auto"'):
        saxpy.module(version=version)
    with pytest.raises(px.BuildError, match=r'version="8\.3"'):
        saxpy.module(version=8.3)


def test_a_newer_version_may_be_asked_for_and_an_older_is_refused():
    assert saxpy.module(target="sm_75", version="8.7").version == (8, 7)
    assert saxpy.module(target="sm_75", version=(8, 1)).version == (8, 1)
    with pytest.raises(px.VerifyError, match=r"target sm_90a needs PTX 8.0, this module says 7.8"):
        saxpy.module(target="sm_90a", version="7.8")


def test_an_unknown_target_names_what_there_is():
    with pytest.raises(Exception, match="sm_91"):
        saxpy.module(target="sm_91")


# ---- compile-time parameters -----------------------------------------------------------------------------------------


@px.kernel
def scales(k: px.Builder, x: px.ptr[E], out: px.ptr[A], *, element: type[E], result: type[A], factor: int = 2):
    out[k.tid.x] = x[k.tid.x].to(result) * factor


def test_types_are_compile_time_parameters(run, dev):
    _, z = run(scales, np.arange(4, dtype=np.uint8), dev.zeros(4, f32), block=4, element=u8, result=f32, factor=3)
    assert z.tolist() == [0, 3, 6, 9]
    half = scales.using(element=f16, result=u32)
    text = str(half.module())
    assert ".ptr .global .align 2 x" in text
    assert ".ptr .global .align 4 out" in text


@pytest.mark.parametrize(
    "options, complaint",
    [
        ({}, "scales needs the compile-time parameter 'element'"),
        (
            {"element": u8, "result": f32, "factr": 3},
            r"no compile-time parameter 'factr'(.|\n)*element, result, factor",
        ),
        ({"element": int, "result": f32}, r"'element' is <class 'int'>(.|\n)*a device type such as f32"),
    ],
)
def test_wrong_compile_time_parameters(options, complaint):
    with pytest.raises(px.BuildError, match=complaint):
        scales.module(**options)


def test_using_knows_parameters_too():
    with pytest.raises(px.BuildError, match="has no compile-time parameter 'unrol'"):
        saxpy.using(unrol=2)
    assert repr(saxpy.using(unroll=2)) == "<kernel saxpy(unroll=2)>"


def test_each_choice_is_a_kernel_of_its_own(run):
    x = np.arange(4, dtype=np.uint8)
    for factor in (1, 5, 7):
        _, z = run(scales, x, np.zeros(4, np.uint32), block=4, element=u8, result=u32, factor=factor)
        assert z.tolist() == (x * factor).tolist()


# ---- signatures ------------------------------------------------------------------------------------------------------


def bad_signatures():
    def no_annotation(k: px.Builder, n): ...
    def python_type(k: px.Builder, n: int): ...
    def predicate(k: px.Builder, p: px.pred): ...
    def variadic(k: px.Builder, *n: u32): ...
    def unknown(k: px.Builder, n: u33): ...  # noqa: F821
    def free_variable(k: px.Builder, n: E): ...

    return [
        (no_annotation, r"parameter 'n' is annotated with None(.|\n)*a device type such as u32"),
        (python_type, r"parameter 'n' is annotated with <class 'int'>"),
        (predicate, r"parameter 'p' is annotated with"),
        (variadic, r"\*n has no fixed number of parameters"),
        (unknown, r"unknown: an annotation cannot be resolved(.|\n)*u33"),
        (free_variable, r"parameter 'n' is annotated with ~E"),
    ]


@pytest.mark.parametrize("function, complaint", bad_signatures())
def test_signatures_that_are_none(function, complaint):
    with pytest.raises(px.BuildError, match=complaint):
        px.kernel(function).module()


def test_a_kernel_returns_nothing():
    @px.kernel
    def returns(k: px.Builder, n: u32):
        return n

    with pytest.raises(px.BuildError, match=r"kernel returns returns(.|\n)*store results through a pointer"):
        returns.module()


def test_annotations_may_come_from_around_the_function(run):
    word = u32

    @px.kernel
    def local_type(k: px.Builder, z: px.ptr[word], n: word):
        z[0] = k.const(word, 5) + n

    (z,) = run(local_type, np.zeros(1, np.uint32), 2, block=1)
    assert z[0] == 7


@px.kernel
def parameters_of_every_size(k: px.Builder, a: u8, b: s32, c: u64, d: f16, e: f32, z: px.ptr[f32]):
    for i, value in enumerate((a, b, c, d, e)):
        z[i] = value.to(f32)


def test_parameters_of_every_size(run):
    (z,) = run(parameters_of_every_size, 200, -5, 2**40, 0.5, 1.25, np.zeros(5, np.float32), block=1)
    assert z.tolist() == [200, -5, 2**40, 0.5, 1.25]


@px.kernel
def like_opcodes(k: px.Builder, add: px.ptr[u32], mov: u32):
    add[0] = mov


def test_parameters_may_be_called_like_instructions(run, assembles):
    (z,) = run(like_opcodes, np.zeros(1, np.uint32), 9, block=1)
    assert z[0] == 9
    assembles([like_opcodes])


# ---- several entries -------------------------------------------------------------------------------------------------


@px.kernel
def fills(k: px.Builder, z: px.ptr[u32]):
    z[k.tid.x] = k.constant("table", u32, [3, 1, 4])[k.tid.x % 3] + k.global_("offset", u32, values=[10])[0]


@px.kernel
def sums(k: px.Builder, z: px.ptr[u32]):
    offset = k.global_("offset", u32, values=[10])
    offset[0] = offset[0] + k.constant("table", u32, [3, 1, 4])[2]


def test_entries_share_the_module_s_variables(dev):
    module = px.module(fills, sums, target="sm_75", strict=True)
    assert [v.name for v in module.variables] == ["table", "offset"]
    kernels, z = dev.load(module), dev.zeros(3, u32)
    kernels["sums"].launch(1, 1, (z,))
    kernels["fills"].launch(1, 3, (z,))
    assert z.numpy().tolist() == [17, 15, 18]


def test_the_same_kernel_twice_has_two_names():
    module = px.module(saxpy, saxpy.using(unroll=2))
    assert [entry.name for entry in module.entries] == ["saxpy", "saxpy_1"]


# ---- launch bounds ---------------------------------------------------------------------------------------------------


@px.kernel(max_threads=lambda threads: threads, min_ctas=2)
def bounded(k: px.Builder, z: px.ptr[u32], *, threads: int):
    z[k.tid.x] = 1


def test_launch_bounds_may_follow_from_compile_time_parameters():
    text = str(bounded.module(threads=96))
    assert ".maxntid 96" in text
    assert ".minnctapersm 2" in text


def test_fixed_sizes_registers_and_clusters():
    @px.kernel(threads=(8, 8), max_registers=64, cluster=2)
    def fixed(k: px.Builder): ...

    text = str(fixed.module(target="sm_90a", strict=True))
    for directive in (".reqntid 8, 8", ".maxnreg 64", ".reqnctapercluster 2"):
        assert directive in text
    with pytest.raises(px.VerifyError, match="reqnctapercluster needs target sm_90"):
        fixed.module(target="sm_80")


def test_kernels_are_built_in_threads_at_the_same_time():
    texts = []
    together = threading.Barrier(4)

    def build():
        together.wait()
        texts.extend(str(saxpy.module(target="sm_75")) for _ in range(10))

    threads = [threading.Thread(target=build) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts) == 40
    assert len(set(texts)) == 1


def test_these_kernels_assemble(assembles):
    assembles([saxpy, parameters_of_every_size, fills, sums, bounded.using(threads=64)])
    assembles([scales.using(element=f16, result=f32)])


# ---- as many parameters as a tuple of types says ---------------------------------------------------------------------


@px.func
def total_of(k: px.Builder, *more: E, types: tuple[type[E], ...] = ()) -> f32:
    total = k.const(f32, 0)
    for each in more:
        total = total + each.to(f32)
    return total


@px.kernel
def sum_of(k: px.Builder, out: px.ptr[f32], *more: E, types: tuple[type[E], ...] = ()):
    values = [each[k.tid.x] if isinstance(each, px.ptr) else each for each in more]
    out[k.tid.x] = total_of(*values, types=tuple(type(value) for value in values))


def test_a_kernel_and_a_function_take_as_many_parameters_as_there_are_types(dev):
    x, y, out = dev.array(np.arange(4, dtype=np.float32)), dev.array(np.arange(4, dtype=np.uint32)), dev.zeros(4, f32)
    sum_of.using(types=(px.ptr[f32], u32, px.ptr[u32]))[1, 4](out, x, 7, y)
    assert out.numpy().tolist() == [7, 9, 11, 13]
    sum_of[1, 4](out)
    assert out.numpy().tolist() == [0, 0, 0, 0]
    assert ".param .u32 more_1" in sum_of.using(types=(px.ptr[f32], u32)).ptx()


@pytest.mark.parametrize("types", [f32, (3,), [f32], None])
def test_types_of_parameters_are_a_tuple(types):
    with pytest.raises(px.BuildError, match=r"compile-time parameter 'types' is(.|\n)*a tuple of device types"):
        sum_of.using(types=types).ptx()


def test_a_launch_with_another_number_of_arguments(dev):
    with pytest.raises(px.Error, match="takes 2"):
        sum_of.using(types=(f32,))[1, 4](dev.zeros(4, f32))


@px.func
def shifted_total(k: px.Builder, start: u32 = 3, *more: E, types: tuple[type[E], ...] = ()) -> u32:
    total = k.var(u32, start)
    for each in more:
        total += each * 100
    return total


def test_a_default_is_not_one_of_the_further_parameters(dev):
    """It had been passed as the last of them."""

    @px.kernel
    def totals(k: px.Builder, out: px.ptr[u32]):
        out[0] = shifted_total()
        out[1] = shifted_total(k.const(u32, 7), k.const(u32, 9), types=(u32,))

    @px.kernel
    def short(k: px.Builder, out: px.ptr[u32]):
        out[0] = shifted_total(k.const(u32, 7), types=(u32,))

    out = dev.zeros(2, u32)
    totals[1, 1](out)
    assert out.numpy().tolist() == [3, 907]
    with pytest.raises(px.BuildError, match="takes 2 arguments, not 1"):
        short.ptx()
