"""Products of f32 as accurate as by fma, at the tensor cores' speed: three launches, and the numbers' parts in scratch memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.builder import bf16
from ptxgen.emulated_driver.numbers import CUdevice_attribute
from ptxgen.kernels.matrices import gemm_f32 as kernels
from ptxgen.ops.launches import prepare_chain
from ptxgen.ops.operands import ALIGNED, Operand
from ptxgen.ops.scratch import stream_scratch

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.kernels.plan import KernelPlan
    from ptxgen.ops.launches import PreparedLaunch
    from ptxgen.ops.matrices.epilogues import Epilogue

__all__ = ["by_parts", "parts_grid", "without_parts"]

SIZE = 4
"""Bytes of an f32."""

LEAST = 2 * 256**3
"""Operations from which on three launches are faster than one by fma (measured, H200)."""


class Lines(NamedTuple):
    """An operand as the kernels take it, and whether lines go along the depth ("K") or across it ("MN")."""

    matrices: kernels.Matrices
    major: str
    aligned: bool


def without_parts(a: Operand, b: Operand, out: Operand) -> str:
    """Why a product is better, or has to be, computed by fma; "" where it is not."""
    if a.device.target != "sm_90a":
        return f"{a.device.target} has no wgmma"
    if not out.mappable:
        return "out has rows that no tensor map takes"
    m, depth, n = *a.shape[-2:], b.shape[-1]
    batch = a.shape[0] if len(a.shape) == 3 else 1
    if 2 * batch * m * n * depth < LEAST:
        return "it is small"
    return "" if _lines(a) and _lines(b.transposed()) else "its elements are not beside each other in either direction"


def _lines(operand: Operand) -> Lines | None:
    """Of (rows, depth), or a batch of them; None where neither direction's elements lie beside each other."""
    for major, view in (("K", operand), ("MN", operand.transposed())):
        *lead, line, inner = view.strides
        lines, length = view.shape[-2:]
        batch = view.shape[0] if lead else 1
        if (inner == SIZE or length == 1) and not any(each % SIZE for each in (*lead, line)):
            steps = (*(lead if batch > 1 else ()), *([line] if lines > 1 else ()))
            aligned = view.address % ALIGNED == 0 and not any(each % ALIGNED for each in steps)
            found = kernels.Matrices(length, lines, batch, line // SIZE, lead[0] // SIZE if lead else 0)
            return Lines(found, major, aligned)
    return None


def parts_grid(a: Operand, b: Operand, sizes: Any) -> int:
    """CTAs of the product of `by_parts`."""
    major = _both(a, b)[1].major
    return kernels.plan_product(None, None, None, 0, **sizes, major_b=major, processors=_processors(a)).grid


def _processors(operand: Operand) -> int:
    return int(operand.device.handle.attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT))


def _both(a: Operand, b: Operand) -> tuple[Lines, Lines]:
    left, right = _lines(a), _lines(b.transposed())
    assert left is not None
    assert right is not None
    return left, right


def by_parts(
    a: Operand, b: Operand, out: Operand, sizes: Any, finish: Epilogue, by_fma: Callable[[int], KernelPlan],
    stream: int | None,
) -> PreparedLaunch:  # fmt: skip
    """The three launches as one, where `without_parts` gives "". `by_fma` makes the last one's plan from the address of a u32,
    which is 1 where numbers have no parts.

    The scratch memory, 6 bytes for each number of A and B, belongs to the stream, or to the graph where it is captured.
    """
    (left, right), processors, place = _both(a, b), _processors(a), a.device
    bytes_ = [_bytes(each.matrices.shape) for each in (left, right)]
    scratch = stream_scratch(place, stream, (sum(bytes_) // SIZE + 1, 1))
    first = scratch[0].pointer
    of_a = _parts(left.matrices.shape, first, place)
    of_b = _parts(right.matrices.shape, first + bytes_[0], place)
    without = first + sum(bytes_)
    split = kernels.plan_parts(
        a, b, of_a, of_b, scratch[1].pointer, without, of_a=left.matrices, of_b=right.matrices,
        aligned=(left.aligned, right.aligned), processors=processors,
    )  # fmt: skip
    product = kernels.plan_product(
        of_a,
        of_b,
        out,
        without,
        **sizes,
        major_a=left.major,
        major_b=right.major,
        processors=processors,
        **finish.options,
    )
    return prepare_chain((split, product, by_fma(without)), place, stream, scratch)


def _bytes(shape: tuple[int, int, int]) -> int:
    """Of the parts, rounded up so that what follows is aligned."""
    count = shape[0] * shape[1] * shape[2] * bf16.isa.bytes
    return -(-count // 256) * 256


def _parts(shape: tuple[int, int, int], address: int, place: Any) -> Operand:
    size = bf16.isa.bytes
    return Operand(address, shape, (shape[1] * shape[2] * size, shape[2] * size, size), bf16, place, None)
