"""The rows of the diagnostic codes: every example gives the code that it stands for."""

from __future__ import annotations

import textwrap
from importlib import import_module

import pytest

import ptxgen as px
from ptxgen.codes import GROUPS, Code, group
from ptxgen.codes.index import INDEX
from ptxgen.codes.lookup import all_codes
from ptxgen.errors import PtxError
from ptxgen.resources import advise
from ptxgen.text import parse, render_text
from ptxgen.verifier import verify
from ptxgen.verifier.run import run_checks
from tests import ptx

REGISTERS = (
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .f64 %fd<4>;\n"
    "mov.b32 %r1, 1; mov.b32 %r2, 2; mov.b64 %rd1, 0; mov.f32 %f1, 0f00000000; setp.eq.u32 %p1, %r1, 1;\n"
)


CODES = all_codes()


def test_the_rows_are_in_order_and_in_a_group() -> None:
    for module in {entry.module for entry in INDEX.values()}:
        codes = [row.code for row in import_module(module).CODES]
        assert codes == sorted(codes)
    assert list(CODES) == list(INDEX)
    assert {code[3] for code in CODES} <= set(GROUPS)
    assert group("PTX412") == "targets, versions and limits"


EXAMPLES = [c for c in CODES.values() if c.ptx or c.module or c.template or c.python]


def test_almost_every_code_has_an_example() -> None:
    """PTX490 depends on what the CPU device lacks, which is to become less."""
    assert sorted(set(CODES) - {c.code for c in EXAMPLES}) == ["PTX490"]


@pytest.mark.parametrize("row", EXAMPLES, ids=lambda row: row.code)
def test_the_example_gives_the_code(row: Code, request: pytest.FixtureRequest) -> None:
    if row.code in WITH_ASSEMBLER:
        request.getfixturevalue("assembler")
    found = findings(row)
    assert row.code in [f.code for f in found]
    assert next(f.severity for f in found if f.code == row.code) in row.severity


def test_the_checks_that_a_driver_runs_find_every_error() -> None:
    """Of each example, warnings put aside: a driver asks only whether a module is legal."""
    missed = []
    for row in EXAMPLES:
        if "error" in row.severity and (row.ptx or row.module):
            try:
                module = parse(row.module or around(row))
            except PtxError:
                continue  # the parser says it
            whole, quick = run_checks(module), run_checks(module, errors_only=True)
            if [str(f) for f in whole if f.is_error] != [str(f) for f in quick if f.is_error]:
                missed.append(row.code)
    assert missed == []


WITH_ASSEMBLER = ("PTX614", "PTX620", "PTX621", "PTX630")
"""What passes and the assembler show, and not the verifier alone."""


def findings(row: Code) -> list[px.Diagnostic]:
    try:
        if row.code in WITH_ASSEMBLER:
            return advise(parse(row.module or around(row)))
        if row.template:
            return verify(render_text(row.template))
        if row.python:
            return verify(kernel(row.python))
        return verify(
            parse(row.module or around(row)), style=group(row.code) == "style" or row.code == "PTX208"
        )  # the order of modifiers
    except PtxError as error:
        return list(error.diagnostics)


def around(row: Code) -> str:
    """The example's lines in a kernel, with registers of the usual names."""
    version, target = row.header.split()
    return ptx.kernel(
        row.ptx,
        ".param .u64 a",
        registers=REGISTERS,
        directives=row.head,
        before=row.before,
        version=version,
        target=target,
    )


def kernel(body: str) -> px.Module:
    """The example's lines as the body of a Python kernel."""
    from ptxgen import f32, u32

    text = "def kernel(k, n: u32, a: f32, x: px.ptr[f32]):\n" + textwrap.indent(body, "    ")
    names = {"px": px, "u32": u32, "f32": f32}
    exec(compile(text, "example.py", "exec"), names)
    return px.kernel(names["kernel"]).module(target="sm_90a")
