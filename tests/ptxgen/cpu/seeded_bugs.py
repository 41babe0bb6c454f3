"""Programs with one mistake each, and the same without it: what somebody must find, and where.

A row is the mistake, who finds it and how it is called, and a program in which `<<wrong|right>>` stands where the two differ.
"racecheck: race AB" is a finding whose access is at the line that ends in `// A` and whose earlier one is at `// B`;
"fault: deadlock" a fault of the launch; "verifier: PTX509" a code. To add a row, write it; the tests run all of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["BUGS", "Bug", "program"]

READY = """
	.shared .align 16 .b8 tile[2048]; .shared .align 16 .b8 next[256]; .local .align 16 .b8 mine[64];
	.shared .align 8 .b64 full; .shared .align 8 .b64 empty; .shared .align 4 .b32 box;
	mov.u32 %r1, tile; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2; xor.b32 %r4, %r3, 128;
	mad.wide.u32 %d1, %w, 4, %in; xor.b32 %r5, %w, 64; mad.wide.u32 %d2, %r5, 4, %in; setp.eq.u32 %p1, %t, 0;
"""
"""Before each body: %r3 is the thread's own word of `tile`, %r4 that of a thread of another warp; %d1 is its own word of the input,
%d2 that of a thread of another CTA; %p1 holds in thread 0."""


class Bug(NamedTuple):
    """A row; `shape` is that of the launch, 64 threads where it says nothing."""

    name: str
    found: str
    body: str
    shape: dict[str, Any] = {}  # noqa: RUF012  (never changed)


def program(bug: Bug, *, right: bool) -> str:
    """The body, with the mistake or without."""
    text = READY + bug.body
    while "<<" in text:
        before, _, rest = text.partition("<<")
        choice, _, after = rest.partition(">>")
        text = before + choice.partition("|")[2 if right else 0] + after
    return text


TWO = {"grid": (2, 1, 1)}
PAIR = {"grid": (2, 1, 1), "cluster": (2, 1, 1)}
WARP = {"block": (32, 1, 1)}

SHARED = [
    Bug("a neighbour's word is read without a barrier", "racecheck: race AB",
        "st.shared.u32 [%r3], %t; // A\n<<|bar.sync 0;>>\nld.shared.u32 %r6, [%r4]; // B\nst.global.u32 [%o], %r6;"),
    Bug("a barrier of the warp for two warps", "racecheck: race AB",
        "st.shared.u32 [%r3], %t; // A\n<<bar.warp.sync -1|bar.sync 0>>;\nld.shared.u32 %r6, [%r4]; // B\nst.global.u32 [%o], %r6;"),
    Bug("a fence in place of a barrier", "racecheck: race AB",
        "st.shared.u32 [%r3], %t; // A\n<<fence.acq_rel.cta|bar.sync 0>>;\nld.shared.u32 %r6, [%r4]; // B\nst.global.u32 [%o], %r6;"),
    Bug("lanes of a warp without bar.warp.sync", "racecheck: race AB",
        "xor.b32 %r6, %r3, 4; st.shared.u32 [%r3], %t; // A\n<<|bar.warp.sync -1;>>\nld.shared.u32 %r7, [%r6]; // B\nst.global.u32 [%o], %r7;"),
    Bug("a vote in place of bar.warp.sync", "racecheck: race AB",
        "xor.b32 %r6, %r3, 4; st.shared.u32 [%r3], %t; // A\n<<vote.sync.any.pred %p2, %p1, -1|bar.warp.sync -1>>;\nld.shared.u32 %r7, [%r6]; // B\nst.global.u32 [%o], %r7;"),
    Bug("a buffer is written again before all have read it", "racecheck: race AB",
        "st.shared.u32 [%r3], %t; bar.sync 0;\nld.shared.u32 %r6, [%r4]; // B\n<<|bar.sync 0;>>\nadd.u32 %r7, %r6, 99; st.shared.u32 [%r3], %r7; // A\nst.global.u32 [%o], %r6;"),
    Bug("all threads write one word", "racecheck: race AA",
        "<<|@%p1>> st.shared.u32 [box], %t; // A\nbar.sync 0; ld.shared.u32 %r6, [box]; st.global.u32 [%o], %r6;"),
    Bug("a sum that is no atomic", "racecheck: race AB",
        "@%p1 st.shared.u32 [box], 0; bar.sync 0;\n<<ld.shared.u32 %r6, [box]; // B\nadd.u32 %r6, %r6, 1; st.shared.u32 [box], %r6; // A\n|red.shared.add.u32 [box], 1;\n>>bar.sync 0;"),
    Bug("an atomic sum is read too soon", "racecheck: race AB",
        "@%p1 st.shared.u32 [box], 0; bar.sync 0; red.shared.add.u32 [box], %t; // A\n<<|bar.sync 0;>>\nld.shared.u32 %r6, [box]; // B\nst.global.u32 [%o], %r6;"),
    Bug("an atomic sum is set to zero beside it", "racecheck: race AB",
        "setp.eq.u32 %p2, %t, 63; @%p2 st.shared.u32 [box], 0; // B\n<<|bar.sync 0;>>\nred.shared.add.u32 [box], 1; // A"),
    Bug("halves of a word by two threads", "racecheck: race AB",
        "cvt.u16.u32 %h1, %t; xor.b32 %r6, %r3, 128; st.shared.u16 [%r3+2], %h1; // A\n<<|bar.sync 0;>>\nld.shared.u16 %h2, [%r6+2]; // B\ncvt.u32.u16 %r7, %h2; st.global.u32 [%o], %r7;"),
    Bug("a barrier for one warp of two", "racecheck: race AB",
        "shr.u32 %r6, %t, 5; add.u32 %r6, %r6, 1; st.shared.u32 [%r3], %t; // A\n<<barrier.sync %r6, 32|barrier.sync 1, 64>>;\nld.shared.u32 %r7, [%r4]; // B\nst.global.u32 [%o], %r7;"),
    Bug("bar.arrive where the reader does not wait", "racecheck: race AB",
        "setp.lt.u32 %p2, %t, 32; @!%p2 bra reader;\nst.shared.u32 [%r3], %t; // A\nbar.arrive 1, 64; bra done;\nreader:\n<<bar.arrive|bar.sync>> 1, 64; ld.shared.u32 %r6, [%r4]; // B\nst.global.u32 [%o], %r6;\ndone:"),
    Bug("a lock that is given back without a release", "racecheck: race AB",
        """@%p1 st.shared.u32 [box], 0; @%p1 st.shared.u32 [next], 0; bar.sync 0;
