"""Launches through ``cuLaunchKernelEx``: checked once, then as few Python steps as ctypes allows.

A *slot* is everything one launch hands to the driver: packed arguments, the pointers to them, the configuration, and
the prepared call. Whoever launches takes a slot from the plan's pool and gives it back, so that no two threads (and no
finalizer in the middle of a launch) ever share an argument buffer. Every plan has a guard: closing, forking, capturing
and faults set it, and the next launch goes through `Plan.checked`, which opens the way again.

`sending` has `ConfiguredLaunch`: kernel, configuration and stream, checked, and the way of every launch that checks its
arguments, over slots, with arrays of other libraries. `plan` is one that comes again and again: its launches
go through a function of generated Python, or of machine code over it (`native`), which is quick for arguments of a kind
that it met before. docs/launching.md follows one argument all the way. `attributes` names
what a launch may say besides, `limits` checks it all against device and kernel, `occupancy` counts resident blocks. A
new attribute of launches is a row of `attributes`; a new limit is a check of `limits`, with its error.

`kernel` is what is launched, with what launches keep on it. A plan makes its launchers, and they are of a plan: `plan` and
`native` import each other, as `attributes` and `limits` do for their types.

May import abi, errors, lifetime, validate, trampoline, session, interop, arguments, streams and memory.
"""
