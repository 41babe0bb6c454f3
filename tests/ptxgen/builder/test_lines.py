"""`module(lines=True)`: the Python line of each instruction, with the calls of helpers as inlined functions."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ptxgen as px
from ptxgen import f32, ir, u32
from ptxgen.dataflow.bodies.source_lines import files_of, source_lines


def doubled(k: px.Builder, x: px.ptr[f32], i: u32) -> f32:
    return x[i] * 2.0  # doubled


def summed(k: px.Builder, x: px.ptr[f32], i: u32) -> None:
    v = doubled(k, x, i)  # first call
    x[i] = v + doubled(k, x, i + 1)  # second call


@px.func
def tripled(k: px.Builder, y: f32) -> f32:
    return y * 3.0  # tripled


# "far" is 16 GB on: no other test's memory lies there.
@px.kernel
def kernel(k: px.Builder, n: u32, x: px.ptr[f32]):
    i = k.global_id.x  # index
    with k.if_(i < n):  # bound
        summed(k, x, i)  # helper
        (lambda: x.store(i, tripled(x[i])))()  # lambda
    k.print("{}", i, when=i == n)  # print
    x[i + 4_000_000_000] = 1.0  # far


def told(module: px.Module) -> list[tuple[str, list[str]]]:
    """(opcode, the comments of the lines that it is of, innermost first) of each instruction."""
    files = files_of(module)
    found = []
    for function in module.functions:
        current: ir.LineDirective | None = None
        seen: dict[tuple[int, int, int], ir.LineDirective] = {}
        for statement in function.body or ():
            if isinstance(statement, ir.LineDirective):
                current = statement
                seen[statement.file, statement.line, statement.column] = statement
            elif isinstance(statement, ir.Instruction):
                chain = []
                at = current
                while at is not None:
                    (place, *_) = source_lines([at], files)
                    chain.append(place.place.excerpt().partition("# ")[2])
                    outer = re.search(r"inlined_at (\d+) (\d+) (\d+)", at.inlined or "")
                    at = seen[tuple(map(int, outer.groups()))] if outer else None  # told before, as the manual asks
                found.append((statement.opcode, chain))
    return found


def test_each_instruction_has_its_line_and_those_that_called_its_helper():
    module = kernel.module(target="sm_90", lines=True, strict=True)
    lines = told(module)
    assert ("mul", ["tripled"]) in lines
    assert ("mul", ["doubled", "first call", "helper"]) in lines
    assert ("mul", ["doubled", "second call", "helper"]) in lines
    assert ("st", ["second call", "helper"]) in lines
    assert ("call", ["lambda"]) in lines
    assert ("call", ["print"]) in lines
    assert lines[-2:] == [("st", ["far"]), ("ret", [""])], "the function's end is of its own line"
    parameters = [chain for opcode, chain in lines if opcode == "cvta"][:1]
    assert parameters == [[""]], "the line of the kernel's function"


def test_names_of_inlined_functions_are_in_debug_str():
    module = kernel.module(target="sm_90", lines=True)
    (section,) = [item for item in module.items if isinstance(item, ir.Section)]
    assert section.name == "debug_str"
    data = dict(zip(section.lines[::2], section.lines[1::2]))
    names = {label: bytes(map(int, line.removeprefix(".b8").split(","))).decode() for label, line in data.items()}
    assert sorted(names.values()) == ["doubled\0", "summed\0"]


def test_it_is_text_like_any_other_and_changes_nothing_else():
    module, plain = kernel.module(target="sm_90", lines=True), kernel.module(target="sm_90")
    assert px.parse(str(module)) == module
    assert str(module) == str(kernel.module(target="sm_90", lines=True))
    assert _without_lines(str(module)) == _without_lines(str(plain))
    assert _without_lines(str(plain)).count("\n") == len([line for line in str(plain).splitlines() if line]) - 1
    assert ".loc " not in str(plain)


def _without_lines(text: str) -> str:
    """A module's text without `.loc`, `.file` and `.section`, which stand behind its functions."""
    functions = text.partition("\n.file ")[0].splitlines()
    return "\n".join(line for line in functions if line and not line.lstrip().startswith(".loc "))


