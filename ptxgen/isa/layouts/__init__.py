"""Layouts as data: where each element of a matrix lies, in registers, in shared memory and in tensor memory.

`layout` finds the fragments of an instruction (mma, wgmma, wmma, ldmatrix, stmatrix, movmatrix, tcgen05) by its name; each is
a `Layout`, one line of digits that answers in both directions. Beside it: what shared-memory tiles look like (`SharedTile`,
`Swizzle`, `bank_conflicts`), the descriptors that name them (`WgmmaDescriptor`, `Tcgen05Descriptor`,
`InstructionDescriptor`), 2:4 sparsity, and what a tensor map may be (`check_tiled`, `check_im2col`). To correct a layout, edit
its line of digits. A room of `isa`: imports only `ptxgen.isa` and `ptxgen.errors`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.isa.layouts.descriptors import Tcgen05Descriptor, WgmmaDescriptor
    from ptxgen.isa.layouts.instruction import InstructionDescriptor
    from ptxgen.isa.layouts.mixed_radix import Layout, LayoutError, MatrixElement, RegisterPlace, TensorMemoryPlace
    from ptxgen.isa.layouts.names import Layouts, layout, layout_names
    from ptxgen.isa.layouts.shared import SharedTile
    from ptxgen.isa.layouts.sparsity import compress, expand
    from ptxgen.isa.layouts.swizzle import SWIZZLES, Swizzle, bank_conflicts
    from ptxgen.isa.layouts.tensormap import Problem, check_im2col, check_tiled

__all__ = [
    "SWIZZLES",
    "InstructionDescriptor",
    "Layout",
    "LayoutError",
    "Layouts",
    "MatrixElement",
    "Problem",
    "RegisterPlace",
    "SharedTile",
    "Swizzle",
    "Tcgen05Descriptor",
    "TensorMemoryPlace",
    "WgmmaDescriptor",
    "bank_conflicts",
    "check_im2col",
    "check_tiled",
    "compress",
    "expand",
    "layout",
    "layout_names",
]

_EXPORTS = {
    "descriptors": "Tcgen05Descriptor WgmmaDescriptor",
    "instruction": "InstructionDescriptor",
    "mixed_radix": "Layout LayoutError MatrixElement RegisterPlace TensorMemoryPlace",
    "names": "Layouts layout layout_names",
    "shared": "SharedTile",
    "sparsity": "compress expand",
    "swizzle": "SWIZZLES Swizzle bank_conflicts",
    "tensormap": "Problem check_im2col check_tiled",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
