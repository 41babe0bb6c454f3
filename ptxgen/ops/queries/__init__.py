"""Queries over tables of device columns: filter, expressions, aggregates, group-by and joins.

May import what `ptxgen.ops` may. `expressions` are what users write, `tables` the tables and their methods, `nodes` what a table
is made from, `frames` how the rows of a filtered or joined table are found on the device, `fused` aggregates them in one launch,
`grouping` where groups are too many for that, and `query` runs all of it, as one captured graph where a query is repeated. The
kernels are in `ptxgen.kernels.queries`. A new method of expressions is one of `Expr`, with its operation in the kernels' room.
"""
