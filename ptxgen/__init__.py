"""ptxgen: GPU kernels written in Python, emitted as PTX, verified, and run: on a GPU, or on this machine's processor.

    import numpy as np
    import ptxgen as px
    from ptxgen import f32, u32

    @px.kernel
    def saxpy(k: px.Builder, n: u32, a: f32, x: px.ptr[f32], y: px.ptr[f32]):
        i = k.global_id.x
        with k.if_(i < n):
            y[i] = k.fma(a, x[i], y[i])

    dev = px.device()                       # the GPU if there is one, else the CPU
    x, y = dev.array(np.arange(10, dtype=np.float32)), dev.zeros(10, f32)
    saxpy[1, 256](10, 2.0, x, y)
    print(y.numpy(), saxpy.module(target="sm_90a"), sep="\\n")

The names below are loaded on first use: importing the package costs next to nothing.
"""

from __future__ import annotations

import ptxgen.sources  # noqa: F401  # first: it notes when the import began
from ptxgen.lazy import exports

TYPE_CHECKING = False  # type checkers know the name without its import from `typing`, which takes 5 ms

if TYPE_CHECKING:
    from ptxgen import distributed, ops
    from ptxgen import jax as jax  # not of `__all__`: a star must not hide JAX
    from ptxgen import torch as torch  # the same
    from ptxgen.assembler import AssemblerCrashed, AssemblerMissing, assemble, assemblers
    from ptxgen.builder import (
        Builder,
        Kernel,
        Struct,
        TensorMap,
        b8,
        b16,
        b32,
        b64,
        b128,
        bf16,
        declare,
        e4m3,
        e5m2,
        f16,
        f16x2,
        f32,
        f64,
        func,
        kernel,
        module,
        pred,
        ptr,
        read_only,
        s8,
        s16,
        s32,
        s64,
        sink,
        u8,
        u16,
        u32,
        u64,
        vec,
    )
    from ptxgen.dataflow.patterns.search import grep
    from ptxgen.debugger import Session, debug
    from ptxgen.errors import (
        AnnotationError,
        AssembleError,
        BuildError,
        DebugError,
        Diagnostic,
        Error,
        Fault,
        Location,
        MissingMethodError,
        OperatorError,
        PassError,
        PtxError,
        PtxSyntaxError,
        PtxWarning,
        SanitizerError,
        TemplateError,
        TranspileError,
        UnsupportedError,
        VerifyError,
    )
    from ptxgen.host import Array, Device, device, devices
    from ptxgen.host.checks import CheckFailedError
    from ptxgen.host.loading import UnknownKernelError
    from ptxgen.host.memory_monitor import DeviceMemory, MemoryAccount, memory_account, monitor, watch
    from ptxgen.host.profiling import profile
    from ptxgen.host.sanitizing import sanitize
    from ptxgen.host.schedules import Schedule, ScheduleDifference, check_schedules
    from ptxgen.ir import Module
    from ptxgen.isa.layouts import LayoutError, layout
    from ptxgen.isa.tiles import MatrixProduct, Tile, TileError, matrix_product, matrix_products
    from ptxgen.kernels.space import Space
    from ptxgen.kernels.tunable import Trial
    from ptxgen.resources import advise, analyze
    from ptxgen.text import parse
    from ptxgen.tuning import TuneError, tune
    from ptxgen.verifier import verify
    from ptxgen.verifier.explanation import Explanation, explain
    from ptxgen.verifier.templates import render

_EXPORTS = {
    "": "distributed jax ops torch",
    "resources": "advise analyze",
    "assembler": "AssemblerCrashed AssemblerMissing assemble assemblers",
    "builder": "Builder Kernel Struct TensorMap b8 b16 b32 b64 b128 bf16 declare e4m3 e5m2 f16 f16x2 f32 f64 func kernel "
    "module pred ptr read_only s8 s16 s32 s64 sink u8 u16 u32 u64 vec",
    "dataflow.patterns.search": "grep",
    "debugger": "Session debug",
    "verifier": "verify",
    "verifier.explanation": "Explanation explain",
    "host": "Array Device device devices",
    "host.checks": "CheckFailedError",
    "host.loading": "UnknownKernelError",
    "host.memory_monitor": "DeviceMemory MemoryAccount memory_account monitor watch",
    "host.profiling": "profile",
    "host.sanitizing": "sanitize",
    "host.schedules": "Schedule ScheduleDifference check_schedules",
    "errors": "AnnotationError AssembleError BuildError DebugError Diagnostic Error Fault Location MissingMethodError "
    "OperatorError PassError PtxError PtxSyntaxError PtxWarning SanitizerError TemplateError TranspileError UnsupportedError "
    "VerifyError",
    "ir": "Module",
    "isa.layouts": "LayoutError layout",
    "isa.tiles": "MatrixProduct Tile TileError matrix_product matrix_products",
    "kernels.space": "Space",
    "kernels.tunable": "Trial",
    "tuning": "TuneError tune",
    "verifier.templates": "render",
    "text": "parse",
}

__version__ = "0.1.0"
__all__ = [
    "AnnotationError",
    "Array",
    "AssembleError",
    "AssemblerCrashed",
    "AssemblerMissing",
    "BuildError",
    "Builder",
    "CheckFailedError",
    "DebugError",
    "Device",
    "DeviceMemory",
    "Diagnostic",
    "Error",
    "Explanation",
    "Fault",
    "Kernel",
    "LayoutError",
    "Location",
    "MatrixProduct",
    "MemoryAccount",
    "MissingMethodError",
    "Module",
    "OperatorError",
    "PassError",
    "PtxError",
    "PtxSyntaxError",
    "PtxWarning",
    "SanitizerError",
    "Schedule",
    "ScheduleDifference",
    "Session",
    "Space",
    "Struct",
    "TemplateError",
    "TensorMap",
    "Tile",
    "TileError",
    "TranspileError",
    "Trial",
    "TuneError",
    "UnknownKernelError",
    "UnsupportedError",
    "VerifyError",
    "advise",
    "analyze",
    "assemble",
    "assemblers",
    "b8",
    "b16",
    "b32",
    "b64",
    "b128",
    "bf16",
    "check_schedules",
    "debug",
    "declare",
    "device",
    "devices",
    "distributed",
    "e4m3",
    "e5m2",
    "explain",
    "f16",
    "f16x2",
    "f32",
    "f64",
    "func",
    "grep",
    "kernel",
    "layout",
    "matrix_product",
    "matrix_products",
    "memory_account",
    "module",
    "monitor",
    "ops",
    "parse",
    "pred",
    "profile",
    "ptr",
    "read_only",
    "render",
    "s8",
    "s16",
    "s32",
    "s64",
    "sanitize",
    "sink",
    "tune",
    "u8",
    "u16",
    "u32",
    "u64",
    "vec",
    "verify",
    "watch",
]

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
