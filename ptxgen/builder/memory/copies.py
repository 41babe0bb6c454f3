"""Copies from global to shared memory that run beside the thread: cp.async (manual 9.7.9.25.3) where the target has it.

Older targets than sm_80 copy through registers at once; committing and waiting are then nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.core.source import build_error
from ptxgen.builder.memory.arrays import DeviceArray
from ptxgen.builder.memory.pointers import ptr
from ptxgen.builder.values.scalars import u32
from ptxgen.builder.values.vectors import vec
from ptxgen.ir import Immediate

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder

__all__ = ["copy_async", "copy_commit", "copy_wait"]

_FIRST = 80
"""The first target with cp.async."""


def copy_async(k: FunctionBuilder, to: Any, source: Any, size: int = 16) -> None:
    """Copy 4, 8 or 16 bytes of this thread's from global memory to shared; both addresses are multiples of the size.

    What it writes may be read after `copy_wait`, by other threads of the CTA after a barrier behind that.
    """
    if size not in (4, 8, 16):
        raise build_error("PTX221", f"an asynchronous copy of {size} bytes", expected="4, 8 or 16")
    to, source = _pointer(to, "shared"), _pointer(source, "global")
    to.check_writable("an asynchronous copy")
    for pointer in (to, source):
        pointer.rely_on(size)
    if k.target.sm >= _FIRST:
        path = "cg" if size == 16 else "ca"  # 16 bytes may leave out the first-level cache
        k.emit(f"cp.async.{path}.shared.global", to.element_address(), source.element_address(), Immediate(size))
        return
    element = u32 if size == 4 else vec.__class_getitem__((u32, size // 4))
    to.cast(element).store(0, source.cast(element).load())


def _pointer(value: Any, space: str) -> ptr[Any]:
    pointer = value.pointer if isinstance(value, DeviceArray) else value
    if not isinstance(pointer, ptr) or pointer.space != space:
        found = f"a pointer to {pointer.space or 'generic'} memory" if isinstance(pointer, ptr) else repr(value)
        raise build_error(
            "PTX220",
            f"an asynchronous copy with {found}",
            expected="from a global pointer to a shared one",
            hint="x.at(i)",
        )
    return pointer


def copy_commit(k: FunctionBuilder) -> None:
    """Make a group of the thread's copies since the last commit."""
    if k.target.sm >= _FIRST:
        k.emit("cp.async.commit_group")


def copy_wait(k: FunctionBuilder, groups: int | None = None) -> None:
    """Wait until at most the last `groups` committed groups are under way; without a number, for every copy."""
    if groups is not None and groups < 0:
        raise build_error(
            "PTX221", f"waiting for all but {groups!r} groups", expected="0 or more, or None for all copies"
        )
    if k.target.sm >= _FIRST:
        k.emit(
            "cp.async.wait_all" if groups is None else "cp.async.wait_group",
            *([] if groups is None else [Immediate(groups)]),
        )
