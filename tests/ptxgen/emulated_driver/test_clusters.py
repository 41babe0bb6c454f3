"""Clusters through the driver: their limits, cooperative grids of them, graphs."""

from __future__ import annotations

from typing import Any

import pytest

import driver_ctypes as dc
import ptxgen as px

SOURCE = """.version 8.0
.target sm_90
.address_size 64
.visible .entry ranks{0}(.param .u64 out) {1}
{{
	.reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p; .shared .u32 sum[1];
	mov.u32 %r1, sum; st.shared.u32 [%r1], 0; mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %cluster_nctarank;
	barrier.cluster.arrive; barrier.cluster.wait;
NEXT:	sub.u32 %r3, %r3, 1; mapa.shared::cluster.u32 %r4, %r1, %r3; red.shared::cluster.add.u32 [%r4], %r2;
	setp.ne.u32 %p, %r3, 0; @%p bra NEXT;
	barrier.cluster.arrive; barrier.cluster.wait;
	ld.shared.u32 %r5, [%r1]; mov.u32 %r6, %ctaid.x; ld.param.u64 %d1, [out]; mad.wide.u32 %d2, %r6, 4, %d1;
	{2}
	red.global.add.u32 [%d2], %r5;
	ret;
}}
"""
GRID_BARRIER = """mov.u32 %r7, %nctaid.x; red.release.gpu.global.add.u32 [%d1+1024], 1;
ALL:	ld.acquire.gpu.global.u32 %r8, [%d1+1024]; setp.ne.u32 %p, %r8, %r7; @%p bra ALL;"""


@pytest.fixture
def context(device_name) -> Any:
    device = px.device(device_name).handle
    if device.compute_capability < (9, 0):
        pytest.skip(f"{device.name} has no clusters")
    return device.primary_context()


def loaded(context: Any, name: str = "", directive: str = "", between: str = "") -> Any:
    signature = dc.Signature([dc.Parameter("out", "u64")])
    return context.load(SOURCE.format(name, directive, between), signatures={f"ranks{name}": signature})


def words(context: Any, out: Any, count: int) -> list[int]:
    found = bytearray(4 * count)
    context.copy_to_host(found, out)
    return [int.from_bytes(found[i : i + 4], "little") for i in range(0, 4 * count, 4)]


@pytest.mark.parametrize("size", [2, 8, 16])
def test_sizes(context, size):
    """More than 8 CTAs need the attribute NON_PORTABLE_CLUSTER_SIZE_ALLOWED, which driver_ctypes sets."""
    with loaded(context) as module, context.alloc(2048) as out:
        context.memset(out, 0, 2048)
        module.function("ranks").launch(2 * size, 1, out.pointer, cluster=size)
        assert words(context, out, 2 * size) == [sum(range(size))] * (2 * size)


def test_the_kernels_own_limits(context):
    with loaded(context, "4", ".maxclusterrank 4") as module, context.alloc(2048) as out:
        context.memset(out, 0, 2048)
        module.function("ranks4").launch(4, 1, out.pointer, cluster=4)
        assert words(context, out, 4) == [6] * 4
        with pytest.raises(dc.CudaError, match="INVALID_CLUSTER_SIZE"):
            module.function("ranks4").launch(8, 1, out.pointer, cluster=8)
    with loaded(context, "3", ".reqnctapercluster 3, 1, 1") as module, context.alloc(2048) as out:
        context.memset(out, 0, 2048)
        module.function("ranks3").launch(6, 1, out.pointer)
        assert words(context, out, 6) == [3] * 6


def test_a_cooperative_grid_of_clusters(context):
    """Every CTA waits for all others."""
    with loaded(context, between=GRID_BARRIER) as module, context.alloc(2048) as out:
        context.memset(out, 0, 2048)
        module.function("ranks").launch(64, 1, out.pointer, cluster=4, cooperative=True)
        assert words(context, out, 64) == [6] * 64


def test_graphs(context):
    """A captured launch keeps its cluster."""
    with loaded(context) as module, context.alloc(2048) as out:
        context.memset(out, 0, 2048)
        with context.stream() as stream:
            with stream.capture() as capture:
                module.function("ranks").launch(8, 1, out.pointer, cluster=4, stream=stream)
            with capture.graph as graph, graph.instantiate() as executable:
                executable.launch(stream)
                executable.launch(stream)
                stream.synchronize()
        assert words(context, out, 8) == [12] * 8
