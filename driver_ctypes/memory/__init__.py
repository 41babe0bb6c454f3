"""Device and host memory, and everything that describes it.

`calls` has the methods of `Context`, each of which imports the file that does the work. `buffer` allocates, and exports
memory to other libraries, `caching` keeps what was allocated for the next use, `copies` copies and fills, `words` reads
single numbers, `host` has page-locked, registered and managed memory, `pools` stream-ordered memory, `virtual` virtual
memory management. `arrays` (with copies in two and three dimensions), `textures` and `tensormap` are what texture units and
the tensor memory accelerator read. `peer` reaches other devices and processes, and asks what an address refers to,
`accounting` counts. A new kind of memory is a file with a `Handle`, and a method in `calls`.

May import abi, errors, lifetime, validate, session, interop, arguments and streams.
"""