def test_the_lowest_version_that_has_inlined_functions():
    """Where assemblers take them: the manual says 7.2."""

    def nothing(k, n: u32):
        k.check(n > 3)

    assert px.kernel(nothing).module(target="sm_75", lines=True).version == (6, 3)
    assert kernel.module(target="sm_75", lines=True).version == (7, 0)
    with pytest.raises(px.VerifyError, match=r"7\.0"):
        kernel.module(target="sm_75", version="6.5", lines=True)


def test_assemblers_write_a_table_of_the_lines(assembler):
    for target in ("sm_75", "sm_90a", "sm_100a"):
        cubin = assembler(kernel.module(target=target, lines=True)).cubin
        assert b".debug_line" in cubin
        assert b"test_lines.py" in cubin
        assert b"summed\0" in cubin
    assert b"test_lines.py" not in assembler(kernel.module(target="sm_90a")).cubin


def test_a_device_runs_it(dev):
    x = dev.array(np.ones(8, np.float32))

    @px.kernel
    def in_bounds(k, n: u32, x: px.ptr[f32]):
        with k.if_(k.tid.x < n):
            summed(k, x, k.tid.x)

    dev.load(in_bounds.module(target=dev.target, lines=True))["in_bounds"].launch(1, 32, (1, x))
    assert x.numpy().tolist() == [4.0] + [1.0] * 7


@pytest.mark.cpu_only
def test_a_fault_shows_the_lines(dev, monkeypatch):
    text = kernel.ptx(target=dev.target, lines=True)
    with dev.context.load(text) as module:
        module.function("kernel").launch(1, 1, 1, dev.zeros(4, f32))
        with pytest.raises(px.Error, match=r"test_lines\.py:\d+  x\[i \+ 4_000_000_000\] = 1\.0  # far"):
            dev.synchronize()
    dev.reset()
    monkeypatch.setenv("PTXGEN_LINES", "1")
    x = dev.zeros(4, f32)
    px.kernel(kernel._function)[1, 1](1, x)
    with pytest.raises(px.Error) as caught:
        x.numpy()
    assert str(caught.value).count("# far") == 1, "the same line is told once"
    dev.reset()


@pytest.mark.parametrize("value,lines", [("", False), ("0", False), ("1", True)])
def test_the_environment_turns_it_on(monkeypatch, value, lines):
    monkeypatch.setenv("PTXGEN_LINES", value)
    assert (".loc " in str(kernel.module())) is lines
    assert ".loc " not in str(kernel.module(lines=False))
    assert ".loc " in str(kernel.module(lines=True))


def test_names_of_files_are_absolute_and_others_stay(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = "def f(k, n: u32):\n    k.trap()\n"
    for name, told_as in (
        ("kernel.py", str(tmp_path / "kernel.py")),
        ("<stdin>", "<stdin>"),
        ('a"b.py', f"{tmp_path}/a'b.py"),
    ):
        names = {"u32": u32}
        exec(compile(source, name, "exec"), names)
        module = px.kernel(names["f"]).module(lines=True)
        assert files_of(px.parse(str(module))) == {1: told_as}


@given(st.lists(st.sampled_from([doubled, summed, None]), min_size=1, max_size=12))
def test_every_inlined_place_was_told_before(helpers):
    def some(k, x: px.ptr[f32]):
        for helper in helpers:
            if helper is None:
                x[0] = 1.0
            else:
                helper(k, x, k.tid.x)

    some.__annotations__ = {"x": px.ptr[f32]}
    assert told(px.kernel(some).module(lines=True))


def deep(k: px.Builder, x: px.ptr[f32], depth: int) -> None:
    if depth:
        deep(k, x, depth - 1)
    else:
        x[0] = 1.0


def test_more_callers_than_are_kept():
    def outer(k, x: px.ptr[f32]):
        deep(k, x, 40)

    outer.__annotations__ = {"x": px.ptr[f32]}
    module = px.kernel(outer).module(lines=True)
    chain = told(module)[-2]
    assert (chain[0], len(chain[1]) > 1) == ("st", True)
