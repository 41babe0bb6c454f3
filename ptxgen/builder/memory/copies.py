"""Copies from global to shared memory that run beside the thread: cp.async (manual 9.7.9.25.3) where the target has it.

Older targets than sm_80 copy through registers at once; committing and waiting are then nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.core.source import build_error
from ptxgen.builder.memory.arrays import DeviceArray
from ptxgen.builder.memory.pointers import ptr
from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.scalars import u32
from ptxgen.builder.values.vectors import vec
from ptxgen.ir import Immediate

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder

__all__ = ["copy_async", "copy_commit", "copy_wait"]

_FIRST = 80
"""The first target with cp.async."""


def copy_async(k: FunctionBuilder, to: Any, source: Any, size: int = 16, *, count: u32 | None = None) -> None:
    """Copy 4, 8 or 16 bytes of this thread's from global memory to shared; both addresses are multiples of the size.

    With `count` no more than so many elements of the source are read, and zeros are written behind them. What it writes may be
    read after `copy_wait`, by other threads of the CTA after a barrier behind that.
    """
    if size not in (4, 8, 16):
        raise build_error("PTX221", f"an asynchronous copy of {size} bytes", expected="4, 8 or 16")
    to, source = _pointer(to, "shared"), _pointer(source, "global")
    to.check_writable("an asynchronous copy")
    for pointer in (to, source):
        pointer.rely_on(size)
    if count is not None:
        _check_count(source, size, count)
    if k.target.sm >= _FIRST:
        path = "cg" if size == 16 else "ca"  # 16 bytes may leave out the first-level cache
        read = [] if count is None else [k.use(_read_bytes(k, source, size, count))]
        k.emit(f"cp.async.{path}.shared.global", to.element_address(), source.element_address(), Immediate(size), *read)
        return
    if count is None:
        element = u32 if size == 4 else vec.__class_getitem__((u32, size // 4))
        to.cast(element).store(0, source.cast(element).load())
        return
    lanes = size // source.stride
    each = min(lanes, 8)
    here, there = to.cast(source.element), source.bounded(count)
    if each > 1:
        here, there = here.vectors(each), there.vectors(each)
    for index in range(lanes // each):
        here.store(index, there.load(index))


def _check_count(source: ptr[Any], size: int, count: object) -> None:
    if not isinstance(count, u32):
        raise build_error("PTX220", f"a copy of {count!r:.60} elements", expected="a u32, or None for all")
    if issubclass(source.element, vec) or size % source.stride:
        raise build_error(
            "PTX221", f"elements of {source.stride} bytes counted in a copy of {size}", expected="scalars that fill it"
        )


def _read_bytes(k: FunctionBuilder, source: ptr[Any], size: int, count: u32) -> u32:
    """What cp.async reads of `size` bytes: the first `count` elements, or all."""
    return arithmetic.minimum(k, count, size // source.stride) * source.stride


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
