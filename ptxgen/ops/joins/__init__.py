"""Joins of tables by hash, by order and by any condition, and the transitive closure.

May import everything up to `runtime`, and `ptxgen.ops`' `arguments`, `operands` and `scratch`.
"""
