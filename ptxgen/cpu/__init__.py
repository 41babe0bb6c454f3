"""Runs PTX programs on this machine's processor: ir -> LLVM -> machine code, one lane loop per basic block.

    arena    device memory: addresses are host addresses, every access is checked against the blocks in it
    flat, normalize, cfg    ir -> a flat list with names resolved and calls inlined -> blocks in min-PC order
    lower/   blocks and instructions -> LLVM text; to add an instruction, add a function to its chapter's file
    rt/      the run-time library of generated code: scheduler, barriers, copies under way, memory checks, number formats
    plan     a program compiled as far as it can be without a place in memory: what is kept on disk
    code/    what machine code depends on, where it is kept, how it gets into memory
    jit, kernel, frame, program    compiling, launching, tiers
    fault, report    what a kernel did wrong, in words
    driver   the CUDA driver API on top of all this

May import errors, isa, ir, text and check; driver may also import driver_ctypes. llvmlite is imported when the first kernel
is compiled that no earlier process has left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.cpu.arena import Arena
    from ptxgen.cpu.executable import Kernel
    from ptxgen.cpu.fault import KernelFault
    from ptxgen.cpu.options import LaunchOptions, LaunchStats
    from ptxgen.cpu.program import Program, compile_module
    from ptxgen.cpu.rt.libraries import warm_up

__all__ = ["Arena", "Kernel", "KernelFault", "LaunchOptions", "LaunchStats", "Program", "compile_module", "warm_up"]

_EXPORTS = {
    "arena": "Arena",
    "executable": "Kernel",
    "fault": "KernelFault",
    "options": "LaunchOptions LaunchStats",
    "program": "Program compile_module",
    "rt.libraries": "warm_up",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
