"""Which fences bring a generic write to the async proxy."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxgen import parse, verify

COPY = (Path(__file__).parent / "kernels" / "bulk_copy.ptx").read_text("utf-8")
FENCE = "fence.proxy.async.shared::cta; // drop: PTX560"


def codes(fence: str) -> list[str]:
    assert COPY.count(FENCE) == 1
    text = COPY.replace(FENCE, fence)
    version = text.partition(".version ")[2].partition("\n")[0]
    return [finding.code for finding in verify(parse(text.replace(f".version {version}", ".version 9.4")))]


@pytest.mark.parametrize(
    "fence",
    [
        "fence.proxy.async.shared::cta;",
        "fence.proxy.async;",
        "membar.proxy.async;",
        "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;",
    ],
)
def test_it_does(fence: str) -> None:
    assert not codes(fence)


@pytest.mark.parametrize(
    "fence",
    [
        "",
        "fence.proxy.async.global;",
        "fence.acq_rel.cta;",
        "fence.proxy.alias;",
        "fence.proxy.alias.release.sys;",
        "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster;",  # for reads alone
    ],
)
def test_it_does_not(fence: str) -> None:
    assert codes(fence) == ["PTX560"]


MATRIX = """.version 8.4
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a)
.reqntid 128
{{
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<4>; .shared .align 128 .b8 s[4096]; .shared .align 128 .b8 t[4096];
mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; mov.u32 %r3, s; mov.u32 %r4, t; add.u32 %r5, %r3, %r2;
st.shared.v4.u32 [%r5], {{%r1, %r1, %r1, %r1}};
{fence}
bar.sync 0;
{descriptor}
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f0, %f1, %f2, %f3}}, %rd1, %rd1, 0, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
ld.param.u64 %rd4, [a];
st.global.v4.f32 [%rd4], {{%f0, %f1, %f2, %f3}};
ret;
}}
"""


@pytest.mark.parametrize(
    "descriptor",
    [
        "shr.u32 %r6, %r3, 4; and.b32 %r7, %r6, 16383; cvt.u64.u32 %rd2, %r7; or.b64 %rd1, %rd2, 0x4000004000010000;",
        "and.b32 %r6, %r3, 0x3ffff; shr.u32 %r7, %r6, 4; cvt.u64.u32 %rd2, %r7; add.s64 %rd1, %rd2, 0x4000004000010000;",
        "bfe.u32 %r6, %r3, 4, 14; mov.b64 %rd1, {%r6, 0x40000040};",
        "shr.u32 %r6, %r3, 4; cvt.u64.u32 %rd2, %r6; mov.u64 %rd3, 0x4000004000010000; or.b64 %rd1, %rd2, %rd3;",
    ],
)
def test_a_matrix_descriptor_is_the_place_it_describes(descriptor: str) -> None:
    def codes(fence: str, descriptor: str) -> list[str]:
        return [finding.code for finding in verify(parse(MATRIX.format(fence=fence, descriptor=descriptor)))]

    assert codes("", descriptor) == ["PTX560"]
    assert codes("fence.proxy.async.shared::cta;", descriptor) == []
    assert codes("", descriptor.replace("%r3", "%r4")) == []  # another variable


STORE = """.version 8.4
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a)
{head}
{{
.reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .align 128 .b8 s[4096]; .shared .b32 count;
ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r5, %r3, %r2;
setp.eq.u32 %p1, %r1, 0; setp.lt.u32 %p2, %r1, 32; setp.lt.u32 %p3, %r1, 64; setp.eq.u64 %p4, %rd1, 0;
{body}
@!%p1 bra DONE;
{late}
cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 512;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 0;
DONE:
ret;
}}
"""
WRITE, PROXY, BARRIER = "st.shared.u32 [%r5], %r1;\n", "fence.proxy.async.shared::cta;\n", "bar.sync 0;\n"


def stored(body: str, late: str = "", head: str = ".reqntid 128") -> list[str]:
    found = verify(parse(STORE.format(head=head, body=body, late=late)))
    return [finding.message for finding in found if finding.code == "PTX560"]


@pytest.mark.parametrize(
    "body, late",
    [
        (WRITE + BARRIER, PROXY),  # thread 0 alone, behind the barrier
        (WRITE + "@%p1 " + PROXY + BARRIER, ""),
        (WRITE + "@!%p1 bra X;\n" + PROXY + "X:\n" + BARRIER, ""),
        ("@%p3 " + WRITE + "@%p2 " + PROXY + BARRIER, ""),
        ("@!%p2 " + WRITE + "@%p2 " + PROXY + BARRIER, ""),
    ],
)
def test_a_fence_of_other_threads_than_those_that_write(body: str, late: str) -> None:
    (message,) = stored(body, late)
    assert "no proxy fence behind it in the threads that write: st.shared.u32" in message


@pytest.mark.parametrize(
    "body, late",
    [
        (WRITE + PROXY + BARRIER, ""),
        (WRITE + PROXY + BARRIER, PROXY),
        (WRITE + BARRIER + PROXY + BARRIER, ""),
        (WRITE + PROXY + "barrier.cluster.arrive; barrier.cluster.wait;\n", ""),
        (WRITE + PROXY + "W: atom.shared.add.u32 %r6, [count], 0; setp.lt.u32 %p5, %r6, 128;\n@%p5 bra W;\n", ""),
        (WRITE + PROXY + "W: ld.acquire.cta.shared.u32 %r6, [count]; setp.lt.u32 %p5, %r6, 128;\n@%p5 bra W;\n", ""),
        ("@%p1 " + WRITE + PROXY, ""),  # its own
        ("@%p2 " + WRITE + PROXY + "bar.warp.sync -1;\n", ""),  # of its own warp
        ("@%p2 " + WRITE + PROXY, ""),
        ("@%p2 " + WRITE + "@%p2 " + PROXY + BARRIER, ""),
        ("@%p2 " + WRITE + "@%p3 " + PROXY + BARRIER, ""),
        ("@!%p2 bra X;\n" + WRITE + PROXY + "X:\n" + BARRIER, ""),
        ("@!%p1 bra X;\n" + WRITE + "X:\n" + BARRIER, PROXY),  # thread 0 writes and fences
        ("@%p4 " + WRITE + "@%p4 " + PROXY + BARRIER, ""),  # the same for the whole CTA
        ("elect.sync _|%p5, -1;\n@%p5 " + WRITE + "@%p5 " + PROXY + BARRIER, ""),
        ("ld.shared.u32 %r6, [%r5];\nsetp.eq.u32 %p5, %r6, 0;\n" + WRITE + "@%p5 " + PROXY + BARRIER, ""),  # who knows
    ],
)
def test_a_fence_of_the_threads_that_write(body: str, late: str) -> None:
    assert stored(body, late) == []


@pytest.mark.parametrize("head", [".reqntid 128", ".maxntid 128", ""])
@pytest.mark.parametrize("body", [WRITE + BARRIER + PROXY, WRITE + PROXY])
def test_a_fence_of_all_threads_without_a_barrier_behind_it(body: str, head: str) -> None:
    (message,) = stored(body, head=head)
    assert "behind the proxy fence of the threads that write it there is no barrier: st.shared.u32" in message


def test_in_a_loop_the_barrier_of_the_turn_before_is_none() -> None:
    step = "add.u32 %r7, %r7, 1; setp.lt.u32 %p6, %r7, 9;\n@%p6 bra TURN;\n"
    turn = (
        "mov.u32 %r7, 0;\nTURN:\n"
        + WRITE
        + PROXY
        + "{}@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 512;\n"
    )
    turn += "@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group.read 0;\n" + BARRIER
    assert stored(turn.format(BARRIER) + step) == []
    assert len(stored(turn.format("") + step)) == 1


def test_of_a_bound_on_the_threads_the_first_warp_is_sure() -> None:
    assert len(stored(WRITE + BARRIER, PROXY, head=".maxntid 128")) == 1
    assert len(stored(WRITE + "@%p2 " + PROXY + BARRIER)) == 1
    assert stored(WRITE + "@%p2 " + PROXY + BARRIER, head=".maxntid 128") == []  # launched with a warp, it is right


def test_without_a_number_of_threads_any_fence_is_believed() -> None:
    assert stored(WRITE + BARRIER, PROXY, head="") == []


ROLES = """.version 8.4
.target sm_90a
.address_size 64
.shared .align 128 .b8 pieces[4096];
.entry k(.param .u64 out)
.reqntid 384
{{
.reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<4>; .reg .f32 %f1;
ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 7; mov.f32 %f1, 0f3F800000;
setp.eq.u32 %p1, %r2, 0;
@%p1 bra DONE;
and.b32 %r3, %r1, 127; setp.eq.u32 %p2, %r3, 0;
sub.u32 %r4, %r2, 1; mov.u32 %r5, pieces; mad.lo.u32 %r5, %r4, 2048, %r5; mad.lo.u32 %r6, %r3, 16, %r5;
st.shared.v4.f32 [%r6], {{%f1, %f1, %f1, %f1}};
{fence}
{barrier}
@!%p2 bra DONE;
mad.wide.u32 %rd2, %r4, 2048, %rd1;
cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r5], 2048;
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
DONE: ret;
}}
"""


@pytest.mark.parametrize(
    "fence, barrier, found",
    [
        ("fence.proxy.async.shared::cta;", "bar.sync %r2, 128;", []),
        ("fence.proxy.async.shared::cta;", "", ["PTX560"]),
        ("", "bar.sync %r2, 128;", ["PTX560"]),
        ("fence.proxy.async.shared::cta;", "bar.warp.sync -1;", ["PTX560"]),
    ],
)
def test_each_warpgroup_stores_what_its_threads_have_written(fence: str, barrier: str, found: list[str]) -> None:
    """One thread of each of two warpgroups issues a copy, under a branch that a third does not take."""
    text = ROLES.format(fence=fence, barrier=barrier)
    assert [finding.code for finding in verify(parse(text))] == found


ROLE_CHANGES_MAP = """.version 8.4
.target sm_90a
.address_size 64
.shared .align 128 .b8 copy[128];
.shared .align 4 .b8 roles[16];
.entry k(.param .u64 map)
.reqntid 384
{{
.reg .pred %p<5>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .b16 %h1;
ld.param.u64 %rd1, [map]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5;
setp.gt.u32 %p4, %r1, 8;
@%p4 bra READY;
mov.u32 %r3, roles; add.u32 %r3, %r3, %r1; cvt.u16.u32 %h1, %r1; st.shared.b8 [%r3], %h1;
READY:
bar.sync 0;
mov.u32 %r3, roles; add.u32 %r3, %r3, %r2; ld.shared.b8 %h1, [%r3];
setp.ne.b16 %p1, %h1, 1;
@%p1 bra DONE;
and.b32 %r4, %r1, 127; setp.lt.u32 %p2, %r4, 32; setp.ne.u32 %p3, %r4, {changing};
mov.u64 %rd2, copy; mov.u32 %r5, copy; mov.u32 %r6, 0;
AGAIN:
@%p3 bra SEND;
tensormap.replace.tile.rank.shared::cta.b1024.b32 [%rd2], 1;
SEND:
bar.warp.sync -1;
@%p2 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%rd2], 128;
fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;
@%p2 cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {{%r6}}], [%r5];
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
add.u32 %r6, %r6, 1; setp.lt.u32 %p4, %r6, 4;
@%p4 bra AGAIN;
DONE: ret;
}}
"""


@pytest.mark.parametrize("changing, found", [(0, []), (31, []), (32, ["PTX563"])])
def test_a_role_of_some_warps_changes_a_map(changing: int, found: list[str]) -> None:
    """Which warps have the role is read from shared memory; which of them change the map and send it is not."""
    text = ROLE_CHANGES_MAP.format(changing=changing)
    assert [each.code for each in verify(parse(text)) if each.code == "PTX563"] == found


GUARDED_MAP = """.version 8.7
.target sm_90a
.address_size 64
.shared .align 128 .b8 copy[128];
.entry k(.param .u64 map)
.reqntid 128
{{
.reg .pred %p<3>; .reg .b32 %r<2>; .reg .b64 %rd<3>;
ld.param.u64 %rd1, [map]; mov.u64 %rd2, copy; mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 32; setp.eq.u32 %p2, %r1, {changing};
{text}
ret;
}}
"""
CHANGE = """@%p2 tensormap.replace.tile.rank.shared::cta.b1024.b32 [%rd2], 1;
@%p2 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%rd2], 6;"""
SEND = """@%p1 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%rd2], 128;
@%p1 fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;"""


@pytest.mark.parametrize("changing, text, found", [
    (0, [CHANGE, SEND], []),
    (0, [CHANGE, SEND, CHANGE, SEND], []),
    (0, [SEND, CHANGE], ["PTX563"]),
    (0, [CHANGE, SEND, CHANGE], ["PTX563"]),
    (32, [CHANGE, SEND], ["PTX563"]),
])  # fmt: skip
def test_one_thread_changes_a_map_and_its_warp_sends_it(changing: int, text: list[str], found: list[str]) -> None:
    """Triton makes a descriptor so, without a branch: all under guards, of which one implies the other."""
    module = parse(GUARDED_MAP.format(changing=changing, text="\n".join(text)))
    assert [each.code for each in verify(module) if each.code == "PTX563"] == found


WARPGROUPS = """.version 8.4
.target sm_90a
.address_size 64
.entry k(.param .u64 a)
.reqntid 384
{{
.reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .align 128 .b8 s[4096];
ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 127; shl.b32 %r3, %r2, 2; mov.u32 %r4, s; add.u32 %r5, %r4, %r3;
setp.ge.u32 %p1, %r1, {end}; @%p1 bra DONE; setp.lt.u32 %p2, %r1, {start}; @%p2 bra DONE;
{body}
setp.ne.u32 %p3, %r2, 0; @%p3 bra DONE;
cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 512; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;
DONE:
ret;
}}
"""


@pytest.mark.parametrize("start, end", [(0, 128), (128, 256), (256, 384), (128, 384)])
def test_the_warpgroup_of_a_branch_is_judged_by_itself(start: int, end: int) -> None:
    def found(body: str) -> bool:
        text = WARPGROUPS.format(start=start, end=end, body=body)
        return "PTX560" in [finding.code for finding in verify(parse(text))]

    barrier = f"bar.sync 1, {end - start};\n"
    assert not found(WRITE + PROXY + barrier)
    assert found(WRITE + barrier)
    assert found(WRITE + barrier + PROXY)
    assert found(WRITE + PROXY)


MMA = (
    "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd2, %rd2, 0, 1, 1, 0, 0;"
    " wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
)


@pytest.mark.parametrize("instruction", [MMA, "setmaxnreg.dec.sync.aligned.u32 40;"])
@pytest.mark.parametrize(
    "branch, condition, whole",
    [
        ("ge.u32 %p1, %r1, 128", "ge.u32 %p2, %r1, 192", True),  # true of all threads that are here
        ("ge.u32 %p1, %r1, 128", "ge.u32 %p2, %r1, 64", False),
        ("lt.u32 %p1, %r1, 128", "lt.u32 %p2, %r1, 64", True),
        ("lt.u32 %p1, %r1, 128", "lt.u32 %p2, %r1, 192", False),
    ],
)
def test_warpgroups_are_judged_within_their_branch(branch: str, condition: str, whole: bool, instruction: str) -> None:
    text = (
        ".version 8.4\n.target sm_90a\n.address_size 64\n.entry k()\n.reqntid 256\n.maxnreg 128\n{\n"
        ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nmov.u32 %r1, %tid.x; mov.u64 %rd2, 0;\n"
        f"setp.{branch}; @%p1 bra DONE; setp.{condition}; @%p2 bra DONE;\n{instruction}\nDONE: ret;\n}}\n"
    )
    assert ("PTX571" in [finding.code for finding in verify(parse(text))]) == (not whole)
