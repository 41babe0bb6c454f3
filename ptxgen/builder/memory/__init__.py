"""Memory in a kernel: pointers, arrays, structures and tensor maps, and the accesses to them: loads, stores, atomics, copies.

`pointers.py` has loads and stores; `bounded.py` and `readonly.py` are other views of a pointer, which its methods make, so
that the three import each other. A new kind of access is a function in a file here and a line in `builder.py`. May import
`core`, `values`, `control` and `threads`.
"""
