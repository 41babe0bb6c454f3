"""The functions that every kernel links against, compiled once per process and tier."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ptxgen.cpu.emit import Emitter, ModuleText, Value
from ptxgen.cpu.jit import Library, Tier, compile_text
from ptxgen.cpu.rt.barriers import write_barrier_arrive, write_barrier_complete, write_lanes_exit, write_same_lanes
from ptxgen.cpu.rt.memory import write_fault, write_resolve
from ptxgen.cpu.rt.scheduler import write_geometry, write_grid, write_start_cta

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FUNCTIONS", "runtime", "runtime_text", "warm_up"]

FUNCTIONS: dict[str, tuple[str, tuple[str, ...], Callable[..., None]]] = {
    "fault": ("void", ("ptr", "i32", "i32", "i32", "i64", "i32"), write_fault),
    "resolve": ("i1", ("ptr", "i64", "i32", "ptr", "i32", "i32"), write_resolve),
    "barrier_complete": ("void", ("ptr", "i32"), write_barrier_complete),
    "barrier_arrive": ("i1", ("ptr", "i32", "i32", "i32", "i32", "i32", "i32", "i32"), write_barrier_arrive),
    "lanes_exit": ("void", ("ptr", "i32"), write_lanes_exit),
    "same_lanes": ("i32", ("ptr", "i32", "i32"), write_same_lanes),
    "start_cta": ("void", ("ptr", "ptr"), write_start_cta),
    "geometry": ("void", ("ptr",), write_geometry),
    "grid": ("i32", ("ptr",), write_grid),
}
"""Name in generated code -> result type, argument types, and what writes the body."""

_libraries: dict[Tier, Library] = {}
_lock = threading.Lock()
_start = threading.Lock()
_warming: threading.Thread | None = None


def runtime_text() -> str:
    """The LLVM module of the run-time library."""
    module = ModuleText()
    for name, (result, types, write) in FUNCTIONS.items():
        e = Emitter(module)
        write(e, *(Value(e, t, f"%a{i}") for i, t in enumerate(types)))
        arguments = ", ".join(f"{t} %a{i}" for i, t in enumerate(types))
        module.functions.append(e.function(f"{result} @{name}({arguments}) nounwind"))
    for name in FUNCTIONS:
        module.declarations.pop(name, None)
    return str(module)


def runtime(tier: Tier) -> Library:
    """The loaded run-time library."""
    with _lock:
        if tier not in _libraries:
            _libraries[tier] = compile_text(runtime_text(), tuple(FUNCTIONS), tier)
        return _libraries[tier]


def warm_up() -> None:
    """Starts compiling the library in the background, once: LLVM works while Python lowers the first module."""
    global _warming
    with _start:
        if _warming is None:
            _warming = threading.Thread(target=runtime, args=(Tier.BASE,), name="ptxgen-cpu-runtime", daemon=True)
            _warming.start()
