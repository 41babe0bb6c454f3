"""Products with a matrix of which half is zero, two of each four elements of a row, for arrays of any library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.builder import u32
from ptxgen.emulated_driver.numbers import CUdevice_attribute
from ptxgen.errors import BuildError
from ptxgen.kernels.matrices import gemm_sparse as kernels
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import prepare
from ptxgen.ops.matrices.epilogues import arguments_key, read_arguments, read_epilogue
from ptxgen.ops.matrices.gemm import RESULTS
from ptxgen.ops.operands import (
    ALIGNED,
    Operand,
    Transposed,
    as_map,
    check_apart,
    empty_like,
    read,
    same_device,
    stream_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.builder.values import Value

__all__ = ["CompressedMatrix", "compress", "sparse_matmul"]

_launches = LaunchCache()

NAMES = "bf16, f16, e4m3, e5m2 or s8"


class CompressedMatrix(NamedTuple):
    """A matrix (m, depth) that `compress` made: `kept` (m, depth / 2) has the elements that stay, `metadata` says where they
    stood, in words for the tensor cores of sm_90a."""

    kept: Any
    metadata: Any
    shape: tuple[int, int]


def compress(a: Any) -> CompressedMatrix:
    """A (m, depth) with two of each four elements of a row: the two of largest magnitude, of equals the first ones.

    Where A has no more than two elements other than zero in each four, nothing is lost. Elements are bf16, f16, e4m3, e5m2 or
    s8, without gaps; `depth` is a multiple of 16 elements of 16 bits, of 32 of 8. `kept` is an array of the library of A. The
    work goes to the device's current stream, or the framework's.

    BuildError for shapes, types or strides that it cannot have; sm_90a.
    """
    given = read("a", a)
    size = given.element.isa.bytes
    if given.element not in kernels.ELEMENTS:
        raise BuildError(f"a has elements of .{given.element.isa.name}", hint=NAMES)
    if len(given.shape) != 2 or 0 in given.shape or given.shape[1] * size % (2 * ALIGNED):
        raise BuildError(
            f"a has the shape {given.shape}", hint=f"(m, depth), depth a multiple of {2 * ALIGNED // size}"
        )
    if not given.contiguous or given.address % ALIGNED:
        raise BuildError(
            f"a has strides of {given.strides} bytes at {given.address:#x}",
            hint=f"without gaps, at a multiple of {ALIGNED}",
        )
    _check_target(given)
    m, depth = given.shape
    place = given.device
    kept = empty_like(a, place, (m, depth // 2), given.element)
    words = place.empty(kernels.metadata_shape(m, depth, given.element), u32)
    plan = kernels.plan_compress(
        given, read("kept", kept), read("metadata", words), m=m, depth=depth, element=given.element,
        processors=place.handle.attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT),
    )  # fmt: skip
    prepare(plan, place, stream_of(place, given)).run(a, kept, words)
    return CompressedMatrix(kept, words, (m, depth))


def sparse_matmul(
    a: Any, b: Any, out: Any = None, *, epilogue: Any = None, arguments: Sequence[Any] = (), explain: bool = False
) -> Any:
    """The product of a `CompressedMatrix` W (m, depth) and B (depth, n), or, for `transposed(W)` as `b`, of A (n, depth) and W^T;
    returns `out`, (m, n) or (n, m).

    Sums are f32, of s8 s32; types, `out`, `epilogue` and `arguments` as in `matmul`. B may be a transposed view; 8-bit elements
    lie together along the depth. With `explain` nothing is launched: the kernel is returned as text.

    BuildError for shapes, types, devices or strides that it cannot have; sm_90a.
    """
    turned = isinstance(b, Transposed) and isinstance(b.array, CompressedMatrix)
    sparse, dense = (b.array, a) if turned else (a, b)
    if not isinstance(sparse, CompressedMatrix):
        raise BuildError(
            f"sparse_matmul of {type(a).__name__} and {type(b).__name__}",
            hint="compress(w) first; or transposed(compress(w)) behind",
        )
    arguments = read_arguments(epilogue, arguments)
    numbers, arrays = arguments_key(arguments)
    options = (epilogue, numbers, turned, sparse.shape)
    given = (sparse.kept, sparse.metadata, dense)
    key, known, (out,) = _launches.find(options, (*given, *arrays), (out,), skip=explain)
    if known is None:
        kept, words, other = (
            read("kept", sparse.kept),
            read("metadata", sparse.metadata),
            read("a" if turned else "b", dense),
        )
        other = other.transposed() if turned else other  # (depth, n)
        _check(kept, words, other, sparse.shape)
        shape = (other.shape[1], sparse.shape[0]) if turned else (sparse.shape[0], other.shape[1])
        expected = RESULTS[kept.element]
        if out is None:
            out = empty_like(dense, kept.device, shape, expected)
        result = read("out", out)
        finish = read_epilogue(epilogue, arguments, 1)
        same_device(kept=kept, metadata=words, other=other, out=result, **finish.operands)
        if result.shape != shape or result.element is not expected or not result.mappable:
            raise BuildError(
                f"out is .{result.element.isa.name} of shape {result.shape} and strides {result.strides}",
                hint=f".{expected.isa.name} of {shape}, rows of whole {ALIGNED} bytes that begin at multiples of them",
            )
        check_apart(result, {"kept": kept, "metadata": words, "b": other})
        check_apart(result, finish.operands, in_place=True)
        right, major = as_map("a" if turned else "b", other.transposed())
        plan = kernels.plan(
            kept, words, right, result, m=sparse.shape[0], n=other.shape[1], depth=sparse.shape[1], element=kept.element,
            result=expected, major_b=major, transposed=turned,
            processors=kept.device.handle.attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT), **finish.options,
        )  # fmt: skip
        if explain:
            return plan.explained
        known = prepare(
            plan, kept.device, stream_of(kept.device, kept, words, other, result, *finish.operands.values())
        )
        _launches.keep(key, known, (out,))
    known.run(*given, out, *arrays)
    return out


def _check(kept: Operand, words: Operand, other: Operand, shape: tuple[int, int]) -> None:
    """BuildError for a matrix that does not go with the compressed one, or what was not compressed here."""
    if len(other.shape) != 2 or other.shape[0] != shape[1] or 0 in other.shape:
        raise BuildError(
            f"a compressed matrix {shape} and {other.shape}", hint=f"({shape[1]}, n), or transposed (n, {shape[1]})"
        )
    if other.element is not kept.element or kept.element not in kernels.ELEMENTS:
        raise BuildError(
            f"sparse_matmul of .{kept.element.isa.name} and .{other.element.isa.name}", hint=f"both the same: {NAMES}"
        )
    expected: dict[str, tuple[Operand, tuple[int, int], type[Value]]] = {
        "kept": (kept, (shape[0], shape[1] // 2), kept.element),
        "metadata": (words, kernels.metadata_shape(*shape, kept.element), u32),
    }
    for name, (each, extents, element) in expected.items():
        if each.shape != extents or each.element is not element or not each.contiguous or each.address % ALIGNED:
            raise BuildError(
                f"{name} is .{each.element.isa.name} of shape {each.shape}",
                hint=f".{element.isa.name} of {extents}, as compress made it",
            )
    _check_target(kept)


def _check_target(operand: Operand) -> None:
    if operand.device.target != "sm_90a":
        raise BuildError(f"a compressed matrix on {operand.device.target}", hint="sm_90a")
