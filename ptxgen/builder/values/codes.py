"""The diagnostic codes of this room: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import Code

__all__ = ["CODES"]

CODES = (
    # 69 functions of ptxgen/builder/control/structured.py, ptxgen/builder/core/function_builder.py,
    # ptxgen/builder/debugging/formats.py, ptxgen/builder/exact/chain.py, ptxgen/builder/memory/arrays.py,
    # ptxgen/builder/memory/atomics.py, ptxgen/builder/memory/bounded.py, ptxgen/builder/memory/copies.py,
    # ptxgen/builder/memory/ordering.py, ptxgen/builder/memory/pointers.py, ptxgen/builder/threads/warp.py,
    # ptxgen/builder/tiles/block_scaled.py, ptxgen/builder/tiles/device_tile.py, ptxgen/builder/tiles/fragments.py,
    # ptxgen/builder/tiles/images.py, ptxgen/builder/tiles/mma.py, ptxgen/builder/tiles/pipeline.py,
    # ptxgen/builder/tiles/row_copies.py, ptxgen/builder/tiles/shared_depth.py, ptxgen/builder/tiles/tensor_copies.py,
    # ptxgen/builder/tiles/tensor_maps.py, ptxgen/builder/tiles/tensor_memory.py, ptxgen/builder/tiles/tile_queue.py,
    # ptxgen/builder/tracing.py, arithmetic.py, conversions.py, integers.py, math.py, python_protocols.py, scalars.py,
    # variables.py, vectors.py
    Code(
        "PTX220",
        "the builder has no such operation on these types",
        "an operator or a function of the builder is given a type that it does not work on, or two types that differ",
        "convert one: x.to(f32); or take the bits: x.bits(u32)",
        python="x[0] = a + n",
    ),
    # python_protocols.py: truth, python_float, numpy_function
    # scalars.py: Value.__index__, Value.__iter__
    Code(
        "PTX320",
        "Python asks for a value that only the device knows",
        "if, while, and, or, not, min, range, a list index or float() of a device value: Python runs once, while building",
        "with k.if_(condition):, k.select, k.while_, k.range, and & | ~ for and, or, not",
        python="if n > 3:\n    x[0] = a",
    ),
)
