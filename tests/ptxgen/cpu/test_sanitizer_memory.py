"""initcheck and memcheck: reads of what nobody wrote, and accesses that land in a neighbour."""

from __future__ import annotations

import pytest

from ptxgen.cpu import Arena, KernelFault, LaunchOptions, compile_module
from ptxgen.cpu.sanitizer.tools import TOOLS, Sanitizer, chosen_tools
from ptxgen.text import parse
from tests.ptxgen.cpu.machine import HEADER, entry
from tests.ptxgen.cpu.sanitized import watch

TILE = """
	.shared .align 16 .b8 tile[256]; .shared .align 16 .b8 next[256]; .local .align 16 .b8 box[32];
	mov.u32 %r1, tile; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2; mov.u32 %r4, next; mov.u64 %d9, box;
	mul.wide.u32 %d1, %t, 4;
	"""

UNINITIALISED = {
    "shared": "ld.shared.u32 %r5, [%r3]; // A",
    "shared, behind what was written": "st.shared.u32 [%r3], 1; ld.shared.u32 %r5, [%r3+128]; // A",
    "one byte of a word": """
	cvt.u16.u32 %h1, %t; st.shared.u8 [%r3], %h1;
	ld.shared.u32 %r5, [%r3]; // A""",
    "one of two words": "st.shared.u32 [tile], 1; ld.shared.v2.u32 {%r5, %r6}, [tile]; // A",
    "local": "ld.local.u32 %r5, [box+4]; // A",
    "local through a generic address": "cvta.local.u64 %d2, %d9; ld.u32 %r5, [%d2+8]; // A",
    "an atomic sum that does not begin at zero": "red.shared.add.u32 [tile], 1; // A",
    "rows of a matrix": "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r1]; // A",
}


@pytest.mark.parametrize("tier", ["base", "fast"])
@pytest.mark.parametrize("name", UNINITIALISED)
def test_a_read_of_what_nobody_wrote(name, tier):
    found = watch(TILE + UNINITIALISED[name], "initcheck", tier=tier)
    assert found.told == [("uninitialised read", "A", 0)]
    assert found.findings[0].space == ("local" if name.startswith("local") else "shared")


