"""Attention of the last queries of sequences, over keys and values in pages, for arrays of any library."""

from __future__ import annotations

from typing import Any

from driver_ctypes.streams.stream import running_captures
from ptxgen.builder import bf16, f16, s32, u32
from ptxgen.emulated_driver.numbers import CUdevice_attribute
from ptxgen.errors import BuildError
from ptxgen.kernels.attention import attention_decode as kernels
from ptxgen.ops.flash.forward import check_numbers
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import prepare
from ptxgen.ops.operands import Operand, check_apart, empty_like, read, same_device, stream_of
from ptxgen.ops.scratch import stream_scratch

__all__ = ["attention_decode"]

_launches = LaunchCache()


def attention_decode(
    q: Any, keys: Any, values: Any, table: Any, lengths: Any, out: Any = None,
    *, order: str = "NHD", scale: float | None = None, window: int | None = None, softcap: float = 0.0,
    explain: bool = False,
) -> Any:  # fmt: skip
    """softmax(Q K^T scale) V of the last queries of sequences, q and `out` (batch, queries, heads, d) of bf16 or f16.

    Keys and values lie in pages (pages, page_size, kv_heads, d), or with the `order` "HND" (pages, kv_heads, page_size, d); row s
    of `table` (batch, pages of a sequence) names those of sequence s, and `lengths` counts its keys, those of its queries
    included: query j sees all but the last queries - 1 - j, and one that sees none has zeros. Both are u32 or s32; the
    kernel reads them, so that a graph serves lengths that change. There are 1 to 8 queries and up to 16 heads that share
    those of keys. `scale` is 1/sqrt(d) unless stated. With a `window` a query sees itself and that many keys before; pages
    that no query sees are not read. `softcap` c: scores are c tanh(score / c). With `explain` nothing is launched: the
    kernel is returned as text.

    BuildError for shapes, types, devices or strides that it cannot have.
    """
    given = (q, keys, values, table, lengths)
    options = (order, scale, window, softcap)
    key, known, (out,) = _launches.find(options, given, (out,), skip=explain or bool(running_captures))
    if known is None:
        names = ("q", "keys", "values", "table", "lengths")
        found = {name: read(name, array) for name, array in zip(names, given)}
        query = found["q"]
        place = query.device
        if out is None:
            out = empty_like(q, place, query.shape, query.element)
        found["out"] = read("out", out)
        same_device(**found)
        _check(found, *options)
        check_apart(found["out"], {name: found[name] for name in names if name != "q"})
        processors = place.handle.attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT)
        stream = stream_of(place, *found.values())
        batch, queries, heads, d = query.shape
        kv_heads = found["keys"].shape[kernels.ORDERS[order]]
        sizes = kernels.scratch_of(d, heads // kv_heads, queries, batch, kv_heads, processors)
        scratch: tuple[Any, ...] = (None, None) if explain else stream_scratch(place, stream, sizes)
        element: Any = query.element
        plan = kernels.plan(
            *found.values(), *scratch, element=element, order=order, scale=scale, processors=processors, window=window,
            softcap=softcap,
        )  # fmt: skip
        if explain:
            return plan.explained
        known = prepare(plan, place, stream, scratch)
        _launches.keep(key, known, (out,))
    known.run(*given, out)
    return out


def _check(
    found: dict[str, Operand], order: str, scale: float | None, window: int | None, softcap: float
) -> None:  # fmt: skip
    """BuildError for what the kernel cannot take; shapes that do not go together are the plan's to refuse."""
    for name, each in found.items():
        if name in ("table", "lengths"):
            right, expected = each.element in (u32, s32), "u32 or s32"
        else:
            right, expected = each.element is found["q"].element in (bf16, f16), "all of bf16, or all of f16"
        if not right:
            raise BuildError(f"{name} has elements of .{each.element.isa.name}", hint=expected)
        if 0 in each.shape:
            raise BuildError(f"{name} has the shape {each.shape}", hint="no extent of 0")
        paged = name in ("keys", "values")
        if not (each.mappable if paged else each.contiguous) or each.address % (4 if each.type.bits == 32 else 16):
            raise BuildError(
                f"{name} has strides of {each.strides} bytes at {each.address:#x}",
                hint="elements of a head beside each other, everything else at multiples of 16 bytes"
                if paged
                else "a contiguous array at a multiple of 16 bytes",
            )
    place = found["q"].device
    if place.target != "sm_90a":
        raise BuildError(f"attention_decode on {place.target}", hint="sm_90a")
    check_numbers(scale, window, softcap)
    kernels.check(*found.values(), order=order)
