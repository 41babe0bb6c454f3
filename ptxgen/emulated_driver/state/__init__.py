"""The driver's objects without its functions: `handles` and their tables; `graph` (nodes, edges, their work) and `edges`;
`capture`, which writes a graph; `context` (devices, contexts, streams) and `gate`, the order between streams; `machine` and
`thread`, what is there once and what each thread has.

Here stands what several rooms need of an object. What only a kind of work, memory or module has stands in its room, as a
subclass of `NodeWork` or behind one of the small protocols (`LoadedModule`, `Counted`, ...): so no file imports a higher one, not
even for its types. May import `errors`, `pointers`, ptxgen.cpu and driver_ctypes.abi.
"""
