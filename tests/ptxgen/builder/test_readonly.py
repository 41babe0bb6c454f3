"""Read-only pointers: which instruction a load becomes, and that no write gets through."""

from __future__ import annotations

import re
from typing import TypeVar

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, f16, f32, f64, s8, s16, s32, s64, u8, u16, u32, u64
from ptxgen.builder.values import Value

E = TypeVar("E", bound=Value)
EVERY = [u8, s8, u16, s16, u32, s32, u64, s64, f16, bf16, f32, f64, e4m3]


@px.kernel
def copies(k: px.Builder, x: px.read_only[E], z: px.ptr[E], *, element: type[E]):
    i = k.tid.x
    z[i] = x[i]
    z.vectors(2)[i + 2] = x.at(2).vectors(2)[i]
    z[i + 12] = x.bounded(6)[i + 4]


@pytest.mark.parametrize("element", EVERY)
def test_every_load_takes_the_read_only_path(run, dev, element):
    text = str(copies.module(element=element, target=dev.target))
    loads = re.findall(r"ld\.global\S*", text)
    assert len(loads) == 3
    assert all(load.startswith("ld.global.nc.") for load in loads)
    x = dev.array(np.arange(1, 11), element)
    _, z = run(copies, x, dev.zeros(16, element), block=4, element=element)
    values = x.numpy().tolist()
    x = dev.array(np.arange(1, 11), element)
    _, z = run(copies, x, dev.zeros(16, element), block=4, element=element)
    values = x.numpy().tolist()
    assert z.tolist() == [*values[:4], *values[2:10], *values[4:6], 0, 0]


@px.kernel
def qualified(k: px.Builder, x: px.read_only[f32], z: px.ptr[f32]):
    z[0] = x.load(0, "nc")
    z[1] = x.load(1, "weak")
    z[2] = x.load(2, "cs")
    z[3] = x.load(3, "L2::128B")
    z[4] = x.cast(u32).load(4, "cg", "L2::64B").bits(f32)


def test_qualifiers_stand_where_the_manual_has_them(run):
    text = str(qualified.module(target="sm_80", strict=True))
    assert re.findall(r"ld\.global\S*", text) == [
        "ld.global.nc.f32", "ld.global.nc.f32", "ld.global.cs.nc.f32", "ld.global.nc.L2::128B.f32", "ld.global.cg.nc.L2::64B.u32",
    ]  # fmt: skip
    x = np.arange(5, dtype=np.float32)
    assert run(qualified, x, x * 0, block=1)[1].tolist() == x.tolist()


class Inputs(px.Struct):
    x: px.read_only[f32]
    n: u32


@px.func
def summed(k: px.Builder, x: px.read_only[f32], n: u32) -> f32:
    total = k.var(f32, 0)
    for i in k.range(n):
        total += x[i]
    return total


@px.kernel
def through_functions(k: px.Builder, given: Inputs, y: px.ptr[f32], z: px.ptr[f32]):
    z[0] = summed(given.x, given.n)
    z[1] = summed(y.read_only(), given.n)


def test_structures_and_device_functions(run, dev):
    text = str(through_functions.module(strict=True))
    assert re.findall(r"ld\.global\S*", text) == ["ld.global.nc.f32"]
    x = dev.array(np.arange(4, dtype=np.float32))
    _, z = run(through_functions, Inputs(x=x, n=4), np.ones(4, np.float32), np.zeros(2, np.float32), block=1)
    assert z.tolist() == [6, 4]


def test_of_shared_memory_it_is_a_plain_load():
    @px.kernel
    def shared(k: px.Builder, z: px.ptr[f32]):
        tile = k.shared(f32, 32)
        tile[k.tid.x] = 1.0
        k.barrier()
        z[0] = tile.pointer.read_only()[3]

    assert "ld.shared.f32" in str(shared.module())


@px.func
def writes(k: px.Builder, x: px.ptr[f32]) -> f32:
    x[0] = 1.0
    return x[1]


MISTAKES = [
    (lambda k, x, y: x.__setitem__(0, 1.0), r"a store through <value %rd\d+ \.u64>, which is read-only(.|\n)*px\.ptr"),
    (lambda k, x, y: x.at(3).store(k.tid.x, 1.0), r"a store through"),
    (lambda k, x, y: x.vectors(4).store(0, 1.0), r"a store through"),
    (lambda k, x, y: x.cast(u32).store(0, 1), r"a store through"),
    (lambda k, x, y: k.atomic_add(x, 0, 1.0), r"an atomic add through"),
    (lambda k, x, y: k.reduce_add(x.bounded(3), 0, 1.0), r"an atomic through"),
    (lambda k, x, y: y.read_only().store(0, 1.0), r"a store through"),
    (lambda k, x, y: x.load(0, "volatile"), r"a \.volatile load through"),
    (lambda k, x, y: x.load(0, "acquire.gpu"), r"a \.acquire load through"),
    (lambda k, x, y: k.ptx.st.global_.f32(x, y[0]), r"st\.global\.f32 writes through x, which is read-only"),
    (lambda k, x, y: k.ptx.st.global_.f32([x, 8], y[0]), r"st\.global\.f32 writes through x"),
    (lambda k, x, y: k.ptx["red.global.add.f32"](x.at(k.tid.x), y[0]), r"red\.global\.add\.f32 writes through x"),
    (lambda k, x, y: writes(x), r"writes: argument 'x' is read_only\[f32\](.|\n)*annotate x px\.read_only\[f32\]"),
    (lambda k, x, y: summed(y, 3), r"summed: argument 'x' is ptr\[f32\](.|\n)*x\.read_only\(\)"),
]  # fmt: skip


@pytest.mark.parametrize("mistake, complaint", MISTAKES)
def test_writes_are_refused(mistake, complaint):
    @px.kernel
    def wrong(k: px.Builder, x: px.read_only[f32], y: px.ptr[f32]):
        mistake(k, x, y)

    with pytest.raises(px.BuildError, match=complaint) as caught:
        wrong.module()
    assert "test_readonly.py" in str(caught.value)


def test_exact_loads_and_copies_from_it_are_well():
    @px.kernel
    def copies_in(k: px.Builder, x: px.read_only[f32], y: px.ptr[f32]):
        tile = k.shared(f32, 4, align=16)
        value = k.var(f32)
        k.ptx["cp.async.ca.shared.global"](tile.at(0), x, 16)
        k.ptx.cp.async_.wait_all()
        k.ptx.ld.global_.f32(value, x)
        y[0] = value + tile[1]

    assert "cp.async" in str(copies_in.module(target="sm_80"))


def test_a_subscript_that_is_no_type_says_so():
    with pytest.raises(TypeError, match=r"read_only\[\.\.\.\] takes a ptxgen type such as read_only\[f32\]"):
        px.read_only[int]


def test_these_kernels_assemble(assembles):
    assembles([copies.using(element=e) for e in EVERY if e is not e4m3], targets=["sm_75", "sm_90a", "sm_120"])
    assembles([through_functions])
    assembles([qualified], targets=["sm_80"])
