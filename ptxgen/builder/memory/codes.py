"""The diagnostic codes of this room: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import Code

__all__ = ["CODES"]

CODES = (
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
