"""The native launcher: kernels launched by a CPython callable that is made at run time, without a compiler.

`choice` decides whether it is used (by `selftest`), and is what the other rooms ask. `layout` has the structures that
Python fills and machine code reads, `code` the launch of one signature, made a Python callable; `shared` writes
instructions, and has what all of them call, and what gives DLPack tensors back. A new kind of argument is a field of
`layout`, its code in `code` or `shared`, and a case of `selftest`.

Nothing dear is loaded before the first launcher is asked for. May import abi, errors, lifetime and machine_code.
"""
