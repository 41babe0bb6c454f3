"""Machine code made at run time, without a compiler on the machine: functions written as LLVM IR, and what becomes of them.

`llvm` is LLVM itself, by llvmlite, an optional dependency, and the lock of all who use it. `elf` places an object file in
`memory` without it; `loading` finds the names that one needs. `texts` makes functions of a text, and keeps its object file
from one process to the next: importing llvmlite takes longer than all else that a launch of kept code needs.

The launchers (`trampoline`), the CPU device of ptxgen and its driver come here. May import errors, lifetime and caches.
"""
