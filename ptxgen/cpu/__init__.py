"""Runs PTX programs on this machine's processor: ir -> LLVM -> machine code, one lane loop per basic block; optimised code runs
several lanes at once where a block lets it (lower/vector.py).

    arena    device memory: addresses are host addresses, every access is checked against the allocations in it
    address_ranges    of the process: reserved, mapped, given back
    normalize/, flat, cfg    ir -> a flat list with names resolved and calls written out -> blocks in min-PC order
    lower/   blocks and instructions -> LLVM text; to add an instruction, add a function to its chapter's file
    rt/      the run-time library of generated code: scheduler, barriers, copies under way, memory checks, number formats
    heap, textures, multicast    what kernels reach by other means than an address in a block
    compilation, refusals    what a module becomes, and which of its kernels run; each kernel is compiled when it is needed
    relocatable    a program compiled without addresses: what is kept on disk
    code/    what machine code depends on, where it is kept, how it gets into memory
    program, executable, jit, machine_code    a program in memory, its kernels, compiling in tiers
    request, frame    a launch's shape, and the records in which a worker runs it
    running, finishing, team, workers    a launch that lasts: on the thread that launches, on several workers; their threads
    fault, report    what a kernel did wrong, in words
    sanitizer/    mistakes that a launch survives: tools, found when a kernel is compiled for them

The room turns ir into machine code and runs grids of it, and knows nothing of CUDA's driver: that is ptxgen.emulated_driver, on
top of it. May import errors, isa, ir, text and verifier, never driver_ctypes. llvmlite is imported when the first kernel is
compiled that no earlier process has left.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.cpu.arena import Arena
    from ptxgen.cpu.executable import Kernel
    from ptxgen.cpu.fault import KernelFault
    from ptxgen.cpu.options import LaunchOptions, LaunchStats
    from ptxgen.cpu.program import LoadedProgram, compile_module
    from ptxgen.cpu.rt.libraries import warm_up

__all__ = [
    "Arena",
    "Kernel",
    "KernelFault",
    "LaunchOptions",
    "LaunchStats",
    "LoadedProgram",
    "compile_module",
    "warm_up",
]

_EXPORTS = {
    "arena": "Arena",
    "executable": "Kernel",
    "fault": "KernelFault",
    "options": "LaunchOptions LaunchStats",
    "program": "LoadedProgram compile_module",
    "rt.libraries": "warm_up",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