spin: atom.shared.cas.b32 %r6, [box], 0, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra spin;
ld.shared.u32 %r7, [next]; // B
add.u32 %r7, %r7, 1; <<atom.shared.exch.b32 %r8, [box], 0; st.shared.u32 [next], %r7; // A
|st.shared.u32 [next], %r7; atom.shared.exch.b32 %r8, [box], 0;
>>"""),
]  # fmt: skip

_LAST = """
st.global.u32 [%d1], %t; // B
{fence}
bar.sync 0;
@!%p1 bra skip;
atom{order}.global.add.u32 %r6, [%out], 1; st.shared.u32 [box], %r6;
skip: bar.sync 0; ld.shared.u32 %r6, [box]; setp.ne.u32 %p2, %r6, 1; @%p2 bra end;
ld.global.u32 %r7, [%d2]; // A
end:"""
_FLAG = """
setp.eq.u32 %p2, %w, 0; @!%p2 bra reader;
st.global.u32 [%in], 7; // B
{release}
bra done;
reader: setp.eq.u32 %p3, %w, 64; @!%p3 bra done;
wait: {acquire} %r6, [%out]; setp.eq.u32 %p4, %r6, 0; @%p4 bra wait;
ld.global.u32 %r7, [%in]; // A
done:"""

GLOBAL = [
    Bug("CTAs read what others write", "racecheck: race AB",
        "st.global.u32 [%d1], %t; // A\nbar.sync 0; ld.global.u32 %r6, [<<%d2|%d1>>]; // B", TWO),
    Bug("CTAs write one word", "racecheck: race AA",
        "<<@%p1 st|@%p1 red.global.add.u32 [%out], %r5; @!%p1 st>>.global.u32 <<[%out], %r5|[%d1], %t>>; // A", TWO),
    Bug("the last CTA adds up, without a fence", "racecheck: race AB",
        _LAST.format(fence="<<|membar.gl;>>", order=""), TWO),
    Bug("the last CTA adds up, with a fence of the CTA", "racecheck: race AB",
        _LAST.format(fence="fence.acq_rel.<<cta|gpu>>;", order=""), TWO),
    Bug("the last CTA adds up, with an atomic of the CTA", "racecheck: race AB",
        _LAST.format(fence="", order=".acq_rel.<<cta|gpu>>"), TWO),
    Bug("the last CTA adds up, and one thread counts before the others have written", "racecheck: race AB",
        _LAST.replace("bar.sync 0;", "<<|bar.sync 0;>>", 1).replace("%d2]; // A", "%d2+128]; // A").format(fence="membar.gl;", order=""), TWO),
    Bug("a flag without a release", "racecheck: race AB",
        _FLAG.format(release="st.<<relaxed|release>>.gpu.global.u32 [%out], 1;", acquire="ld.acquire.gpu.global.u32"), TWO),
    Bug("a flag that is volatile", "racecheck: race AB",
        _FLAG.format(release="<<|membar.gl;>> st.volatile.global.u32 [%out], 1;", acquire="ld.acquire.gpu.global.u32"), TWO),
    Bug("a flag of the scope of the CTA", "racecheck: race AB",
        _FLAG.format(release="st.release.<<cta|gpu>>.global.u32 [%out], 1;", acquire="ld.acquire.gpu.global.u32"), TWO),
    Bug("a flag that is read with the scope of the CTA", "racecheck: race AB",
        _FLAG.format(release="st.release.gpu.global.u32 [%out], 1;", acquire="ld.acquire.<<cta|gpu>>.global.u32"), TWO),
    Bug("a flag of the CTA without a fence", "racecheck: race AB",
        _FLAG.format(release="<<|membar.cta;>> red.global.add.u32 [%out], 1;", acquire="ld.relaxed.gpu.global.u32"), {"block": (128, 1, 1)}),
    Bug("the fence is before the write", "racecheck: race AB",
        _FLAG.replace("st.global.u32 [%in], 7; // B", "<<membar.gl;|>>\nst.global.u32 [%in], 7; // B").format(release="<<|membar.gl;>> red.global.add.u32 [%out], 1;", acquire="ld.acquire.gpu.global.u32"), TWO),
    Bug("threads of a CTA in global memory", "racecheck: race AB",
        "xor.b32 %r6, %w, 32; mad.wide.u32 %d3, %r6, 4, %in; st.global.u32 [%d1], 5; // A\n<<|bar.sync 0;>>\nld.global.u32 %r7, [%d3]; // B"),
    Bug("a plain read of what others add to", "racecheck: race AB",
        "red.global.add.u32 [%out], 1; // A\nld.<<weak|relaxed.gpu>>.global.u32 %r6, [%out]; // B", TWO),
    Bug("atomics of the scope of the CTA from two CTAs", "racecheck: race AA",
        "red.relaxed.<<cta|gpu>>.global.add.u32 [%out], 1; // A", TWO),
]  # fmt: skip

_REMOTE = """
mov.u32 %r6, box; mapa.shared::cluster.u32 %r7, %r6, 0; @%p1 st.shared.u32 [box], %w; // {first}
{between}
@%p1 ld.shared::cluster.u32 %r8, [%r7]; // {second}
barrier.cluster.arrive; barrier.cluster.wait;"""
_HANDED = """
mov.u32 %r6, %cluster_ctarank; setp.eq.and.u32 %p2, %r6, 0, %p1; setp.eq.and.u32 %p3, %r6, 1, %p1;
@%p1 mbarrier.init.shared::cta.b64 [full], 1; fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;
mov.u32 %r7, box; mapa.shared::cluster.u32 %r8, %r7, 1; mov.u32 %r7, full; mapa.shared::cluster.u32 %r9, %r7, 1;
@%p2 st.shared::cluster.u32 [%r8], 5; // B
@%p2 mbarrier.arrive{release}.shared::cluster.b64 _, [%r9];
@!%p3 bra done;
wait: mbarrier.try_wait.parity{acquire}.shared::cta.b64 %p4, [full], 0; @!%p4 bra wait;
ld.shared.u32 %r10, [box]; // A
done: barrier.cluster.arrive; barrier.cluster.wait;"""

CLUSTERS = [
    Bug("shared memory of another CTA without a barrier", "racecheck: race AB",
        _REMOTE.format(first="B", second="A", between="<<|barrier.cluster.arrive; barrier.cluster.wait;>>"), PAIR),
    Bug("a barrier of the CTA for a cluster", "racecheck: race AB",
        _REMOTE.format(first="B", second="A", between="<<bar.sync 0;|barrier.cluster.arrive; barrier.cluster.wait;>>"), PAIR),
    Bug("a relaxed barrier of the cluster", "racecheck: race AB",
        _REMOTE.format(first="B", second="A", between="barrier.cluster.arrive<<.relaxed|.release>>; barrier.cluster.wait;"), PAIR),
    Bug("an arrival across a cluster without a scope", "racecheck: race AB",
        _HANDED.format(release="<<|.release.cluster>>", acquire=".acquire.cluster"), PAIR),
    Bug("a wait across a cluster without a scope", "racecheck: race AB",
        _HANDED.format(release=".release.cluster", acquire="<<|.acquire.cluster>>"), PAIR),
    Bug("an atomic of the CTA's scope across a cluster", "racecheck: race AA",
        "@%p1 st.shared.u32 [box], 0; barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r6, box; mapa.shared::cluster.u32 %r7, %r6, 0;\nred.relaxed.<<cta|cluster>>.shared::cluster.add.u32 [%r7], 1; // A\nbarrier.cluster.arrive; barrier.cluster.wait;", PAIR),
    Bug("a CTA exits while its memory is written", "fault: cluster exited",
        "mov.u32 %r6, %cluster_ctarank; mov.u32 %r7, box; mapa.shared::cluster.u32 %r8, %r7, 0; setp.eq.u32 %p2, %r6, 0; <<@%p2 exit;|>>\nbar.sync 0; bar.sync 0; @%p1 st.shared::cluster.u32 [%r8], 1; <<|barrier.cluster.arrive; barrier.cluster.wait;>>", {**PAIR, "block": (32, 1, 1)}),
]  # fmt: skip

_STAGE = """
@%p1 mbarrier.init.shared.b64 [full], 1; bar.sync 0;
@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [full], {expected};
@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%in], 256, [full]; // B
{wait}
ld.shared.u32 %r6, [%r3]; // A
st.global.u32 [%o], %r6; bar.sync 0;"""
_WAIT = "wait: mbarrier.try_wait.parity.shared.b64 %p2, [full], {parity}; @!%p2 bra wait;"
_OUT = """
st.shared.u32 [%r3], %t; {fence} bar.sync 0;
@!%p1 bra skip;
cp.async.bulk.global.shared::cta.bulk_group [%out], [tile], 256; // B
{commit} {wait}
skip: bar.sync 0;
{after}"""
_COPY = """
cp.async.ca.shared.global [%r3], [%d1], 4; // B
{commit} {wait}
{barrier}
ld.shared.u32 %r6, [%r3]; // A
st.global.u32 [%o], %r6;"""

ASYNCHRONOUS = [
    Bug("a copy is not waited for", "asynccheck: used in flight AB", _COPY.format(commit="cp.async.commit_group;", wait="<<|cp.async.wait_group 0;>>", barrier="")),
    Bug("a copy is in no group", "asynccheck: not committed AB", _COPY.format(commit="<<|cp.async.commit_group;>>", wait="cp.async.wait_group 0;", barrier="")),
    Bug("a wait leaves one group too many", "asynccheck: used in flight AB", _COPY.format(commit="cp.async.commit_group;", wait="cp.async.wait_group <<1|0>>;", barrier="")),
    Bug("a copy of another thread, that only this one has waited for", "racecheck: race AB",
        "cp.async.ca.shared.global [%r3], [%d1], 4; // B\ncp.async.wait_all; <<|bar.sync 0;>>\nld.shared.u32 %r6, [%r4]; // A\nst.global.u32 [%o], %r6;"),
    Bug("a copy and a store to the same place", "asynccheck: overwritten in flight AB",
        "cp.async.ca.shared.global [%r3], [%d1], 4; // B\ncp.async.commit_group; <<|cp.async.wait_all;>>\nst.shared.u32 [%r3], 5; // A\ncp.async.wait_all;"),
    Bug("a bulk copy is not waited for", "asynccheck: used in flight AB", _STAGE.format(expected=256, wait="<<bar.sync 0;|" + _WAIT.format(parity=0) + ">>")),
    Bug("the other parity", "racecheck: race AB", _STAGE.format(expected=256, wait=_WAIT.format(parity="<<1|0>>"))),
    Bug("a wait that looks once", "racecheck: race AB", _STAGE.format(expected=256, wait="wait: mbarrier.try_wait.parity.shared.b64 %p2, [full], 0; <<|@!%p2 bra wait;>>")),
    Bug("fewer bytes expected than come", "fault: deadlock", _STAGE.format(expected="<<128|256>>", wait=_WAIT.format(parity=0))),
    Bug("more bytes expected than come", "fault: deadlock", _STAGE.format(expected="<<512|256>>", wait=_WAIT.format(parity=0))),
    Bug("no bytes expected", "asynccheck: used in flight AB", _STAGE.replace("arrive.expect_tx.shared.b64 _, [full], {expected}", "<<arrive.shared.b64 _, [full]|arrive.expect_tx.shared.b64 _, [full], 256>>").format(wait=_WAIT.format(parity=0))),
    Bug("an arrival too few", "fault: deadlock", _STAGE.replace("[full], 1;", "[full], <<2|1>>;").format(expected=256, wait=_WAIT.format(parity=0))),
    Bug("a bulk store reads what is written again", "asynccheck: overwritten in flight AB",
        _OUT.format(fence="fence.proxy.async;", commit="cp.async.bulk.commit_group;", wait="<<|cp.async.bulk.wait_group.read 0;>>", after="add.u32 %r6, %t, 9; st.shared.u32 [%r3], %r6; // A\n@%p1 cp.async.bulk.wait_group 0;")),
    Bug("a bulk store is in no group", "asynccheck: not committed AB",
        _OUT.format(fence="fence.proxy.async;", commit="<<|cp.async.bulk.commit_group;>>", wait="cp.async.bulk.wait_group.read 0;", after="add.u32 %r6, %t, 9; st.shared.u32 [%r3], %r6; // A\n@%p1 cp.async.bulk.wait_group 0;")),
    Bug("a thread exits, and its bulk store has not ended", "asynccheck: not waited for AB",
        _OUT.format(fence="fence.proxy.async;", commit="cp.async.bulk.commit_group;", wait="", after="<<|cp.async.bulk.wait_group 0;>>\nexit; // A")),
    Bug("a bulk store without a proxy fence", "racecheck: no proxy fence AB",
        _OUT.format(fence="<<|fence.proxy.async;>>", commit="cp.async.bulk.commit_group;", wait="cp.async.bulk.wait_group 0;", after="").replace("st.shared.u32 [%r3], %t;", "st.shared.u32 [%r3], %t; // A\n", 1)),
    Bug("a proxy fence by one thread for all", "racecheck: no proxy fence AB",
        _OUT.format(fence="<<@%p1 |>>fence.proxy.async;", commit="cp.async.bulk.commit_group;", wait="cp.async.bulk.wait_group 0;", after="").replace("st.shared.u32 [%r3], %t;", "st.shared.u32 [%r3], %t; // A\n", 1)),
    Bug("a bulk store of what nobody wrote", "initcheck: uninitialised read B",
        _OUT.format(fence="fence.proxy.async;", commit="cp.async.bulk.commit_group;", wait="cp.async.bulk.wait_group 0;", after="").replace("st.shared.u32 [%r3], %t;", "<<setp.lt.u32 %p2, %t, 32; @%p2|>> st.shared.u32 [%r3], %t;")),
]  # fmt: skip

INITIALISED = [
    Bug("shared memory that nobody wrote", "initcheck: uninitialised read A", "<<|st.shared.u32 [%r3], 1;>>\nld.shared.u32 %r6, [%r3]; // A\nst.global.u32 [%o], %r6;"),
    Bug("shared memory behind what was written", "initcheck: uninitialised read A", "st.shared.u32 [%r3], 1; bar.sync 0;\nld.shared.u32 %r6, [%r3+<<4|0>>]; // A\nst.global.u32 [%o], %r6;"),
    Bug("three bytes of four", "initcheck: uninitialised read A", "cvt.u16.u32 %h1, %t; st.shared.u16 [%r3], %h1; st.shared.u8 [%r3+2], %h1; <<|st.shared.u8 [%r3+3], %h1;>>\nld.shared.u32 %r6, [%r3]; // A\nst.global.u32 [%o], %r6;"),
    Bug("one of two words", "initcheck: uninitialised read A", "@%p1 st.shared.u32 [tile], 1; <<|@%p1 st.shared.u32 [tile+4], 1;>> bar.sync 0;\nld.shared.v2.u32 {%r6, %r7}, [tile]; // A\nst.global.u32 [%o], %r6;"),
    Bug("local memory", "initcheck: uninitialised read A", "st.local.u32 [mine], %t;\nld.local.u32 %r6, [mine+<<4|0>>]; // A\nst.global.u32 [%o], %r6;"),
    Bug("an atomic sum without a beginning", "initcheck: uninitialised read A", "<<|@%p1 st.shared.u32 [box], 0;>> bar.sync 0;\nred.shared.add.u32 [box], 1; // A"),
    Bug("ldmatrix of rows that nobody wrote", "initcheck: uninitialised read A", "st.shared.u32 [%r3], %t; and.b32 %r6, %t, 7; mad.lo.u32 %r6, %r6, <<32|16>>, %r1; bar.sync 0;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r6]; // A\nst.global.u32 [%o], %r7;", WARP),
    Bug("a register before it is written", "verifier: PTX303", "<<|mov.u32 %r6, 0;>> add.u32 %r6, %r6, 1; st.global.u32 [%o], %r6;"),
]  # fmt: skip

BOUNDS = [
    Bug("the next shared array is written", "memcheck: outside its variable A", "mov.u32 %r6, next; mad.lo.u32 %r6, %t, <<4|1>>, %r6; st.shared.u8 [%r6+<<8|0>>], %h1; // A"),
    Bug("the array before it is read", "memcheck: outside its variable A", "st.shared.u32 [%r3], %t; mov.u32 %r6, next; st.shared.u32 [next+4], 1; bar.sync 0; ld.shared.u32 %r7, [%r6+<<-4|4>>]; // A\nst.global.u32 [%o], %r7;"),
    Bug("the last part of a vector", "memcheck: outside its variable A", "@%p1 st.shared.v2.u32 [tile+<<2048|2040>>], {%t, %t}; // A"),
    Bug("the next allocation", "memcheck: outside its allocation A", "mad.wide.u32 %d3, %t, 4, %out; st.global.u32 [%d3+<<1280|0>>], %t; // A"),
    Bug("no allocation at all", "fault: illegal address", "mad.wide.u32 %d3, %t, <<65536|4>>, %out; st.global.u32 [%d3], %t;"),
    Bug("an address that is no multiple of four", "fault: misaligned address", "mad.wide.u32 %d3, %t, <<2|4>>, %out; st.global.u32 [%d3], %t;"),
    Bug("beyond shared memory", "fault: illegal address", "mad.lo.u32 %r6, %t, <<256|4>>, %r1; st.shared.u32 [%r6], %t;"),
    Bug("beyond local memory", "fault: illegal address", "mov.u64 %d3, mine; mad.wide.u32 %d3, %t, <<4|0>>, %d3; st.local.u32 [%d3], %t;"),
    Bug("a parameter is written", "fault: read-only address", "mov.u64 %d4, out; cvta.param.u64 %d3, %d4; <<st.u32 [%d3], %t;|ld.u32 %r6, [%d3];>>"),
    Bug("a partial copy of more than there is", "fault: illegal address", "mad.wide.u32 %d3, %t, 16, %in; shl.b32 %r6, %t, 4; add.u32 %r6, %r6, %r1; setp.eq.u32 %p2, %t, 63; mov.u32 %r7, 16; cp.async.cg.shared.global [%r6], [%d3+<<16|0>>], 16, %r7; cp.async.wait_all;"),
]  # fmt: skip

BARRIERS = [
    Bug("a barrier after some threads have exited", "synccheck: barrier after an exit A", "setp.ge.u32 %p2, %t, 40; <<@%p2 exit;|>>\nbar.sync 0; // A"),
    Bug("two counts for one barrier", "synccheck: barrier counts A", "setp.ge.u32 %p2, %t, 32; @%p2 bra other;\nbar.arrive 1, <<128|64>>; bra done;\nother: bar.sync 1, 64; // A\ndone:"),
    Bug("a barrier in a branch", "fault: deadlock", "setp.ge.u32 %p2, %t, 32; <<@%p2 bra done;|>> barrier.sync 1, 64;\ndone:"),
    Bug("two barriers in two branches", "fault: divergent barrier", "setp.ge.u32 %p2, %t, 32; @%p2 bra other; barrier.sync 1; bra done;\nother: barrier.sync <<2|1>>;\ndone:"),
    Bug("an mbarrier is initialised twice", "synccheck: mbarrier initialised again A", "@%p1 mbarrier.init.shared.b64 [full], 1; bar.sync 0;\n<<|@%p1 mbarrier.inval.shared.b64 [full];>>\n@%p1 mbarrier.init.shared.b64 [full], 2; // A"),
    Bug("an mbarrier is initialised by two threads", "synccheck: mbarrier initialised again A", "setp.lt.u32 %p2, %t, <<2|1>>; @%p2 mbarrier.init.shared.b64 [full], 64; // A"),
    Bug("an mbarrier is used before the barrier", "racecheck: race AB", "@%p1 mbarrier.init.shared.b64 [full], 64; // B\n<<|bar.sync 0;>>\nmbarrier.test_wait.parity.shared.b64 %p2, [full], 1; // A"),
    Bug("an mbarrier is used that nobody initialised", "fault: mbarrier invalid", "<<|@%p1 mbarrier.init.shared.b64 [full], 64;>> bar.sync 0; mbarrier.arrive.shared.b64 _, [full];"),
    Bug("more arrivals than the phase has", "fault: mbarrier completes", "@%p1 mbarrier.init.shared.b64 [full], <<32|65>>; bar.sync 0; mbarrier.arrive.noComplete.shared.b64 %d3, [full], 1;"),
    Bug("a wait that nobody ends", "fault: deadlock", "@%p1 mbarrier.init.shared.b64 [full], 1; bar.sync 0; <<|@%p1 mbarrier.arrive.shared.b64 _, [full];>>\nwait: mbarrier.try_wait.parity.shared.b64 %p2, [full], 0; @!%p2 bra wait;"),
    Bug("data lies where the mbarrier is", "racecheck: race AB", "mov.u32 %r6, <<full|empty>>; @%p1 mbarrier.init.shared.b64 [full], 1; bar.sync 0;\n@%p1 mbarrier.arrive.shared.b64 _, [full]; // B\nsetp.eq.u32 %p2, %t, 63; mov.u16 %h1, 128; @%p2 st.shared.u8 [%r6+7], %h1; // A"),
    Bug("lanes that a mask does not name", "fault: member mask", "<<mov.u32 %r6, 0xffff|mov.u32 %r6, 0xffffffff>>; shfl.sync.idx.b32 %r7, %t, 0, 31, %r6; st.global.u32 [%o], %r7;", WARP),
    Bug("a flag that nobody sets", "fault: no progress", "wait: ld.volatile.global.u32 %r6, [%out+<<64|0>>]; setp.ne.u32 %p2, %t, 40; @!%p2 st.volatile.global.u32 [%out], 1; setp.eq.u32 %p3, %r6, 0; @%p3 bra wait;"),
]  # fmt: skip

BUGS = (*SHARED, *GLOBAL, *CLUSTERS, *ASYNCHRONOUS, *INITIALISED, *BOUNDS, *BARRIERS)
