"""A kernel's parameters as data, and Python values turned into the bytes that a launch sends.

`parameter` is one parameter, `signature` all of a kernel's, and where each lies. `values` turns one argument into what
is packed, `pointers` knows what stands for an address. A new kind of parameter is a row of `parameter.KINDS`, and a
case of `values.convert_argument` where it is not a plain number; another kind of memory is a case of
`pointers.as_pointer`. What machine code takes of it, the room ``trampoline`` says.

May import errors, validate, session and interop.
"""
