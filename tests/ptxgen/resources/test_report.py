"""What is reported of a program: counts, the assembler's registers, traffic, arithmetic."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import ptxgen as px
from driver_ctypes.errors import JitMessage
from ptxgen.assembler import AssemblerMissing, assemblers
from ptxgen.golden import golden_text
from ptxgen.resources import analyze, driver_figures
from ptxgen.text import parse
from ptxgen.verifier import verify

GOLDEN = Path(__file__).resolve().parents[3] / "golden"

KERNEL = """
.version 8.0
.target sm_90a
.address_size 64
.func helper() { ret; }
.visible .entry k(.param .u64 .ptr .global .align 16 x, .param .u32 n)
.maxntid 128
{
    .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;
    .shared .align 4 .b8 s[2048];
    ld.param.u64 %rd1, [x];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd2, %rd2, %rd1;
    mul.wide.u32 %rd3, %r2, 128;
    add.s64 %rd3, %rd3, %rd1;
    mov.u32 %r3, 0;
    mov.f32 %f1, 0f00000000;
LOOP:
    ld.global.f32 %f2, [%rd2];
    ld.global.f32 %f3, [%rd3];
    fma.rn.f32 %f1, %f2, %f3, %f1;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, %r1;
    @%p1 bra LOOP;
    st.global.f32 [%rd2], %f1;
    ret;
}
"""


def test_counts() -> None:
    report = analyze(parse(KERNEL), assembled=False)
    kernel = report.kernel("k")
    assert (report.target, report.version, report.assembler) == ("sm_90a", "8.0", "not asked")
    assert [(f.name, f.kernel) for f in report.functions] == [("helper", False), ("k", True)]
    assert report.kernel() is kernel
    assert kernel.instructions == sum(kernel.opcodes.values()) == sum(kernel.groups.values()) == 17
    assert kernel.virtual_registers == {".b32": 3, ".b64": 3, ".f32": 3, ".pred": 1}
    assert (kernel.basic_blocks, kernel.loops, kernel.shared, kernel.parameters) == (3, 1, 2048, 12)
    assert (kernel.resources, kernel.occupancy) == (None, None)
    with pytest.raises(KeyError, match="no function 'other'; there are helper, k"):
        report.kernel("other")


def test_traffic() -> None:
    memory = analyze(parse(KERNEL), assembled=False).kernel("k").memory
    assert memory.counts == {"global load": 2, "global store": 1}
    assert [(row["stride"], row["sectors"], row["fewest"]) for row in memory.accesses] == [
        (4, 4, 4), (128, 32, 4), (4, 4, 4)
    ]  # fmt: skip
    assert memory.efficiency == 12 / 40
    assert (memory.conflicts, memory.unknown) == (None, 0)
    assert memory.accesses[1]["instruction"] == "ld.global.f32"


def test_the_roofline_is_that_of_the_deepest_loop() -> None:
    found = analyze(parse(KERNEL), assembled=False).kernel("k").intensity
    assert found is not None
    assert (found.region.depth, found.region.flops, found.region.bytes) == (1, {"f32": 64.0}, 36 * 32.0)
    assert (found.bound, found.machine, found.ridge) == ("memory", "H100 SXM", 20.0)


def test_matrix_products_have_their_own_ridge() -> None:
    sums = "{%f1, %f2, %f3, %f4}"
    mma = f"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {sums}, {{%r1, %r2, %r3, %r1}}, {{%r1, %r2}}, {sums};"
    found = analyze(parse(KERNEL.replace("fma.rn.f32 %f1, %f2, %f3, %f1;", mma)), assembled=False).kernel("k").intensity
    assert found is not None
    assert (found.kind, found.region.flops) == ("matrix", {"matrix": 2.0 * 16 * 8 * 16})
    assert found.ridge == pytest.approx(989e12 / 3350e9)


def test_what_the_text_does_not_size_is_partial() -> None:
    bulk = "cp.async.bulk.prefetch.L2.global [%rd1], %r1;"
    found = (
        analyze(parse(KERNEL.replace("fma.rn.f32 %f1, %f2, %f3, %f1;", bulk)), assembled=False).kernel("k").intensity
    )
    assert found is not None
    assert (found.region.partial, found.bound) == (True, "")


def test_registers_are_the_assembler_s(assembler: object) -> None:
    report = analyze(parse(KERNEL))
    kernel = report.kernel("k")
    assert report.assembler.startswith(("ptxas ", "nvjitlink "))
    assert kernel.resources is not None
    assert kernel.occupancy is not None
    assert 8 <= kernel.resources.registers <= 32  # of 10 virtual ones, and three 64-bit pairs
    assert (kernel.resources.spill_stores, kernel.resources.stack) == (0, 0)
    assert (kernel.occupancy.threads, kernel.occupancy.shared, kernel.occupancy.fraction) == (128, 2048, 1.0)
    wide = analyze(parse(KERNEL), threads=1024, shared=100 * 1024).kernel("k").occupancy
    assert wide is not None
    assert (wide.ctas, wide.limited_by) == (2, "threads")
    with pytest.raises(ValueError, match="2000 threads"):
        analyze(parse(KERNEL), threads=2000)
    with pytest.raises(px.Error, match=r"str is not a module\n  Fix: ptxgen\.parse\(text\)"):
        analyze(KERNEL)  # type: ignore[arg-type]


LOSS = KERNEL.replace("LOOP:", "setmaxnreg.dec.sync.aligned.u32 40;\nLOOP:")


@pytest.mark.parametrize("tool", ["nvjitlink", "ptxas"])
def test_whose_figures(assembler: object, tool: str) -> None:
    if not any(each.available for each in assemblers() if each.name == tool):
        pytest.skip("no ptxas here: it comes with the CUDA toolkit, or pip install nvidia-cuda-nvcc")
    report = analyze(parse(LOSS), tool=tool)
    assert report.assembler.startswith(f"{tool} ")
    assert report.kernel("k").resources is not None
    assert [loss.code for loss in report.losses] == ["PTX630"]
    assert report.to_dict()["losses"][0]["code"] == "PTX630"
    assert [finding.code for finding in px.advise(parse(LOSS), tool=tool)][-1] == "PTX630"


def test_the_driver_s_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    px.device("cpu")
    monkeypatch.setattr(driver_figures, "_DRIVER", "cpu")
    report = analyze(parse(KERNEL), tool="driver")
    assert re.fullmatch(r"driver of CUDA 13\.0, for sm_\d+", report.assembler)
    assert report.kernel("k").resources is not None
    assert report.losses == ()
    monkeypatch.setattr(driver_figures, "_DRIVER", "none of this name")
    with pytest.raises(AssemblerMissing, match="no driver compiles here"):
        px.advise(parse(KERNEL), tool="driver")


def test_a_driver_s_words_about_what_it_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    said = JitMessage("warning", None, "(C7508) Potential Performance Loss: 'setmaxnreg' ignored.")
    other = JitMessage("warning", None, "k spills registers: 8 bytes stored, 8 bytes loaded")
    monkeypatch.setattr(driver_figures, "driver_resources", lambda ptx, name: ({}, "driver", (said, other)))
    assert [loss.message for loss in analyze(parse(LOSS), tool="driver").losses] == [said.text]


def test_a_tool_that_was_named_and_is_not_here() -> None:
    with pytest.raises(AssemblerMissing, match="/nowhere/ptxas"):
        analyze(parse(KERNEL), tool="/nowhere/ptxas")
    with pytest.raises(px.Error, match="no assembler is called 'gas'"):
        analyze(parse(KERNEL), tool="gas")


def test_spills_and_advice(assembler: object) -> None:
    text = KERNEL.replace(".maxntid 128", ".maxnreg 24").replace(
        "LOOP:",
        ".reg .b64 %x<20>;"
        + "".join(f"ld.volatile.global.u64 %x{i}, [%rd3+{8 * i}];" for i in range(20))
        + "".join(f"st.volatile.global.u64 [%rd3+{8 * i}], %x{19 - i};" for i in range(20))
        + "LOOP:",
    )
    used = analyze(parse(text)).kernel("k").resources
    assert used is not None
    assert used.spill_stores
    found = [finding for finding in px.advise(parse(text)) if finding.code == "PTX620"]
    assert [finding.message.partition(":")[0] for finding in found] == ["k spills registers"]
    assert "PTX620" not in [finding.code for finding in verify(parse(text), style=True)]


def test_of_a_module_with_errors_only_these_are_told() -> None:
    wrong = parse(KERNEL.replace("add.u32 %r3", "add.u64 %r3"))
    with pytest.raises(px.VerifyError):
        analyze(wrong)
    assert [finding.severity for finding in px.advise(wrong) if finding.severity == "error"] != []


def test_advice_on_vectors_says_what_alignment_lacks(assembler: object) -> None:
    pair = "ld.global.f32 %f2, [%rd1]; ld.global.f32 %f3, [%rd1+4]; st.global.v2.f32 [%rd2], {%f3, %f2};"
    for align, expected in (
        (16, "neighbours of this ld.global.f32 are one ld.global.v2.f32 with it"),
        (4, "not joined"),
    ):
        text = KERNEL.replace("LOOP:", pair + "LOOP:").replace(".align 16 x", f".align {align} x")
        found = [finding.message for finding in px.advise(parse(text)) if finding.code == "PTX614"]
        assert any(expected in message for message in found)


def test_plain_data_is_json() -> None:
    again = json.loads(json.dumps(analyze(parse(KERNEL), assembled=False).to_dict()))
    assert again["functions"][1]["memory"]["efficiency"] == 0.3
    assert again["functions"][1]["intensity"]["region"]["depth"] == 1


def test_the_library_s_tiles_are_free_of_bank_conflicts() -> None:
    for variant in ("b8", "b32", "b64"):
        module = parse(golden_text("transpose", variant, "sm_90a", folder=GOLDEN))
        assert analyze(module, assembled=False).kernel().memory.conflicts == 1.0
