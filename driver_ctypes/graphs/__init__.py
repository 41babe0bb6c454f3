"""Graphs of work: captured from streams or made by hand, inspected, instantiated, updated, launched and drawn.

`definition` is the graph with its ways to add nodes, over `base`; `parameters` and `kernels` turn Python values into what
nodes hold, `inventory` reads it back, `node` names a node, `inner` are those with graphs inside, `records` what is
remembered of each. `capture` records a stream, under a `lease`. `executable` launches (`launching`, `native`) and updates
(`changes`, `binding`), over `instantiation`; `updates` finds what an update cannot change. `conditional` holds conditions
and their device-side setter, `host` the host functions, `semaphore` those of other APIs, `memory` the device memory of
graphs. `owners` is what is kept alive, `superseded` what launches under way may still use; `drawing` makes DOT and SVG;
`nesting` walks child graphs and bodies.

A new kind of node: its parameters in `parameters`, a method in `definition`, a row of `inventory` that reads it back,
and one of `changes` where it can be changed.

Three circles of imports are left. A node refers to its graph (`base`, `node`, `changes`); a node may hold graphs, and so may a
condition's (`definition`, `inner`, `conditional`); an executable and its bound launches and updates refer to each other
(`executable`, `launching`, `native`, `binding`, `updates`). All else takes `GraphBase`.

May import every room but ``contexts``, ``drivers`` and profiler.
"""
