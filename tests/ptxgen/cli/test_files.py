"""`ptxgen fmt`, `diff`, `compare` and `stat`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Command = Callable[..., Result]

pytestmark = pytest.mark.usefixtures("programs")

UNTIDY = """\
.version 8.0
.target sm_80 .address_size 64
.visible .entry k(){ // a comment
.reg .b32 %r<2>;mov.u32   %r1,1;
ret; }
"""


def test_fmt_prints_one_statement_a_line(ptxgen: Command, programs: Path) -> None:
    (programs / "untidy.ptx").write_text(UNTIDY)
    text = ptxgen("fmt", "untidy.ptx").stdout
    assert "\tmov.u32 %r1, 1;\n\tret;\n" in text
    assert "// a comment" in text
    (programs / "tidy.ptx").write_text(text)
    assert ptxgen("fmt", "tidy.ptx").stdout == text


def test_fmt_writes_and_checks(ptxgen: Command, programs: Path) -> None:
    (programs / "untidy.ptx").write_text(UNTIDY)
    checked = ptxgen("fmt", "--check", "untidy.ptx")
    assert (checked.exit_code, checked.stdout) == (1, "untidy.ptx: would change\n")
    assert (programs / "untidy.ptx").read_text() == UNTIDY
    assert ptxgen("fmt", "--write", "untidy.ptx").exit_code == 0
    assert ptxgen("fmt", "--check", "untidy.ptx").exit_code == 0
    assert json.loads(ptxgen("fmt", "--check", "--json", "untidy.ptx").stdout) == [
        {"file": "untidy.ptx", "changed": False}
    ]


def test_fmt_of_what_is_no_ptx_says_where(ptxgen: Command, programs: Path) -> None:
    (programs / "bad.ptx").write_text(".version 8.0\n.target sm_80\nfoo\n")
    result = ptxgen("fmt", "bad.ptx")
    assert result.exit_code == 1
    assert "bad.ptx:3" in result.stderr


def test_diff_does_not_mind_layout(ptxgen: Command, programs: Path) -> None:
    (programs / "untidy.ptx").write_text(UNTIDY)
    (programs / "tidy.ptx").write_text(ptxgen("fmt", "untidy.ptx").stdout.replace("\t// a comment\n", ""))
    result = ptxgen("diff", "untidy.ptx", "tidy.ptx")
    assert (result.exit_code, result.stdout) == (0, "")
    assert ptxgen("diff", "--comments", "untidy.ptx", "tidy.ptx").exit_code == 1


def test_diff_shows_what_differs(ptxgen: Command, programs: Path) -> None:
    (programs / "one.ptx").write_text(UNTIDY)
    (programs / "two.ptx").write_text(UNTIDY.replace("%r1,1", "%r1,2"))
    result = ptxgen("diff", "one.ptx", "two.ptx")
    assert result.exit_code == 1
    assert [line.split("  ")[0] for line in result.stdout.splitlines()[2:4]] == [
        "- mov.u32 %r1, 1;",
        "+ mov.u32 %r1, 2;",
    ]
    text = ptxgen("diff", "--text", "one.ptx", "two.ptx")
    assert (text.exit_code, "-\tmov.u32 %r1, 1;\n+\tmov.u32 %r1, 2;" in text.stdout) == (1, True)
    assert json.loads(ptxgen("diff", "--json", "one.ptx", "two.ptx").stdout)["same"] is False


def test_diff_at_two_parameter_sets(ptxgen: Command) -> None:
    assert ptxgen("diff", "saxpy.py", "--first-set", "unroll=1", "--second-set", "unroll=1").exit_code == 0
    assert ptxgen("diff", "saxpy.py", "--first-set", "unroll=1", "--second-set", "unroll=2").exit_code == 1
    assert ptxgen("diff", "saxpy.py").exit_code == 2


def test_diff_of_one_kernel_of_each(ptxgen: Command, programs: Path) -> None:
    other = ".visible .entry other() { bar.sync 0; ret; }\n"
    (programs / "one.ptx").write_text(UNTIDY)
    (programs / "both.ptx").write_text(UNTIDY + other)
    assert ptxgen("diff", "one.ptx", "both.ptx").exit_code == 1
    assert ptxgen("diff", "one.ptx", "both.ptx:k").exit_code == 0
    assert ptxgen("diff", "one.ptx", "both.ptx:none").exit_code == 2


def test_diff_says_whether_they_are_equal(ptxgen: Command, programs: Path) -> None:
    store = ".shared .b32 s; st.shared.u32 [s], {0}; ret;"
    for name, value in (("one", "%r1"), ("same", "1"), ("unknown", "2")):
        (programs / f"{name}.ptx").write_text(UNTIDY.replace("ret;", store.format(value)))
    assert ptxgen("diff", "one.ptx", "same.ptx", "--equivalent").exit_code == 0
    unknown = ptxgen("diff", "one.ptx", "unknown.ptx", "--equivalent", "--tries", "2", "--json")
    assert (unknown.exit_code, json.loads(unknown.stdout)["verdict"]) == (3, "unknown")
    assert ptxgen("diff", "one.ptx", "same.ptx", "--equivalent", "--text").exit_code == 2


def test_diff_of_a_kernel_and_what_it_was(ptxgen: Command) -> None:
    ptxgen("emit", "saxpy.py", "--target", "sm_80", "-o", "old.ptx")
    assert ptxgen("diff", "saxpy.py", "old.ptx", "--target", "sm_80").exit_code == 0
    assert ptxgen("diff", "saxpy.py", "old.ptx", "--target", "sm_75").exit_code == 1


SLOW = """\
.version 8.0
.target sm_90a
.address_size 64
.visible .entry copy(.param .u64 .ptr .global .align 4 x, .param .u32 n)
{
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 ret;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd2, %rd2, %rd1;
    ld.global.u32 %r3, [%rd2];
    st.global.u32 [%rd2+4096], %r3;
    ret;
}
"""
SLOWER = SLOW.replace("mul.wide.u32 %rd2, %r2, 4;", "mul.wide.u32 %rd2, %r2, 256;").replace(
    "@%p1 ret;", "@%p1 ret; add.u32 %r1, %r1, 1; bar.sync 0;"
)


def test_diff_of_numbers(ptxgen: Command, programs: Path, assembler: object) -> None:
    (programs / "slow.ptx").write_text(SLOW)
    (programs / "slower.ptx").write_text(SLOWER)
    same = ptxgen("diff", "--metrics", "slow.ptx", "slow.ptx")
    assert (same.exit_code, "critical" in same.stdout) == (0, False)
    warned = ptxgen("diff", "--metrics", "slow.ptx", "slower.ptx")
    assert warned.exit_code == 0
    assert "+20 %" in warned.stdout
    assert "warn" in warned.stdout
    assert ptxgen("diff", "--metrics", "--strict", "slow.ptx", "slower.ptx").exit_code == 1
    assert ptxgen("diff", "--metrics", "slower.ptx", "slow.ptx", "--strict").exit_code == 0


def test_diff_takes_limits(ptxgen: Command, programs: Path) -> None:
    (programs / "slow.ptx").write_text(SLOW)
    (programs / "slower.ptx").write_text(SLOWER)
    given = ("diff", "--metrics", "--no-assembler", "slow.ptx", "slower.ptx")
    assert ptxgen(*given, "--limit", "instructions=5:20").exit_code == 1
    assert ptxgen(*given, "--limit", "instructions=:", "--strict").exit_code == 0
    assert ptxgen(*given, "--limit", "efficiency=10:50").exit_code == 1  # not judged otherwise
    rows = json.loads(ptxgen(*given, "--json").stdout)
    assert rows["verdict"] == "warn"
    assert {row["metric"]: row["better"] for row in rows["changes"]}["efficiency"] == 1
    for wrong in ("speed=1:2", "instructions", "instructions=a:b", "instructions=5"):
        refused = ptxgen(*given, "--limit", wrong)
        assert refused.exit_code == 2
        assert "is not METRIC=WARN:CRITICAL" in refused.stderr
    for wrong, says in (("spills=5:2", "critical at 2.0, before the warning at 5.0"), ("spills=nan:", "warn is nan")):
        refused = ptxgen(*given, "--limit", wrong)
        assert refused.exit_code == 2
        assert says in refused.stderr


def test_compare_marks_the_best(ptxgen: Command, programs: Path, assembler: object) -> None:
    (programs / "slow.ptx").write_text(SLOW)
    (programs / "slower.ptx").write_text(SLOWER)
    rows = json.loads(ptxgen("compare", "slow.ptx", "slower.ptx", "--json").stdout)
    found = {row["metric"]: row for row in rows}
    assert found["instructions"]["best"] == ["slow.ptx"]
    assert found["efficiency"]["values"] == {"slow.ptx": 100.0, "slower.ptx": 12.5}
    assert found["spills"]["best"] == ["slow.ptx", "slower.ptx"]
    text = ptxgen("compare", "slow.ptx", "slower.ptx", "saxpy.py").stdout
    assert "equal" in text
    assert ptxgen("compare", "slow.ptx").exit_code == 2


def test_what_is_not_known_has_no_best(ptxgen: Command, programs: Path) -> None:
    (programs / "slow.ptx").write_text(SLOW)
    given = ("compare", "slow.ptx", "saxpy.py", "--no-assembler")
    found = {row["metric"]: row for row in json.loads(ptxgen(*given, "--json").stdout)}
    for metric in ("registers", "spills", "stack", "occupancy", "conflicts"):
        assert found[metric] == {"metric": metric, "values": {"slow.ptx": None, "saxpy.py": None}, "best": []}
    (line,) = [line for line in ptxgen(*given).stdout.splitlines() if line.startswith("spills")]
    assert line.split() == ["spills", "unknown", "unknown", "unknown"]


def test_stat_counts(ptxgen: Command) -> None:
    (report,) = json.loads(ptxgen("stat", "saxpy.py", "--target", "sm_80", "--json").stdout)
    (kernel,) = report["functions"]
    assert (report["version"], report["target"], kernel["name"], kernel["kernel"]) == ("7.0", "sm_80", "saxpy", True)
    assert kernel["parameters"] == 24
    assert kernel["shared"] == 0
    assert kernel["opcodes"]["fma"] == 1
    assert kernel["instructions"] == sum(kernel["opcodes"].values()) == sum(kernel["groups"].values())
    assert kernel["virtual_registers"][".pred"] == 1
    assert kernel["basic_blocks"] == 3
    assert kernel["memory"]["counts"] == {"global load": 2, "global store": 1}


def test_stat_says_what_a_kernel_takes(ptxgen: Command, assembler: object) -> None:
    (report,) = json.loads(ptxgen("stat", "saxpy.py", "--threads", "512", "--shared", "65536", "--json").stdout)
    (kernel,) = report["functions"]
    assert 4 <= kernel["resources"]["registers"] <= 40
    assert kernel["occupancy"]["threads"] == 512
    assert kernel["occupancy"]["limited_by"] == "shared memory"


def test_whose_registers_are_shown(ptxgen: Command, programs: Path, assembler: object) -> None:
    (programs / "slow.ptx").write_text(SLOW)
    told = "registers, spills and stack: nvjitlink "
    assert ptxgen("stat", "slow.ptx", "--tool", "nvjitlink").stdout.splitlines()[-1].startswith(told)
    for given in (("compare",), ("diff", "--metrics")):
        assert told in ptxgen(*given, "slow.ptx", "slow.ptx", "--tool", "nvjitlink").stdout
    assert ptxgen("check", "--style", "slow.ptx", "--tool", "nvjitlink").exit_code == 0
    for command in (("stat",), ("check", "--style")):
        refused = ptxgen(*command, "slow.ptx", "--tool", "gas")
        assert refused.exit_code == 1
        assert "no assembler is called 'gas'" in refused.output


def test_stat_shows_what_is_given_up(ptxgen: Command, programs: Path, assembler: object) -> None:
    text = SLOW.replace("@%p1 ret;", "@%p1 ret; setmaxnreg.dec.sync.aligned.u32 40;").replace("sm_80", "sm_90a")
    (programs / "lost.ptx").write_text(text)
    said = ptxgen("stat", "lost.ptx", "--tool", "nvjitlink").stdout
    assert "warning PTX630: (C7504)" in said
    assert "as a whole, with ptxas" in said


def test_stat_without_an_assembler(ptxgen: Command) -> None:
    (report,) = json.loads(ptxgen("stat", "saxpy.py", "--no-assembler", "--json").stdout)
    assert report["functions"][0]["resources"] is None
    assert report["assembler"] == "not asked"


def test_stat_as_a_table(ptxgen: Command, programs: Path) -> None:
    (programs / "slower.ptx").write_text(SLOWER)
    text = ptxgen("stat", "saxpy.py", "slower.ptx", "--accesses").stdout
    assert "slower.ptx: PTX 8.0, sm_90a" in text
    assert "saxpy" in text
    assert "256" in text  # bytes from lane to lane
    assert "memory (H100 SXM: 20)" in text


@pytest.mark.cpu_only
def test_stat_counts_a_launch(ptxgen: Command) -> None:
    launch = ("--arguments", "100 2.0 ones:f32:100 zeros:f32:100", "--block", "128", "--no-assembler")
    told = ptxgen("stat", "saxpy.py", *launch).stdout
    assert "sectors/request" in told
    (report,) = json.loads(ptxgen("stat", "saxpy.py", *launch, "--json").stdout)
    total = report["counts"]["total"]
    assert (total["global_bytes"], total["flops"]) == (1200, {"f32": 200})
    assert "transpose: grid" in ptxgen("stat", "transpose/b32", "--counts", "--no-assembler").stdout
    assert "has no problem of its own" in ptxgen("stat", "saxpy.py", "--counts").stderr
