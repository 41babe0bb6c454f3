"""A kernel's parameters as data, and Python values turned into the bytes that a launch sends.

`signature` has both. A new kind of parameter is a row of its table of kinds; a new kind of value is a case of
`as_pointer` or `convert_argument`. What machine code takes of it besides, `trampoline.layout` says.

May import errors and interop.
"""
