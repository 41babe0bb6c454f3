"""The diagnostic codes of kernels written in Python: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import Code

__all__ = ["CODES"]

CODES = (
    # 41 functions of arithmetic.py, atomics.py, bounds.py, builder.py, control.py, conversions.py, copies.py, integers.py,
    # math.py, memory.py, misuse.py, ordering.py, pointers.py, tracing.py, values.py, vectors.py, warp.py
    Code(
        "PTX220",
        "the builder has no such operation on these types",
        "an operator or a function of the builder is given a type that it does not work on, or two types that differ",
        "convert one: x.to(f32); or take the bits: x.bits(u32)",
        python="x[0] = a + n",
    ),
    # 16 functions of arithmetic.py, bounds.py, control.py, copies.py, memory.py, ordering.py, vectors.py, warp.py
    Code(
        "PTX221",
        "a value that the builder cannot take",
        "a Python number does not fit the type, an index is outside the array, a step is 0, ...",
        "the finding says what is allowed",
        python="n + 0x1_0000_0000",
    ),
    # misuse.py: truth, python_float, numpy_function
    # values.py: Value.__index__, Value.__iter__
    Code(
        "PTX320",
        "Python asks for a value that only the device knows",
        "if, while, and, or, not, min, range, a list index or float() of a device value: Python runs once, while building",
        "with k.if_(condition):, k.select, k.while_, k.range, and & | ~ for and, or, not",
        python="if n > 3:\n    x[0] = a",
    ),
    # builder.py: Builder._escaped
    # ordering.py: Ordering._named, Ordering._token
    Code(
        "PTX321",
        "a value is used where it does not exist",
        "a value computed inside the body of k.if_ or of a loop is used behind it, or in another kernel",
        "a variable outlives a body: acc = k.var(f32, 0) before it, acc += ... inside it",
        python="with k.if_(n > 3):\n    b = a * 2.0\nx[0] = b",
    ),
    # builder.py: Builder.finish
    Code(
        "PTX322",
        "the result of a comparison is thrown away",
        "a == b on device values makes a predicate, which nothing used",
        "give it to k.if_, k.select, a vote or a guard, or delete it",
        python="n == 3",
    ),
    # control.py: predicated
    Code(
        "PTX323",
        "a guard over nothing",
        "the body of k.pred holds no instruction",
        "put the instructions that it guards inside it",
        python="with k.pred(n > 3):\n    pass",
    ),
    # control.py: Range.__iter__
    # python_control_flow.py: check_leaving
    Code(
        "PTX324",
        "Python's break, continue or return in a body of the device",
        "the body of k.if_, k.range and their like is built once; Python's break, continue and return leave Python's statement, not the device's",
        "k.break_(), k.continue_() or k.return_(), under k.if_(condition) in a loop",
        python="for i in k.range(n):\n    break",
    ),
    # control.py: _loop_scope
    Code(
        "PTX325",
        "break_ or continue_ outside a loop",
        "k.break_() or k.continue_() stands outside the bodies of k.while_ and k.range",
        "move it into the loop's body; k.return_() leaves a kernel",
        python="k.break_()",
    ),
    # arithmetic.py: assign
    # exact.py: _check_written
    # pointers.py: ptr.set
    # structs.py: Struct.__setattr__
    Code(
        "PTX326",
        "a value is assigned twice",
        "values are single-assignment; .set and an exact instruction's destination need a variable",
        "d = k.var(f32) and then d.set(...)",
        python="b = a * 2.0\nb.set(a)",
    ),
    # 7 functions of builder.py, control.py
    Code(
        "PTX327",
        "the bodies of a structured statement are out of order",
        "then and otherwise not once each and in this order, a loop's condition that is no function, a body left open",
        "with k.if_else(p) as (then, otherwise): with then: ... with otherwise: ...",
        python="with k.while_(n > 3):\n    pass",
    ),
    # control.py: _branch, predicated
    # exact.py: _guard
    Code(
        "PTX328",
        "k.pred around what cannot be guarded",
        "control flow, or another guard, inside k.pred",
        "k.if_(condition) for control flow; k.pred(a & b) for two guards",
        python="with k.pred(n > 3):\n    with k.pred(n < 9):\n        x[0] = a",
    ),
    # control.py: return_
    Code(
        "PTX329",
        "return_ in a device function",
        "k.return_() leaves a kernel; a device function ends by giving its result",
        "return value",
        python="@px.func\ndef f(k, y: f32) -> f32:\n    k.return_()\n    return y\nx[0] = f(a)",
    ),
    # readonly.py: read_only._loading, read_only.check_writable, check_promises
    Code(
        "PTX330",
        "a write through a read-only pointer",
        "a store, an atomic or an ordered load through px.read_only[...], through x.read_only(), or through an address made of one",
        "px.ptr[...] for memory that the kernel writes",
        python="x.read_only()[0] = a",
    ),
    # ordering.py: Ordering._way
    Code(
        "PTX590",
        "an order that nothing gives",
        "an operation of k.ordered is to come after another, and neither tells other threads or has learnt from them: weak accesses "
        "are never ordered for others (manual, chapter 8)",
        "signal(...) for what tells others, check(...) or wait(...) for what is learnt from them",
        python="order = k.ordered()\norder.write(x, 1, a, after=order.write(x, 0, a))",
    ),
    # ordering.py: Ordering._named
    Code(
        "PTX591",
        "an operation that comes after what has not happened",
        "a token is named that no operation before has given: in the order of the program it would be a cycle",
        "the operation that keeps the token, before the one that names it",
        python="order = k.ordered()\nlater = order.token()\norder.signal(x.cast(k.types['u32']), 0, 1, after=later)",
    ),
    # ordering.py: Ordering._acquire, Ordering._scope, Ordering._check_space
    Code(
        "PTX592",
        "a scope that cannot be",
        "a scope that PTX or the target does not have, one beyond those who reach the memory, or one that is narrower than that of what "
        "comes after it",
        "cta, cluster, gpu or sys, as wide as the threads that take part",
        python="order = k.ordered('grid')",
    ),
)
