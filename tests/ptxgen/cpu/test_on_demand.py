"""A driver loads a module at once, and compiles each kernel when it is first needed."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ptxgen as px
from driver_ctypes.errors import NotSupportedError
from ptxgen.cpu import LaunchOptions, LoadedProgram, compilation
from ptxgen.cpu.program import compile_relocatable, relocatable
from ptxgen.cpu.refusals import Survey
from ptxgen.cpu.sanitizer.tools import Sanitizer
from ptxgen.cpu.unsupported import UndefinedError
from ptxgen.errors import UnsupportedError
from ptxgen.text import parse
from tests.ptxgen.cpu.machine import HEADER, arena

pytestmark = pytest.mark.cpu_only

COUNTER = ".visible .global .u32 counter = 5;\n"
STEP = """.func (.reg .u32 r) step(.reg .u32 a) {{ add.u32 r, a, {by}; ret; }}
"""
ENTRY = """.visible .entry {name}(.param .u64 out)
{{
    .reg .b32 %r<4>; .reg .b64 %d<4>; .shared .u32 mine[{words}];
    ld.param.u64 %d1, [out];
    ld.global.u32 %r1, [counter];
    call (%r1), step, (%r1);
    {body}
    st.global.u32 [counter], %r1;
    st.global.u32 [%d1], %r1;
    ret;
}}
"""


def program(*bodies: str) -> str:
    """A module of kernels k0, k1, ..., which add 2 to a variable that they share; each may have a body of its own."""
    entries = [ENTRY.format(name=f"k{i}", words=16 * (i + 1), body=body) for i, body in enumerate(bodies)]
    return "".join([HEADER, COUNTER, STEP.format(by=2), *entries])


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kernels that were compiled, in order."""
    names: list[str] = []
    lower = compilation.lower_kernel

    def lower_kernel(flat, statics, tools=frozenset(), lanes=0):  # type: ignore[no-untyped-def]
        names.append(" ".join([flat.name, *sorted(tools)]))
        return lower(flat, statics, tools, lanes)

    monkeypatch.setattr(compilation, "lower_kernel", lower_kernel)
    return names


def launch(loaded: LoadedProgram, name: str, options: LaunchOptions = LaunchOptions()) -> int:  # noqa: B008
    out = arena().allocate(4)
    try:
        loaded.kernels[name].launch((1, 1, 1), (1, 1, 1), struct.pack("<Q", out), options=options)
        return int.from_bytes(arena().view(out, 4), "little")
    finally:
        arena().free(out)


def test_a_kernel_is_compiled_when_it_is_launched_and_shares_the_module_s_variables(lowered: list[str]) -> None:
    loaded = LoadedProgram(relocatable(parse(program("", "", ""))), arena())
    assert list(loaded.kernels) == ["k0", "k1", "k2"]
    assert loaded.kernels["k1"].parameters == (("out", 0, 8),)
    assert lowered == []
    assert launch(loaded, "k2") == 7
    assert launch(loaded, "k0") == 9
    assert launch(loaded, "k2") == 11
    assert lowered == ["k2", "k0"]
    loaded.close()


def test_an_attribute_that_needs_the_code_compiles_that_kernel_alone(lowered: list[str]) -> None:
    loaded = LoadedProgram(relocatable(parse(program("", "", ""))), arena())
    assert loaded.kernels["k1"].max_threads == 1024
    assert lowered == []
    assert loaded.kernels["k1"].static_shared == 128
    assert lowered == ["k1"]
    loaded.close()


def test_several_devices_share_what_was_compiled(lowered: list[str]) -> None:
    made = relocatable(parse(program("", "")))
    first, second = LoadedProgram(made, arena()), LoadedProgram(made, arena())
    assert launch(first, "k0") == 7
    assert launch(second, "k0") == 7, "its own variable"
    assert lowered == ["k0"]
    first.close()
    second.close()


