"""A fault names the lines of the source that a compiler wrote the PTX from (.loc, manual 11.5.3)."""

from __future__ import annotations

import pytest

import driver_ctypes as dc
from ptxgen.cpu.fault import KernelFault
from tests.ptxgen.cpu.machine import entry, load, run

FILES = '.file 1 "{kernel}"\n.file 2 "/elsewhere/helper.h"\n'
HEADER = ".version 8.8\n.target sm_90\n.address_size 64\n"


def _fault(body: str, kernel: str = "kernel.cu", before: str = "") -> KernelFault:
    with pytest.raises(KernelFault) as caught:
        run(body, before=HEADER + before + FILES.format(kernel=kernel))
    return caught.value


def _places(fault: KernelFault) -> list[str]:
    return [line.how + str(line.place) for line in fault.lines]


def test_the_line_in_force_and_its_text(tmp_path):
    source = tmp_path / "kernel.cu"
    source.write_text("int first;\nout[i] = i;\n")
    fault = _fault(
        "\t.loc 1 1 5\n\tmov.b64 %d1, 8;\n\t.loc 1 2 3\n\tst.global.u32 [%d1], %t;\n\t.loc 1 1 1\n\tmov.b32 %r1, 0;",
        str(source),
    )
    assert _places(fault) == [f"{source}:2:3"]
    assert f"\n  {source}:2:3  out[i] = i;" in str(fault)


def test_inlined_code_and_called_functions():
    before = """.func poke(.reg .b64 %a) {
	st.global.u32 [%a], 0;
	.loc 1 7 3
	st.global.u32 [%a+4], 0;
	ret;
}
"""
    inlined = "\t.loc 2 5 9, function_name $L__name, inlined_at 1 21 4\n"
    body = f"{inlined}\tcall poke, (%d1);"
    assert _places(_fault(f"\tmov.b64 %d1, 8;\n{body}", before=before)) == [
        "/elsewhere/helper.h:5:9",
        "inlined at kernel.cu:21:4",
    ]
    first = "\tcvta.to.global.u64 %d1, %out; add.u64 %d1, %d1, 124;\n"
    places = ["kernel.cu:7:3", "called at /elsewhere/helper.h:5:9", "inlined at kernel.cu:21:4"]
    assert _places(_fault(first + body, before=before)) == places


def test_inlined_code_inside_inlined_code():
    """As compilers write it: the line that code is inlined at comes before, with the one that it is inlined at itself."""
    outer = "\t.loc 1 21 4\n\t.loc 1 9 2, function_name $L__name, inlined_at 1 21 4\n"
    again = "\t.loc 1 9 2, function_name $L__name, inlined_at 1 30 4\n\tmov.u32 %r1, 0;\n"
    inner = "\t.loc 2 5 9, function_name $L__name, inlined_at 1 9 2\n\ttrap;"
    whole = ["/elsewhere/helper.h:5:9", "inlined at kernel.cu:9:2", "inlined at kernel.cu:21:4"]
    assert _places(_fault(outer + inner)) == whole
    assert _places(_fault(outer + again + inner)) == [*whole[:2], "inlined at kernel.cu:30:4"]


def test_line_0_and_files_that_nobody_names_are_not_told():
    assert _places(_fault("\t.loc 1 0 0\n\ttrap;")) == []
    assert _places(_fault("\t.loc 9 1 1\n\ttrap;")) == []
    assert _places(_fault("\ttrap;")) == []


def test_who_waits_where():
    body = "\tsetp.eq.u32 %p1, %t, 0;\n\t.loc 1 41 3\n\t@!%p1 bar.sync 0, 64;\n\t.loc 1 42 2\n\t@%p1 bar.sync 1, 64;"
    fault = _fault(body)
    assert {line.place.line for one in fault.waiting for line in one.lines} == {41, 42}
    assert "kernel.cu:41:3" in str(fault)
    assert "kernel.cu:42:2" in str(fault)


@pytest.mark.cpu_only
def test_the_driver_s_log_has_them():
    text = HEADER + entry("k", "\t.loc 1 12 3\n\tst.global.u32 [%d1], %t;") + FILES.format(kernel="kernel.cu")
    with dc.driver("cpu").device(0).create_context() as context, context.load(text) as module:
        module.function("k").launch(1, 1, 0, 0)
        with pytest.raises(dc.IllegalAddressError, match=r"\n +kernel\.cu:12:3"):
            context.synchronize()


def test_programs_without_lines_are_compiled_to_the_same_code():
    with_lines = load(HEADER + entry("k", "\t.loc 1 3 4\n\tst.global.u32 [%o], %t;") + FILES.format(kernel="a.cu"))
    without = load(HEADER + entry("k", "\tst.global.u32 [%o], %t;"))
    assert with_lines.kernels["k"].relocatable.text == without.kernels["k"].relocatable.text
    for program in (with_lines, without):
        program.close()
