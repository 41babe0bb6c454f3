"""Metadata of a sparse A, which wgmma reads until it is done: an H200 takes words that a loop has loaded for its next step."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify

PTX = """.version 8.2
.target sm_90a
.address_size 64
.shared .align 1024 .b8 tile[8192];
.entry k(.param .u64 a, .param .u32 n)
.reqntid 128
{
.reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .f32 %f<4>;
ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0; mov.u32 %r4, tile;
LOOP: ld.shared.u32 %r3, [%r4+4096];
wgmma.fence.sync.aligned;
setp.ne.u32 %p0, %r2, 0;
wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd2, %rd3, %r3, 0, %p0, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned LEFT;
add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;
wgmma.wait_group.sync.aligned 0; st.global.f32 [%rd1], %f0;
ret;
}
"""


@pytest.mark.parametrize("left, lines", [(0, []), (1, [10])])
def test_words_are_not_written_before_the_products_are_done(left: int, lines: list[int]) -> None:
    found = [each for each in verify(parse(PTX.replace("LEFT", str(left)))) if each.code == "PTX541"]
    assert [each.locations[0].line for each in found] == lines


def test_words_need_no_fence() -> None:
    """The manual orders accumulators and fragments of A by wgmma.fence; an H200 gives right sums with words loaded behind it."""
    late = PTX.replace("LEFT", "0").replace("setp.ne.u32 %p0", "ld.shared.u32 %r3, [%r4+4096]; setp.ne.u32 %p0")
    assert not [each for each in verify(parse(late)) if each.code == "PTX540"]
