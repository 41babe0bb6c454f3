"""Fences, hints and waits (manual 9.7.9.15 to .19, 9.7.13.4, 9.7.20): what has no effect on values here.

What one worker runs is in program order, so fences only order memory against other workers, and other threads of the process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.flat import FlatAddress
from ptxgen.cpu.lower.memory import SCOPES
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.flat import Op
    from ptxgen.cpu.lower.context import LoweringContext


@lowers("membar.level", level="cta gl sys", raw=True, destinations=0)
@lowers("fence{.sem}.scope", sem="sc acq_rel acquire release", scope=SCOPES, raw=True, destinations=0)
def fence(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    with k.when(k.guard()):
        k.e.line("fence seq_cst")
        k.probe.fence(k, op)


@lowers("fence.proxy.kind", "membar.proxy.kind", kind="alias async", raw=True, destinations=0)
@lowers("fence.proxy.async.space", space="global shared::cta shared::cluster", raw=True, destinations=0)
@lowers(
    "fence{.proxy}{.pair}.sem.restrict.cluster", pair="async::generic", sem="acquire release",
    restrict="sync_restrict::shared::cta sync_restrict::shared::cluster", raw=True, destinations=0,
)  # fmt: skip
def proxy_fence(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """What copies see of memory here is what all threads see of it."""
    with k.when(k.guard()):
        k.probe.fence(k, op)


@lowers("fence.proxy.tensormap::generic.sem.scope", sem="acquire release", scope=SCOPES, raw=True, destinations=0)
@lowers("fence.mbarrier_init.release.cluster", raw=True, destinations=0)
@lowers("nanosleep.u32", "pmevent", "pmevent.mask", raw=True, destinations=0)
@lowers("griddepcontrol.action", action="launch_dependents wait", raw=True, destinations=0)
@lowers("setmaxnreg.change.sync.aligned.u32", change="inc dec", raw=True, destinations=0)
def nothing(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """Time, counters, streams and register budgets have no meaning here: a launch runs after what came before it."""


@lowers("prefetch{.space}.level", space="global local", level="L1 L2", raw=True, destinations=0)
@lowers("prefetch.global.level", level="L2::evict_last L2::evict_normal", raw=True, destinations=0)
@lowers("prefetch{.global}.L1::32B.valid_addr", raw=True, destinations=0)
@lowers("prefetchu.L1", raw=True, destinations=0)
@lowers("applypriority{.global}.L2::evict_normal", raw=True, destinations=0)
@lowers("prefetch{.space}.tensormap", space="const param", raw=True, destinations=0)
def prefetch(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """A prefetch of a bad address is not a fault (manual 9.7.9.15); the address is still computed, so that it is checked here."""
    place = op.operands[0]
    assert isinstance(place, FlatAddress)
    k.address(place)


@lowers("discard{.global}.L2", raw=True, destinations=0)
def discard(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """Leaves the 128 bytes as they are, which is one of the values that they may have."""
    place = op.operands[0]
    assert isinstance(place, FlatAddress)
    with k.when(k.guard()):
        k.pointer(place, "global", 128, write=True)


_PRIORITIES = "L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged"


@lowers(
    "createpolicy.fractional.first{.second}.b64", "createpolicy.range{.global}.first{.second}.b64",
    first=_PRIORITIES, second="L2::evict_first L2::evict_unchanged", raw=True,
)  # fmt: skip
@lowers("createpolicy.cvt.L2.b64", raw=True)
def createpolicy(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """An opaque word that only cache hints take."""
    k.set(op.operands[0], k.e.const("i64", 0), TYPES["b64"])
