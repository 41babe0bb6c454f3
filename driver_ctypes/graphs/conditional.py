"""Conditions, and the device-side setter.

A kernel sets a condition by calling ``cudaGraphSetConditional(handle, value)``, whose PTX declaration is `SETTER`. The
emulated driver has the function built in, and so has the PTX compiler of driver 580 (CUDA 13.0; tried on an H200). Another
driver may want NVIDIA's device runtime, libcudadevrt.a (package ``nvidia-cuda-runtime``, or a CUDA toolkit), linked to the
module: `load_with_device_runtime` does that where it must. A kernel that only writes a word to memory needs nothing of it:
`set_from` adds a node that moves the word into the condition.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driver_ctypes.arguments.parameter import Parameter
from driver_ctypes.arguments.signature import Signature
from driver_ctypes.errors import ArgumentRangeError, JitError, NotAvailableError
from driver_ctypes.modules.module import load_module

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from driver_ctypes.graphs.base import GraphBase
    from driver_ctypes.graphs.definition import Graph
    from driver_ctypes.graphs.node import Node
    from driver_ctypes.modules.module import Function, Module
    from driver_ctypes.session.session import Session

ENVIRONMENT_VARIABLE = "PTXGEN_CUDADEVRT"
SETTER = ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);"
"""The declaration that a module needs to call the setter: ``call.uni cudaGraphSetConditional, (handle, value);``"""

_RUNTIME = ("cudaGraphSetConditional", "cudaGraphLaunch", "cudaGraphKernelNode")  # what an error about it names
_ASSIGN_DEFAULT = 1  # CU_GRAPH_COND_ASSIGN_DEFAULT

_MOVE = """.version 7.8
.target {target}
.address_size 64
{setter}
.visible .entry set_condition(.param .u64 condition, .param .u64 word)
{{
    .reg .b32 %v<2>;
    .reg .b64 %d<3>;
    ld.param.u64 %d1, [condition];
    ld.param.u64 %d2, [word];
    ld.global.u32 %v1, [%d2];
    {{
        .param .b64 handle;
        .param .b32 value;
        st.param.b64 [handle], %d1;
        st.param.b32 [value], %v1;
        call.uni cudaGraphSetConditional, (handle, value);
    }}
    ret;
}}
"""


class Condition:
    """A condition of a graph: `handle` is what kernels pass to the setter, a 64-bit argument."""

    def __init__(self, graph: Graph, handle: int, default: int | None) -> None:
        self.graph = graph
        self.handle = handle
        self.default = default

    def __index__(self) -> int:
        """So that it passes as a kernel argument of kind u64."""
        return self.handle

    def __repr__(self) -> str:
        return f"<Condition {self.handle:#x}, default {self.default}>"

    def set_from(self, word: Any, *, graph: Graph | None = None, after: Any = None, label: str | None = None) -> Node:
        """A node that sets the condition to the 32-bit word at a device address: in its own graph, or in a body.

        Raises NotAvailableError where the device runtime is needed and not found.
        """
        return (graph or self.graph).kernel(_mover(self.graph), 1, 1, self.handle, word, after=after, label=label)


def create_condition(graph: Graph, default: int | None) -> Condition:
    """See `Graph.condition`."""
    if default is not None and not 0 <= default < 1 << 32:
        raise ArgumentRangeError(f"a condition has 32 bits, {default} does not fit")
    handle = ctypes.c_uint64()
    flags = _ASSIGN_DEFAULT if default is not None else 0
    context = graph.context
    with graph._mutex:
        context.call(
            "cuGraphConditionalHandleCreate", ctypes.byref(handle), graph.handle, context.handle, default or 0, flags
        )
    return Condition(graph, handle.value, default)


# --- the device runtime -----------------------------------------------------------------------------------------------


def device_runtime() -> Path:
    """Where libcudadevrt.a is: ``PTXGEN_CUDADEVRT``, the package nvidia-cuda-runtime, or a CUDA toolkit.

    Raises NotAvailableError listing the places that were looked at.
    """
    tried = []
    for place in _places():
        if place.is_file():
            return place
        tried.append(str(place))
    raise NotAvailableError(
        "the CUDA device runtime (libcudadevrt.a) is not found; looked at " + ", ".join(tried),
        symbol="cudaGraphSetConditional",
        hint=f"pip install nvidia-cuda-runtime, or name the file in {ENVIRONMENT_VARIABLE}",
    )


def _places() -> list[Path]:
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    if named:
        return [Path(named)]
    places = []
    for folder in sys.path:
        nvidia = Path(folder or ".") / "nvidia"
        if nvidia.is_dir():
            places += sorted(nvidia.glob("cu*/lib/libcudadevrt.a"), reverse=True)
            places += sorted(nvidia.glob("cuda_runtime/lib/libcudadevrt.a"))
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            places += [Path(os.environ[variable], folder, "libcudadevrt.a") for folder in ("lib64", "lib")]
    return [*places, Path("/usr/local/cuda/lib64/libcudadevrt.a"), Path("/usr/lib/x86_64-linux-gnu/libcudadevrt.a")]


def load_with_device_runtime(
    context: Session,
    ptx: str,
    *,
    signatures: Mapping[str, Signature] | None = None,
    line_map: Callable[[int], str | None] | None = None,
) -> Module:
    """Load PTX that calls functions of the device runtime, such as `cudaGraphSetConditional`.

    The emulated driver has them built in, and so has the compiler of NVIDIA's driver 580; where a driver does not know
    them, libcudadevrt.a is linked. Raises JitError for PTX that is wrong, also with the library; NotAvailableError where
    the library is needed and not found.
    """
    try:
        return load_module(context, ptx, signatures or {}, line_map, {}, None)
    except JitError as refused:
        if not any(name in refused.log for name in _RUNTIME):
            raise
    from driver_ctypes.modules.linker import create_linker

    library = device_runtime()
    with create_linker(context, {}) as linker:
        linker.add(ptx, name="module.ptx", kind="ptx", line_map=line_map)
        linker.add_file(library)
        cubin = linker.complete().image
    return load_module(context, cubin, signatures or {}, line_map, {}, None)


def _mover(graph: Graph) -> Function:
    """The kernel that moves a word into a condition: one for each graph, which keeps it."""
    owner: GraphBase = graph
    while owner._outer is not None:
        owner = owner._outer
    if owner._mover is None:
        context = graph.context
        signature = Signature([Parameter("condition", "u64"), Parameter("word", "pointer")])
        major, minor = min(context.device.compute_capability, (9, 0))
        ptx = _MOVE.format(target=f"sm_{major}{minor}", setter=SETTER)
        module = load_with_device_runtime(context, ptx, signatures={"set_condition": signature})
        owner._mover = module.function("set_condition")
    return owner._mover
