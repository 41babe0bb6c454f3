"""Launches through ``cuLaunchKernelEx``: checked once, then as few Python steps as ctypes allows.

A *slot* is everything one launch hands to the driver: packed arguments, the pointers to them, the configuration, and
the prepared call. Whoever launches takes a slot from the plan's pool and gives it back, so that no two threads (and no
finalizer in the middle of a launch) ever share an argument buffer. Every plan has a guard: closing, forking, capturing
and faults set it, and the next launch goes through `Plan.checked`, which opens the way again.

`sending` is the way of every launch that is checked, over `slot` and `foreign`. `plan` keeps a configuration, whose
launches go through a function of `generated` code, or of machine code over it (`native`).
"""

from driver_ctypes.launch.plan import Launcher, Plan, bind, plan_numbers
from driver_ctypes.launch.sending import launch, require_signature
from driver_ctypes.launch.slot import Slot

__all__ = ["Launcher", "Plan", "Slot", "bind", "launch", "plan_numbers", "require_signature"]
