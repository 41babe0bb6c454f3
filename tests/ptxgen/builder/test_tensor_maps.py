"""Tensor maps as parameters, and tensor addresses in Python's spelling."""

from __future__ import annotations

import numpy as np
import pytest

import driver_ctypes as dc
import ptxgen as px
from driver_ctypes import ArgumentTypeError, ClosedError
from ptxgen import b64, f16, f32, u64

LOAD = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
STORE = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"


@px.kernel(threads=32)
def brings(k: px.Builder, source: px.TensorMap, z: px.ptr[f32]):
    """The CTA's box of 32 columns and 16 rows."""
    tile, loaded = k.shared(f32, (16, 32), align=128), k.shared(b64, 1)
    with k.if_(k.tid.x == 0):
        k.ptx.prefetch.param.tensormap(source)
        k.ptx.mbarrier.init.shared__cta.b64(loaded, 1)
        k.ptx.fence.mbarrier_init.release.cluster()
    k.barrier()
    with k.if_(k.tid.x == 0):
        k.ptx.mbarrier.arrive.expect_tx.shared__cta.b64(px.sink, loaded, 16 * 32 * 4)
        k.ptx[LOAD](tile, [source, (k.ctaid.x * 32, 0)], loaded)

    def waiting():
        done = k.var(px.pred)
        k.ptx.mbarrier.try_wait.parity.shared__cta.b64(done, loaded, 0)
        return ~done

    with k.while_(waiting):
        pass
    for row in range(16):
        z[(k.ctaid.x * 16 + row) * 32 + k.tid.x] = tile[row, k.tid.x]


@px.kernel
def every_way(k: px.Builder, m: px.TensorMap, z: px.ptr[u64]):
    tile, loaded = k.shared(f32, (16, 32), align=128), k.shared(b64, 1)
    own, word = k.var(u64), k.var(u64)
    k.ptx.mov.u64(own, m)  # the name, in .param
    k.ptx.ld.param.u64(word, [m, 8])
    k.ptx.prefetch.tensormap(m)
    k.ptx.prefetch.tensormap([m])
    k.ptx[LOAD](tile, [m.address, (0, 0)], loaded)
    k.ptx[STORE]([m, (0, 16)], tile)
    z[0] = m.address


@pytest.mark.filterwarnings("ignore::ptxgen.errors.PtxWarning")  # nobody waits
def test_the_map_is_the_base_of_an_address():
    text = str(every_way.module())
    for line in (
        "cvta.param.u64 %rd1, m;",
        "mov.u64 %rd4, m;",
        "ld.param.u64 %rd5, [m+8];",
        "prefetch.tensormap [%rd1];",
        f"{LOAD} [shared_0], [%rd1, {{0, 0}}], [shared_1];",
        f"{STORE} [%rd1, {{0, 16}}], [shared_0];",
        "st.global.u64 [%rd3], %rd1;",
    ):
        assert f"\t{line}\n" in text
    assert text.count("prefetch.tensormap [%rd1];") == 2
    assert "prefetch.param.tensormap [source];" in str(brings.module())


def test_they_assemble(assembles):
    assembles([brings], targets=["sm_90a", "sm_100a", "sm_120"])


def of(write):
    @px.kernel
    def kernel(k: px.Builder, m: px.TensorMap):
        write(k, m, k.shared(f32, (16, 32), align=128), k.shared(b64, 1))

    return kernel


@pytest.mark.parametrize(
    "write, said",
    [
        (
            lambda k, m, tile, bar: k.ptx[LOAD](tile, m, bar),
            r"2 coordinates(.|\n)*\(\[a\], \[map, \(c0, c1\)\], \[mbar\]\)",
        ),
        (lambda k, m, tile, bar: k.ptx[LOAD](tile, [m, (0, 0, 0)], bar), r"\[map, \(c0, c1\)\]"),
        (lambda k, m, tile, bar: k.ptx[LOAD](tile, [m, 0, 0], bar), r"is not an address(.|\n)*\[map, \(c0, c1\)\]"),
        (lambda k, m, tile, bar: k.ptx.elect.sync(1), r"elect.sync\(\(d:.b32, p\), membermask:.u32\)"),
        (lambda k, m, tile, bar: k.ptx.ld.shared.v4.f32(tile), r"ld.shared.v4.f32\(\(d0, d1, d2, d3\):.f32, \[a\]\)"),
        (lambda k, m, tile, bar: k.ptx.setp.eq.u32(1), r"setp.eq.u32\(p:.pred, a:.u32, b:.u32\)"),
    ],
)
def test_errors_show_python_s_spelling(write, said):
    with pytest.raises(px.BuildError, match=said):
        of(write).module()


# ---- launches --------------------------------------------------------------------------------------------------------


@px.kernel
def reads_the_map(k: px.Builder, m: px.TensorMap, z: px.ptr[u64]):
    word = k.var(u64)
    for i in range(16):
        k.ptx.ld.param.u64(word, [m, 8 * i])
        z[i] = word


def test_a_launch_takes_a_tensor_map_and_nothing_else(dev):
    if dev.handle.compute_capability < (9, 0):
        pytest.skip("no tensor maps before sm_90")
    x, z = dev.zeros((32, 64), f16), dev.zeros(16, u64)
    made = dc.tensor_map(x, "f16", shape=(64, 32), box=(64, 16))
    reads_the_map[1, 1](made, z)
    assert z.numpy().tobytes() == bytes(made)
    reads_the_map[1, 1](bytes(128), z)
    assert not z.numpy().any()
    for wrong in (bytearray(128), x, np.zeros(128, np.uint8), 5, None):
        with pytest.raises(
            ArgumentTypeError, match=r"argument 1 \(m: TensorMap\): expected a tensor map, found"
        ) as caught:
            reads_the_map[1, 1](wrong, z)
        assert "driver_ctypes.tensor_map(" in str(caught.value)
    x.close()
    with pytest.raises(ClosedError, match="closed"):
        reads_the_map[1, 1](made, z)
