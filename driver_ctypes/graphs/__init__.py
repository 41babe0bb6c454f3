"""Graphs of work: captured from streams or made by hand, inspected, instantiated, updated, launched and drawn.

`definition` is the graph with its ways to add nodes, over `base`; `parameters` and `kernels` turn Python values into
what nodes hold, `inventory` reads it back, `node` names a node. `capture` records a stream, under a `lease`.
`executable` launches and updates, `updates` says what an update would not do, `conditional` holds conditions and their
device-side setter, `host` the functions of the host, `owners` what is kept alive, `drawing` makes DOT and SVG.
"""
