"""What a profile counts, beside what one counts by hand."""

from __future__ import annotations

from typing import Any

import pytest

from ptxgen.cpu import Arena, compile_module
from ptxgen.cpu.profiler.collector import Profiler
from ptxgen.cpu.profiler.counts import Counts
from ptxgen.cpu.sanitizer.tools import Sanitizer
from ptxgen.dataflow.bodies.walk import body_of
from ptxgen.dataflow.memory.access_patterns import patterns
from ptxgen.text import parse
from tests.ptxgen.cpu.machine import BASE, HEADER, entry, run

WARP = "setp.lt.u32 %p1, %t, 10; setp.eq.u32 %p2, %t, 40;"
"""Of 64 threads, the first ten; and one of the second warp."""


def profile(body: str, *, tier: str = "base", **shape: Any) -> dict[str, Counts]:
    """What the marked instructions of `body` count, by the mark behind them."""
    profiler = Profiler()
    run(body, options=BASE.replaced(profiler=profiler, tier=tier), **shape)
    (launch,) = profiler.launches
    lines = (HEADER + shape.get("before", "") + entry("test", body)).split("\n")
    marks = {number: line.split("//")[1].strip() for number, line in enumerate(lines, 1) if "//" in line}
    found = {}
    for each in launch.instructions:
        if each.ptx_line in marks:
            assert marks[each.ptx_line] not in found, "one instruction on a marked line"
            found[marks[each.ptx_line]] = each.counts
    return found


def executions(counts: Counts) -> tuple[int, int, int]:
    return counts.warps, counts.threads, counts.active


@pytest.mark.parametrize("tier", ["base", "fast"])
def test_both_sides_of_a_branch_and_guards(tier):
    found = profile(
        WARP + """
	@%p1 add.u32 %r1, %t, 1; // guarded
	@%p1 bra FEW; // branch
	mul.lo.u32 %r2, %t, 3; // many
	bra.uni JOIN; // away
FEW:
	add.u32 %r2, %t, 7; // few
JOIN:
	mov.u32 %r3, %r2; // all""",
        block=(64, 1, 1), words=64, tier=tier,
    )  # fmt: skip
    assert {mark: executions(counts) for mark, counts in found.items()} == {
        "guarded": (2, 64, 10), "branch": (2, 64, 10), "many": (2, 54, 54), "away": (2, 54, 54), "few": (1, 10, 10),
        "all": (2, 64, 64),
    }  # fmt: skip
    assert (found["branch"].divergent, found["branch"].lanes, found["few"].lanes) == (1, 32, 10)


