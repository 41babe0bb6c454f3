"""Ratios of arithmetic to memory, for rooflines: one well-known product for each architecture.

Peaks are those of NVIDIA's data sheets: boost clock, no sparsity; matrix products of bf16 (f16 on sm_75) with f32 sums.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ptxgen.isa.targets import Target

__all__ = ["MACHINES", "MachinePeaks", "machine_for"]


class MachinePeaks(NamedTuple):
    """A product: bytes a second of its memory, floating-point operations a second of each kind."""

    product: str
    memory: float
    f32: float
    f64: float
    matrix: float

    def ridge(self, kind: str) -> float:
        """Operations a byte at which a kernel of that kind ("f32", "f64", "matrix") keeps both busy."""
        return float(getattr(self, kind) / self.memory)


MACHINES: dict[int, MachinePeaks] = {
    75: MachinePeaks("T4", 320e9, 8.1e12, 0.25e12, 65e12),
    80: MachinePeaks("A100 80GB SXM", 2039e9, 19.5e12, 9.7e12, 312e12),
    86: MachinePeaks("A40", 696e9, 37.4e12, 0.58e12, 149.7e12),
    89: MachinePeaks("L40S", 864e9, 91.6e12, 1.4e12, 362e12),
    90: MachinePeaks("H100 SXM", 3350e9, 67e12, 34e12, 989e12),
    100: MachinePeaks("B200", 8000e9, 75e12, 37e12, 2250e12),
    120: MachinePeaks("RTX 5090", 1792e9, 104.8e12, 1.6e12, 209.5e12),
}
"""By the number of the architecture."""


def machine_for(target: Target) -> MachinePeaks | None:
    """The product for a target, or that for the first of its family; None for architectures without one here."""
    return MACHINES.get(target.sm) or MACHINES.get(target.sm // 10 * 10)
