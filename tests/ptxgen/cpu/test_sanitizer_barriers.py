"""synccheck: barriers without all whom they count, mbarriers that begin twice; and racecheck of mbarriers themselves."""

from __future__ import annotations

import pytest

from tests.ptxgen.cpu.sanitized import watch

MBARRIER = """
	.shared .align 8 .b64 full; .shared .align 8 .b64 empty;
	setp.eq.u32 %p1, %t, 0;
	"""

MISTAKES = {
    "some threads have exited": (
        """
	setp.ge.u32 %p1, %t, 40; @%p1 exit;
	bar.sync 0; // A""",
        "barrier after an exit",
        "barrier 0 is for all threads of the CTA, and 24 of them have exited",
    ),
    "a warp has exited before a reduction": (
        """
	setp.ge.u32 %p1, %t, 32; @%p1 exit;
	barrier.red.popc.aligned.u32 %r5, 3, %p2; // A""",
        "barrier after an exit",
        "barrier 3 is for all threads of the CTA, and 32 of them have exited",
    ),
    "two counts for one barrier": (
        """
	setp.ge.u32 %p1, %t, 32; @%p1 bra other;
	bar.arrive 1, 128; bra done;
other:
	bar.sync 1, 64; // A
done:""",
        "barrier counts",
        "threads at barrier 1 state another count than those who wait there: 128",
    ),
    "an mbarrier that two threads initialise": (
        MBARRIER + """
	setp.lt.u32 %p2, %t, 2;
	@%p2 mbarrier.init.shared.b64 [full], 64; // A""",
        "mbarrier initialised again",
        "writes 8 bytes at 0x0 of .shared memory (full + 0); it is a valid mbarrier, and nothing has invalidated it",
    ),
    "an mbarrier that begins anew without an end": (
        MBARRIER + """
	@%p1 mbarrier.init.shared.b64 [empty], 1; bar.sync 0;
	@%p1 mbarrier.init.shared.b64 [empty], 2; // A""",
        "mbarrier initialised again",
        "writes 8 bytes at 0x8 of .shared memory (empty + 0); it is a valid mbarrier, and nothing has invalidated it",
    ),
}  # fmt: skip


@pytest.mark.parametrize("tier", ["base", "fast"])
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found(name, tier):
    body, kind, what = MISTAKES[name]
    found = watch(body, "synccheck", block=(64, 1, 1), tier=tier)
    assert found.told == [(kind, "A", 0)]
    assert found.findings[0].what == what
    assert found.findings[0].tool == "synccheck"


CORRECT = {
    "all threads": "bar.sync 0; setp.ge.u32 %p1, %t, 40; @%p1 exit;",
    "a group behind an exit": "setp.ge.u32 %p1, %t, 32; @%p1 exit; bar.sync 1, 32; barrier.sync 2, 32;",
    "one barrier with two counts, one after the other": "bar.sync 1, 64; setp.ge.u32 %p1, %t, 32; @%p1 exit; bar.sync 1, 32;",
    "lanes of a warp behind an exit": "setp.ge.u32 %p1, %t, 40; @%p1 exit; bar.warp.sync 0xffffffff;",
    "an mbarrier with an end": MBARRIER + """
	@%p1 mbarrier.init.shared.b64 [full], 1; bar.sync 0; @%p1 mbarrier.inval.shared.b64 [full];
	bar.sync 0; @%p1 mbarrier.init.shared.b64 [full], 2; @%p1 mbarrier.init.shared.b64 [empty], 2;""",
}  # fmt: skip


@pytest.mark.parametrize("name", CORRECT)
def test_what_is_right_is_not_told(name):
    assert watch(CORRECT[name], "synccheck", block=(64, 1, 1), grid=(3, 1, 1), words=192).findings == ()


RACES = {
    "initialised, and used without a barrier": (
        MBARRIER + """
	@%p1 mbarrier.init.shared.b64 [full], 64; // A
	bar.warp.sync 0xffffffff;
	mbarrier.arrive.shared.b64 _, [full]; // B""",
        {"AB"},
    ),
    "invalidated while others may look": (
        MBARRIER + """
	@%p1 mbarrier.init.shared.b64 [full], 1; bar.sync 0;
	@%p1 mbarrier.arrive.shared.b64 _, [full];
again:
	mbarrier.try_wait.parity.shared.b64 %p2, [full], 0; // A
	@!%p2 bra again;
	setp.eq.u32 %p3, %t, 63; @%p3 mbarrier.inval.shared.b64 [full]; // B""",
        {"AB"},
    ),
    "data where the mbarrier lies": (
        MBARRIER + """
	@%p1 mbarrier.init.shared.b64 [full], 1; bar.sync 0;
	@%p1 mbarrier.arrive.shared.b64 _, [full]; // A
	setp.eq.u32 %p3, %t, 63; mov.u32 %r1, full; mov.u16 %h1, 128; @%p3 st.shared.u8 [%r1+7], %h1; // B""",
        {"AB"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RACES)
def test_a_race_about_an_mbarrier(name):
    body, pairs = RACES[name]
    found = watch(body, "racecheck", block=(64, 1, 1))
    assert {"".join(sorted(map(str, ends))) for _, *ends in found.told} == pairs
