"""What a profiler sees: when it records, and ranges with names."""

from __future__ import annotations

import contextlib
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driver_ctypes.contexts.context import Context


@contextlib.contextmanager
def profile(context: Context) -> Iterator[None]:
    """Let a profiler that waits for it (``nsys --capture-range=cudaProfilerApi``) record the ``with`` body. Work of the
    context is over before it begins and before it ends.
    """
    context.synchronize()
    context.call("cuProfilerStart")
    try:
        yield
        context.synchronize()
    finally:
        context.call("cuProfilerStop")


def nvtx_range(name: str, color: str | None = None) -> Any:
    """A context manager that shows its body as a range called *name* in a profiler, where the package ``nvtx`` is
    installed; else one that does nothing.
    """
    if find_spec("nvtx") is None:
        return contextlib.nullcontext()
    return import_module("nvtx").annotate(name, color=color)
