"""How much arithmetic an instruction is: floating-point operations by kind and by type."""

from __future__ import annotations

import re
from functools import cache

from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.types import TYPES

__all__ = ["flop_type", "flops"]

_TWO = frozenset({"fma", "mad"})
_ONE = frozenset("add sub mul div min max abs neg rcp sqrt rsqrt sin cos ex2 lg2 tanh".split())
_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
_PRODUCTS = opcodes_with("matrix")
_WARP, _WARPGROUP = 32, 128


@cache
def flops(op: str) -> tuple[str, float]:
    """(kind, floating-point operations that one thread does) for an instruction; ("", 0) for what does none.

    Kinds are "f32" (and smaller), "f64" and "matrix". A product of matrices counts two for each multiplication, shared among
    the threads that issue it. What does not say its shape (tcgen05.mma) counts none.
    """
    words = op.split(".")
    if words[0] in _PRODUCTS:
        shape = _SHAPE.search(op)
        if shape is None or (".mma" not in op and words[0] != "mma"):
            return "", 0.0
        m, n, k = map(int, shape.groups())
        if words[0] == "mma" and shape[0] == "m8n8k4" and words[-1] != "f64":
            m *= 4  # one product for each quarter of the warp (manual 9.7.14.5)
        return "matrix", 2.0 * m * n * k / (_WARPGROUP if words[0] == "wgmma" else _WARP)
    type_ = TYPES.get(words[-1])
    if type_ is None or not type_.is_float or words[0] not in _ONE | _TWO:
        return "", 0.0
    each = 2.0 if words[0] in _TWO else 1.0
    return ("f64" if type_.element == "f64" else "f32"), each * type_.lanes


@cache
def flop_type(op: str) -> str:
    """The type of the numbers that an instruction's `flops` are of: "f32", "bf16"; "matrix f16" for a product of matrices, by
    the type of A; "" for what does none."""
    kind, _ = flops(op)
    words = op.split(".")
    if kind != "matrix":
        return TYPES[words[-1]].element if kind else ""
    types = [word for word in words if word in TYPES]
    return f"matrix {types[1] if len(types) > 2 else 'f16'}"  # wmma.mma names D and C alone where A and B are f16
