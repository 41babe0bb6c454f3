"""Attention of sequences that lie behind each other, for arrays of any library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import bf16, f16, f32, s32
from ptxgen.emulated_driver.numbers import CUdevice_attribute
from ptxgen.errors import BuildError
from ptxgen.kernels.attention import attention_packed as kernels
from ptxgen.ops.arguments import check_count
from ptxgen.ops.flash.forward import check_numbers
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import prepare
from ptxgen.ops.operands import Operand, check_apart, empty_like, read, same_device, stream_of

if TYPE_CHECKING:
    from ptxgen.kernels.plan import KernelPlan

__all__ = ["as_matrices", "attention_packed", "check_sequences", "row_and_head"]

_launches = LaunchCache()


def attention_packed(
    q: Any, k: Any, v: Any, query_starts: Any, key_starts: Any, out: Any = None, *, log_sums: Any = None,
    longest: int | None = None, causal: bool = False, scale: float | None = None, window: int | None = None,
    softcap: float = 0.0, explain: bool = False,
) -> Any:  # fmt: skip
    """`attention` of sequences of different lengths; returns `out`, of the shape of `q`.

    Q (rows, heads, d) has the queries of all sequences one after the other: sequence i has the rows from query_starts[i] up to
    query_starts[i + 1]. K and V (rows, heads, d) have their keys, by `key_starts`. Both are arrays of s32 on the device, one
    longer than there are sequences (`cu_seqlens` of FlashAttention); the kernel reads them, so that a graph serves lengths that
    change, and takes them within the rows that there are. Rows of no sequence stay as they are in `out`, and are undefined in a
    new array. No sequence has more than `longest` queries, all rows unless stated: those behind may be left out.

    `log_sums` (heads, rows) of f32 gets the natural logarithms of the sums of e^score, -inf for a query that sees no key. The
    rest is as in `attention`; a causal query's place is counted from its sequence's ends.

    BuildError for shapes, types, devices or strides that it cannot have; sm_90a.
    """
    options = (longest, causal, scale, window, softcap)
    given = {
        "q": q, "k": k, "v": v, "query_starts": query_starts, "key_starts": key_starts, "log_sums": log_sums,
    }  # fmt: skip
    key, known, (out,) = _launches.find(options, tuple(given.values()), (out,), skip=explain)
    if known is None:
        found = {name: read(name, array) for name, array in given.items() if array is not None}
        query = found["q"]
        if out is None:
            out = empty_like(q, query.device, query.shape, query.element)
        found["out"] = read("out", out)
        same_device(**found)
        check_sequences(found, "attention_packed")
        check_apart(found["out"], {"q": query}, in_place=True)
        check_apart(found["out"], {name: each for name, each in found.items() if name not in ("q", "out")})
        if "log_sums" in found:
            others = {name: each for name, each in found.items() if name != "log_sums"}
            check_apart(found["log_sums"], others, name="log_sums")
        plan = _planned(found, *options)
        if explain:
            return plan.explained
        known = prepare(plan, query.device, stream_of(query.device, *found.values()))
        _launches.keep(key, known, (out,))
    known.run(*given.values(), out)
    return out


def check_sequences(found: dict[str, Operand], operation: str) -> None:
    """BuildError for elements, shapes or strides that do not go together, and for a device that has not the operation."""
    q, k = found["q"], found["k"]
    for name, each in found.items():
        if name in ("query_starts", "key_starts", "log_sums"):
            continue
        if len(each.shape) != 3 or 0 in each.shape:
            raise BuildError(f"{name} has the shape {each.shape}", hint="(rows, heads, d), none of them 0")
        if each.element is not q.element or each.element not in (bf16, f16):
            raise BuildError(f"{name} has elements of .{each.element.isa.name}", hint="all of bf16, or all of f16")
        if not each.mappable:
            raise BuildError(
                f"{name} has strides of {each.strides} bytes at {each.address:#x}",
                hint="elements of a head beside each other, everything else at multiples of 16 bytes",
            )
    rows, heads, d = q.shape
    expected = {
        "v": k.shape, "out": q.shape, "k": (k.shape[0], k.shape[1], d), "log_sums": (heads, rows), "d_out": q.shape,
        "d_q": q.shape, "d_k": k.shape, "d_v": k.shape,
    }  # fmt: skip
    for name, shape in expected.items():
        if name in found and found[name].shape != shape:
            raise BuildError(f"{name} has the shape {found[name].shape} beside q of {q.shape}", hint=f"{shape}")
    if heads % k.shape[1]:
        raise BuildError(f"{heads} heads of q share {k.shape[1]} of k", hint="a divisor")
    starts = found["query_starts"]
    for name, element in (("query_starts", s32), ("key_starts", s32), ("log_sums", f32)):
        if name in found and (found[name].element is not element or not found[name].contiguous):
            raise BuildError(
                f"{name} is .{found[name].element.isa.name} with strides of {found[name].strides} bytes",
                hint=f".{element.isa.name}, without gaps",
            )
    if len(starts.shape) != 1 or starts.shape[0] < 2 or found["key_starts"].shape != starts.shape:
        raise BuildError(
            f"query_starts has the shape {starts.shape}, key_starts {found['key_starts'].shape}",
            hint="(sequences + 1,), for one sequence or more",
        )
    if q.device.target != "sm_90a":
        raise BuildError(f"{operation} on {q.device.target}", hint="sm_90a")


def _planned(
    found: dict[str, Operand], longest: int | None, causal: bool, scale: float | None, window: int | None, softcap: float
) -> KernelPlan:  # fmt: skip
    check_numbers(scale, window, softcap)
    if longest is not None:
        check_count("longest", longest, least=1)
    q, k, v, out = (as_matrices(found[name]) for name in ("q", "k", "v", "out"))
    return kernels.plan(
        q, k, v, out, out, found.get("log_sums"), found["query_starts"], found["key_starts"],
        batch=found["query_starts"].shape[0] - 1, longest=min(longest or q.shape[2], q.shape[2]),
        o_strides=row_and_head(out), shared_heads=q.shape[1] // k.shape[1], scale=scale,
        causal=causal, window=window, softcap=softcap, element=q.element,
        processors=q.device.handle.attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT),
    )  # fmt: skip


def as_matrices(operand: Operand) -> Operand:
    """(1, heads, rows, d) of (rows, heads, d)."""
    (rows, heads, d), (row, head, one) = operand.shape, operand.strides
    return operand._replace(shape=(1, heads, rows, d), strides=(0, head, row, one))


def row_and_head(matrices: Operand) -> tuple[int, int]:
    """The elements from row to row and from head to head."""
    size = matrices.element.isa.bytes
    return matrices.strides[2] // size, matrices.strides[1] // size
