"""The CUDA driver's binary interface as data, and nothing else: no call is made from here.

`functions` has one row per function and the ctypes prototype made from it, `structs` the structures and unions,
`enums` the enumerations, `numbers` some of their members as plain numbers, `constants` the rest. Source of all figures:
CUDA 13.0's ``cuda.h`` and ``cudaTypedefs.h``, later additions up to 13.5.

Imports `lazy` and `typing` of the package. To support one more function, add its row.
"""
