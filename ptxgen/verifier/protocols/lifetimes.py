"""mbarriers whose life ends while other threads may still use them (manual 9.7.13.15.9 and .10).

mbarrier.inval, and mbarrier.init once more, are one thread's. That it has itself seen a phase complete says nothing of the
others, who may still ask for it: a barrier has to stand between their last use and the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.threads.uniformity import WARP_SIZE
from ptxgen.verifier.protocols.barrier_uses import same_object

if TYPE_CHECKING:
    from ptxgen.verifier.protocols.barrier_uses import BarrierUse, Object
    from ptxgen.verifier.protocols.view import View

__all__ = ["check_lifetimes"]

_USES = frozenset({"wait", "arrive", "arrive expect", "expect"})


def check_lifetimes(view: View) -> None:
    """PTX535, once an object: a path from another thread's use to the end of the object has nothing at which threads meet."""
    uses = view.barrier_uses
    ends = [use for use in uses if use.kind in ("inval", "init") and use.object is not None]
    if not view.whole or not any(use.kind in _USES for use in uses):
        return
    reported: set[Object | None] = set()
    for end in sorted(ends, key=lambda use: (use.kind == "init", use.position)):
        if end.object in reported:
            continue
        own = [use for use in uses if use.kind in _USES and use.object is not None and same_object(use, end)]
        last = next((use for use in own if _comes_unmet(view, use, end) and _is_of_others(view, use, end)), None)
        if last is not None:
            reported.add(end.object)
            _report(view, end, last)


def _report(view: View, end: BarrierUse, last: BarrierUse) -> None:
    view.body.report(
        "PTX535",
        f"{end.object} is {'invalidated' if end.kind == 'inval' else 'initialised anew'} while other threads may still use it: "
        f"{view.body.line_of(last.position)}",
        end.position,
        expected=f"a barrier between the last use by other threads and {view.op(end.position)}",
        hint="bar.sync 0;",
    )


def _is_of_others(view: View, use: BarrierUse, end: BarrierUse) -> bool:
    """Do threads of another warp surely make the use than the one that ends the object?"""
    ending, using = (view.active_first.at(each.position) for each in (end, use))
    if ending is None or using is None or use.place.remote or sum(ending) != 1:
        return False
    first = ending.index(True) // WARP_SIZE * WARP_SIZE  # of the warp that ends it
    return any(using[:first]) or any(using[first + WARP_SIZE :])


def _comes_unmet(view: View, use: BarrierUse, end: BarrierUse) -> bool:
    """Does a path lead from the use to the end with no barrier on it, nor a wait for anything else that others may do?"""
    flow = view.body.flow
    start, goal = flow.block_at(use.position).index, flow.block_at(end.position).index
    if not (view.reaches_from_end(start, goal) or (start == goal and use.position < end.position)):
        return False
    others = [w.position for w in view.barrier_uses if w.kind == "wait" and not same_object(w, end)]
    meeting: dict[int, list[int]] = {}
    for position in (*view.barriers, *view.asking, *others):
        meeting.setdefault(flow.block_at(position).index, []).append(position)
    work = [(start, use.position)]
    seen: set[int] = set()
    while work:
        index, behind = work.pop()
        first = min((p for p in meeting.get(index, ()) if p > behind), default=flow.blocks[index].end)
        if index == goal and behind < end.position < first:
            return True
        if first == flow.blocks[index].end:
            onward = [successor for successor in flow.blocks[index].successors if successor not in seen]
            seen.update(onward)
            work += [(successor, -1) for successor in onward]
    return False
