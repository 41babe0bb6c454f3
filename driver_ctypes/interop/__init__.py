"""Arrays and streams of other libraries: PyTorch, CuPy, Numba, JAX, and any library with one of the protocols.

`arrays` reads them and their streams, each type by the reader that `reader_of` chooses once: a library with a protocol of
its own is one more reader there. `elements` maps the names of element types, `dlpack` imports and exports capsules, and reads
DLPack's C table. Nothing here imports a framework.

May import errors, lifetime, validate, session and trampoline.
"""
