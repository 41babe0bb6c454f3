"""Kernels as experts write them: nothing is said of them, and every protocol step that is taken out is missed.

`kernels/*.ptx` are whole programs, several on each protocol. A line's comment `// drop: CODE` says what the verifier says when
that line is not there; `// drop: silent (why)` that nothing can be said, and why.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Callable

KERNELS = sorted((Path(__file__).parent / "kernels").glob("*.ptx"))


class Step(NamedTuple):
    """A line of a kernel, and what is said of the kernel without it ("" for nothing)."""

    kernel: Path
    line: int
    text: str
    code: str


def steps() -> list[Step]:
    found = []
    for kernel in KERNELS:
        for number, line in enumerate(kernel.read_text("utf-8").splitlines()):
            mark = re.search(r"^\s*(.+?)\s*// drop: (?:silent \(.+\)|(PTX\d{3}))$", line)
            assert mark is not None or "// drop" not in line, line
            if mark is not None:
                found.append(Step(kernel, number, mark[1], mark[2] or ""))
    return found


def without(step: Step) -> str:
    lines = step.kernel.read_text("utf-8").splitlines()
    lines[step.line] = ""
    return "\n".join(lines)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda path: path.stem)
def test_a_right_kernel_is_silent(kernel: Path) -> None:
    assert verify(parse(kernel.read_text("utf-8"), name=kernel.name)) == []


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda path: path.stem)
def test_it_assembles(kernel: Path, assembler: Callable[..., Any]) -> None:
    assert assembler(kernel.read_text("utf-8")).cubin


@pytest.mark.parametrize("step", steps(), ids=lambda step: f"{step.kernel.stem}-{step.line + 1}")
def test_a_missing_step_is_found(step: Step) -> None:
    findings = verify(parse(without(step), name=step.kernel.name))
    if step.code:
        assert step.code in [finding.code for finding in findings], step.text
    else:
        assert findings == [], step.text


def test_there_are_enough_of_them() -> None:
    assert len(KERNELS) >= 12
    assert len([step for step in steps() if step.code]) >= 100
