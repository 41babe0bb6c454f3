"""How many cycles pass before another instruction can use a result, by class of instruction.

Measured by others, with chains of dependent instructions: Jia, Maggioni, Staiger and Scarpazza, "Dissecting the NVIDIA Volta GPU
Architecture via Microbenchmarking" (2018, arXiv 1804.06826) for arithmetic, conversions and shuffles; Abdelkhalik, Arafa, Santhi
and Badawy, "Demystifying the Nvidia Ampere Architecture through Microbenchmarking and Instruction-level Analysis" (2022, arXiv
2208.11174) for memory (A100: shared 23, first level 33, second 200, device memory 290) and mma. Generations differ by a few
cycles, and what PTX calls one instruction may be a sequence (division, f64 functions): those are estimates. The scheduler only
compares sums of them, so that the order of magnitude is what counts.
"""

from __future__ import annotations

from ptxgen.ir import Instruction, Special
from ptxgen.isa.types import TYPES

__all__ = ["LATENCY", "latency"]

LATENCY = {
    "simple": 4,  # integer addition, logic, comparison, selection, moves; f32 arithmetic
    "multiply": 5,  # 32-bit integer products
    "wide": 8,  # 64-bit additions and shifts, f64 arithmetic on data-centre parts
    "wide multiply": 16,  # a 64-bit integer product: a sequence
    "half": 6,
    "bits": 14,  # population count, leading zeros, reversal, conversions: the shared unit of a quarter
    "function": 18,  # rcp, rsqrt, ex2, lg2, sin, cos, tanh and their approximations
    "division": 60,  # a sequence, as is a square root rounded to nearest
    "wide division": 150,
    "special": 20,  # a special register
    "shuffle": 23,
    "vote": 12,
    "shared": 23,
    "local": 33,
    "global": 200,  # the second-level cache: between a hit in the first and device memory
    "constant": 8,
    "matrix": 33,
    "store": 1,
}
"""Class -> cycles."""

_CLASS = {
    **dict.fromkeys("popc clz brev bfind fns cvt".split(), "bits"),
    **dict.fromkeys("rcp rsqrt ex2 lg2 sin cos tanh".split(), "function"),
    **dict.fromkeys("div rem sqrt".split(), "division"),
    **dict.fromkeys("shfl redux".split(), "shuffle"),
    **dict.fromkeys("vote match elect".split(), "vote"),
    **dict.fromkeys("mma wmma movmatrix".split(), "matrix"),
    **dict.fromkeys("mul mad mul24 mad24 sad dp4a dp2a".split(), "multiply"),
    **dict.fromkeys("st red stmatrix".split(), "store"),
    "ldmatrix": "shared",
}
_SPACES = ("shared", "local", "const", "param")


def latency(instruction: Instruction) -> int:
    """Cycles until its result can be used."""
    return LATENCY[_class(instruction)]


def _class(instruction: Instruction) -> str:
    opcode, _, rest = instruction.op.partition(".")
    words = rest.split(".")
    if opcode in ("ld", "ldu", "atom"):
        space = next((word.partition("::")[0] for word in words if word.partition("::")[0] in _SPACES), "global")
        return "constant" if space in ("const", "param") else space
    if opcode == "wmma" and words[0] in ("load", "store"):
        return "shared" if "shared" in rest else "global"
    if opcode == "mov" and type(instruction.operands[1]) is Special:
        return "special"
    type_ = TYPES.get(words[-1]) if words else None
    found = _CLASS.get(opcode, "simple")
    if type_ is None or found in ("store", "matrix", "shuffle", "vote"):
        return found
    if opcode == "cvt":
        return "bits" if any(TYPES[word].is_float for word in words if word in TYPES) else "simple"
    if opcode in ("rcp", "sqrt", "div") and "approx" in words:
        return "function"
    if opcode == "rcp":
        found = "division"
    if type_.is_float and found == "multiply":
        found = "simple"  # a float's product takes as long as its sum
    if type_.bits == 64:
        return {"simple": "wide", "multiply": "wide multiply", "division": "wide division"}.get(found, found)
    return "half" if type_.is_float and type_.element in ("f16", "bf16") and found == "simple" else found
