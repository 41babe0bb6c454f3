"""Rows of a table by tokens, for arrays of any library (ptxgen.kernels.embedding)."""

from __future__ import annotations

import math
from typing import Any

from ptxgen.errors import BuildError
from ptxgen.kernels import embedding as kernels
from ptxgen.ops.operands import LaunchCache, check_apart, empty_like, prepare, read, same_device, stream_of

__all__ = ["embedding"]

_launches = LaunchCache()


def embedding(tokens: Any, table: Any, out: Any = None) -> Any:
    """out[...] = table[tokens[...]]: tokens of s64, s32 or u32, table (rows, d) of any type, rows of whole 4 bytes; returns
    `out`, (..., d) of the table's type. A token outside of the table brings zeros. BuildError for arrays that it cannot have."""
    key, known = (None, None) if out is None else _launches.find(None, tokens, table, out)
    if known is None:
        index, source = read("tokens", tokens), read("table", table)
        if index.element not in kernels.TOKENS or not index.contiguous:
            raise BuildError(
                f"tokens is .{index.element.isa.name} of {index.shape} with strides of {index.strides} bytes",
                hint="s64, s32 or u32, without gaps",
            )
        width = source.shape[-1] * source.element.isa.bytes if source.shape else 0
        fits = len(source.shape) == 2 and source.contiguous and width and width % kernels.WORD == 0
        if not fits or source.address % kernels.WORD:
            raise BuildError(
                f"table is .{source.element.isa.name} of {source.shape} with strides of {source.strides} bytes",
                hint="(rows, d) without gaps, rows of whole 4 bytes",
            )
        shape = (*index.shape, source.shape[1])
        if out is None:
            out = empty_like(table, source.device, shape, source.element)
        result = read("out", out)
        same_device(tokens=index, table=source, out=result)
        if result.shape != shape or result.element is not source.element or not result.contiguous or result.address % 4:
            raise BuildError(
                f"out is .{result.element.isa.name} of {result.shape} with strides of {result.strides} bytes",
                hint=f".{source.element.isa.name} of {shape}, without gaps",
            )
        check_apart(result, {"tokens": index, "table": source})
        sizes = (math.prod(index.shape), source.shape[0], width // kernels.WORD)
        plan = kernels.plan(*sizes, index, source, result, index=index.element)
        known = prepare(plan, source.device, stream_of(source.device, index, source, result))
        _launches.keep(key, known)
    known.run(tokens, table, out)
    return out
