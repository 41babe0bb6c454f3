"""Memory of devices and of the host, and everything that says where it is.

`calls` has the words of `Context` and where each one's work is done. `buffer` allocates, `copies` copies and fills
(`viewed` is the host's side), `regions` does it in two and three dimensions, `host` has page-locked, registered and
managed memory, `pools` memory in stream order, `virtual` addresses apart from memory. `arrays`, `textures` and
`tensormap` are what texture units and the tensor memory accelerator read. `peer` and `ipc` reach other devices and
processes, `pointers` asks what an address is, `sharing` gives memory to other
libraries, `accounting` counts. A new kind of memory is a file with a `Handle`, and
a word in `calls`.

`arrays` and `regions` import each other: an array is filled by a copy, and a copy may be of an array.

May import abi, errors, lifetime, validate, session, interop, arguments and streams.
"""
