"""Device and host memory, and everything that describes it.

`calls` has the methods of `Context`, each of which imports the file that does the work. `buffer` allocates, `copies`
copies and fills (`viewed` is the host's side), `regions` does it in two and three dimensions, `host` has page-locked,
registered and managed memory, `pools` stream-ordered memory, `virtual` virtual memory management. `arrays`, `textures`
and `tensormap` are what texture units and the tensor memory accelerator read. `peer` and `ipc` reach other devices and
processes, `pointers` asks what an address refers to, `sharing` exports memory to other libraries, `accounting` counts. A
new kind of memory is a file with a `Handle`, and a method in `calls`.

`arrays` and `regions` import each other: an array is filled by a copy, and a copy may be of an array.

May import abi, errors, lifetime, validate, session, interop, arguments and streams.
"""
