"""Whole arrays and columns of tables: scan, sort, selection, distinct rows, groups, histogram.

May import everything up to `runtime`, and `ptxgen.ops`' `arguments`, `operands` and `scratch`.
"""
