"""Conversions of vectors: two lanes an instruction, and every lane what the conversion of one value gives."""

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, e5m2, f16, f32, u8, u16, u32

SPECIAL = [0x0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00001, 0xFF800001, 0x1, 0x33000000, 0x477FF000, 0x3F808000]
NARROW = {bf16: "cvt.rn.bf16x2.f32", f16: "cvt.rn.f16x2.f32"} | {
    type_: f"cvt.rn.satfinite.{type_.isa.name}x2.f32" for type_ in (e4m3, e5m2)
}


def narrowing(result, lanes, source=f32):
    bits = u16 if result.isa.bits == 16 else u8

    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[u32], whole: px.ptr[bits], single: px.ptr[bits], taken: px.ptr[bits]):
        i = k.tid.x
        values = [x[i * lanes + lane].bits(f32).to(source) for lane in range(lanes)]
        v = px.vec[source, lanes](tuple(values)).to(result)
        whole.cast(result).vectors(lanes)[i] = v
        with k.if_(i >= 1):
            taken.cast(result)[i * lanes] = v[0]
        for lane, value in enumerate(values):
            single.cast(result)[i * lanes + lane] = value.to(result)
            with k.if_(i + lane >= 1):
                taken.cast(result)[i * lanes + lane] = v[lane]
        with k.if_(i < 1):
            taken.cast(result)[0] = v[0]

    return kernel


@pytest.mark.parametrize("result", NARROW)
@pytest.mark.parametrize("lanes", [2, 4])
@pytest.mark.parametrize("source", [f32, f16, bf16])
def test_a_vector_s_lanes_are_converted_as_values_are(dev, run, result, lanes, source):
    random = np.random.default_rng(lanes).integers(0, 1 << 32, 54, np.uint32)
    x = np.concatenate([np.array(SPECIAL, np.uint32), random])
    bits = u16 if result.isa.bits == 16 else u8
    outputs = [dev.zeros(len(x), bits) for _ in range(3)]
    _, whole, single, taken = run(narrowing(result, lanes, source), dev.array(x, u32), *outputs, block=len(x) // lanes)
    assert np.array_equal(whole, single)
    assert np.array_equal(taken, single)


@pytest.mark.parametrize("result", NARROW)
@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "sm_100a"])
def test_one_instruction_converts_and_one_stores(result, target):
    if result.isa.bits == 8 and target == "sm_80":
        target = "sm_89"

    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[f32], y: px.ptr[result]):
        y.vectors(4)[0] = x.vectors(4)[0].to(result)

    text = kernel.ptx(target=target)
    assert text.count(NARROW[result]) == 2
    assert f"st.global.v2.b{2 * result.isa.bits}" in text
    assert "mov.b32" not in text


def test_packed_conversions_assemble(assembles):
    @px.kernel
    def sixteen(k: px.Builder, x: px.ptr[f32], y: px.ptr[bf16], z: px.ptr[f16]):
        y.vectors(4)[k.tid.x] = x.vectors(4)[k.tid.x].to(bf16)
        z.vectors(2)[k.tid.x] = x.vectors(2)[k.tid.x].to(f16)

    @px.kernel
    def eight(k: px.Builder, x: px.ptr[f32], y: px.ptr[e4m3], z: px.ptr[e5m2]):
        y.vectors(4)[k.tid.x] = x.vectors(4)[k.tid.x].to(e4m3)
        z.vectors(2)[k.tid.x] = x.vectors(2)[k.tid.x].to(e5m2)

    assembles([sixteen], ["sm_75", "sm_80", "sm_90a", "sm_100a"])
    assembles([eight], ["sm_89", "sm_90a", "sm_100a"])
