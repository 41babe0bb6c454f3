"""The diagnostic codes of this room: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import Code

__all__ = ["CODES"]

CODES = (
    # 60 functions of structured.py, ptxgen/builder/core/shared_memory.py, ptxgen/builder/debugging/checking.py,
    # ptxgen/builder/debugging/formats.py, ptxgen/builder/memory/arrays.py, ptxgen/builder/memory/bounded.py,
    # ptxgen/builder/memory/copies.py, ptxgen/builder/memory/ordering.py, ptxgen/builder/memory/packing.py,
    # ptxgen/builder/threads/warp.py, ptxgen/builder/tiles/barriers.py, ptxgen/builder/tiles/clusters.py,
    # ptxgen/builder/tiles/device_tile.py, ptxgen/builder/tiles/fragments.py, ptxgen/builder/tiles/images.py,
    # ptxgen/builder/tiles/mma.py, ptxgen/builder/tiles/partial_sums.py, ptxgen/builder/tiles/pipeline.py,
    # ptxgen/builder/tiles/roles.py, ptxgen/builder/tiles/row_copies.py, ptxgen/builder/tiles/shared_depth.py,
    # ptxgen/builder/tiles/tensor_copies.py, ptxgen/builder/tiles/tensor_memory.py, ptxgen/builder/tiles/tile_order.py,
    # ptxgen/builder/tiles/tile_queue.py, ptxgen/builder/values/arithmetic.py, ptxgen/builder/values/vectors.py
    Code(
        "PTX221",
        "a value that the builder cannot take",
        "a Python number does not fit the type, an index is outside the array, a step is 0, ...",
        "the finding says what is allowed",
        python="n + 0x1_0000_0000",
    ),
    # structured.py: predicated
    Code(
        "PTX323",
        "a guard over nothing",
        "the body of k.pred holds no instruction",
        "put the instructions that it guards inside it",
        python="with k.pred(n > 3):\n    pass",
    ),
    # python_control_flow.py: check_python_exits
    # structured.py: CountedLoop.__iter__
    Code(
        "PTX324",
        "Python's break, continue or return in a body of the device",
        "the body of k.if_, k.range and their like is built once; Python's break, continue and return leave Python's statement, not the device's",
        "k.break_(), k.continue_() or k.return_(), under k.if_(condition) in a loop",
        python="for i in k.range(n):\n    break",
    ),
    # structured.py: _loop_scope
    Code(
        "PTX325",
        "break_ or continue_ outside a loop",
        "k.break_() or k.continue_() stands outside the bodies of k.while_ and k.range",
        "move it into the loop's body; k.return_() leaves a kernel",
        python="k.break_()",
    ),
    # 11 functions of structured.py, ptxgen/builder/core/function_builder.py, ptxgen/builder/core/shared_memory.py,
    # ptxgen/builder/tiles/barriers.py, ptxgen/builder/tiles/roles.py
    Code(
        "PTX327",
        "the bodies of a structured statement are out of order",
        "then and otherwise not once each and in this order, a loop's condition that is not a function, a body left open",
        "with k.if_else(p) as (then, otherwise): with then: ... with otherwise: ...",
        python="with k.while_(n > 3):\n    pass",
    ),
    # structured.py: _branch, predicated
    # ptxgen/builder/debugging/checking.py: check
    # ptxgen/builder/debugging/printing.py: print_
    # ptxgen/builder/exact/chain.py: _guard
    Code(
        "PTX328",
        "k.pred around what cannot be guarded",
        "control flow, or another guard, inside k.pred",
        "k.if_(condition) for control flow; k.pred(a & b) for two guards",
        python="with k.pred(n > 3):\n    with k.pred(n < 9):\n        x[0] = a",
    ),
    # structured.py: return_
    Code(
        "PTX329",
        "return_ in a device function",
        "k.return_() leaves a kernel; a device function ends by giving its result",
        "return value",
        python="@px.func\ndef f(k, y: f32) -> f32:\n    k.return_()\n    return y\nx[0] = f(a)",
    ),
    # uncalled.py: check_calls
    Code(
        "PTX331",
        "a method of the builder that is not called",
        "a statement is only the name of a method or an instruction: Python runs it and nothing happens",
        "call it: k.barrier(), k.ptx.wgmma.fence.sync.aligned()",
        python="k.barrier",
    ),
)
