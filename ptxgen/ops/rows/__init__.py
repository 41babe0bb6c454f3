"""Functions of the rows of any library's arrays: norms, softmax, losses, the largest, samples, and sums of columns.

May import everything up to `runtime`, and `ptxgen.ops`' `arguments`, `operands` and `scratch`.
"""