WRITTEN = {
    "a store of its own": "st.shared.u32 [%r3], 1; ld.shared.u32 %r5, [%r3];",
    "a store by another thread": "xor.b32 %r6, %r3, 4; st.shared.u32 [%r6], 1; bar.sync 0; ld.shared.u32 %r5, [%r3];",
    "bytes one by one": """
	cvt.u16.u32 %h1, %t; st.shared.u8 [%r3], %h1; st.shared.u8 [%r3+1], %h1; st.shared.u16 [%r3+2], %h1;
	ld.shared.u32 %r5, [%r3];""",
    "a copy": "add.u64 %d2, %in, %d1; cp.async.ca.shared.global [%r3], [%d2], 4; cp.async.wait_all; ld.shared.u32 %r5, [%r3];",
    "an exchange": "atom.shared.exch.b32 %r5, [%r3], 0; ld.shared.u32 %r5, [%r3];",
    "local": "st.local.u32 [box], %t; cvta.local.u64 %d2, %d9; ld.u32 %r5, [%d2];",
    "parameters": "ld.param.u64 %d3, [out]; cvt.u32.u64 %r5, %d3;",
    "a matrix": "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%t}; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r1];",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_read_of_what_was_written(name):
    assert watch(TILE + WRITTEN[name], "initcheck", data=bytes(256)).findings == ()


def test_each_cta_begins_with_memory_that_nobody_wrote():
    body = (
        TILE
        + """
	mov.u32 %r6, %ctaid.x; setp.eq.u32 %p1, %r6, 0; @%p1 st.shared.u32 [%r3], 1;
	ld.shared.u32 %r5, [%r3]; // A"""
    )
    found = watch(body, "initcheck", grid=(2, 1, 1), words=64)
    assert found.told == [("uninitialised read", "A", 0)]
    assert found.findings[0].access.cta == (1, 0, 0)


OUTSIDE = {
    "the next variable is written": ("add.u32 %r3, %r3, 132;  st.shared.u32 [%r3], 1; // A", "variable"),
    "by an offset": ("st.shared.u32 [%r3+240], 1; // A", "variable"),
    "by a name": ("ld.shared.u32 %r5, [tile+256]; // A", "variable"),
    "before the variable": ("add.u32 %r6, %r4, %r2; ld.shared.u32 %r5, [%r6+-64]; // A", "variable"),
    "half of a vector": ("st.shared.v2.u32 [tile+248], {%t, %t}; st.shared.v4.u32 [%r1+256], {%t, %t, %t, %t}; // A", "variable"),
    "through a generic address": (
        "mov.u64 %d2, tile; cvta.shared.u64 %d2, %d2; mad.wide.u32 %d2, %t, 16, %d2; st.u32 [%d2], %t; // A", "variable",
    ),
    "the next allocation": ("mad.wide.u32 %d2, %t, 4, %out; st.global.u32 [%d2+768], %t; // A", "allocation"),
    "the next allocation, by a sum": ("add.u64 %d2, %out, 768; atom.global.add.u32 %r5, [%d2], 1; // A", "allocation"),
}  # fmt: skip


@pytest.mark.parametrize("tier", ["base", "fast"])
@pytest.mark.parametrize("name", OUTSIDE)
def test_an_access_that_lands_in_a_neighbour(name, tier):
    body, what = OUTSIDE[name]
    # of the output's 512 bytes and a gap of 256, the input's 1024 bytes follow
    found = watch(TILE + body, "memcheck", words=128, data=bytes(1024), tier=tier)
    assert found.told == [(f"outside its {what}", "A", 0)]
    told = str(found.findings[0])
    assert ("its address is made from tile, which has 256 bytes at 0x0" in told or "made from next" in told
            or "made from parameter out, which leads into 512 bytes; this is byte 0 of 1024 other ones" in told)  # fmt: skip


@pytest.mark.parametrize("load", ["ld.param.u64 %d2, [p+8];", "ld.param.v2.u64 {%d1, %d2}, [p];"])
@pytest.mark.parametrize("offset, found", [(0, []), (508, []), (768, ["outside its allocation"])])
def test_a_pointer_in_a_structure(load, offset, found):
    body = f".reg .u64 %d<3>; .reg .u32 %r<2>; {load} ld.global.u32 %r1, [%d2+{offset}]; ret;"
    text = f"{HEADER}.visible .entry test(.param .align 16 .b8 p[16]) {{ {body} }}"
    arena, sanitizer = Arena(1 << 24), Sanitizer(["memcheck"])
    first, _next = arena.allocate(512), arena.allocate(512)
    program = compile_module(parse(text, "test.ptx"), arena)
    program.kernels["test"].launch(
        (1, 1, 1), (1, 1, 1), bytes(8) + first.to_bytes(8, "little"), options=LaunchOptions(sanitizer=sanitizer)
    )
    program.close()
    arena.close()
    assert [each.kind for each in sanitizer.findings] == found
    assert all("made from parameter [p+8], which leads into 512 bytes" in each.what for each in sanitizer.findings)


INSIDE = {
    "all of a variable": "st.shared.u32 [%r3], 1; ld.shared.u32 %r5, [%r3+128]; st.shared.v4.u32 [tile+240], {%t, %t, %t, %t};",
    "one of two variables": "setp.lt.u32 %p1, %t, 16; selp.b32 %r6, %r1, %r4, %p1; st.shared.u32 [%r6], 1;",
    "the distance of two variables": "sub.u32 %r6, %r4, %r1; add.u32 %r6, %r3, %r6; st.shared.u32 [%r6], 1;",
    "a difference of pointers": "sub.u64 %d2, %in, %out; add.u64 %d2, %out, %d2; ld.global.u32 %r5, [%d2];",
    "an offset from memory": "ld.global.u32 %r6, [%in]; add.u32 %r6, %r6, %r3; st.shared.u32 [%r6], 1;",
    "all of an allocation": "add.u64 %d2, %out, %d1; st.global.u32 [%d2], %t; ld.global.u32 %r5, [%d2+128];",
    "dynamic memory": "mov.u32 %r6, dyn; add.u32 %r6, %r6, %r2; st.shared.u32 [%r6], 1; st.shared.u32 [%r6+512], 1;",
}


@pytest.mark.parametrize("name", INSIDE)
def test_an_access_where_it_belongs(name):
    before = ".extern .shared .align 16 .b8 dyn[];\n"
    found = watch(TILE + INSIDE[name], "memcheck", words=128, data=bytes(1024), before=before, shared=1024)
    assert found.findings == ()


def test_an_address_that_was_freed_is_not_used_again():
    arena = Arena(1 << 28)
    arena.keep_freed(1 << 20)
    program = compile_module(parse(HEADER + entry("test", "\tld.global.u32 %r5, [%in];"), "test.ptx"), arena)
    out, gone = arena.allocate(128), arena.allocate(1000)
    arena.free(gone)
    assert arena.allocate(1000) != gone
    options = LaunchOptions(sanitizer=Sanitizer(["memcheck"]))
    with pytest.raises(KernelFault, match=r"0 bytes into an allocation of 1000 bytes that was freed\n"):
        program.kernels["test"].launch(
            (1, 1, 1), (32, 1, 1), out.to_bytes(8, "little") + gone.to_bytes(8, "little"), options=options
        )
    program.close()
    arena.close()


def test_freed_addresses_are_used_again_when_there_is_no_room():
    arena = Arena(1 << 24)
    arena.keep_freed(1 << 24)
    for _ in range(10):
        arena.free(arena.allocate(1 << 22))
    first = arena.allocate(256)
    arena.free(first)
    arena.keep_freed(0)
    assert arena.allocate(256) <= first
    arena.close()


def test_tools_are_known_by_their_names():
    assert chosen_tools(["racecheck", " memcheck"]) == {"racecheck", "memcheck"}
    for wrong in (["tracecheck"], [], [""]):
        with pytest.raises(ValueError, match=", ".join(TOOLS)):
            chosen_tools(wrong)
