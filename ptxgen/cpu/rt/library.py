"""The functions that kernels link against, and their LLVM text; `libraries` has them compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.emit import Emitter, LlvmValue, ModuleText, convention
from ptxgen.cpu.rt.asynchronous import ASYNC
from ptxgen.cpu.rt.barriers import (
    write_barrier_arrive,
    write_barrier_complete,
    write_cluster_complete,
    write_lanes_exit,
    write_same_lanes,
)
from ptxgen.cpu.rt.clusters import write_cluster_address, write_cluster_generic, write_cluster_pointer
from ptxgen.cpu.rt.memory import write_fault, write_resolve
from ptxgen.cpu.rt.scheduler import write_claim, write_geometry, write_grid, write_start_cluster, write_start_cta

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ASYNC", "CORE", "SYNC", "library_text"]

Functions = dict[str, tuple[str, tuple[str, ...], "Callable[..., None]"]]

CORE: Functions = {
    "fault": ("void", ("ptr", "i32", "i32", "i32", "i64", "i32"), write_fault),
    "resolve": ("i1", ("ptr", "i64", "i32", "ptr", "i32", "i32"), write_resolve),
    "cluster_pointer": ("i64", ("i64", "i64", "i64", "ptr", "i32", "i32"), write_cluster_pointer),
    "cluster_address": ("i64", ("i64", "ptr"), write_cluster_address),
    "cluster_generic": ("i64", ("i64", "ptr"), write_cluster_generic),
    "claim": ("i1", ("ptr",), write_claim),
    "start_cta": ("void", ("ptr", "ptr"), write_start_cta),
    "start_cluster": ("void", ("ptr", "ptr"), write_start_cluster),
    "geometry": ("void", ("ptr",), write_geometry),
    "grid": ("i32", ("ptr",), write_grid),
}
"""What every launch needs. Name in generated code -> result type, argument types, and what writes the body."""

SYNC: Functions = {
    "barrier_complete": ("void", ("ptr", "i32"), write_barrier_complete),
    "barrier_arrive": ("i1", ("ptr", "i32", "i32", "i32", "i32", "i32", "i32", "i32"), write_barrier_arrive),
    "cluster_complete": ("void", ("ptr", "i32"), write_cluster_complete),
    "lanes_exit": ("void", ("ptr", "i32"), write_lanes_exit),
    "same_lanes": ("i32", ("ptr", "i32", "i32"), write_same_lanes),
}
"""What kernels with barriers or warp operations need beside it."""


def library_text(functions: Functions) -> str:
    """The LLVM module of a library."""
    module = ModuleText()
    for name, (result, types, write) in functions.items():
        e = Emitter(module)
        write(e, *(LlvmValue(e, t, f"%a{i}") for i, t in enumerate(types)))
        arguments = ", ".join(f"{t} %a{i}" for i, t in enumerate(types))
        module.functions.append(e.function(f"{convention(name)}{result} @{name}({arguments}) nounwind"))
    for name in functions:
        module.declarations.pop(name, None)
    return str(module)
