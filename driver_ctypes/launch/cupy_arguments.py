"""CuPy's arrays, launch after launch: when the next arguments are of the kinds that the last ones were, addresses are all
that is new.

Machine code reads tensors that have a C exchange table, and memory of this package. CuPy's arrays have none, and all that
`place` finds out about each of them costs several times the launch. What was found out holds for the next array of the
same type, element type and device; CuPy's current stream is asked once a launch.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from driver_ctypes.interop.arrays import is_foreign, read_cupy, reader_of
from driver_ctypes.interop.streams import same_stream

if TYPE_CHECKING:
    from driver_ctypes.launch.plan import Plan

CupyReader = Callable[[tuple[Any, ...]], "list[Any] | None"]
"""The arguments with addresses in the place of CuPy's arrays; None where anything is not as it was."""


def reader_like(plan: Plan, args: tuple[Any, ...]) -> CupyReader | None:
    """How to read arguments like these, which were launched on the plan's own stream; None where another library has a part."""
    signature, rows = plan.signature, []
    for index in signature.pointers:
        value = args[index]
        if type(value) is int or not is_foreign(value):
            continue
        if reader_of(value) is not read_cupy:
            return None
        rows.append((index, type(value), value.dtype, signature.params[index].aligned - 1))
    count, ordinal = len(args), plan.function.context.device.ordinal
    home = same_stream(plan.stream.handle)
    current_stream = sys.modules["cupy"].cuda.get_current_stream

    def read(args: tuple[Any, ...]) -> list[Any] | None:
        if len(args) != count or same_stream(current_stream().ptr) != home:
            return None
        values = list(args)
        for index, kind, dtype, misaligned in rows:
            value = args[index]
            if type(value) is not kind or value.dtype is not dtype:
                return None
            memory = value.data
            address = memory.ptr
            if memory.device_id != ordinal or address & misaligned:
                return None
            values[index] = address
        return values

    return read if rows else None
