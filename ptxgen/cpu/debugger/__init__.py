"""Lets a launch pause between two instructions, and shows what is in its records then.

    debug_record    what generated code and Python tell each other: where to pause, and where it has
    pausing         what the warp function has for it: it asks before every instruction, and goes on where it was
    runtime         the functions that it calls, in LLVM text
    execution       a launch that pauses, and runs again from its beginning
    state           warps, lanes and CTAs of a paused launch, and their registers, as values
    memory          what a paused thread can address, by state space, and the device's memory as it was before the launch

A kernel is compiled once more for it: every instruction is a block of its own, and every register of the PTX lies in the warp's
record. So a warp executes instruction by instruction, all lanes of it together, and can be left and entered between any two.
Without a debugger a kernel has no trace of this room. What users see of it (breakpoints, lines, commands) is
`ptxgen.debugger`. May import what the rest of `cpu` may.
"""

from __future__ import annotations

__all__ = ["DEBUG"]

DEBUG = "debug"
"""The debugger's name among the tools that a kernel is compiled for."""
