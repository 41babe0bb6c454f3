"""Products of matrices of any library's arrays: dense, grouped, scaled, sparse, quantised, with epilogues.

May import everything up to `runtime`, and `ptxgen.ops`' `arguments`, `operands` and `scratch`.
"""
