"""Running instructions of tcgen05 in tests: shared and tensor memory before, tensor memory after."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.ptxgen.cpu.machine import BASE, arena, load

if TYPE_CHECKING:
    from ptxgen.cpu import LaunchOptions

Array = np.ndarray[Any, Any]
LANES = 128
CHUNK = 32


def _moves(columns: int, *, store: bool) -> str:
    """A loop between the thread's words in memory, at %mine, and its lane of tensor memory."""
    name, groups = (
        ("store" if store else "load"),
        [f"{{%v{i}, %v{i + 1}, %v{i + 2}, %v{i + 3}}}" for i in range(0, CHUNK, 4)],
    )
    registers = f"{{{', '.join(f'%v{i}' for i in range(CHUNK))}}}"
    if store:
        moves = [f"ld.global.v4.u32 {group}, [%place+{16 * i}];" for i, group in enumerate(groups)]
        moves += [f"tcgen05.st.sync.aligned.32x32b.x{CHUNK}.b32 [%i], {registers};"]
    else:
        moves = [f"tcgen05.ld.sync.aligned.32x32b.x{CHUNK}.b32 {registers}, [%i];", "tcgen05.wait::ld.sync.aligned;"]
        moves += [f"st.global.v4.u32 [%place+{16 * i}], {group};" for i, group in enumerate(groups)]
    return f"""mov.b32 %i, %quarter; mov.b64 %place, %mine; add.u32 %end, %quarter, {columns};
{name}:
	{" ".join(moves)}
	add.u32 %i, %i, {CHUNK}; add.u64 %place, %place, {4 * CHUNK};
	setp.lt.u32 %p, %i, %end;
	@%p bra {name};"""


def program(instructions: str, columns: int, shared: int, group: int) -> str:
    """A kernel of one CTA, or a pair: fills shared and tensor memory, runs `instructions` in one thread, waits, and writes back.

    They find %space (address of the shared memory), %t (of tensor memory), predicates %no and %yes, %r<20> and %d<20>.
    """
    pair = group == 2
    together = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" if pair else "bar.sync 0;"
    commit = f"tcgen05.commit.cta_group::{group}.mbarrier::arrive::one.shared::cluster"
    commit += ".multicast::cluster.b64 [bar], %both;" if pair else ".b64 [bar];"
    return f"""
.visible .entry test(.param .u64 memory, .param .u64 images){".explicitcluster .reqnctapercluster 2" if pair else ""}
{{
	.reg .b32 %v<{CHUNK}>, %t, %quarter, %thread, %r<20>, %space, %i, %end;
	.reg .b64 %mine, %image, %place, %d<20>; .reg .pred %p, %no, %yes;
	.reg .b16 %both;
	.shared .align 1024 .b8 space[{max(shared, 16)}];
	.shared .align 8 .b64 bar; .shared .b32 where;
	mov.u32 %thread, %tid.x; mov.u32 %space, space; mov.b16 %both, 3;
	mov.u32 %r0, %ctaid.x; mad.lo.u32 %r1, %r0, {LANES}, %thread;
	ld.param.u64 %mine, [memory]; mad.wide.u32 %mine, %r1, {4 * columns}, %mine;
	ld.param.u64 %image, [images]; mad.wide.u32 %image, %r0, {shared}, %image;
	setp.ne.u32 %no, %thread, %thread; setp.eq.u32 %yes, %thread, %thread;
	shl.b32 %i, %thread, 4;
fill:
	setp.ge.u32 %p, %i, {shared};
	@%p bra filled;
	cvt.u64.u32 %d0, %i; add.u64 %d0, %d0, %image; add.u32 %r2, %space, %i;
	ld.global.v4.u32 {{%v0, %v1, %v2, %v3}}, [%d0]; st.shared.v4.u32 [%r2], {{%v0, %v1, %v2, %v3}};
	add.u32 %i, %i, {16 * LANES};
	bra fill;
filled:
	setp.ne.u32 %p, %thread, 0;
	@!%p mbarrier.init.shared.b64 [bar], 1;
	setp.ge.u32 %p, %thread, 32;
	@%p bra allocated;
	tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [where], 512;
allocated:
	bar.sync 0;
	ld.shared.u32 %t, [where]; shr.u32 %quarter, %thread, 5; shl.b32 %quarter, %quarter, 21; add.u32 %quarter, %quarter, %t;
	{_moves(columns, store=True)}
	tcgen05.wait::st.sync.aligned;
	fence.proxy.async.shared::cta; tcgen05.fence::before_thread_sync;
	{together}
	tcgen05.fence::after_thread_sync;
	setp.ne.u32 %p, %r1, 0;
	@%p bra asked;
	{instructions}
	{commit}
asked:
	mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
	@!%p bra asked;
	tcgen05.fence::after_thread_sync;
	{_moves(columns, store=False)}
	{together}
	setp.ge.u32 %p, %thread, 32;
	@%p bra done;
	tcgen05.dealloc.cta_group::{group}.sync.aligned.b32 %t, 512;
done:
	ret;
}}
"""


def run(
    instructions: str,
    memory: Array,
    shared: list[bytes] | bytes = b"",
    *,
    group: int = 1,
    options: LaunchOptions = BASE,
) -> Array:
    """Tensor memory, as 32-bit words of (128 lanes, columns) or of a pair (2, 128, columns), behind `instructions`.

    `memory` is what is there before, `shared` each CTA's shared memory.
    """
    images = [shared] if isinstance(shared, bytes) else shared
    size = max((len(image) + 15) // 16 * 16 for image in images)
    columns = memory.shape[-1]
    loaded, heap = load(program(instructions, columns, size, group)), arena()
    data = np.ascontiguousarray(memory, np.uint32).tobytes()
    given = b"".join(image.ljust(size, b"\0") for image in images)
    place, source = heap.allocate(len(data)), heap.allocate(max(len(given), 16))
    try:
        view = heap.view(place, len(data))
        view[:] = data
        heap.view(source, len(given))[:] = given
        loaded.kernels["test"].launch(
            (group, 1, 1), (LANES, 1, 1), struct.pack("<QQ", place, source), options=options,
            cluster=(2, 1, 1) if group == 2 else None,
        )  # fmt: skip
        return np.frombuffer(bytes(view), np.uint32).reshape(memory.shape)
    finally:
        loaded.close()
        heap.free(place)
        heap.free(source)
