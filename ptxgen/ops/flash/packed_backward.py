"""Gradients of attention of sequences that lie behind each other, for arrays of any library."""

from __future__ import annotations

from typing import Any

from driver_ctypes.streams.stream import running_captures
from ptxgen.emulated_driver.numbers import CUdevice_attribute
from ptxgen.kernels.attention import attention_packed_backward as kernels
from ptxgen.ops.arguments import check_count
from ptxgen.ops.flash.forward import check_numbers
from ptxgen.ops.flash.packed import as_matrices, check_sequences, row_and_head
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import prepare_chain
from ptxgen.ops.operands import Operand, check_apart, empty_like, read, same_device, stream_of
from ptxgen.ops.scratch import stream_scratch

__all__ = ["attention_packed_backward"]

_launches = LaunchCache()


def attention_packed_backward(
    d_out: Any, q: Any, k: Any, v: Any, out: Any, log_sums: Any, query_starts: Any, key_starts: Any, d_q: Any = None,
    d_k: Any = None, d_v: Any = None, *, longest: int | None = None, longest_keys: int | None = None, causal: bool = False,
    scale: float | None = None, window: int | None = None, softcap: float = 0.0, explain: bool = False,
) -> Any:  # fmt: skip
    """The gradients of `attention_packed(q, k, v, query_starts, key_starts, out, log_sums=log_sums, ...)` for that of `out`:
    (`d_q`, `d_k`, `d_v`).

    Arrays (rows, heads, d) of bf16 or f16, d 64, 96 or 128; `log_sums` (heads, rows of q) as forward wrote them, and the rest as
    it was then. The kernels read the starts, so that a graph serves lengths that change, and take them within the rows that there
    are. No sequence has more than `longest` queries and `longest_keys` keys, all rows unless stated: gradients of one that has,
    and of sequences that share rows, are undefined. Rows of no sequence stay as they are in `d_q`, `d_k` and `d_v`, and are
    undefined in new arrays.

    Heads of Q that share one of K and V add to its gradients. Each run has the same bits: nothing is added by atomics. The
    results overlap no other array. Scratch memory, 8 bytes a query and head and 512 a sequence and head, belongs to the stream,
    or to the graph where it is captured. With `explain` nothing is launched: the two kernels are returned as text.

    BuildError for shapes, types, devices or strides that it cannot have; sm_90a.
    """
    options = (longest, longest_keys, causal, scale, window, softcap)
    given = (d_out, q, k, v, out, log_sums, query_starts, key_starts)
    skip = explain or bool(running_captures)
    key, known, results = _launches.find(options, given, (d_q, d_k, d_v), skip=skip)
    if known is None:
        names = ("d_out", "q", "k", "v", "out", "log_sums", "query_starts", "key_starts")
        found = {name: read(name, each) for name, each in zip(names, given)}
        place, made = found["q"].device, []
        for name, into, like in zip(("d_q", "d_k", "d_v"), results, (q, k, v)):
            of = found[name[2]]
            made.append(empty_like(like, place, of.shape, of.element) if into is None else into)
            found[name] = read(name, made[-1])
        results = (made[0], made[1], made[2])
        same_device(**found)
        check_sequences(found, "attention_packed_backward")
        for name in ("d_q", "d_k", "d_v"):
            check_apart(found[name], {other: each for other, each in found.items() if other != name}, name=name)
        stream = stream_of(place, *found.values())
        (rows, heads, _), batch = found["q"].shape, found["query_starts"].shape[0] - 1
        size = kernels.statistics_size(heads, rows, batch)
        scratch = None if explain else stream_scratch(place, stream, (size, 1))[0]
        plans = _planned(found, scratch, *options)
        if explain:
            return "\n".join(plan.explained for plan in plans)
        known = prepare_chain(plans, place, stream, (scratch,))
        _launches.keep(key, known, results)
    known.run(*given, *results)
    return results


def _planned(
    found: dict[str, Operand], scratch: Any, longest: int | None, longest_keys: int | None, causal: bool, scale: float | None,
    window: int | None, softcap: float,
) -> Any:  # fmt: skip
    check_numbers(scale, window, softcap)
    for name, most in (("longest", longest), ("longest_keys", longest_keys)):
        if most is not None:
            check_count(name, most, least=1)
    q, k, v, out, d_out, d_q, d_k, d_v = (
        as_matrices(found[name]) for name in ("q", "k", "v", "out", "d_out", "d_q", "d_k", "d_v")
    )
    starts, logs = (found["query_starts"], found["key_starts"]), found["log_sums"]
    stated: Any = {
        "batch": starts[0].shape[0] - 1, "scale": scale, "causal": causal, "window": window, "softcap": softcap,
        "element": q.element, "processors": q.device.handle.attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT),
    }  # fmt: skip
    first = kernels.plan_queries(
        q, k, v, out, d_out, d_q, logs, *starts, scratch,
        longest=min(longest or q.shape[2], q.shape[2]), d_q_strides=row_and_head(d_q), **stated,
    )  # fmt: skip
    second = kernels.plan_keys(
        q, k, v, d_out, d_k, d_v, *starts, scratch,
        longest=min(longest_keys or k.shape[2], k.shape[2]), d_k_strides=row_and_head(d_k), d_v_strides=row_and_head(d_v),
        **stated,
    )  # fmt: skip
    return first, second
