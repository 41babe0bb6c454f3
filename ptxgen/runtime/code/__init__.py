"""Code of a backend: from a program to a loaded kernel (`compiler`), each step found again in memory (`caches`) or on disk
(`disk`, for as long as the `toolchain` is the same). All keys are made in `ptxgen.runtime.keys`.

A new thing to remember is one more `CountedCache` of the compiler, with a key that names all it depends on.
"""
