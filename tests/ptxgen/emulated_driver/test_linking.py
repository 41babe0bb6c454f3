"""The emulated linker, and libraries' later functions, answer as an H200 with driver 580 did.

Where the emulated driver differs on purpose, DIFFERENT says what it answers and why.
"""

from __future__ import annotations

import json
from ctypes import addressof, byref, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

import pytest

from driver_ctypes.abi.functions import FUNCTIONS
from ptxgen.emulated_driver import live_handles, open_driver
from ptxgen.emulated_driver.modules import images
from tests.ptxgen.emulated_driver.scenarios.base import Cu
from tests.ptxgen.emulated_driver.scenarios.linking import CALLS, LINKING, TWICE, WEAK, Bench, linked

pytestmark = pytest.mark.cpu_only

RECORDED: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "data" / "h200_linking.json").read_text())
WORDS = "the emulated compiler finds the same fault on the same statement, in its own words"
DIFFERENT = {("linking", label): WORDS for label in ("bad", "complete after bad")}
DIFFERENT["linking", "version"] = "every PTX version of the table runs, also those that are newer than driver 580"

lookup = open_driver()


@pytest.fixture
def cu():
    before = live_handles()
    cu = Cu(lambda symbol: lookup(symbol, FUNCTIONS[symbol].version))
    yield cu
    after = live_handles()
    assert after.get("linker", 0) == before.get("linker", 0)


@pytest.mark.parametrize("name", LINKING)
def test_answers_are_those_of_hardware(cu, name):
    got: dict[str, Any] = {}
    LINKING[name](cu, lambda label, value: got.update({label: json.loads(json.dumps(value))}))
    assert list(got) == list(RECORDED[name])
    for label, answer in RECORDED[name].items():
        if (name, label) in DIFFERENT:
            assert got[label][0] == answer[0], label
        else:
            assert got[label] == answer, label


def test_differences_are_real(cu):
    cu.start()
    bench = Bench(cu)
    for (name, label), _why in DIFFERENT.items():
        assert RECORDED[name][label][1] != bench.error.value.decode()
    bench.destroy()


def test_a_linker_reads_its_options_once(cu):
    """Where its logs go is known when it is made; what the caller's array holds later is no address."""
    cu.start()
    bench = Bench(cu)
    bench.values[0] = bench.values[2] = 0xDEAD0000
    code, error = bench.add(b".version 8.0\n.target sm_80\n.entry k() { oops; }\n\0")
    assert code != 0
    assert "oops" in error
    bench.destroy()


def test_a_linked_image_holds_one_program(cu):
    cu.start()
    text = images.unpack(linked(cu, CALLS, TWICE))
    assert text is not None
    assert text.count(".func") == 2  # declared, defined
    assert "extern" not in text


def test_the_lines_of_all_inputs_stay(cu):
    """Each file has one number in the whole, also where two inputs gave theirs the same one."""
    cu.start()
    kernel = (
        b".version 8.0\n.target sm_80\n.address_size 64\n"
        b".visible .entry %s() {\n.loc 1 %d 1, function_name $L, inlined_at 1 9 9\nret;\n}\n"
    )
    one = kernel % (b"one", 5) + b'.file 1 "one.cu"\n\0'
    two = kernel % (b"two", 6) + b'.file 1 "two.cu"\n\0'
    text = images.unpack(linked(cu, one, two))
    assert text is not None
    for number, name in ((1, "one"), (2, "two")):
        assert f'.file {number} "{name}.cu"' in text
        assert f".loc {number} {4 + number} 1, function_name $L, inlined_at {number} 9 9" in text


def test_a_variable_may_begin_with_the_address_of_one_in_a_later_input(cu):
    """As files of newlib, C's library, have it."""
    cu.start()
    head = b".version 8.0\n.target sm_80\n.address_size 64\n"
    one = head + b".extern .global .u64 y[2]; .visible .global .u64 x = generic(y)+8; .visible .entry k() { ret; }\0"
    text = images.unpack(linked(cu, one, head + b".visible .global .u64 y[2] = {1, 2};\0"))
    assert text is not None
    assert text.index(" y[2]") < text.index(" x = ")
    assert "extern" not in text


