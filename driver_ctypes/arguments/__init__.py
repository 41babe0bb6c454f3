"""A kernel's parameters as data, and Python values turned into the bytes that a launch sends.

`parameter` is one parameter, `signature` all of a kernel's, with their offsets. `values` converts one argument to what
is packed, `pointers` finds the address of an object. A new kind of parameter is a row of `parameter.KINDS`, and a
case of `values.convert_argument` where it is not a plain number; another kind of memory is a case of
`pointers.as_pointer`. The room ``trampoline`` says which arguments its machine code takes.

May import errors, validate, session and interop.
"""
