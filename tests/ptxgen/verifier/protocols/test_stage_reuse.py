"""Stages that a loop fills again: found where nothing in it waits for those that read, silent where anything does."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify

HEAD = """.version 8.0
.target sm_90a
.address_size 64
.shared .align 128 .b8 tiles[4096]; .shared .align 8 .b64 full[4]; .shared .align 8 .b64 empty; .shared .align 4 .b32 flag;
.entry k(.param .u64 a, .param .u32 n)
.reqntid 64
{
.reg .pred %p<12>; .reg .b32 %r<20>; .reg .b64 %rd<4>; .reg .f32 %f<4>;
ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0; setp.lt.u32 %p2, %r2, 32;
and.b32 %r3, %r2, 31; setp.eq.u32 %p3, %r3, 0;
@!%p1 bra READY;
mbarrier.init.shared::cta.b64 [full], 1; mbarrier.init.shared::cta.b64 [full+8], 1; mbarrier.init.shared::cta.b64 [full+16], 1;
mbarrier.init.shared::cta.b64 [full+24], 1; mbarrier.init.shared::cta.b64 [empty], 1; fence.mbarrier_init.release.cluster;
READY: bar.sync 0;
"""
WAIT = "{name}: mbarrier.try_wait.parity.shared::cta.b64 %p9, [{bar}], {parity};\n@!%p9 bra {name};\n"
ROLES = (
    """
@%p2 bra READER;
@!%p3 bra END;
mov.u32 %r4, 0; mov.u32 %r5, 0; mov.u32 %r6, tiles; mov.u32 %r7, full;
{before}
FILL:
{wait}
mad.lo.u32 %r8, %r5, 1024, %r6; mad.lo.u32 %r9, %r5, 8, %r7;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], 1024;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r8], [%rd1], 1024, [%r9];
add.u32 %r5, %r5, 1; and.b32 %r5, %r5, {mask};
add.u32 %r4, %r4, 1; setp.lt.u32 %p4, %r4, {iterations};
@%p4 bra FILL;
{behind}
bra END;
READER:
"""
    + WAIT.format(name="FULL", bar="full", parity=0)
    + """
ld.shared.f32 %f1, [tiles]; st.global.f32 [%rd1], %f1;
{give}
END:
ret;
}}
"""
)
GIVE = "@%p3 mbarrier.arrive.shared::cta.b64 _, [empty];"


OWN = WAIT.format(name="OWN", bar="full", parity="%r10") + "xor.b32 %r10, %r10, 1;"


def found(body: str) -> list[str]:
    return [finding.message for finding in verify(parse(HEAD + body)) if finding.code == "PTX548"]


def roles(
    wait: str = "", iterations: str = "%r1", mask: int = 3, before: str = "", behind: str = "", give: str = GIVE
) -> str:
    return ROLES.format(wait=wait, iterations=iterations, mask=mask, before=before, behind=behind, give=give)


SAID = (
    "iteration {} of the loop fills tiles, as iteration 1 did, "
    "and has not waited for those that read it: ld.shared.f32 at <ptx>:"
)


@pytest.mark.parametrize(
    "body, iteration",
    [
        (roles(), 5),
        (roles(iterations="9"), 5),
        (roles(mask=1), 3),
        (roles(mask=0), 2),
        (roles(give=""), 5),  # there is nothing that it could wait for
        # a wait for what it has filled itself says nothing of others
        (roles(mask=0, before="mov.u32 %r10, 1;", wait=OWN), 2),
        (roles(wait="bar.warp.sync -1;"), 5),
        (roles(wait="shfl.sync.idx.b32 %r11, %r4, 0, 31, 1;"), 5),
        (roles(behind="bar.sync 1, 64;"), 5),
    ],
)  # fmt: skip
def test_a_refill_that_waits_for_nobody(body: str, iteration: int) -> None:
    (message,) = found(body)
    assert message.startswith(SAID.format(iteration))


@pytest.mark.parametrize(
    "body",
    [
        roles(wait=WAIT.format(name="EMPTY", bar="empty", parity="%r10")),
        roles(iterations="4"),  # each stage once
        roles(iterations="2"),
        roles(before="min.u32 %r12, %r1, 4;", iterations="%r12"),  # no more than there are stages
        roles(before="setp.lt.u32 %p5, %r1, 4; selp.u32 %r12, %r1, 4, %p5;", iterations="%r12"),
        roles(wait="bar.sync 1, 64;"),
        roles(wait="barrier.cluster.arrive; barrier.cluster.wait;"),
        roles(wait="SPIN: ld.acquire.cta.shared.u32 %r11, [flag]; setp.lt.u32 %p5, %r11, %r4;\n@%p5 bra SPIN;"),
        roles(wait="SPIN: ld.volatile.shared.u32 %r11, [flag]; setp.lt.u32 %p5, %r11, %r4;\n@%p5 bra SPIN;"),
        roles(wait="SPIN: atom.shared.add.u32 %r11, [flag], 0; setp.lt.u32 %p5, %r11, %r4;\n@%p5 bra SPIN;"),
        roles().replace("and.b32 %r5, %r5, 3;", "rem.u32 %r5, %r5, %r1;"),  # who knows
        roles().replace("ld.shared.f32 %f1, [tiles]", "mov.f32 %f1, 0f00000000"),  # nobody reads
        # another loop of copies into it waits: the first one fills what is free
        roles(wait=WAIT.format(name="EMPTY", bar="empty", parity="%r10"), before=(
            "FIRST: mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 1024;\n"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tiles], [%rd1], 1024, [full];\n"
            "add.u32 %r4, %r4, 1; setp.lt.u32 %p4, %r4, %r1;\n@%p4 bra FIRST;\n"
        )),
    ],
)  # fmt: skip
def test_one_that_does_or_is_none(body: str) -> None:
    assert found(body) == []


TOGETHER = """
mov.u32 %r4, 0; mov.u32 %r10, 0;
NEXT:
{fills} mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 1024;
{fills} cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tiles], [%rd1], 1024, [full];
FULL: mbarrier.try_wait.parity.shared::cta.b64 %p9, [full], %r10;
@!%p9 bra FULL;
{reads} ld.shared.f32 %f1, [tiles];
{step}
xor.b32 %r10, %r10, 1; add.u32 %r4, %r4, 1; setp.lt.u32 %p4, %r4, {iterations};
@%p4 bra NEXT;
st.global.f32 [%rd1], %f1;
ret;
}}
"""


@pytest.mark.parametrize(
    "fills, reads, step, iterations, races",
    [
        ("@%p1", "", "", "%r1", True),
        ("@%p1", "@!%p1", "", "%r1", True),
        ("@%p1", "@!%p1", "", "2", True),
        ("@%p1", "@!%p1", "", "1", False),
        ("@%p1", "@%p1", "", "%r1", False),  # the thread itself
        ("@%p1", "", "bar.sync 0;", "%r1", False),
        ("@%p1", "", "bar.warp.sync -1;", "%r1", False),  # perhaps each warp has its own
        ("@%p1", "", "bar.red.popc.u32 %r11, 0, %p1;", "%r1", False),
    ],
)
def test_one_loop_for_both(fills: str, reads: str, step: str, iterations: str, races: bool) -> None:
    assert bool(found(TOGETHER.format(fills=fills, reads=reads, step=step, iterations=iterations))) is races
