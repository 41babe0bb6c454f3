"""What a type checker and an editor know of values, and of `k.ptx` by chains.pyi, which tools/make_stubs.py writes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ptxgen.builder.exact.chain import attribute
from ptxgen.builder.values import SCALARS
from ptxgen.isa.examples import covering_names
from ptxgen.isa.forms import all_forms, forms_of, opcodes, resolve
from ptxgen.isa.spelling import begin, following, is_complete
from ptxgen.isa.types import TYPES
from tools import make_stubs

ROOT = Path(__file__).resolve().parents[3]


def test_the_stubs_are_what_the_table_says():
    current = make_stubs.stub()
    assert make_stubs.STUB.read_text() == current, "out of date: python tools/make_stubs.py"
    assert len(current) < 1_500_000


# ---- the automaton ---------------------------------------------------------------------------------------------------


def walk(name):
    """The state that a name leads to; None where a word may not follow."""
    opcode, *words = name.split(".")
    state = begin(opcode)
    for word in words:
        state = following(state).get(word)
        if state is None:
            return None
    return state


def test_every_name_of_a_row_is_a_path():
    for form in all_forms():
        for name in covering_names(form):
            assert is_complete(walk(name)), name


@pytest.mark.parametrize("name", ["add.rn", "ld.global", "mma.sync.aligned", "cp.async.bulk.tensor"])
def test_a_path_may_go_on_without_being_a_name(name):
    assert walk(name)
    assert not is_complete(walk(name))
    assert not resolve(name)


@pytest.mark.parametrize("name", ["add.f32.rn", "add.sat.u16", "ld.v4.global", "cvt.f16.f32.rn", "shfl.f32"])
def test_what_no_row_says_is_no_path(name):
    assert walk(name) is None


def test_as_many_names_as_the_table_has():
    counts = {}

    def names(state):
        if state not in counts:
            counts[state] = is_complete(state) + sum(map(names, following(state).values()))
        return counts[state]

    assert sum(names(begin(opcode)) for opcode in opcodes()) > 106_000
    assert names(begin("popc")) == sum(len(covering_names(form)) for form in forms_of("popc"))


# ---- a type checker --------------------------------------------------------------------------------------------------

HEAD = """\
from typing import Any

import ptxgen as px
from ptxgen import sink
from ptxgen.ir import Register

def rows(k: px.Builder, r: Register, x: px.ptr[px.f32], m: px.TensorMap, {parameters}) -> None:
"""


def typed(entry):
    """A variable of the operand's type, as a name in the file that mypy reads."""
    spec = entry.spec
    if spec.second is not None and not spec.second_optional:
        return f"({typed(entry._replace(spec=spec._replace(second=None)))}, v_{spec.second.type})"
    if spec.kind == "address":
        return f"[x, ({', '.join(map(typed, entry.parts))},)]" if entry.parts else "x"
    if spec.kind == "vector" or entry.lanes > 1:
        parts = entry.parts or (entry._replace(spec=spec._replace(lanes=""), lanes=1),) * entry.lanes
        return f"({', '.join(map(typed, parts))},)"
    fixed = {"immediate": "1", "sink": "sink", "label": '"DONE"', "call": '"callee"'}.get(spec.kind)
    if fixed is not None:
        return fixed
    type_ = entry.type or TYPES["b32"]
    name = type_.name if type_.name in SCALARS and type_.bits != 8 else f"b{max(16, type_.bits)}"
    return "r" if type_.bits == 8 and not spec.wider else f"v_{name}"


def legal_calls():
    """One call of every row."""
    for form in all_forms():
        name = covering_names(form)[0]
        resolved = next((found for found in resolve(name) if found.form is form), None)
        if resolved is not None:
            chain = ".".join(attribute(word) for word in name.split("."))
            operands = [typed(entry) for entry in resolved.operands if not entry.spec.optional]
            yield f"k.ptx.{chain}({', '.join(operands)})"


