"""The kernel library: functions from compile-time parameters to kernels, and the catalogue of all their variants.

A file is one kernel: its docstring gives shapes, units and the floor that the hardware sets; `KERNEL` is the kernel, `plan(...)`
says how to launch it on a problem, and `VARIANTS` are its rows in the catalogue, which the demo, the goldens, the tests and
the benchmarks iterate. To add a kernel, write its file and add its name to `catalogue.py`. May import everything up to `builder`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ptxgen.kernels.cases import Case, Tolerance, Variant
    from ptxgen.kernels.catalogue import CATALOGUE, TARGETS, find
    from ptxgen.kernels.plan import Plan

__all__ = ["CATALOGUE", "TARGETS", "Case", "Plan", "Tolerance", "Variant", "find"]

_HOME = {
    "CATALOGUE": "catalogue", "TARGETS": "catalogue", "find": "catalogue",
    "Case": "cases", "Tolerance": "cases", "Variant": "cases", "Plan": "plan",
}  # fmt: skip


if not TYPE_CHECKING:  # a type checker would take any name

    def __getattr__(name: str) -> Any:
        """Loaded on first use: the catalogue builds every kernel's signature."""
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f"ptxgen.kernels.{_HOME[name]}"), name)
        return value
