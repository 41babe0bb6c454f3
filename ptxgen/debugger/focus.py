"""Which thread is meant by its indices, or by its warp and lane."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Union

from ptxgen.errors import DebugError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.debugger.state import CtaState, WarpState
    from ptxgen.cpu.fault import Dim3
    from ptxgen.debugger.threads import Thread

__all__ = ["Indices", "Wanted", "find_lane", "lowest"]

Indices = Union["Dim3", int]
"""x, y and z; a number is x."""


class Wanted(NamedTuple):
    """What was said of a thread; None is what was not."""

    ctaid: Indices | None = None
    tid: Indices | None = None
    warp: int | None = None
    lane: int | None = None


def find_lane(ctas: Sequence[CtaState], now: Thread | None, wanted: Wanted) -> tuple[WarpState, int]:
    """The warp and lane of a thread; what was not said is as of the one in hand now. Raises DebugError where there is no such
    thread, or its CTA does not run."""
    cta = _cta(ctas, now, wanted.ctaid)
    if wanted.tid is not None:
        threads = ((warp, lane) for warp in cta.warps for lane in range(32) if warp.lanes >> lane & 1)
        found = next(((warp, lane) for warp, lane in threads if warp.tid(lane) == _three(wanted.tid)), None)
        if found is None:
            raise DebugError(f"CTA {cta.ctaid} has no thread {_three(wanted.tid)}")
        return found
    number = wanted.warp if wanted.warp is not None else now.state.index if now is not None else 0
    if not 0 <= number < len(cta.warps):
        raise DebugError(f"CTA {cta.ctaid} has {len(cta.warps)} warps, and no warp {number}")
    warp = cta.warps[number]
    stays = now is not None and wanted.warp is None
    lane = wanted.lane if wanted.lane is not None else now.lane if now is not None and stays else lowest(warp.live or 1)
    if not 0 <= lane < 32 or not warp.lanes >> lane & 1:
        raise DebugError(f"warp {number} has no lane {lane}")
    return warp, lane


def _cta(ctas: Sequence[CtaState], now: Thread | None, ctaid: Indices | None) -> CtaState:
    wanted = _three(ctaid) if ctaid is not None else now.ctaid if now is not None else None
    found = next((each for each in ctas if each.ctaid == wanted or wanted is None), None)
    if found is None:
        running = ", ".join(str(each.ctaid) for each in ctas[:8]) or "none"
        raise DebugError(f"CTA {wanted} is not running", hint=f"running: {running}")
    return found


def lowest(lanes: int) -> int:
    """The lowest lane of a mask; 0 of none."""
    return max((lanes & -lanes).bit_length() - 1, 0)


def _three(extents: Indices) -> Dim3:
    if isinstance(extents, int):
        return (extents, 0, 0)
    x, y, z = (*extents, 0, 0)[:3]
    return (x, y, z)
