"""Typed values, and the arithmetic on them.

`scalars.py` has the types and their operators, `vectors.py` several values of one load. What an operator emits is written
above them in `arithmetic.py` and `conversions.py`, which import each other: bf16 arithmetic goes through f32 where a target has
none, and a predicate is converted by a select. `lower_by` below is how the operators reach the two. `integers.py` and `math.py`
have the functions; a new one is a function there and a line in `builder.py`. May import `core`.
"""

from ptxgen.builder.values import arithmetic, conversions
from ptxgen.builder.values.scalars import SCALARS, Float, Integer, Number, Value, lower_by

__all__ = ["SCALARS", "Float", "Integer", "Number", "Value"]

lower_by(arithmetic, conversions)
