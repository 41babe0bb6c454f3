"""Queries over tables of device columns: filter, expressions, aggregates, group-by and joins.

May import what `ptxgen.ops` may. `expressions` are what users write, `tables` the tables and their methods, `frames` how the rows of
a filtered or joined table are found on the device, `grouping` how groups are, and `query` runs all of it: one fused launch where there
is no join, one captured graph where a query is repeated. The kernels are in `ptxgen.kernels.queries`.
"""
