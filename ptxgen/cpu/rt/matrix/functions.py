"""Matrix instructions at run time: one function for each, made when a kernel first needs it, the same for all kernels.

    void matrix.NAME(warp, table, scalars, rows)

`table` has 32 bits for each register of the instruction's fragments, in their order: the byte of the warp's record at which its
32 values lie; or, when negative, the complement of the number of a 64-bit scalar that stands for all 32. `rows` has a pointer
for each row in memory, where the instruction has such. A function first gathers its fragments into matrices, then computes,
then scatters the result: which lane and register holds which element is what ptxgen.isa.layouts says, and only that.
"""

from __future__ import annotations

from importlib import import_module

from ptxgen.cpu.emit import Emitter, ModuleText
from ptxgen.cpu.rt.matrix.signature import ARGUMENTS, PREFIX

__all__ = ["function_name", "library_text"]

_WRITERS = {
    "mma": "products",
    "ldmatrix": "moves",
    "stmatrix": "moves",
    "movmatrix": "moves",
    "wmma": "wmma",
    "wgmma": "wgmma",
    "tcgen05.ld": "tensor_memory",
    "tcgen05.st": "tensor_memory",
    "tcgen05.cp": "tensor_copies",
    "tcgen05.shift": "tensor_copies",
    "tcgen05.mma": "tcgen05",
}
"""Opcode (of tcgen05 with the word behind it) -> the file of this folder whose `write(fragments)` makes its functions."""

_SPACES = ("shared", "global")  # functions get pointers, to wherever it is


def function_name(op: str, selector: int = 0, without: str = "") -> str:
    """The function of an instruction; `selector` is the sparsity selector of a sparse one, `without` the letters of operands that
    lie elsewhere than in registers.
    """
    words = (
        "sp" if word.startswith("sp::") else word for word in op.split(".") if word.partition("::")[0] not in _SPACES
    )
    return f"{PREFIX}{'.'.join(words).replace('::', '--')}${selector}{without}"


def library_text(name: str, *, fused: bool = False) -> str:
    """The LLVM module of one function."""
    from ptxgen.cpu.rt.matrix.fragments import Fragments

    op, _, choice = name.removeprefix(PREFIX).replace("--", "::").partition("$")
    e = Emitter(ModuleText())
    opcode, word = op.split(".")[:2]
    writer = import_module(f"ptxgen.cpu.rt.matrix.{_WRITERS[f'{opcode}.{word}' if opcode == 'tcgen05' else opcode]}")
    writer.write(Fragments(e, op, int(choice[:1]), choice[1:], fused=fused))
    e.line("ret void")
    arguments = ", ".join(f"{t} %a{i}" for i, t in enumerate(ARGUMENTS))
    strict = " strictfp" if e.strict else ""
    e.module.functions.append(e.function(f"void @{name}({arguments}) nounwind{strict}"))
    return str(e.module)
