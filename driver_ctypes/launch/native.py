"""A launcher of machine code over a plan."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from driver_ctypes.interop import dlpack
from driver_ctypes.interop.streams import same_stream
from driver_ctypes.launch.cupy_arguments import reader_like
from driver_ctypes.launch.foreign import place
from driver_ctypes.launch.slot import Slot

if TYPE_CHECKING:
    from driver_ctypes.launch.plan import Launcher, Plan


def native_launcher(plan: Plan, quick: Launcher) -> Launcher:
    """A callable of machine code over the plan; what it does not take goes to *quick*, whose exceptions it raises."""
    from driver_ctypes.launch.argument_caches import fill_caches
    from driver_ctypes.trampoline.callable import native_callable, new_state

    function, context, signature = plan.function, plan.function.context, plan.signature
    shapes = [(param.kind, param.size) for param in signature.params]
    state = plan.state = new_state(shapes)
    slot = Slot(function, signature)  # its attributes and their array
    slot.configure(plan.config, plan.stream.handle)
    state.config = slot.config
    plan.cached[-1] = slot
    raw = context.driver.raw
    state.launch = ctypes.cast(raw("cuLaunchKernelEx"), ctypes.c_void_p).value
    state.ask_context = ctypes.cast(raw("cuCtxGetCurrent"), ctypes.c_void_p).value
    state.function, state.context_handle, state.context = function.handle, context.handle, id(context)
    state.last, state.serial = ctypes.addressof(context.launches.serial), plan.number
    state.stream, state.follows = same_stream(plan.stream.handle), plan.follows
    state.dl_device = dlpack.CUDA | context.device.ordinal << 32
    for index in signature.pointers:
        state.caches[index].misaligned = signature.params[index].aligned - 1

    def slow(code: int, *args: Any) -> None:
        if code:
            plan.failed(code, args)
            return
        if plan.cupy_reader is not None and not plan.guard:
            values = plan.cupy_reader(args)
            if values is not None:
                quick(*values)
                return
        if plan.frameworks and not plan.guard:
            placed = place(function, signature, plan.stream, plan.follows, args)
            if placed is not None and placed.stream == plan.stream.handle and not placed.others:
                quick(*placed.args)
                plan.frameworks = not fill_caches(plan, args)
                plan.cupy_reader = reader_like(plan, args)
                return
        quick(*args)
        plan.frameworks = not fill_caches(plan, args)

    return native_callable(state, shapes, function.name, str(plan), slow)
