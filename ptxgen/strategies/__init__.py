"""Property testing: hypothesis strategies of legal instructions and of whole well-defined programs.

    from hypothesis import given
    from ptxgen.strategies import programs

    @given(programs())
    def test_my_pass(program):
        module = my_pass(program.module(target="sm_90a"))
        assert run(module, program) == program.expected()

`operations.py` is the list of instructions that programs use, with their results; `program.py` says what a program is,
`drawing.py` draws one, `writing.py` writes it as PTX, `reference.py` interprets it; `instruction.py` draws single instructions
from the table. Needs hypothesis (`pip install "ptxgen[test]"`). May import isa, ir, text and check.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.strategies.drawing import programs
    from ptxgen.strategies.instruction import Drawn, instructions
    from ptxgen.strategies.program import DrawnProgram

__all__ = ["Drawn", "DrawnProgram", "instructions", "programs"]

_EXPORTS = {
    "drawing": "programs",
    "instruction": "Drawn instructions",
    "program": "DrawnProgram",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
