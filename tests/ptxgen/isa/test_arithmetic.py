"""How much arithmetic an instruction is."""

from __future__ import annotations

import pytest

from ptxgen.isa.arithmetic import flop_type, flops


@pytest.mark.parametrize(
    "op, expected",
    [
        ("fma.rn.f32", ("f32", 2)),
        ("add.f64", ("f64", 1)),
        ("fma.rn.bf16x2", ("f32", 4)),
        ("add.u32", ("", 0)),
        ("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", ("matrix", 16)),
        ("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", ("matrix", 64)),
        ("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16", ("matrix", 2048)),
        ("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", ("matrix", 256)),
        ("wmma.load.a.sync.aligned.row.m16n16k16.global.f16", ("", 0)),
        ("cvt.f32.f16", ("", 0)),
    ],
)
def test_floating_point_operations_of_a_thread(op: str, expected: tuple[str, float]) -> None:
    assert flops(op) == expected


@pytest.mark.parametrize(
    "op, expected",
    [
        ("fma.rn.f32", "f32"),
        ("fma.rn.bf16x2", "bf16"),
        ("add.u32", ""),
        ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "matrix bf16"),
        ("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "matrix s8"),
        ("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", "matrix f16"),
        ("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", "matrix f16"),
    ],
)
def test_the_type_of_the_numbers(op: str, expected: str) -> None:
    assert flop_type(op) == expected
