"""Python to ir: the kernel decorator, typed values, exact instruction chains, control flow, shared memory.

From the ground up: `core` (the function being built), `values` (types and arithmetic), `control` and `threads`, `memory`,
`debugging` (`k.print`, `k.check`), `exact` (`k.ptx`), `builder.py` (the index of what a kernel may do), `tracing.py` and
`signatures.py`, then `functions.py` and `entry.py` (`@px.func`, `@px.kernel`). Each operation is a function in the file of its
kind; to add one, write it there, typed against `FunctionBuilder`, and give it a line in the index. May import everything from
`isa` up to `host`.
"""

from ptxgen.builder.builder import Builder
from ptxgen.builder.declarations import declare
from ptxgen.builder.entry import Kernel, kernel, module
from ptxgen.builder.exact.chain import sink
from ptxgen.builder.functions import DeviceFunction, func
from ptxgen.builder.memory.arrays import DeviceArray
from ptxgen.builder.memory.pointers import ptr
from ptxgen.builder.memory.readonly import read_only
from ptxgen.builder.memory.structs import Struct
from ptxgen.builder.tiles.tensor_maps import TensorMap
from ptxgen.builder.values.scalars import (
    SCALARS,
    Value,
    b8,
    b16,
    b32,
    b64,
    b128,
    bf16,
    e4m3,
    e5m2,
    f16,
    f16x2,
    f32,
    f64,
    pred,
    s8,
    s16,
    s32,
    s64,
    u8,
    u16,
    u32,
    u64,
)
from ptxgen.builder.values.vectors import vec

__all__ = [
    "SCALARS",
    "Builder",
    "DeviceArray",
    "DeviceFunction",
    "Kernel",
    "Struct",
    "TensorMap",
    "Value",
    "b8",
    "b16",
    "b32",
    "b64",
    "b128",
    "bf16",
    "declare",
    "e4m3",
    "e5m2",
    "f16",
    "f16x2",
    "f32",
    "f64",
    "func",
    "kernel",
    "module",
    "pred",
    "ptr",
    "read_only",
    "s8",
    "s16",
    "s32",
    "s64",
    "sink",
    "u8",
    "u16",
    "u32",
    "u64",
    "vec",
]
