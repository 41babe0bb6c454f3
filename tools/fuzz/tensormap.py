"""Tensor maps: any 128 bytes serve a copy or are a fault of the kernel; no map leads it out of the device's memory.

A case is a line with the kernel and the coordinates, and a line with the map as hexadecimal text.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING

from tools.fuzz._target import Target

if TYPE_CHECKING:
    from random import Random

    from driver_ctypes.memory.tensormap import ElementName

SHARED = 16384
TENSOR = 1 << 16
WAYS = ("load", "store", "reduce", "prefetch")
_HEAD = """.version 8.8
.target sm_100a
.address_size 64
"""
_KERNEL = """.visible .entry {name}(.param .u64 map, .param .u32 c0, .param .u32 c1, .param .u32 c2,
    .param .u32 c3, .param .u32 c4)
{{
    .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p;
    .shared .align 1024 .b8 tile[{shared}];
    .shared .align 8 .b64 bar;
    ld.param.u64 %d1, [map];
    ld.param.u32 %r0, [c0]; ld.param.u32 %r1, [c1]; ld.param.u32 %r2, [c2]; ld.param.u32 %r3, [c3]; ld.param.u32 %r4, [c4];
    mov.u32 %r5, tile; mov.u32 %r6, bar;
    mbarrier.init.shared.b64 [%r6], 1;
    {copy}
    {wait}
    ret;
}}
"""
_COMMIT = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"


def _copy(way: str, rank: int) -> tuple[str, str]:
    at = ", ".join(f"%r{i}" for i in range(rank))
    bulk = f"tensor.{rank}d"
    if way == "load":
        name = f"cp.async.bulk.{bulk}.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        return f"{name} [%r5], [%d1, {{{at}}}], [%r6];", ""
    if way == "store":
        return f"cp.async.bulk.{bulk}.global.shared::cta.tile.bulk_group [%d1, {{{at}}}], [%r5];", _COMMIT
    if way == "reduce":
        return f"cp.reduce.async.bulk.{bulk}.global.shared::cta.add.tile.bulk_group [%d1, {{{at}}}], [%r5];", _COMMIT
    return f"cp.async.bulk.prefetch.{bulk}.L2.global.tile [%d1, {{{at}}}];", ""


class TensorMap(Target):
    def __init__(self) -> None:
        os.environ["PTXGEN_CPU_MEMORY"] = "256M"
        import driver_ctypes as dc
        from ptxgen.cpu import Arena, compile_module
        from ptxgen.emulated_driver import open_driver
        from ptxgen.text import parse

        self.arena = Arena()
        self.tensor = self.arena.allocate(TENSOR)
        self.place = self.arena.allocate(128, 64)
        text = _HEAD
        for way in WAYS:
            for rank in range(1, 6):
                copy, wait = _copy(way, rank)
                text += _KERNEL.format(name=f"{way}{rank}", shared=SHARED, copy=copy, wait=wait)
        self.program = compile_module(parse(text), self.arena)
        dc.register_driver("cpu", open_driver, foreign_pointers=False)
        self.context = dc.driver("cpu").device(0).primary_context()

    def _right(self, rng: Random, rank: int) -> bytes:
        """A map that fits the tensor, most times."""
        import driver_ctypes as dc

        elements: tuple[tuple[ElementName, int], ...] = (("u8", 1), ("f16", 2), ("f32", 4), ("u64", 8), ("bf16", 2))
        element, size = rng.choice(elements)
        shape = [rng.choice((16, 32, 64))] + [rng.choice((1, 2, 4, 8)) for _ in range(rank - 1)]
        box = [min(shape[0], max(16 // size, 8))] + [rng.choice((1, 2)) for _ in shape[1:]]
        strides, pitch = [], shape[0] * size + (-shape[0] * size) % 16
        for extent in shape[1:]:
            strides.append(pitch)
            pitch *= extent
        made = dc.tensor_map(
            self.tensor, element, tuple(shape), tuple(box), strides=tuple(strides), context=self.context,
            swizzle=rng.choice(("none", "none", "32B", "128B")) if box[0] * size <= 32 else "none",
        )  # fmt: skip
        return bytes(made)

    def draw(self, rng: Random) -> str:
        rank = rng.randrange(1, 6)
        data = bytearray(self._right(rng, rank))
        for _ in range(rng.choice((0, 1, 1, 2, 4))):
            at = rng.randrange(72)
            change = rng.randrange(5)
            if change == 0:
                data[at] ^= 1 << rng.randrange(8)
            elif change == 1:
                data[at] = rng.randrange(256)
            elif change == 2:
                data[at & ~3 : (at & ~3) + 4] = rng.choice((bytes(4), b"\xff" * 4, b"\0\0\0\x80", rng.randbytes(4)))
            elif change == 3:  # where the tensor lies
                address = rng.choice(
                    (
                        0,
                        16,
                        (1 << 64) - 16,
                        (1 << 64) - 256,
                        1 << 47,
                        (1 << 63),
                        self.tensor + TENSOR - 16,
                        self.tensor - 16,
                    )
                )
                data[:8] = struct.pack("<Q", address)
            else:
                data[:] = rng.randbytes(128)
        rank = rank if rng.random() < 0.9 else rng.randrange(1, 6)
        numbers = (0, 0, 0, 1, 2, 7, -1, -8, 1 << 30, -(1 << 31), (1 << 31) - 1)
        at_ = [rng.choice(numbers) for _ in range(5)]
        return f"{rng.choice(WAYS)}{rank} {' '.join(map(str, at_))}\n{bytes(data).hex()}\n"

    def judge(self, case: str) -> None:
        from ptxgen.cpu import KernelFault, LaunchOptions

        head, _, data = case.strip().partition("\n")
        name, *coordinates = head.split()
        if not data or name not in self.program.kernels:
            return
        self.arena.view(self.place, 128)[:] = bytes.fromhex(data)
        for early in ("late", "early"):
            try:
                self.program.kernels[name].launch(
                    (1, 1, 1), (1, 1, 1), struct.pack("<Q5i", self.place, *map(int, coordinates)),
                    cluster=(1, 1, 1), options=LaunchOptions(tier="base", copies=early, time_limit=3.0),
                )  # fmt: skip
            except KernelFault as fault:
                str(fault)


def target() -> TensorMap:
    return TensorMap()
