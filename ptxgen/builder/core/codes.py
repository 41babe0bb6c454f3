"""The diagnostic codes of this room: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import Code

__all__ = ["CODES"]

CODES = (
    # function_builder.py: FunctionBuilder._escaped
    # ptxgen/builder/memory/ordering.py: Ordering._named, Ordering._token
    Code(
        "PTX321",
        "a value is used where it does not exist",
        "a value computed inside the body of k.if_ or of a loop is used behind it, or in another kernel",
        "a variable outlives a body: acc = k.var(f32, 0) before it, acc += ... inside it",
        python="with k.if_(n > 3):\n    b = a * 2.0\nx[0] = b",
    ),
    # function_builder.py: FunctionBuilder.finish
    Code(
        "PTX322",
        "the result of a comparison is thrown away",
        "a == b on device values makes a predicate, which nothing used",
        "give it to k.if_, k.select, a vote or a guard, or delete it",
        python="n == 3",
    ),
)
