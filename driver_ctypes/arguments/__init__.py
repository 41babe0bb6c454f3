"""A kernel's parameters as data, and Python values turned into the bytes that a launch sends.

`parameter` is one parameter, and the address of what is given for a pointer; `signature` is all of a kernel's, with
their offsets, and converts arguments to what is packed. A new kind of parameter is a row of `parameter.KINDS`, and a
case of `signature.convert_argument` where it is not a plain number; another kind of memory is a case of
`parameter.as_pointer`. The room ``trampoline`` says which arguments its machine code takes.

May import errors, validate, session and interop.
"""
