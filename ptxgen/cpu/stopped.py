"""What reports of faults ask of the kernel whose launch was stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import ctypes

    from ptxgen import ir
    from ptxgen.cpu.arena import Arena
    from ptxgen.cpu.fault import Dim3
    from ptxgen.cpu.relocatable import KernelCode
    from ptxgen.cpu.source_lines import SourceLine

__all__ = ["StoppedKernel", "triple"]


class StoppedKernel(Protocol):
    """The kernel of the launch: an `executable.Kernel`."""

    name: str
    code: KernelCode
    arena: Arena

    def instruction(self, number: int) -> ir.Instruction: ...

    def source_lines(self, number: int) -> tuple[SourceLine, ...]: ...


def triple(array: ctypes.Array[ctypes.c_uint32]) -> Dim3:
    return (array[0], array[1], array[2])
