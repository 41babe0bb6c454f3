"""Kernels and operations as functions of JAX arrays: `custom_call`, and `matmul`, `attention` and others ready to use.

JAX calls them through XLA's foreign function interface, with handlers of machine code that are made at run time: nothing is
compiled beforehand, and `jax` (the extra `jax` of ptxgen) is imported when a name of this package is first used. The files:

    calls.py         `custom_call`: arguments, jit, vmap and custom_vjp around one call;
                     partitioning.py splits it over devices, emission.py makes it an operation of the program
    bound.py         from the arguments of a call to a target, its results and its attributes
    programs.py      what kernel is called
    targets.py       what XLA finds under a name on each platform, and errors; buffers.py its buffers as arrays of ours
    handlers.py      the machine code; replays.py that of operations; abi.py the interface's structures
    operations/      those of `ptxgen.ops`; add the next one there

Arguments have the names of `ptxgen.torch` where both have them. May import everything up to `tuning`; nothing below imports this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.jax.calls import CustomCall, custom_call
    from ptxgen.jax.operations.elements import gelu, silu, swiglu
    from ptxgen.jax.operations.flash import attention
    from ptxgen.jax.operations.matrices import grouped_matmul, matmul
    from ptxgen.jax.operations.rows import log_softmax, rms_norm, softmax

__all__ = [
    "CustomCall",
    "attention",
    "custom_call",
    "gelu",
    "grouped_matmul",
    "log_softmax",
    "matmul",
    "rms_norm",
    "silu",
    "softmax",
    "swiglu",
]

_EXPORTS = {
    "calls": "CustomCall custom_call",
    "operations.elements": "gelu silu swiglu",
    "operations.flash": "attention",
    "operations.matrices": "grouped_matmul matmul",
    "operations.rows": "log_softmax rms_norm softmax",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
