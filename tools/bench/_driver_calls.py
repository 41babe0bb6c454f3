"""The driver calls of operations in machine code: what a program in C takes for the same."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from driver_ctypes.launch.sending import Slot, pack_arguments
from driver_ctypes.machine_code.texts import compile_functions
from ptxgen.kernels.plan import KernelPlan
from ptxgen.ops.launches import Copy, PreparedLaunch

__all__ = ["driver_calls"]


def driver_calls(launches: Sequence[PreparedLaunch], *, waits: bool = False) -> Callable[[int], None]:
    """``loop(times)``: the kernels, fills and copies of some launches, one behind the other, and then where it `waits` a wait for
    their stream, in a loop of machine code; their context is the thread's."""
    name, keep = "calls", []
    lines = [f"define void @{name}(i64 %times) {{", "entry:", "  br label %loop", "loop:"]
    lines.append("  %i = phi i64 [ 0, %entry ], [ %next, %loop ]")
    for launch in launches:
        for each in (launch, *launch.then):
            kept, line = _call(each)
            keep.append(kept)
            lines.append(line)
    if waits:
        lines.append(f"  call i32 {_function(launches[0], 'cuStreamSynchronize')}(ptr {_pointer(launches[0].stream)})")
    lines += [
        "  %next = add i64 %i, 1",
        "  %more = icmp ult i64 %next, %times",
        "  br i1 %more, label %loop, label %end",
    ]
    lines += ["end:", "  ret void", "}"]
    function = ctypes.CFUNCTYPE(None, ctypes.c_int64)(compile_functions("\n".join(lines), name)[name])

    def loop(times: int) -> None:
        function(times)

    loop.keep = (keep, list(launches))  # type: ignore[attr-defined]
    return loop


def _call(each: PreparedLaunch) -> tuple[Any, str]:
    """(what must stay, the call) of one launch."""
    plan, stream = each.plan, _pointer(each.stream)
    if not isinstance(plan, KernelPlan):
        first, second, size = each.arguments
        symbol, kind = ("cuMemcpyDtoDAsync_v2", "i64") if plan is Copy else ("cuMemsetD8Async", "i8")
        return None, f"  call i32 {_function(each, symbol)}(i64 {first}, {kind} {second}, i64 {size}, ptr {stream})"
    handle = plan.kernel.on(each.place)
    function, shared = handle.function, handle.entry.dynamic_shared if plan.shared is None else plan.shared
    configured = function.configure(plan.grid, plan.block, shared=shared, stream=each.stream, **plan.attributes)
    slot = Slot(function, configured.signature)
    slot.configure(configured.config, each.stream or 0)
    pack_arguments(function, configured.signature, slot, each.arguments)
    config, arguments = (_pointer(ctypes.addressof(part)) for part in (slot.config, slot.pointers))
    launch = _function(each, "cuLaunchKernelEx")
    return slot, f"  call i32 {launch}(ptr {config}, ptr {_pointer(function.handle)}, ptr {arguments}, ptr null)"


def _function(launch: PreparedLaunch, symbol: str) -> str:
    return _pointer(ctypes.cast(launch.context.driver.raw(symbol), ctypes.c_void_p).value)


def _pointer(address: int | None) -> str:
    return f"inttoptr (i64 {address} to ptr)" if address else "null"
