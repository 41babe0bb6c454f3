"""Every pass on drawn programs: legal as before, printed and parsed to the same, and the device computes the same bits."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import ptxgen as px
from ptxgen import passes
from ptxgen.passes.pipeline import edits
from ptxgen.passes.pressure import FREE, Pressure
from ptxgen.strategies import DrawnProgram, programs
from ptxgen.text import print_module

np = pytest.importorskip("numpy")

EXACT = [name for name in passes.PASSES if name != "fma"]


@pytest.fixture(scope="module")
def dev(device_name):
    return px.device(device_name)


def run(dev, program: DrawnProgram, module: px.Module) -> tuple[bytes, bytes]:
    """(output, totals) of a launch on the device."""
    data = dev.array(np.frombuffer(program.inputs, np.uint8))
    output = dev.array(np.full(program.output_bytes, 0xA5, np.uint8))
    totals = dev.array(np.frombuffer(program.totals, np.uint8))
    dev.load(module)["program"].launch(program.grid, program.block, (data, output, totals))
    return output.numpy().tobytes(), totals.numpy().tobytes()


def findings(module: px.Module) -> set[str]:
    return {finding.code for finding in px.verify(module)}


@settings(max_examples=12)
@given(program=programs())
def test_each_pass_keeps_every_bit(dev, program):
    """All passes see one program: drawing it, and what it computes by the reference, cost more than a pass."""
    module = program.module(target=dev.target)
    expected = program.expected()
    ran: set[str] = set()  # the same text computes the same
    for name in EXACT:
        changed = passes.run(module, [name])
        text = print_module(changed)
        if text not in ran:
            assert run(dev, program, changed) == expected, name
        ran.add(text)


@settings(max_examples=10)
@given(program=programs())
def test_all_passes_together_keep_every_bit(dev, program):
    module = program.module(target=dev.target)
    assert run(dev, program, passes.run(module)) == program.expected()


@settings(max_examples=8)
@given(program=programs(depth=2, statements=6))
def test_a_pass_makes_programs_as_legal_as_before_and_leaves_its_input_alone(program):
    module = program.module()
    text = print_module(module)
    before = findings(module)
    for name in passes.PASSES:
        changed = passes.run(module, [name])
        assert print_module(module) == text, name
        assert px.parse(print_module(changed)) == changed, name
        assert findings(changed) <= before, name


@settings(max_examples=10)
@given(program=programs(depth=2, statements=6))
def test_what_all_passes_make_assembles(assembler, program):
    assembler(str(passes.run(program.module(), EXACT)))


def most_alive(module: px.Module) -> list[int]:
    return [Pressure(edit).most for edit in edits(module)]


@settings(max_examples=12)
@given(program=programs(statements=20))
def test_code_that_moves_leaves_no_more_alive_than_may_be(program):
    module = program.module()
    alive = most_alive(module)
    for name in ("schedule", "hoist", "predication"):
        for before, after in zip(alive, most_alive(passes.run(module, [name]))):
            assert after <= max(FREE, before), name


def rounds(module: px.Module, names: list[str], most: int = 6) -> int:
    """How often the passes change something until they change nothing more."""
    for count in range(most):
        changed = passes.run(module, names)
        if changed is module or print_module(changed) == print_module(module):
            return count
        module = changed
    pytest.fail(f"{names} change the program still after {most} rounds")


@settings(max_examples=20)
@given(program=programs())
def test_each_pass_comes_to_an_end(program):
    module = program.module()
    for name in passes.PASSES:
        rounds(module, [name])


@settings(max_examples=8)
@given(program=programs())
def test_all_passes_together_come_to_an_end(program):
    rounds(program.module(), list(passes.PASSES))
