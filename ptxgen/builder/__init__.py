"""Python to ir: the kernel decorator, typed values, exact instruction chains, control flow, shared memory.

`builder.py` has the core and the index of what a kernel may do; each operation is a function in the file of its kind. To
add one, write it there and give it a line in the index. May import everything from `isa` up to `host`.
"""

from ptxgen.builder.builder import Builder
from ptxgen.builder.entry import Kernel, kernel, module
from ptxgen.builder.exact import sink
from ptxgen.builder.functions import DeviceFunction, func
from ptxgen.builder.memory import Array as DeviceArray
from ptxgen.builder.pointers import ptr
from ptxgen.builder.readonly import read_only
from ptxgen.builder.structs import Struct
from ptxgen.builder.tensormaps import TensorMap
from ptxgen.builder.values import (
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
from ptxgen.builder.vectors import vec

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
