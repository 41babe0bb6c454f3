"""Graphs of work: captured from streams or made by hand, inspected, instantiated, updated, launched and drawn.

`definition` is the graph with its ways to add nodes, over `base`; `parameters` and `kernels` turn Python values into
what nodes hold, `inventory` reads it back, with what was recorded of each. `node` names a node and changes it.
`capture` records a stream. `executable` launches (`launching`) and updates one kernel's arguments (`binding`) or all of
it (`instantiation`). `conditional` holds conditions and their device-side setter, `host` the host functions,
`parameters` other APIs' semaphores, `memory` the device memory of graphs. `owners` is what is kept alive, `drawing`
makes DOT and SVG.

A new kind of node: its parameters in `parameters`, a method in `definition`, a row of `inventory` that reads it back,
and one of `node` where it can be changed.

Three circles of imports are left. A node refers to its graph (`base`, `node`); a graph makes conditions (`definition`,
`conditional`); an executable and its bound launches and updates refer to each other (`executable`, `launching`, `binding`,
`instantiation`). All else takes `GraphBase`.

May import every room but ``contexts``, ``drivers`` and profiler.
"""