def test_threads_that_need_a_kernel_at_once_compile_it_once(lowered: list[str]) -> None:
    loaded = LoadedProgram(relocatable(parse(program(*[""] * 4))), arena())
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda i: loaded.kernels[f"k{i % 4}"].static_shared, range(32)))
    assert found == [64, 128, 192, 256] * 8
    assert sorted(lowered) == ["k0", "k1", "k2", "k3"]
    loaded.close()


def test_tools_that_watch_have_code_of_their_own(lowered: list[str]) -> None:
    loaded = LoadedProgram(relocatable(parse(program("", ""))), arena())
    assert launch(loaded, "k0", LaunchOptions(sanitizer=Sanitizer(frozenset({"memcheck"})))) == 7
    assert lowered == ["k0 memcheck"]
    loaded.close()


# --- refusals ---------------------------------------------------------------------------------------------------------

NO_LOWERING = "mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32.xor.popc {%r0, %r1}, {%r2}, {%r3}, {%r0, %r1};"
REFUSED = {
    "an instruction without a lowering": NO_LOWERING,
    "a register's address of parameters": "st.param.u32 [%d1], %r1;",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_what_does_not_run_is_told_when_the_module_is_loaded(body: str, lowered: list[str]) -> None:
    module = parse(program("", body, ""))
    found = relocatable(module).outline
    assert [name for name, _reasons in found.refused] == ["k1"]
    assert [kernel.name for kernel in found.kernels] == ["k0", "k2"]
    assert "k0" not in lowered
    assert list(map(str, found.refused[0][1])) == list(map(str, compile_relocatable(module).outline.refused[0][1]))


def test_a_module_that_runs_in_no_part_is_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"xor\.popc"):
        relocatable(parse(program(NO_LOWERING)))


def test_functions_count_with_the_kernels_that_call_them() -> None:
    text = program("", "").replace("add.u32 r, a, 2;", ".reg .b32 %r<4>; " + NO_LOWERING, 1)
    with pytest.raises(UnsupportedError, match=r"xor\.popc"):
        relocatable(parse(text))


def test_a_name_that_nothing_defines_fails_the_load() -> None:
    text = program("", "call elsewhere;").replace(COUNTER, COUNTER + ".extern .func elsewhere;\n")
    with pytest.raises(UndefinedError, match="elsewhere"):
        relocatable(parse(text))


def test_what_turns_out_late_is_told_like_any_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the load was wrong to promise that a kernel runs."""
    monkeypatch.setattr(Survey, "surely_runs", lambda *_: True)
    text = program("", NO_LOWERING).replace("sm_100a", "sm_90") + "// late\n"
    with px.device("cpu").context.load(text) as module:
        assert module.function("k0").attributes.registers > 0
        with pytest.raises(NotSupportedError, match=r"xor\.popc"):
            module.function("k1").attributes


# --- processes --------------------------------------------------------------------------------------------------------

FORKED = """
import os, struct, sys, threading
from ptxgen.cpu import Arena, LoadedProgram
from ptxgen.cpu.program import relocatable
from ptxgen.text import parse

loaded, arena = LoadedProgram(relocatable(parse(sys.stdin.read())), Arena()), None
kernels = list(loaded.kernels.values())
begun = threading.Barrier(len(kernels) + 1)

def compile_all(kernel):
    begun.wait()
    kernel.compiled(0), kernel.compiled(1)

threads = [threading.Thread(target=compile_all, args=(kernel,)) for kernel in kernels]
for thread in threads:
    thread.start()
begun.wait()
child = os.fork()
if not child:
    from ptxgen.cpu.jit import Tier
    for kernel in kernels:
        kernel.compiled(Tier.BASE)
    os._exit(0)
for thread in threads:
    thread.join()
assert os.waitpid(child, 0)[1] == 0
print("both")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_child_compiles_what_its_parent_was_compiling() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", FORKED], input=program(*[""] * 6), capture_output=True, text=True, timeout=60, check=True,
        cwd=Path(__file__).parents[3], env=os.environ | {"PTXGEN_CACHE": "0"},
    )  # fmt: skip
    assert ran.stdout == "both\n"
