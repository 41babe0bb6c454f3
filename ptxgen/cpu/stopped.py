"""What reports of faults ask of the kernel whose launch was stopped."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Protocol

from ptxgen.cpu import record_layout

if TYPE_CHECKING:
    from ptxgen import ir
    from ptxgen.cpu.arena import Arena
    from ptxgen.cpu.fault import Dim3
    from ptxgen.cpu.relocatable import KernelCode
    from ptxgen.dataflow.bodies.source_lines import SourceLine

__all__ = ["StoppedKernel", "cluster_members", "triple"]


class StoppedKernel(Protocol):
    """The kernel of the launch: an `executable.Kernel`."""

    name: str

    @property
    def code(self) -> KernelCode: ...

    arena: Arena

    def instruction(self, number: int) -> ir.Instruction: ...

    def source_lines(self, number: int) -> tuple[SourceLine, ...]: ...


def triple(array: ctypes.Array[ctypes.c_uint32]) -> Dim3:
    return (array[0], array[1], array[2])


def cluster_members(launch: record_layout.LaunchRecord, cta: record_layout.Cta) -> list[record_layout.Cta]:
    """The records of the CTAs of a cluster, in the order of their ranks."""
    size = ctypes.sizeof(record_layout.Cta)
    return [record_layout.Cta.from_address(cta.cluster + rank * size) for rank in range(launch.cluster_ctas)]
