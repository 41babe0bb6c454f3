"""New tokens' keys and values to their pages, for arrays of any library (ptxgen.kernels.attention.kv_cache)."""

from __future__ import annotations

from typing import Any

from ptxgen.builder import f32, s32, u32
from ptxgen.errors import BuildError
from ptxgen.kernels.attention import kv_cache as kernels
from ptxgen.kernels.attention.attention_decode import ORDERS
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import prepare
from ptxgen.ops.operands import Operand, check_apart, empty_like, read, same_device, stream_of

__all__ = ["cache_append"]

_launches = LaunchCache()


def cache_append(
    qkv: Any, keys: Any, values: Any, table: Any, lengths: Any, cos: Any = None, sin: Any = None, out: Any = None,
    *, order: str = "NHD", interleaved: bool = False,
) -> Any:  # fmt: skip
    """What projections give for `attention_decode`: qkv (batch, queries, heads + 2 kv_heads, d) of bf16 or f16 has each token's
    heads of queries, of keys and of values; returns the queries, (batch, queries, heads, d), and writes the others to `keys`
    and `values`, whose pages, `order`, `table` and `lengths` are as there.

    `lengths` counts the new tokens too: query j of sequence s is number lengths[s] - queries + j of it. With cos and sin, f32 of
    (positions, d/2), queries and keys are turned by the token's number, as by `rotary`. A token whose number is negative or
    beyond the table's pages is not appended; page numbers are not checked. BuildError for arrays that it cannot have.
    """
    options = (order, interleaved)
    given = (qkv, keys, values, table, lengths, cos, sin)
    key, known, (out,) = _launches.find(options, given, (out,))
    if known is None:
        names = ("qkv", "keys", "values", "table", "lengths", "cos", "sin")
        found = {name: read(name, array) for name, array in zip(names, given) if array is not None}
        heads = _heads(found, order)
        shape = (*found["qkv"].shape[:2], heads.queries, heads.d)
        if out is None:
            out = empty_like(qkv, found["qkv"].device, shape, found["qkv"].element)
        found["out"] = read("out", out)
        same_device(**found)
        _check(found, heads, shape, order)
        place = found["qkv"].device
        known = prepare(_plan(found, heads, *options), place, stream_of(place, *found.values()))
        _launches.keep(key, known, (out,))
    known.run(*given, out)
    return out


def _heads(found: dict[str, Operand], order: str) -> kernels.Heads:
    """BuildError for arrays of other shapes."""
    shapes = [found[name].shape for name in ("qkv", "keys", "values", "table", "lengths")]
    qkv, keys, values, table, lengths = shapes
    right = order in ORDERS and [len(shape) for shape in shapes] == [4, 4, 4, 2, 1] and keys == values
    right = right and table[0] == lengths[0] == qkv[0] and keys[3] == qkv[3] and keys[3] % 2 == 0
    if not right or qkv[2] <= 2 * keys[ORDERS[order]] or any(0 in shape for shape in shapes):
        names = ", ".join(f"{name} {each.shape}" for name, each in found.items())
        raise BuildError(
            f"cache_append, order {order!r}, of {names}",
            hint="qkv (batch, queries, heads + 2 kv_heads, d), d even; keys and values (pages, page_size, kv_heads, d), or with "
            "HND (pages, kv_heads, page_size, d); table (batch, pages of a sequence); lengths (batch)",
        )
    kv_heads = keys[ORDERS[order]]
    return kernels.Heads(qkv[2] - 2 * kv_heads, kv_heads, keys[3])


def _check(found: dict[str, Operand], heads: kernels.Heads, shape: tuple[int, ...], order: str) -> None:
    """BuildError for types, strides and overlaps that the kernel cannot have."""
    element, d = found["qkv"].element, heads.d
    room = found["table"].shape[1] * found["keys"].shape[3 - ORDERS[order]]
    for name, each in found.items():
        size = each.element.isa.bytes
        if name in ("table", "lengths"):
            right, expected = each.element in (u32, s32) and each.contiguous, "u32 or s32, without gaps"
        elif name in ("cos", "sin"):
            right = each.element is f32 and each.contiguous and len(each.shape) == 2
            right = right and each.shape[1] == d // 2 and each.shape[0] >= room
            expected = f".f32 of ({room} or more, {d // 2}), as many as the pages have room for, without gaps"
        elif name == "out":
            right = each.element is element and each.shape == shape and each.contiguous
            expected = f".{element.isa.name} of {shape}, without gaps"
        else:
            right = each.element is element in kernels.ELEMENTS and each.strides[3] == size
            right = right and all(step > 0 and step % size == 0 for step in each.strides)
            expected = "all of bf16, or all of f16, elements of a head beside each other"
        if not right:
            raise BuildError(
                f"{name} is .{each.element.isa.name} of {each.shape} with strides of {each.strides} bytes",
                hint=expected,
            )
    if ("cos" in found) != ("sin" in found):
        raise BuildError("cos without sin" if "cos" in found else "sin without cos", hint="both, or none")
    qkv = found["qkv"]
    regular = 1 in qkv.shape[:2] or qkv.strides[0] == shape[1] * qkv.strides[1]
    if qkv.strides[2] != d * element.isa.bytes or not regular:
        raise BuildError(
            f"qkv of {qkv.shape} has strides of {qkv.strides} bytes",
            hint="a token's heads beside each other, tokens at one distance",
        )
    for name in ("out", "keys", "values"):
        check_apart(found[name], {other: each for other, each in found.items() if other != name}, name=name)


def _plan(found: dict[str, Operand], heads: kernels.Heads, order: str, interleaved: bool) -> Any:
    qkv, keys = found["qkv"], found["keys"]
    size, of_heads = qkv.element.isa.bytes, ORDERS[order]
    of_rows = 3 - of_heads
    pages: Any = [
        tuple(found[name].strides[axis] // size for axis in (0, of_rows, of_heads)) for name in ("keys", "values")
    ]
    batch, queries = qkv.shape[:2]
    return kernels.plan(
        batch * queries, queries, heads, qkv, found["out"], keys, found["values"], found["table"], found["lengths"],
        found.get("cos"), found.get("sin"), qkv_token=qkv.strides[1 if queries > 1 else 0] // size, keys_strides=pages[0],
        values_strides=pages[1], page_size=keys.shape[of_rows], table_pages=found["table"].shape[1],
        element=qkv.element, interleaved=interleaved,
    )  # fmt: skip
