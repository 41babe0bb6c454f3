"""Products of matrices."""

from __future__ import annotations

from typing import Any

from ptxgen import ops
from ptxgen.torch.framework import torch
from ptxgen.torch.operators.row import OPERATORS, operator
from ptxgen.torch.registration import Operator, register

_RESULTS = {torch.float8_e4m3fn: torch.bfloat16, torch.float8_e5m2: torch.bfloat16, torch.int8: torch.int32}
"""Types of results, where they are not those of the operands."""


def _product(a: Any, b: Any) -> tuple[Any, ...]:
    return (a.new_empty((*a.shape[:-1], b.shape[-1]), dtype=_RESULTS.get(a.dtype, a.dtype)),)


def _matmul_gradient(gradient: Any, a: Any, b: Any, exact: bool, needed: Any) -> dict[str, Any]:
    slope, found = gradient.contiguous(), {}
    if "a" in needed:
        found["a"] = matmul(slope, b.mT, exact)
    if "b" in needed:
        found["b"] = matmul(a.mT, slope, exact)
    return found


@operator(
    "matmul(Tensor a, Tensor b, bool exact=False) -> Tensor", make=lambda a, b, exact: _product(a, b),
    backward=_matmul_gradient,
)  # fmt: skip
def matmul(a: Any, b: Any, exact: bool, out: Any) -> None:
    ops.matmul(a, b, out, exact=exact)


@operator(
    "scaled_matmul(Tensor a, Tensor b, Tensor scale_a, Tensor scale_b, Tensor? rows=None) -> Tensor",
    make=lambda a, b, scale_a, scale_b, rows: _product(a, b),
)
def scaled_matmul(a: Any, b: Any, scale_a: Any, scale_b: Any, rows: Any, out: Any) -> None:
    ops.scaled_matmul(a, b, scale_a, scale_b, out, rows=rows)


# --- of groups of rows ------------------------------------------------------------------------------------------------


@operator(
    "grouped_matmul_backward(Tensor gradient, Tensor b, Tensor rows) -> Tensor",
    make=lambda gradient, b, rows: (gradient.new_zeros((*gradient.shape[:-1], b.shape[1])),),
)
def grouped_matmul_backward(gradient: Any, b: Any, rows: Any, d_a: Any) -> None:
    """The gradient of A; rows of no group have zeros."""
    ops.grouped_matmul(gradient, ops.transposed(b), rows, d_a)


def _weight_shape(gradient: Any, a: Any, rows: Any) -> Any:
    return a.new_zeros((rows.shape[0], a.shape[-1], gradient.shape[-1]))


def _weight_gradient(gradient: Any, a: Any, rows: Any) -> Any:
    """The gradient of B: a product for each group, whose rows the host reads; no graph can capture that."""
    found, begin = _weight_shape(gradient, a, rows), 0
    for group, end in enumerate(rows.tolist()):
        part = (group, slice(end)) if a.dim() == 3 else slice(begin, end)
        if a[part].numel():
            found[group] = matmul(a[part].mT, gradient[part])
        begin = end
    return found


OPERATORS["grouped_matmul_weight_backward"] = grouped_matmul_weight_backward = register(
    Operator(
        "ptxgen::grouped_matmul_weight_backward", "(Tensor gradient, Tensor a, Tensor rows) -> Tensor",
        _weight_gradient, _weight_gradient, _weight_shape, ("d_b",),
    )
)  # fmt: skip


def _grouped_gradient(gradient: Any, a: Any, b: Any, rows: Any, needed: Any) -> dict[str, Any]:
    slope, found = gradient.contiguous(), {}
    if "a" in needed:
        found["a"] = grouped_matmul_backward(slope, b, rows)
    if "b" in needed:
        found["b"] = grouped_matmul_weight_backward(slope, a, rows)
    return found


@operator(
    "grouped_matmul(Tensor a, Tensor b, Tensor rows) -> Tensor", make=lambda a, b, rows: _product(a, b),
    backward=_grouped_gradient,
)  # fmt: skip
def grouped_matmul(a: Any, b: Any, rows: Any, out: Any) -> None:
    ops.grouped_matmul(a, b, rows, out)
