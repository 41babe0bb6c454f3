"""Kernels of queries over columns: each is generated for the expressions of one query.

May import what `ptxgen.kernels` may. `expressions` are trees and their code; `reading` loads the rows of columns, `project`
writes an expression's values as a column, and `aggregate` reduces to one row, or to one for each of a few groups: its parts are
`described`, `totals` of a CTA, and `finish` in the last one.
A new operation of expressions is a row of `OPERATIONS` in `expressions`; what a new aggregate is made of, an `Accumulator` and an
`Output`, is in `described`.
"""
