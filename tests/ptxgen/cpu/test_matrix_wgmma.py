"""wgmma: a loop over tiles that tensor copies bring, on both devices; and what the executor does with mistakes.

Sums are in test_matrix_floats.py, descriptors and swizzles in tests/ptxgen/host/test_layouts.py.
"""

from __future__ import annotations

import numpy as np
import pytest

import driver_ctypes as dc
import ptxgen as px
from ptxgen import b64, bf16, f32, u64
from ptxgen.cpu import KernelFault
from ptxgen.isa.layouts import SharedTile, WgmmaDescriptor, layout
from tests.ptxgen.cpu.machine import BASE, FAST, run

SIDE = 64
TILE = SharedTile(SIDE, SIDE, "bf16", "K", "128B")
SUMS = layout("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16.d")


@px.kernel(threads=128)
def product(k: px.Builder, a: px.TensorMap, b: px.TensorMap, d: px.ptr[f32], *, tiles: int):
    """A 64 x 64 tile of D = A B^T for each CTA: two tiles at a time by the tensor memory accelerator, four wgmma for them."""
    left, right = (k.shared(bf16, (SIDE, SIDE), align=1024) for _ in range(2))
    full = k.shared(b64, 1)
    with k.if_(k.tid.x == 0):
        k.ptx.mbarrier.init.shared__cta.b64(full, 1)
        k.ptx.fence.mbarrier_init.release.cluster()
    k.barrier()
    sums = tuple(k.var(f32, 0) for _ in range(32))
    with k.range(tiles) as tile:
        with k.if_(k.tid.x == 0):
            k.ptx.mbarrier.arrive.expect_tx.shared__cta.b64(px.sink, full, 2 * TILE.bytes)
            load = k.ptx["cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"]
            load(left, [a, (tile * SIDE, k.ctaid.y * SIDE)], full)
            load(right, [b, (tile * SIDE, k.ctaid.x * SIDE)], full)

        def not_yet(parity=tile % 2):
            done = k.var(px.pred)
            k.ptx.mbarrier.try_wait.parity.shared__cta.b64(done, full, parity)
            return ~done

        with k.while_(not_yet):
            pass
        k.ptx.wgmma.fence.sync.aligned()
        for column in range(0, SIDE, 16):
            part = TILE.wgmma(0, column=column).encode()
            one, other = ((shared.address >> 4).to(u64) + part for shared in (left, right))
            k.ptx.wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16(sums, one, other, 1, 1, 1, 0, 0)
        k.ptx.wgmma.commit_group.sync.aligned()
        k.ptx.wgmma.wait_group.sync.aligned(0)
        k.barrier()
    row = k.ctaid.y * SIDE + k.tid.x // 32 * 16 + k.lane // 4
    column = k.ctaid.x * SIDE + k.lane % 4 * 2
    for register, value in enumerate(sums):
        at = SUMS.element(0, register)
        d[(row + at.row) * (2 * SIDE) + column + at.column] = value


@pytest.mark.parametrize("tiles", [1, 3])
def test_tiles_by_tensor_copies(device_name, tiles):
    dev = px.device(device_name)
    if dev.target != "sm_90a":
        pytest.skip(f"wgmma is an instruction of sm_90a; this device is {dev.target}")
    random = np.random.default_rng(tiles)
    x, y = (random.integers(-8, 9, (2 * SIDE, tiles * SIDE)).astype(np.float32) for _ in range(2))
    a, b = (dev.array(m, bf16) for m in (x, y))
    maps = [dc.tensor_map(m, "bf16", shape=(tiles * SIDE, 2 * SIDE), box=(SIDE, SIDE), swizzle="128B") for m in (a, b)]
    d = dev.zeros((2 * SIDE, 2 * SIDE), f32)
    product[(2, 2), 128](*maps, d, tiles=tiles)
    np.testing.assert_array_equal(d.numpy(), x @ y.T)


TIERS = pytest.mark.parametrize("options", [BASE, FAST], ids=["base", "fast"])


def body(descriptor: WgmmaDescriptor, guard: str = "") -> str:
    """Ones times ones, in four warps: A in registers, B in 512 bytes of shared memory, to which %r1 points."""
    return f"""
	.shared .align 128 .b8 s[512];
	mov.u32 %r1, s; mad.lo.u32 %r1, %t, 4, %r1;
	mov.b32 %r2, 0x01010101; st.shared.b32 [%r1], %r2;
	bar.sync 0;
	mov.b32 %r3, 100; mov.b32 %r4, 200; mov.b32 %r5, 300; mov.b32 %r6, 400;
	wgmma.fence.sync.aligned;
	setp.lt.u32 %p1, %t, 100;
	mov.u64 %d1, {descriptor.encode()};
	{guard} wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {{%r3, %r4, %r5, %r6}}, {{%r2, %r2, %r2, %r2}}, %d1, 1;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;
	mad.wide.u32 %d1, %t, 16, %out;
	st.global.v4.b32 [%d1], {{%r3, %r4, %r5, %r6}};"""


@TIERS
def test_every_warp_computes_its_rows(options):
    result = run(body(WgmmaDescriptor(0, 128, 128)), words=512, block=(128, 1, 1), options=options)
    assert result.s32 == [132, 232, 332, 432] * 128


def test_a_descriptor_that_leads_outside_of_shared_memory():
    with pytest.raises(
        KernelFault, match=r"wgmma reads 16 bytes at 0x200 of \.shared memory, which has 512 bytes"
    ) as caught:
        run(body(WgmmaDescriptor(256, 256, 128)), words=512, block=(128, 1, 1))
    assert (caught.value.kind, caught.value.space, caught.value.address) == ("illegal address", "shared", 512)


def test_a_warp_that_is_not_whole():
    with pytest.raises(KernelFault) as caught:
        run(body(WgmmaDescriptor(0, 128, 128), "@%p1"), words=512, block=(128, 1, 1))
    assert caught.value.kind == "deadlock"
    assert (3, 0xF) in [(w.warp, w.lanes) for w in caught.value.waiting]
