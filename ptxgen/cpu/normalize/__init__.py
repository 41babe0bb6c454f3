"""ir -> flat: names resolved, variables laid out, calls written out, into the one list of operations that flat.py describes.

    statements    the way through a kernel's statements; `flatten` begins here
    operands, name_scope    what the names in operands stand for, in nested { }
    variables    where variables lie
    calls, call_site    a call of a function: a copy of its body, or one of the following
    stack_calls, activation    recursion and function pointers, through a stack of each thread
    system_calls    functions that the driver defines: vprintf, malloc, free, __assertfail
    functions    the functions of a module, and what stands for one in a register
    writer    what all of these need of who writes the list

May import what the room above may.
"""