def test_loops_of_different_lengths_meet_behind_the_loop():
    """Thread t goes round t times, the first one once: the sum from 1 to 31, and one. A warp stays together all that time."""
    found = profile("""
	mov.u32 %r1, 0;
LOOP:
	add.u32 %r1, %r1, 1; // body
	setp.lt.u32 %p1, %r1, %t;
	@%p1 bra LOOP; // back
	mov.u32 %r2, %r1; // behind""")
    assert executions(found["body"]) == (31, 31 * 32 // 2 + 1, 31 * 32 // 2 + 1)
    assert executions(found["back"]) == (31, 497, 497 - 32)
    assert found["back"].divergent == 30
    assert executions(found["behind"]) == (1, 32, 32)


def test_choices_in_choices():
    found = profile(
        WARP + """
	@%p1 bra OUTER;
	@!%p2 bra INNER; // inner
	add.u32 %r1, %r1, 1; // one
INNER:
	add.u32 %r1, %r1, 2; // rest
OUTER:
	mov.u32 %r2, %r1; // all""",
        block=(64, 1, 1), words=64,
    )  # fmt: skip
    assert {mark: executions(counts) for mark, counts in found.items()} == {
        "inner": (2, 54, 53), "one": (1, 1, 1), "rest": (2, 54, 54), "all": (2, 64, 64),
    }  # fmt: skip
    assert found["inner"].divergent == 1


def test_functions_are_counted_over_all_their_calls():
    twice = (
        ".func (.param .b32 r) twice(.param .b32 a) {\n.reg .b32 %x; ld.param.b32 %x, [a];\nshl.b32 %x, %x, 1; // in\n"
    )
    twice += "st.param.b32 [r], %x;\nret; // return\n}\n"
    call = "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %t;\n@%p1 call (r), twice, (a); // MARK\n}"
    body = (
        "setp.lt.u32 %p1, %t, 8;" + call.replace("MARK", "first") + call.replace("MARK", "second").replace("@%p1 ", "")
    )
    found = profile(body, before=twice)
    assert executions(found["first"]) == (1, 32, 8)
    assert executions(found["second"]) == (1, 32, 32)
    assert executions(found["in"]) == executions(found["return"]) == (2, 40, 40)


def test_branches_through_a_table():
    found = profile("""
	and.b32 %r1, %t, 1; and.b32 %r2, %t, 0;
T: .branchtargets A, B;
	brx.idx %r1, T; // parts
A:
	add.u32 %r3, %r3, 1; // even
B:
	brx.idx %r2, U; // together
U: .branchtargets C, C;
C:
	mov.u32 %r4, %r3;""")
    assert (found["parts"].divergent, found["together"].divergent) == (1, 0)
    assert executions(found["even"]) == (1, 16, 16)


TILE = ".shared .align 128 .b8 tile[8192]; mov.u32 %r1, tile; mov.u64 %d9, tile; cvta.shared.u64 %d9, %d9;"
GLOBAL = {  # instruction -> requests, sectors, fewest, bytes
    "ld.global.u32 %r2, [%o];": (1, 4, 4, 128),
    "ld.global.u32 %r2, [%out];": (1, 1, 1, 128),
    "add.u64 %d1, %o, 4; ld.global.u32 %r2, [%d1];": (1, 5, 4, 128),
    "mad.wide.u32 %d1, %t, 128, %out; ld.global.u32 %r2, [%d1];": (1, 32, 4, 128),
    "mad.wide.u32 %d1, %t, 16, %out; ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d1];": (1, 16, 16, 512),
    "setp.lt.u32 %p1, %t, 3; mad.wide.u32 %d1, %t, 64, %out; @%p1 st.global.u8 [%d1], %h1;": (1, 3, 1, 3),
    "setp.gt.u32 %p1, %t, 99; @%p1 st.global.u32 [%o], %t;": (0, 0, 0, 0),
    "ld.u32 %r2, [%o];": (1, 4, 4, 128),
    "red.global.add.u32 [%out], 1;": (1, 1, 1, 128),
}
SHARED = {  # instruction -> requests, wavefronts, fewest, bytes
    "shl.b32 %r2, %t, 2; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], %t;": (1, 1, 1, 128),
    "shl.b32 %r2, %t, 3; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], %t;": (1, 2, 1, 128),
    "shl.b32 %r2, %t, 7; add.u32 %r2, %r2, %r1; ld.shared.u32 %r3, [%r2];": (1, 32, 1, 128),
    "ld.shared.u32 %r3, [tile+4];": (1, 1, 1, 128),
    "add.u32 %r2, %t, %r1; cvt.u16.u32 %h1, %t; st.shared.u8 [%r2], %h1;": (1, 1, 1, 32),
    "shl.b32 %r2, %t, 3; add.u32 %r2, %r2, %r1; ld.shared.v2.u32 {%r3, %r4}, [%r2];": (1, 2, 2, 256),
    "shl.b32 %r2, %t, 4; add.u32 %r2, %r2, %r1; ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];": (1, 4, 4, 512),
    "shl.b32 %r2, %t, 8; add.u32 %r2, %r2, %r1; ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];": (1, 32, 4, 512),
    "mad.wide.u32 %d1, %t, 8, %d9; st.u32 [%d1], %t;": (1, 2, 1, 128),
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1];": (1, 4, 4, 512),
    "shl.b32 %r2, %t, 7; add.u32 %r2, %r2, %r1; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2];": (1, 8, 1, 128),
}  # fmt: skip


@pytest.mark.parametrize("instruction", GLOBAL)
def test_sectors_of_global_memory(instruction):
    *before, last = instruction.rstrip(";").split(";")
    counts = profile(f"{TILE} {';'.join(before)};\n{last}; // A", words=2048)["A"] if before else None
    counts = counts or profile(f"{TILE}\n{last}; // A", words=2048)["A"]
    found = counts.global_requests, counts.global_sectors, counts.global_fewest, counts.global_bytes
    assert found == GLOBAL[instruction]
    assert counts.shared_requests == 0


@pytest.mark.parametrize("instruction", SHARED)
def test_turns_of_the_banks(instruction):
    *before, last = instruction.rstrip(";").split(";")
    counts = profile(f"{TILE} {';'.join([*before, ''])}\n{last}; // A")["A"]
    found = counts.shared_requests, counts.shared_wavefronts, counts.shared_fewest, counts.shared_bytes
    assert found == SHARED[instruction]
    assert counts.global_requests == 0


@pytest.mark.parametrize("stride", [1, 2, 3, 4, 8, 9, 17, 32, 33])
@pytest.mark.parametrize("kind, words", [("u32", 1), ("v2.u32", 2), ("v4.u32", 4)])
def test_the_analysis_of_the_text_says_the_same(stride, kind, words):
    """Where it knows the addresses; both the banks' turns and the sectors."""
    step = 4 * words * stride
    values = "{%r3, %r4, %r5, %r6}".split(", ")[:words]
    value = ", ".join(values).rstrip("}") + "}" if words > 1 else "%r3"
    body = f"""
	.shared .align 128 .b8 tile[{32 * step}];
	mul.lo.u32 %r2, %t, {step}; mov.u32 %r1, tile; add.u32 %r2, %r2, %r1; mad.wide.u32 %d1, %t, {step}, %out;
	ld.shared.{kind} {value}, [%r2]; // shared
	ld.global.{kind} {value}, [%d1]; // global"""
    counts = profile(body, words=32 * words * stride)
    module = parse(HEADER + entry("test", body), "test.ptx")
    shared, memory = patterns(body_of(module, "test"))
    assert (counts["shared"].shared_wavefronts, counts["shared"].shared_fewest) == (shared.ways, shared.fewest)
    assert counts["global"].global_sectors == memory.sectors


