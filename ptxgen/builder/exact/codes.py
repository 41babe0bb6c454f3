"""The diagnostic codes of this room: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import Code

__all__ = ["CODES"]

CODES = (
    # chain.py: _check_written
    # ptxgen/builder/memory/pointers.py: ptr.set
    # ptxgen/builder/memory/structs.py: Struct.__setattr__
    # ptxgen/builder/values/arithmetic.py: assign
    # ptxgen/builder/values/vectors.py: vec.__setitem__, vec.set
    Code(
        "PTX326",
        "a value is assigned twice",
        "values are single-assignment; .set and an exact instruction's destination need a variable",
        "d = k.var(f32) and then d.set(...)",
        python="b = a * 2.0\nb.set(a)",
    ),
)
