"""Whole programs, drawn: legal, printed and parsed to the same, and on the device they compute what the interpreter says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import ptxgen as px
from ptxgen.strategies import DrawnProgram, programs
from ptxgen.strategies.program import (
    Assign,
    CallStatement,
    Exchange,
    Fold,
    LoopStatement,
    ReduceStatement,
    Switch,
    ThreadVariable,
    UniformIf,
)
from ptxgen.text import print_module

np = pytest.importorskip("numpy")

R = [ThreadVariable("b32", i) for i in range(5)]


def run(dev, program: DrawnProgram, module: px.Module) -> tuple[bytes, bytes]:
    """(output, totals) of a launch on the device."""
    data = dev.array(np.frombuffer(program.inputs, np.uint8))
    output = dev.array(np.full(program.output_bytes, 0xA5, np.uint8))
    totals = dev.array(np.frombuffer(program.totals, np.uint8))
    kernel = dev.load(module)["program"]
    kernel.launch(program.grid, program.block, (data, output, totals))
    return output.numpy().tobytes(), totals.numpy().tobytes()


@pytest.fixture(scope="module")
def dev(device_name):
    return px.device(device_name)


@settings(max_examples=30)
@given(program=programs())
def test_a_program_computes_what_the_interpreter_says(dev, program):
    assert run(dev, program, program.module(target=dev.target)) == program.expected()


@settings(max_examples=30)
@given(program=programs(depth=2, statements=6))
def test_a_program_is_legal_and_survives_its_text(program):
    module = program.module()
    assert [finding for finding in px.verify(module) if finding.is_error] == []
    text = print_module(module)
    assert px.parse(text) == module
    assert print_module(px.parse(text)) == text


@settings(max_examples=25)
@given(program=programs(depth=2, statements=6))
def test_a_program_assembles(assembler, program):
    assembler(str(program.module()))


# ---- what each statement means, by hand ------------------------------------------------------------------------------


def by_hand(dev, *statements, block=64, grid=2, functions=()):
    """Run statements over the input 0, 1, 2, ...; (word variables by thread, totals) that device and interpreter agree on."""
    program = DrawnProgram(statements, functions, tuple(range(8)), (7, 11), grid, block)
    found = run(dev, program, program.module(target=dev.target))
    assert found == program.expected()
    return np.frombuffer(found[0], np.uint64).reshape(grid * block, -1)[:, 6:11].astype(int), found[1]


def test_words_start_from_the_input(dev):
    words, _ = by_hand(dev)
    assert words[3].tolist() == [3, (3 * 3 + 1) % 8, (3 * 5 + 2) % 8, (3 * 7 + 3) % 8, (3 * 9 + 4) % 8]


def test_a_fold_adds_up_what_all_threads_of_a_cta_have(dev):
    words, _ = by_hand(dev, Fold("add.u32", R[1], R[0]))
    assert set(words[:, 1]) == {sum(range(8)) * 8}


def test_an_exchange_takes_another_thread_s_value(dev):
    widen = Assign("cvt.u64.u32", ThreadVariable("b64", 0), (R[0],))
    narrow = Assign("cvt.u32.u64", R[1], (ThreadVariable("b64", 1),))
    words, _ = by_hand(dev, widen, Exchange(ThreadVariable("b64", 1), ThreadVariable("b64", 0), R[2]), narrow)
    assert words[3, 1] == words[words[3, 2], 0]


def test_reductions_reach_memory_from_every_cta(dev):
    _, totals = by_hand(dev, Assign("and.b32", R[1], (R[0], 0)), ReduceStatement("add.u32", R[1], R[0], False))
    assert np.frombuffer(totals, np.uint32)[0] == sum(range(8)) * 16


def test_loops_switches_and_branches_that_a_cta_takes_alike(dev):
    step = Assign("add.u32", R[3], (R[3], 100))
    words, _ = by_hand(
        dev,
        Assign("and.b32", R[3], (R[3], 0)),
        LoopStatement(R[0], (step,)),  # as many rounds as the two lowest bits say
        Switch(R[0], ((), (Assign("add.u32", R[3], (R[3], 1)),), (), ())),
        UniformIf(0, (Assign("add.u32", R[3], (R[3], 10)),), ()),
    )
    assert words[:4, 3].tolist() == [0, 101, 200, 300]
    assert words[64:68, 3].tolist() == [10, 111, 210, 310]


def test_functions_are_called(dev):
    body = (Assign("mul.lo.u32", R[0], (R[0], 3)),)
    words, _ = by_hand(dev, CallStatement(0, R[4], R[0], R[1]), functions=(body,))
    assert words[5, 4] == 15
