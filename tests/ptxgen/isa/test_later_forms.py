"""Forms of PTX 9.1 to 9.5: where they exist, how they are read, printed and built, and what the verifier makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ptxgen as px
from ptxgen import b32, b64, sink, u32, u64, verify
from ptxgen.assembler import assemble
from ptxgen.isa.examples import declarations
from ptxgen.text import parse, print_module
from tests import ptx
from tools.certify.verdicts import Place

if TYPE_CHECKING:
    from collections.abc import Callable

    from tools.certify.verdicts import Tool

ENDS = "shared::cta.mbarrier::complete_tx"
GET = f"fabric.try_get.async.{ENDS}::bytes.mbarrier::report::fabric.relaxed.sys.b128 [%r1], [%r2, %rd1], %r3, [%r4];"
PUT = (
    f"fabric.try_put.async.{ENDS}::16B.mbarrier::report::fabric.counted::bytes.relaxed.sys.b128 "
    "[%r1, %rd1, %rd2], [%r2], 16, [%r4];"
)
ATOM = (
    f"fabric.try_atom.async.{ENDS}::16B.mbarrier::report::fabric.relaxed.sys.cas.b128 [%r1, %rd1], [%r2], [%r3], [%r4];"
)
BYTES = "mbarrier::complete_tx::bytes"
COPY = "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes"
COMMIT = "tcgen05.commit.cta_group::1.mbarrier::arrive::one"

FORMS = [
    ("cvt.rn.satfinite.s2f6x2.f32 %rs1, %f1, %f2;", "9.1", "sm_100a", "sm_100f"),
    (f"cp.async.bulk.shared::cta.global.{BYTES}.ignore_oob [%r1], [%rd1], 32, 0, 8, [%r2];", "9.2", "sm_90", "sm_80"),
    (GET, "9.3", "sm_100", "sm_90a"),
    (PUT, "9.3", "sm_100", "sm_90a"),
    ("fabric.submit;", "9.3", "sm_120", "sm_90"),
    ("fabric.wait.sync_restrict::reads;", "9.3", "sm_100", "sm_90"),
    ("multimem.st.async.release.gpu.global.f32 [%rd1], %f1;", "9.3", "sm_100", "sm_90"),
    ("multimem.red.async.release.sys.global.add.u64 [%rd1], %rd2;", "9.3", "sm_100", "sm_90"),
    ("mbarrier.init.layout::v1.shared.b64 [%r1], 1;", "9.3", "sm_90", "sm_80"),
    ("mbarrier.check_layout.layout::v1.shared::cta.b64 %p1, [%r1];", "9.3", "sm_90", "sm_80"),
    ("mbarrier.try_wait.parity.phase_type::conditional.shared.b64 %p1, [%r1], 0;", "9.3", "sm_90", "sm_80"),
    ("mbarrier.test_wait.phase_type::primary.shared.b64 %p1|%p2, %b1, [%r1], %rd1;", "9.3", "sm_90", "sm_80"),
    ("ld.mmio.acquire.sys.global.u32 %r1, [%rd1];", "9.3", "sm_75", "sm_60"),
    ("st.mmio.release.sys.u32 [%rd1], %r1;", "9.3", "sm_75", "sm_60"),
    ("red.shared.add.noftz.f32 [%r1], %f1;", "9.4", "sm_90", "sm_80"),
    ("atom.add.noftz.f32 %f1, [%rd1], %f2;", "9.4", "sm_90", "sm_80"),
    (ATOM, "9.4", "sm_100", "sm_90a"),
    ("createpolicy.range.fabric.L2::evict_last.b64 %rd1, [%r1, %rd2], %r2, %r3;", "9.4", "sm_100", "sm_90"),
    ("ld.global.u32.proxy::readonly %r1, [%rd1];", "9.4", "sm_90", "sm_80"),
    ("ld.global.nc.v4.f32.proxy::readonly {%f1, %f2, %f3, %f4}, [%rd1];", "9.4", "sm_90", "sm_80"),
    ("prefetch.global.L1::32B.valid_addr [%rd1];", "9.4", "sm_90", "sm_80"),
    ("ldmatrix.sync.aligned.m8n16.x1.shared.s8.s4 {%r1}, [%r2];", "9.4", "sm_90a", "sm_90"),
    ("tcgen05.alloc.cta_group::1.sync.aligned.exclusive.shared::cta.b32 [%r1], 512;", "9.4", "sm_100f", "sm_100"),
    ("tcgen05.dealloc.cta_group::1.sync.aligned.exclusive.b32 %r1, 512;", "9.4", "sm_110a", "sm_120a"),
    ("add.rn.e4m3x4.e4m3x4 %r1, %r2, %r3;", "9.4", "sm_100a", "sm_100f"),
    ("mul.satfinite.e5m2x4.e5m2x4.e4m3x4 %r1, %r2, %r3;", "9.4", "sm_103a", "sm_120a"),
    ("fma.e4m3x4.e4m3x4.e4m3x4 %r1, %r2, %r3, %r4;", "9.4", "sm_100a", "sm_110a"),
    ("applypriority.async.bulk.global.bulk_group.L2::evict_normal [%rd1], 128;", "9.4", "sm_107f", "sm_100f"),
    ("cp.async.bulk.prefetch.L2.global.L2::evict_last [%rd1], 128;", "9.4", "sm_107f", "sm_103a"),
    (f"{COPY}.override::global_address [%r1], [%rd1, %rd2, {{%r2, %r3}}], [%r4];", "9.4", "sm_107f", "sm_100f"),
    (f"{COMMIT}.shared::cluster.multicast::cluster::32b.b64 [%r1], %r2;", "9.4", "sm_107f", "sm_100f"),
    (f"{COMMIT}.shared::cluster.multicast::cluster::16b.b64 [%r1], %rs1;", "9.4", "sm_100a", "sm_120a"),
    ("mbarrier.arrive.release.cluster.shared::cluster.multicast::cluster::32b.b64 _, [%r1], %r2;", "9.4", "sm_107f", "sm_90"),
    ("cvt.rn.satfinite.ue5m3x2.f32 %rs1, %f1, %f2;", "9.4", "sm_107f", "sm_100a"),
    ("cvt.rz.satfinite.e4m3x2.f32 %rs1, %f1, %f2;", "9.4", "sm_107f", "sm_100a"),
    ("cvt.rn.satfinite.pzo.e4m3x2.f32 %rs1, %f1, %f2;", "9.4", "sm_107f", "sm_100a"),
    ("cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32 %rs1, %f1, %f2, %b1;", "9.4", "sm_107f", "sm_100a"),
    ("tcgen05.mma.cta_group::1.kind::ti16 [%r1], %rd1, %rd2, %r2, %p1;", "9.4", "sm_107f", "sm_103a"),
    ("tcgen05.mma.cta_group::1.kind::f16.collector::b::fill [%r1], %rd1, %rd2, %r2, %p1;", "9.4", "sm_107f", "sm_100a"),
    ("tcgen05.mma.cta_group::1.kind::f8f6f4.decompress::lut::b [%r1], %rd1, %rd2, [%r3], %r2, %p1;", "9.4", "sm_107f", "sm_100a"),
    ("tcgen05.ld.spcompress.sync.aligned.32x32b.x4.min.sp::2:4.f32.b2 {%r1}, {%r2, %r3}, [%r4];", "9.4", "sm_107a", "sm_107f"),
    ("set.lt.u8x4 %r1, %r2, %r3;", "9.4", "sm_107f", "sm_120f"),
    ("spcompress.b8.b2.sp::2:4.x1 {%r1}, {%r2}, {%r3, %r4}, %r5;", "9.4", "sm_107a", "sm_107f"),
    ("spdecompress.b8.b2.sp::2:4.x2 {%r1, %r2}, {%r3}, {%r4};", "9.4", "sm_107a", "sm_107f"),
    ("tensormap.query.alloc_class_large.global.b1024 %p1, [%rd1];", "9.5", "sm_90a", "sm_90"),
    ("fabric.submit.commit_group;", "9.5", "sm_100", "sm_90"),
    ("trace.mark 7;", "9.5", "sm_107f", "sm_103a"),
]  # fmt: skip
"""(an instruction, the first PTX version that has it, a target that has it, one that lacks it)"""


def module(line: str, version: str, target: str) -> str:
    """A kernel of that instruction alone."""
    major, minor = map(int, version.split("."))
    registers = declarations((major, minor))
    return ptx.kernel(line, ".param .b64 parameter", registers=registers, version=version, target=target)


def errors(line: str, version: str, target: str) -> list[str]:
    return [found.code for found in verify(module(line, version, target)) if found.code[:4] in ("PTX2", "PTX4")]


@pytest.mark.parametrize("line, version, has, lacks", FORMS, ids=[form[0].partition(" ")[0] for form in FORMS])
def test_it_exists_from_its_version_on_its_targets(line: str, version: str, has: str, lacks: str) -> None:
    assert errors(line, version, has) == []
    assert errors(line, "9.5", has) == []
    assert "PTX412" in errors(line, "9.5", lacks)
    before = max("9.0", f"9.{int(version[2:]) - 1}")
    if not has.startswith("sm_107") or before >= "9.4":
        assert "PTX411" in errors(line, before, has)


@pytest.mark.parametrize("line, version, has, lacks", FORMS, ids=[form[0].partition(" ")[0] for form in FORMS])
def test_the_assembler_agrees(
    line: str, version: str, has: str, lacks: str, knows: Callable[[tuple[int, int]], None]
) -> None:
    major, minor = map(int, version.split("."))
    knows((major, minor))
    result = assemble(module(line, version, has), target=has)
    assert result.cubin


@pytest.mark.parametrize("line, version, has, lacks", FORMS, ids=[form[0].partition(" ")[0] for form in FORMS])
def test_it_is_read_and_printed(line: str, version: str, has: str, lacks: str) -> None:
    text = print_module(parse(module(line, version, has)))
    assert " ".join(line.split()) in text
    assert print_module(parse(text)) == text


REFUSED = {
    GET.replace("[%r2, %rd1]", "[%r2]"): "PTX204",
    GET.replace("%rd1", "%r5"): "PTX203",
    PUT.replace("[%r1, %rd1, %rd2]", "[%r1, %rd1]"): "PTX204",
    ATOM.replace("cas.b128", "cas.f32"): "PTX201",
    ATOM.replace("cas.b128", "add.f16"): "PTX201",
    f"{COPY}.override::global_address [%r1], [%rd1, {{%r2, %r3}}], [%r4];": "PTX204",
    "trace.mark 4096;": "PTX205",
    "spcompress.b8.b2.sp::2:4.x1 {%r1}, {%r2}, {%r3}, %r5;": "PTX204",
    "ld.weak.global.u32.proxy::readonly %r1, [%rd1];": "PTX201",
    "ld.shared.u32.proxy::readonly %r1, [%rd1];": "PTX201",
    "prefetch.global.L1::32B [%rd1];": "PTX201",
    "mbarrier.try_wait.phase_type::conditional.shared.b64 %p1, [%r1], %rd1;": "PTX201",
    "add.rn.e4m3x4.f16x2 %r1, %r2, %r3;": "PTX201",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_no_form_is_refused(line: str) -> None:
    assert REFUSED[line] in errors(line, "9.5", "sm_107a")


@pytest.mark.parametrize("line", REFUSED)
def test_the_assembler_refuses_it_too(line: str, tool: Tool) -> None:
    assert tool.verdicts([line], Place((9, 5), "sm_107a")) != [None]


def test_handles_and_maps_with_parts_of_their_own_are_built(knows: Callable[[tuple[int, int]], None]) -> None:
    @px.kernel(threads=32)
    def kernel(k: px.Builder, map: u64, address: u64, endpoint: u32, offset: u64) -> None:
        tile, barrier = k.shared(b32, 256, align=128), k.shared(b64, 1)
        x, y = k.var(b32, 0), k.var(b32, 0)
        with k.if_(k.tid.x == 0):
            k.ptx.mbarrier.init.shared__cta.b64(barrier.at(0), 1)
            k.ptx.fence.mbarrier_init.release.cluster()
        k.barrier()
        with k.if_(k.tid.x == 0):
            k.ptx.mbarrier.arrive.expect_tx.shared__cta.b64(sink, barrier.at(0), 1024)
            k.ptx[GET.partition(" ")[0]](tile.at(0), [endpoint, offset], 16, barrier.at(0))
            k.ptx.fabric.submit()
            k.ptx[f"{COPY}.override::global_address"](tile.at(0), [map, address, (x, y)], barrier.at(0))
        done = k.var(px.pred, False)
        with k.while_(lambda: ~done):
            k.ptx.mbarrier.try_wait.parity.shared__cta.b64(done, barrier.at(0), 0)
        metadata, chosen = k.var(b32, 0), k.var(b32, 0)
        k.ptx.spcompress.b8.b2.sp__2_4.x1((metadata,), (chosen,), (x, y), x)

    text = str(kernel.module(target="sm_107a"))
    assert ", [%r" in text.replace("%u32_", "%r").replace("%u", "%r")
    assert "spcompress.b8.b2.sp::2:4.x1 {" in text
    knows((9, 5))
    assert assemble(text, target="sm_107a").cubin


def test_a_wait_that_reports_is_a_wait() -> None:
    line = """
    .shared .align 8 .b64 bar;
    .reg .pred %done, %one;
    mov.u32 %r2, %tid.x; setp.eq.u32 %one, %r2, 0;
    mov.u32 %r1, bar;
    @%one mbarrier.init.layout::v1.shared.b64 [%r1], 32;
    bar.sync 0;
    mbarrier.arrive.shared.b64 _, [%r1];
    WAIT: mbarrier.try_wait.parity.phase_type::primary.shared.b64 %done|%p2, %b1, [%r1], 0;
    @!%done bra WAIT;
    """
    assert [found.code for found in verify(module(line, "9.5", "sm_100")) if found.code.startswith("PTX53")] == []


def test_an_error_in_the_assemblers_own_expansion_is_a_refusal(tool: Tool) -> None:
    place = Place((9, 4), "sm_100")
    broken = ATOM.replace("cas.b128", "add.f16")
    first, second, third = tool.verdicts([ATOM, broken, ATOM], place)
    assert (first, third) == (None, None)
    assert second


def test_an_exclusive_allocation_takes_any_multiple_of_32_columns() -> None:
    line = "tcgen05.alloc.cta_group::1.sync.aligned.exclusive.shared::cta.b32 [%r1], {};"
    assert errors(line.format(96), "9.4", "sm_100a") == errors(line.format(576), "9.4", "sm_100a") == []
    assert "PTX205" in errors(line.format(40), "9.4", "sm_100a")
    assert "PTX205" in errors(line.format(96).replace(".exclusive", ""), "9.4", "sm_100a")


@pytest.mark.parametrize(
    "text", ["cvt.rn.bf16.u8 %rs1, %b1;", "cvt.rn.bf16.s8 %rs1, %b1;", "cvt.rzi.s8.bf16 %b1, %rs1;"]
)
def test_bf16_and_integers_of_8_bits(text: str) -> None:
    """PTX 7.8, though the manual's table of conversions leaves them out."""
    assert not errors(text, "7.8", "sm_90")
    assert "PTX412" in errors(text, "7.8", "sm_80")
    assert "PTX411" in errors(text, "7.7", "sm_90")
