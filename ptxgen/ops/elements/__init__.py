"""Functions of the elements of any library's arrays, and their order in memory.

May import everything up to `runtime`, and `ptxgen.ops`' `arguments`, `operands` and `scratch`.
"""
