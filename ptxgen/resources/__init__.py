"""What a program needs and how it uses the machine: registers, occupancy, traffic, arithmetic; two programs side by side.

    report = analyze(module)                 # counts, and what the assembler says each kernel takes
    report.kernel("saxpy").occupancy         # on a multiprocessor of the module's target
    compare(analyze(old), report).verdict    # is the new one worse than a limit allows?
    advise(module)                           # the verifier's findings, style included, and what assembler and passes show

Numbers about registers, spills and stack are the assembler's, never those of virtual declarations; where no assembler is found
they are None. `mix` counts instructions, `work` arithmetic and traffic by loops, `residency` resident CTAs, `machines` has the
ratios of processors to memories, `report` puts them together, `changes` compares reports, `advice` turns them into diagnostics.
May import everything below the device room's floor, and driver_ctypes for its formulas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.resources.advice import advise
    from ptxgen.resources.changes import LIMITS, METRICS, Change, Comparison, Limit, compare
    from ptxgen.resources.report import KernelReport, Report, analyze
    from ptxgen.resources.residency import Occupancy, occupancy

__all__ = [
    "LIMITS",
    "METRICS",
    "Change",
    "Comparison",
    "KernelReport",
    "Limit",
    "Occupancy",
    "Report",
    "advise",
    "analyze",
    "compare",
    "occupancy",
]

_EXPORTS = {
    "advice": "advise",
    "changes": "LIMITS METRICS Change Comparison Limit compare",
    "report": "KernelReport Report analyze",
    "residency": "Occupancy occupancy",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