def test_copies_count_both_ends():
    found = profile(TILE + """
	shl.b32 %r2, %t, 2; add.u32 %r2, %r2, %r1; mad.wide.u32 %d1, %t, 4, %in;
	cp.async.ca.shared.global [%r2], [%d1], 4; // whole
	cp.async.ca.shared.global [%r2], [%d1], 4, 2; // half
	cp.async.wait_all;""", data=bytes(256))  # fmt: skip
    for counts, taken in ((found["whole"], 128), (found["half"], 64)):
        assert (counts.shared_requests, counts.shared_wavefronts, counts.shared_bytes) == (1, 1, 128)
        assert (counts.global_requests, counts.global_sectors, counts.global_bytes) == (1, 4, taken)


def test_bulk_copies_are_one_request_of_a_thread():
    found = profile(TILE + """
	setp.eq.u32 %p1, %t, 0;
	@!%p1 bra OUT;
	cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 512; // store
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group 0;
OUT:""", words=128)["store"]  # fmt: skip
    assert executions(found) == (1, 1, 1)
    assert (found.global_requests, found.global_sectors, found.global_bytes) == (1, 16, 512)
    assert (found.shared_requests, found.shared_wavefronts, found.shared_bytes) == (1, 4, 512)


def test_operations_by_type():
    found = profile("""
	setp.lt.u32 %p1, %t, 5;
	fma.rn.f32 %f1, %f2, %f3, %f4; // fma
	@%p1 add.f64 %g1, %g2, %g3; // add
	mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4}; // mma
	add.u32 %r1, %r1, 1; // integer""")
    flops = {mark: dict(counts.flops) for mark, counts in found.items()}
    assert flops == {"fma": {"f32": 64}, "add": {"f64": 5}, "mma": {"matrix bf16": 2 * 16 * 8 * 16}, "integer": {}}
    assert Counts.sum(found.values()).flops == {"f32": 64, "f64": 5, "matrix bf16": 4096}


def test_barriers_and_lanes_that_wait():
    found = profile(
        WARP + """
	@%p1 vote.sync.any.pred %p3, %p1, 0x3ff; // few
	bar.sync 0; // barrier
	exit; // end""",
        block=(64, 1, 1), words=64,
    )  # fmt: skip
    assert {mark: executions(counts) for mark, counts in found.items()} == {
        "few": (2, 64, 10), "barrier": (2, 64, 64), "end": (2, 64, 64),
    }  # fmt: skip


def test_grids_and_clusters():
    body = """
	mapa.shared::cluster.u32 %r2, tile, 0;
	st.shared::cluster.u32 [%r2], %t; // store
	barrier.cluster.arrive.aligned; // arrive
	barrier.cluster.wait.aligned; // wait"""
    found = profile(".shared .b32 tile[4];" + body, grid=(4, 1, 1), cluster=(2, 1, 1), words=128)
    assert {executions(counts) for counts in found.values()} == {(4, 128, 128)}
    assert (found["store"].shared_requests, found["store"].shared_wavefronts) == (4, 4)


def test_launches_of_one_shape_add_up_and_others_stand_alone():
    profiler, arena = Profiler(), Arena()
    program = compile_module(parse(HEADER + ".entry k() { ret; }", "k.ptx"), arena)
    options = BASE.replaced(profiler=profiler)
    for grid in ((1, 1, 1), (1, 1, 1), (3, 1, 1)):
        program.kernels["k"].launch(grid, (32, 1, 1), b"", options=options)
    assert [(each.grid[0], each.launches, each.total.warps) for each in profiler.launches] == [(1, 2, 2), (3, 1, 3)]
    program.kernels["k"].launch((1, 1, 1), (32, 1, 1), b"", options=BASE)
    assert sum(each.launches for each in profiler.launches) == 3
    program.close()


def test_it_counts_beside_the_sanitizer():
    profiler, sanitizer = Profiler(), Sanitizer(["initcheck", "racecheck"])
    body = ".shared .b32 box[2]; ld.shared.u32 %r1, [box]; st.shared.u32 [box], %t;"
    run(body, options=BASE.replaced(profiler=profiler, sanitizer=sanitizer))
    assert {finding.tool for finding in sanitizer.findings} == {"initcheck", "racecheck"}
    assert profiler.launches[0].total.shared_requests == 2


def test_a_kernel_without_a_profile_has_no_trace_of_it():
    program = compile_module(parse(HEADER + entry("test", "st.global.u32 [%o], %t;"), "k.ptx"), Arena())
    assert "profile" not in program.kernels["test"].relocatable.text
    assert program.kernels["test"].code.leaders == ()
    program.close()