def test_the_strong_definition_is_the_one_that_stays(cu):
    cu.start()
    for order in ((WEAK, TWICE), (TWICE, WEAK)):
        text = images.unpack(linked(cu, *order))
        assert text is not None
        assert "add.u32" in text
        assert "weak" not in text


@pytest.mark.parametrize("damage", [lambda image: image[:-1], lambda image: image[:100], lambda image: b"\x7fELF"])
def test_a_damaged_image_is_no_program(cu, damage):
    cu.start()
    image = linked(cu, TWICE)
    assert images.unpack(image) is not None
    assert images.unpack(damage(image)) is None


CALLER = """.version 8.0
.target sm_80
.address_size 64
.extern .func {declared} f(.param .b32 a, .param .align 8 .b8 s[12]);
.visible .entry k(.param .u64 out)
{{
    .reg .b32 %v;
    .reg .b64 %d;
    ld.param.u64 %d, [out];
    mov.u32 %v, 3;
    {{
        .param .b32 x;
        .param .align 8 .b8 s[12];
        .param .b32 y;
        st.param.b32 [x], %v;
        st.param.b32 [s+8], 39;
        call.uni {result} f, (x, s);
        {read}
    }}
    st.global.u32 [%d], %v;
    ret;
}}
"""
CALLED = """.version 8.0
.target sm_80
.address_size 64
.visible .global .b32 seen;
.visible .func {defined} f(.param .b32 a, .param .align 8 .b8 s[12])
{{
    .reg .b32 %a, %b;
    ld.param.b32 %a, [a];
    ld.param.b32 %b, [s+8];
    add.u32 %a, %a, %b;
    st.global.u32 [seen], %a;
    {write}
    ret;
}}
"""
NOTHING, WORD, LONG = ("", ""), ("(.param .b32 r)", "st.param.b32 [r], %a;"), ("(.param .b64 r)", "")


@pytest.mark.parametrize(
    "declared, defined, given",
    [(WORD, NOTHING, 0), (NOTHING, WORD, 3), (WORD, LONG, 0), (WORD, WORD, 42), (NOTHING, NOTHING, 3)],
)
def test_results_may_be_declared_otherwise_than_they_are_defined(
    cu: Cu, declared: tuple[str, str], defined: tuple[str, str], given: int
) -> None:
    """As of nvlink, which compares names alone. The call is made; a result that nobody gives is 0 here."""
    cu.start()
    taken = ("(y),", "ld.param.b32 %v, [y];") if declared is WORD else ("", "")
    texts = [
        CALLER.format(declared=declared[0], result=taken[0], read=taken[1]),
        CALLED.format(defined=defined[0], write=defined[1]),
    ]
    for order in (texts, texts[::-1]):
        image = linked(cu, *(text.encode() for text in order))
        module = cu.get(c_void_p, "cuModuleLoadData", image)
        function = cu.get(c_void_p, "cuModuleGetFunction", module, b"k")
        memory = c_uint64(cu.get(c_uint64, "cuMemAlloc_v2", 4))
        place, out, size = c_uint64(), c_uint32(), c_size_t()
        slots = (c_void_p * 1)(addressof(memory))
        assert cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, slots, None) == 0
        assert cu.cuMemcpyDtoH_v2(byref(out), memory, 4) == 0
        assert out.value == given
        assert cu.cuModuleGetGlobal_v2(byref(place), byref(size), module, b"seen") == 0
        assert cu.cuMemcpyDtoH_v2(byref(out), place.value, 4) == 0
        assert out.value == 42
        assert cu.cuMemFree_v2(memory) == cu.cuModuleUnload(module) == 0