ILLEGAL = {
    "k.ptx.addd.f32(v_f32, v_f32, v_f32)": 'has no attribute "addd"',
    "k.ptx.add.f32.rn(v_f32, v_f32, v_f32)": 'has no attribute "rn"',
    "k.ptx.add.rn.ftz.f64(v_f64, v_f64, v_f64)": '"_add_rn_ftz" has no attribute "f64"',
    "k.ptx.ld.v4.global_.f32((v_f32, v_f32, v_f32, v_f32), x)": 'has no attribute "global_"',
    "k.ptx.mma.sync.aligned.m16n8k17()": 'has no attribute "m16n8k17"',
    "k.ptx.add.rn(v_f32, v_f32, v_f32)": "not callable",
    "k.ptx.add.f32(v_f32, v_f32)": "Too few arguments",
    "k.ptx.add.f32(v_f32, v_f32, v_f32, v_f32)": "Too many positional arguments",
    "k.ptx.add.f32(v_f32, v_f64, 1.0)": 'has incompatible type "f64"',
    "k.ptx.add.u32(v_u32, v_f32, 1)": 'has incompatible type "f32"',
    "k.ptx.add.u32(v_u32, v_u32, 1.5)": 'has incompatible type "float"',
    "k.ptx.add.u32(5, v_u32, 1)": 'has incompatible type "int"',
    "k.ptx.add.u32(sink, v_u32, 1)": 'has incompatible type "Sink"',
    "k.ptx.selp.b32(v_b32, v_b32, v_b32, v_b32)": 'has incompatible type "b32"',
    "k.ptx.ld.global_.f32(v_f32, 4)": 'has incompatible type "int"',
    "k.ptx.add.u32(v_u32, m, 1)": 'has incompatible type "TensorMap"',
    "k.ptx.ld.global_.v4.f32(v_f32, x)": 'has incompatible type "f32"',
    "k.ptx.bar.sync(0, pred=v_u32)": "No overload variant",
    "k.ptx.lop3.b32(v_b32, v_b32, v_b32, v_b32, v_b32)": 'has incompatible type "b32"',
    "v_u32.set(x[0])": 'has incompatible type "f32"',
    "v_u32.set(x.bounded(4)[0])": 'has incompatible type "f32"',
    "v_u32.set(k.shared(px.f32, 4)[0])": 'has incompatible type "f32"',
    "v_u32.set(k.atomic_add(x, 0, 1.0))": 'has incompatible type "f32"',
    "v_u32.set(k.shfl_up(v_f32, 1))": 'has incompatible type "f32"',
    "v_f32.set(k.shfl_up(v_f32, 1, valid=True))": 'has incompatible type "tuple[f32, pred]"',
    "v_u32.set(k.fma(v_f32, v_f32, 1.0))": 'has incompatible type "f32"',
    "v_u32.set(k.pointer(v_u64, px.f32)[0])": 'has incompatible type "f32"',
}

LEGAL = [
    'k.ptx["add.rn.f32"](v_f32, v_f32, 1)',  # a quoted name is not checked until it runs
    "k.ptx.add.rn.f32(v_f32, v_f32, 1, pred=v_pred)",
    "k.ptx.ld.global_.v4.f32(tuple(v_f32 for _ in range(4)), [x, 16])",
    "k.ptx.setp.lt.and_.u32((v_pred, sink), v_s32, 5, ~v_pred)",
    "k.ptx.tex._2d.v4.f32.s32((v_f32, v_f32, v_f32, v_f32), [v_u64, (v_s32, v_s32)])",
    "k.ptx.prefetch.tensormap(m)",
    "k.ptx.prefetch.tensormap([m])",
    "k.ptx.prefetch.param.tensormap(m)",
    "k.ptx.mov.u64(v_u64, m)",
    "k.ptx.mov.u32(v_u32, k.shared(px.f32, 4))",
    "k.ptx.ld.param.u64(v_u64, [m, 8])",
    "k.ptx.cp.async_.bulk.tensor._2d.global_.shared__cta.tile.bulk_group([m, (0, v_s32)], k.shared(px.f32, 4))",
    "v_f32.set(k.fma(x[v_u32], 2.0, k.shared(px.f32, (2, 4))[0, v_u32]))",
    "v_f32.set(k.shfl_up(x.bounded(v_u32)[0], 1, valid=True)[0])",
    "v_f32.set(k.atomic_add(k.shared(px.f32, 4), v_u32, 1.0))",
]


def test_mypy_takes_a_call_of_every_row_and_refuses_illegal_ones(tmp_path):
    pytest.importorskip("mypy", reason="mypy is among the tools of the extra dev")
    parameters = ", ".join(f"v_{name}: px.{name}" for name in SCALARS)
    lines = HEAD.format(parameters=parameters).splitlines()
    lines += [f"    {call}" for call in (*legal_calls(), *LEGAL)]
    expected = {len(lines) + at: message for at, message in enumerate(ILLEGAL.values(), start=1)}
    lines += [f"    {call}" for call in ILLEGAL]
    (tmp_path / "rows.py").write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file", "pyproject.toml"]
    done = subprocess.run([*command, str(tmp_path / "rows.py")], cwd=ROOT, capture_output=True, text=True, check=False)
    found = {}
    for at, message in re.findall(r"rows\.py:(\d+): error: (.*)", done.stdout):
        found.setdefault(int(at), message)
    surprising = {lines[at - 1]: message for at, message in found.items() if at not in expected}
    assert (surprising, done.stderr) == ({}, "")
    for at, message in expected.items():
        assert message in found.get(at, "nothing"), lines[at - 1]
