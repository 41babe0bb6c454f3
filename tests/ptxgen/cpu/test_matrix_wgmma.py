"""wgmma on the executor: what it does with mistakes.

Products are in test_matrix_floats.py, descriptors and swizzles in tests/ptxgen/device/test_layouts.py.
"""

from __future__ import annotations

import pytest

from ptxgen.cpu import KernelFault
from ptxgen.isa.layouts import WgmmaDescriptor
from tests.ptxgen.cpu.machine import BASE, FAST, run

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
    with pytest.raises(KernelFault, match=r"wgmma reads 16 bytes at 0x200 of \.shared memory, which has 512 bytes") as caught:
        run(body(WgmmaDescriptor(256, 256, 128)), words=512, block=(128, 1, 1))
    assert (caught.value.kind, caught.value.space, caught.value.address) == ("illegal address", "shared", 512)


def test_a_warp_that_is_not_whole():
    with pytest.raises(KernelFault) as caught:
        run(body(WgmmaDescriptor(0, 128, 128), "@%p1"), words=512, block=(128, 1, 1))
    assert caught.value.kind == "deadlock"
    assert (3, 0xF) in [(w.warp, w.lanes) for w in caught.value.waiting]
