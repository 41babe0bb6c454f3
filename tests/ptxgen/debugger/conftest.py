"""A program with a loop, a call, a barrier, shared and local memory, and sessions of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import ptxgen as px
from ptxgen import u32

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.debugger import Session

LOOP = """\
.version 7.0
.target sm_80
.address_size 64
.func (.reg .b32 r) twice(.reg .b32 v)
{
	add.u32 r, v, v;
	ret;
}
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .b64 %rd<3>;
	.reg .b32 %r<7>;
	.reg .f32 %f1;
	.reg .pred %p<2>;
	.shared .align 4 .b8 tile[256];
	.local .align 4 .b8 own[8];
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r6, [n];
	mov.u32 %r1, %tid.x;
	mov.u32 %r3, 0;
L1:
	call (%r2), twice, (%r1);
	add.u32 %r3, %r3, %r2;
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p1, %r1, %r6;
	@%p1 bra L1;
	mov.u32 %r4, %tid.x;
	shl.b32 %r5, %r4, 2;
	mov.u32 %r4, tile;
	add.u32 %r4, %r4, %r5;
	st.shared.u32 [%r4], %r3;
	st.local.u32 [own+4], %r3;
	cvt.rn.f32.u32 %f1, %r3;
	bar.sync 0;
	mad.wide.u32 %rd2, %r5, 1, %rd1;
	st.global.u32 [%rd2], %r3;
	ret;
}
"""


def line_of(text: str) -> int:
    """The line of LOOP that begins with an instruction."""
    return next(number for number, line in enumerate(LOOP.splitlines(), 1) if line.strip().startswith(text))


Start = "Callable[..., Session]"


@pytest.fixture
def loop() -> Iterator[Callable[..., Session]]:
    """Starts sessions of LOOP: `loop(n, block=32, grid=1)`. `session.out` is the array that it writes. Closes them."""
    dev = px.device("cpu:sm_90a")
    kernel = dev.load(px.parse(LOOP, name="loop.ptx"))["k"]
    made: list[Any] = []

    def start(n: int = 3, block: int = 32, grid: int = 1, **options: Any) -> Session:
        out = dev.zeros(block, u32)
        session: Any = px.debug(kernel.launch, grid, block, (out, n), **options)
        session.out = out
        made.append(session)
        return session

    yield start
    for session in made:
        session.close()
