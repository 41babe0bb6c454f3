"""The kernel library: functions from compile-time parameters to kernels, and the catalogue of all their variants.

A file is one kernel: its docstring gives shapes, units and the floor that the hardware sets; `KERNEL` is the kernel, `plan(...)`
says how to launch it on a problem, and `VARIANTS` are its rows in the catalogue, which the demo, the goldens, the tests and
the benchmarks iterate. `space` is what a kernel's parameters may be, `choices` which of them it takes on a device, `winners` the
records of that, `tunable` what `ptxgen.tuning` measures. The rooms: `blocks`, which the others share, then `matrices`,
`attention`, `rows`, `elements`, `arrays`, `joins` and `egraph`. To add a kernel, write its file in its room and add both names
to `catalogue.py`. May import everything up to `builder`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.kernels.cases import Case, Tolerance, Variant
    from ptxgen.kernels.catalogue import CATALOGUE, TARGETS, find
    from ptxgen.kernels.plan import KernelPlan

__all__ = ["CATALOGUE", "TARGETS", "Case", "KernelPlan", "Tolerance", "Variant", "find"]

_EXPORTS = {
    "cases": "Case Tolerance Variant",
    "catalogue": "CATALOGUE TARGETS find",
    "plan": "KernelPlan",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
