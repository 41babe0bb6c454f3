"""Layouts that no device at hand runs (tensor memory, block scaling, 8-bit matrices): kernels that use them assemble."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import ptxgen as px
from ptxgen import b32, u16, u32, u64
from ptxgen.isa.layouts import InstructionDescriptor, SharedTile, layout, layout_names

if TYPE_CHECKING:
    from collections.abc import Callable

TENSOR_MEMORY = [
    name
    for name in layout_names("tcgen05")
    if "red" not in name.split(".") and name.split(".")[5] in ("x1", "x8", "x32")
]


def test_tensor_memory_is_moved_by_as_many_registers_as_the_layouts_have(assembler: Callable[..., Any]) -> None:
    @px.kernel(threads=128)
    def kernel(k: px.Builder, address: u32) -> None:
        for name in TENSOR_MEMORY:
            (of,) = layout(name)
            registers = tuple(k.var(b32, 0) for _ in range(of.registers))
            half = [of.shape[1] // 2] if "16x32bx2" in name else []
            if ".ld." in name:
                k.ptx[name](registers, [address], *half)
            else:
                k.ptx[name]([address], *half, registers)

    assert assembler(str(kernel.module(target="sm_100a"))).cubin


@pytest.mark.parametrize(
    "kind, type, m, cta_group, major",
    [
        ("f16", "bf16", 128, 1, "K"), ("f16", "f16", 256, 2, "MN"), ("tf32", "tf32", 64, 1, "K"), ("f8f6f4", "e4m3", 128, 2, "K"),
        ("i8", "s8", 128, 1, "MN"),
    ],
)  # fmt: skip
def test_descriptors_of_tcgen05_mma(
    kind: str, type: str, m: int, cta_group: int, major: str, assembler: Callable[..., Any]
) -> None:
    tile_a, tile_b = SharedTile(128, 128, type, major, "64B"), SharedTile(64, 128, type, major, "64B")
    idesc = InstructionDescriptor(kind, m, 64, type, transpose_a=major == "MN", transpose_b=major == "MN")
    idesc.check_shape(cta_group)

    @px.kernel(threads=128)
    def kernel(k: px.Builder, accumulator: u32) -> None:
        enable, barrier = k.tid.x < 1, k.shared(u64, 1)
        with k.if_(enable):
            k.ptx.mbarrier.init.shared__cta.b64(barrier.at(0), 1)
        k.barrier()
        for step in range(0, 128, idesc.k):
            a, b = (k.const(u64, tile.tcgen05(1024 * n, 0, step).encode()) for n, tile in enumerate((tile_a, tile_b)))
            word = k.const(u32, idesc.encode())
            k.ptx[f"tcgen05.mma.cta_group::{cta_group}.kind::{kind}"]([accumulator], a, b, word, enable)
        k.ptx[f"tcgen05.commit.cta_group::{cta_group}.mbarrier::arrive::one.shared::cluster.b64"](barrier.at(0))

    assert assembler(str(kernel.module(target="sm_100a"))).cubin


@pytest.mark.parametrize(
    "short", ["mma.m16n8k32.mxf8f6f4", "mma.m16n8k64.mxf4nvf4.scale_vec::4X", "mma.sp.m16n8k128.mxf4"]
)
def test_block_scaled_mma(short: str, assembler: Callable[..., Any]) -> None:
    of = layout(short)
    made = {one.operand: one for one in of}

    @px.kernel(threads=32)
    def kernel(k: px.Builder, scales: u32, metadata: u32) -> None:
        sums = tuple(k.var(px.f32, 0) for _ in range(made["d"].registers))
        a, b = (tuple(k.var(b32, 0) for _ in range(made[o].registers)) for o in "ab")
        selectors = (k.const(u16, 0), k.const(u16, 0))
        sparse = [metadata, 0] if "metadata" in made else []
        k.ptx[of.name](sums, a, b, sums, *sparse, scales, selectors, scales, selectors)

    assert assembler(str(kernel.module(target="sm_120a"))).cubin


@pytest.mark.parametrize("opcode", ["ldmatrix", "stmatrix"])
def test_8_bit_matrices(opcode: str, assembler: Callable[..., Any], knows: Callable[[tuple[int, int]], None]) -> None:
    names = [name for name in layout_names(opcode) if "m8n8" not in name.split(".")]

    @px.kernel(threads=32)
    def kernel(k: px.Builder) -> None:
        tile = k.shared(b32, 256, align=128)
        for name in names:
            (of,) = layout(name)
            registers = tuple(k.var(b32, 0) for _ in range(of.registers))
            address = tile.at(k.tid.x * 4)
            k.ptx[name](*((registers, address) if opcode == "ldmatrix" else (address, registers)))

    module = kernel.module(target="sm_100a")
    knows(module.version)
    assert assembler(str(module)).cubin
