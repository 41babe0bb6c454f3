"""mbarriers: initialised, published, arrived on, waited for in a loop, with a parity that flips (manual 9.7.13.15).

One thread initialises the object, a fence makes that visible to copies, a barrier to the other threads. A wait is a loop around
try_wait; the parity it waits for flips each time the same object completes a phase.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.paths.paths import PathEvent
from ptxgen.dataflow.values.constant_rules import Pointer
from ptxgen.ir import Not, Register, Variable
from ptxgen.isa.forms import opcodes_with
from ptxgen.verifier.protocols.barrier_uses import (
    ARRIVALS,
    BarrierUse,
    Object,
    barrier_address,
    same_object,
    wait_operands,
)
from ptxgen.verifier.protocols.iteration_values import iteration_values
from ptxgen.verifier.protocols.report import Verdicts
from ptxgen.verifier.protocols.waits import every_iteration, outcome

if TYPE_CHECKING:
    from ptxgen.dataflow.graph.loops import Loop
    from ptxgen.verifier.protocols.view import View
    from ptxgen.verifier.protocols.waits import WaitOutcome

__all__ = ["check_mbarriers"]

_RESETS = frozenset({"mov", "selp", "and", "rem", "xor", "sub", "cvt"})


def check_mbarriers(view: View) -> None:
    """Report what is wrong with the mbarriers of a body."""
    uses = view.barrier_uses
    if not uses:
        return
    _check_objects(view, uses)
    for use in uses:
        if use.kind == "wait":
            _check_wait(view, use, uses)
    if view.whole:
        reported = _check_initialised(view, uses)
        _check_arrivals(view, uses)
        _check_published(view, uses, reported)


def _check_objects(view: View, uses: list[BarrierUse]) -> None:
    """An mbarrier is 8 bytes, aligned to 8 (manual 9.7.13.15.2)."""
    reported: set[tuple[str, int]] = set()
    for use in uses:
        place = use.place
        if not place.exact or place.symbol is None or (place.symbol, place.offset) in reported:
            continue
        variable = view.body.scopes[use.position].find(place.symbol)
        if not isinstance(variable, Variable):
            continue
        size = None if variable.linkage == "extern" else variable.size
        aligned = variable.alignment % 8 == 0 and place.offset % 8 == 0
        if aligned and (size is None or place.offset + 8 <= size):
            continue
        reported.add((place.symbol, place.offset))
        wrong = (
            f"{place.symbol}+{place.offset} is not aligned to 8 bytes"
            if not aligned
            else f"{place.symbol} is too small"
        )
        view.body.report(
            "PTX537",
            f"{wrong}: an mbarrier object is 8 bytes, aligned to 8",
            use.position,
            expected=".shared .align 8 .b64",
            hint=f".shared .align 8 .b64 {place.symbol};",
        )


# -- waits ---------------------------------------------------------------------------------------------------------


def _check_wait(view: View, use: BarrierUse, uses: list[BarrierUse]) -> None:
    body, flow = view.body, view.body.flow
    instruction = body.instructions[use.position]
    done = wait_operands(instruction)[0]
    register = body.number(done, use.position) if isinstance(done, Register) else None
    name = ".".join(instruction.op.split(".")[:2])
    if register is None or not body.chains.is_read(register, use.position):
        body.report(
            "PTX531",
            f"nobody looks at the result of {name}: the phase may not have completed",
            use.position,
            expected="a loop that repeats it until its predicate is true",
            hint=f"WAIT: {instruction.op} p, [...], ...; @!p bra WAIT;",
        )
        return
    found = outcome(view, use.position)
    if found is None:
        if name == "mbarrier.try_wait" and not _waited_again(view, use, uses):
            _report_once(view, use)
        return
    block, branch = flow.block_at(use.position).index, flow.blocks[found.branch_block].end - 1
    if found.completed == block or (found.completed != found.pending and _only_leads(view, found.completed, block)):
        body.report(
            "PTX531",
            f"this loop repeats {name} while the phase is complete, and goes on while it is not",
            branch,
            expected="the branch back to be taken when the predicate is false",
            hint="@!p instead of @p" if not isinstance(body.instructions[branch].pred, Not) else "@p instead of @!p",
        )
        return
    again = view.reaches(found.pending, block) or _waited_again(view, use, uses)
    if name == "mbarrier.try_wait" and not again and not _dead_end(view, found.pending):
        _report_once(view, use)
    _check_parity(view, use, uses, found)


def _only_leads(view: View, block: int, to: int) -> bool:
    """Is a block nothing but a jump to another?"""
    flow = view.body.flow
    one = flow.blocks[block]
    return one.successors == [to] and one.end - one.start == 1 and view.body.instructions[one.start].opcode == "bra"


def _dead_end(view: View, block: int) -> bool:
    one = view.body.flow.blocks[block]
    return one.end > one.start and view.op(one.end - 1) == "trap"


def _report_once(view: View, use: BarrierUse) -> None:
    view.body.report(
        "PTX531",
        "mbarrier.try_wait gives up after a time limit, and nothing repeats it",
        use.position,
        expected="a loop that repeats it until its predicate is true",
        hint="WAIT: mbarrier.try_wait... p, [...], ...; @!p bra WAIT;",
    )


def _waited_again(view: View, use: BarrierUse, uses: list[BarrierUse]) -> bool:
    """May the same mbarrier be waited for behind this wait, or by it once more?"""
    start = view.body.flow.block_at(use.position).index
    for other in uses:
        if other.kind != "wait" or not same_object(use, other):
            continue
        block = view.body.flow.block_at(other.position).index
        if (block == start and other.position > use.position) or view.reaches_from_end(start, block):
            return True
    return False


def _check_parity(view: View, use: BarrierUse, uses: list[BarrierUse], found: WaitOutcome) -> None:
    """A loop that waits for the same parity of the same object every iteration falls through every second time."""
    body = view.body
    instruction = body.instructions[use.position]
    operands = wait_operands(instruction)
    if ".parity" not in instruction.op or len(operands) < 3:
        return
    loops = view.loops
    block = body.flow.block_at(use.position).index
    loop = loops.around(block, found.completed)
    if loop is None or not every_iteration(view, loop, use.position, found.branch_block):
        return
    parity = view.values.number(operands[2], use.position)
    if loops.varies(loop, frozenset((parity,))) or not _comes_back(view, loop, use):
        return
    for other in uses:
        if other is use or not loops.written(loop, other.position) or not same_object(use, other):
            continue
        if other.kind == "init":
            return
        if other.kind == "wait":
            operands = wait_operands(body.instructions[other.position])
            if len(operands) < 3 or view.values.number(operands[2], other.position) != parity:
                return
    body.report(
        "PTX536",
        f"every iteration of the loop waits for the same parity of {use.object or 'the mbarrier'}",
        use.position,
        expected="a parity that flips each time the object is waited for again: phases alternate between 0 and 1",
        hint="xor.b32 phase, phase, 1; behind the wait, or where the stage index wraps",
    )


def _comes_back(view: View, loop: Loop, use: BarrierUse) -> bool:
    """Does the loop wait for the same object again: its address stays, or its index wraps before the loop ends?"""
    if use.object is None:
        return False
    moving = view.loops.varies(loop, use.place.terms)
    if not moving:
        return True
    values = view.values
    resets = any(
        view.loops.written(loop, position) and view.body.instructions[position].opcode in _RESETS
        for register in moving
        for position in values.definitions[register]
    )
    return resets and not _ends_before(view, loop, use)


def _ends_before(view: View, loop: Loop, use: BarrierUse) -> bool:
    """Are all iterations known, each with an object of its own? So compilers leave loops of two iterations: 0, then 1."""
    blocks = view.body.flow.blocks
    exits = tuple([index for index in sorted(loop.blocks) if not loop.blocks.issuperset(blocks[index].successors)])
    found = iteration_values(view, (barrier_address(view.body, use),), use.position, loop, exits)
    if found is None or not found.complete or found.repeats_from >= 0:
        return False
    return len(set(found.values)) == len(found.values) and all(isinstance(each, Pointer) for (each,) in found.values)


# -- the whole life of an object -----------------------------------------------------------------------------------


def _check_initialised(view: View, uses: list[BarrierUse]) -> set[Object]:
    """Every object that is used is initialised somewhere; those that are not are returned."""
    reported: set[Object] = set()
    inits = [use for use in uses if use.kind == "init"]
    for use in uses:
        if use.kind == "init" or use.object is None or use.object in reported or use.place.remote:
            continue
        if any(
            same_object(use, init) or (init.place.symbol == use.place.symbol and init.place.terms) for init in inits
        ):
            continue
        reported.add(use.object)
        view.body.report(
            "PTX530",
            f"{use.object} is used as an mbarrier, and nothing initialises it",
            use.position,
            expected="mbarrier.init by one thread, then a fence and a barrier, before its first use",
            hint=f"mbarrier.init.shared::cta.b64 [{use.object.symbol}], 1;",
        )
    return reported


def _check_arrivals(view: View, uses: list[BarrierUse]) -> None:
    """For each wait there must be an arrival."""
    reported: set[Object] = set()
    for use in uses:
        if use.kind != "wait" or use.object is None or use.object in reported:
            continue
        if any(other.kind in ARRIVALS and same_object(use, other) for other in uses):
            continue
        if any(other.kind == "init" and other.object is None for other in uses):
            continue
        reported.add(use.object)
        copied = any(other.kind == "complete" and same_object(use, other) for other in uses)
        view.body.report(
            "PTX538",
            f"nothing ever arrives on {use.object}: whoever waits for it waits for ever",
            use.position,
            expected="mbarrier.arrive.expect_tx with the bytes of the copies that complete on it"
            if copied
            else "mbarrier.arrive (or cp.async.mbarrier.arrive, tcgen05.commit) as often as mbarrier.init counts",
        )


_Element = tuple[Object, int]
"""An object, and the offset of the element that is meant; -1 for one that an index chooses."""


class _Published(NamedTuple):
    """Objects on this path: initialised, not yet fenced for copies, not yet behind a barrier, invalidated."""

    live: frozenset[_Element] = frozenset()
    unfenced: frozenset[_Element] = frozenset()
    unshared: frozenset[_Element] = frozenset()
    dead: frozenset[_Element] = frozenset()
    met: bool = False


def _within(element: _Element, those: frozenset[_Element]) -> bool:
    """May an element be one of those?"""
    if element in those:
        return True
    return any(element[0] == other[0] and -1 in (element[1], other[1]) for other in those)


def _check_published(view: View, uses: list[BarrierUse], reported: set[Object]) -> None:
    """Initialise, fence, barrier, use; inval before the memory becomes anything else."""
    if _are_published_once(view, uses):
        return
    objects = {use.object for use in uses if use.kind == "init"} - {None}
    events = [
        PathEvent(use.position, use.kind, use, either=use.kind == "init") for use in uses if use.object in objects
    ]
    inits = [use.position for use in uses if use.kind == "init"]
    events += [PathEvent(p, "barrier", settles=True) for p in view.barriers if _publishes(view, p, inits)]
    events += [PathEvent(position, "fence", settles=True) for position in view.async_fences]
    verdicts = Verdicts()
    alone = view.threads == 1

    def step(state: _Published, event: PathEvent) -> _Published:
        if event.kind == "barrier":
            return state._replace(unshared=frozenset(), met=True)
        if event.kind == "fence":
            return state._replace(unfenced=frozenset()) if state.unfenced else state
        use = event.data
        assert isinstance(use, BarrierUse)
        assert use.object is not None
        element = (use.object, use.place.offset if use.place.exact else -1)
        one = frozenset((element,))
        if use.kind == "init":
            verdicts.mark("again", use.position, use.place.exact and element in state.live)
            shared = frozenset[_Element]() if _guarded(view, use.position) or alone else one
            return _Published(
                state.live | one, state.unfenced | one, state.unshared | shared, state.dead - one, state.met
            )
        if use.kind == "inval":
            dead = one if use.place.exact else frozenset[_Element]()
            return state._replace(live=state.live - one, dead=state.dead | dead, unfenced=state.unfenced - one)
        verdicts.mark("dead", use.position, element in state.dead)
        known = _within(element, state.live) or element in state.dead
        verdicts.mark("unshared", use.position, _within(element, state.unshared) or not (known or state.met))
        if use.kind == "complete":
            verdicts.mark("unfenced", use.position, _within(element, state.unfenced))
        return state

    if verdicts.walk(view.paths, events, _Published(), step):
        _report_published(view, {use.position: use for use in uses}, verdicts, reported)


def _are_published_once(view: View, uses: list[BarrierUse]) -> bool:
    """Is all as it mostly is: one block initialises each object once, fences, and a barrier stands before every use?"""
    flow, instructions = view.body.flow, view.body.instructions
    inits = [use for use in uses if use.kind == "init"]
    if not inits:
        return False
    first, last = flow.block_at(inits[0].position), inits[-1].position
    if len({(use.object, use.place.offset) for use in inits if use.place.exact}) < len(inits):
        return False
    if any(use.kind == "inval" for use in uses) or first is not flow.block_at(last):
        return False
    fenced = any(last < p < first.end and instructions[p].pred is None for p in view.async_fences)
    initialising, using = ([u.position for u in uses if (u.kind == "init") is init] for init in (True, False))
    return fenced and any(
        not view.reaches_from_end(flow.block_at(barrier).index, first.index)
        and (flow.block_at(barrier) is not first or barrier > last)
        and _publishes(view, barrier, initialising)
        and all(view.comes_before(barrier, position) for position in using)
        for barrier in view.barriers
    )


def _report_published(view: View, uses: dict[int, BarrierUse], verdicts: Verdicts, reported: set[Object]) -> None:
    body = view.body
    rules = (
        (
            "again",
            "PTX534",
            "is initialised again without mbarrier.inval",
            "mbarrier.inval before the memory is used anew",
        ),
        (
            "dead",
            "PTX535",
            "is used behind its mbarrier.inval",
            "mbarrier.init again, or the inval behind the last use",
        ),
        (
            "unshared",
            "PTX532",
            "may be used by a thread before another has initialised it",
            "bar.sync (or barrier.cluster) between mbarrier.init and the first use",
        ),
        (
            "unfenced",
            "PTX533",
            "is used by a copy, and no fence tells the async proxy that it is initialised",
            "fence.mbarrier_init.release.cluster (or fence.proxy.async) behind mbarrier.init, in the same thread",
        ),
    )
    hints = {
        "PTX532": "bar.sync 0;",
        "PTX533": "fence.mbarrier_init.release.cluster;",
        "PTX534": "mbarrier.inval.shared::cta.b64 [...];",
    }
    for rule, code, what, expected in rules:
        seen = set(reported)
        for position in verdicts.ever(rule):
            place = uses[position].object
            if place is None or place in seen:
                continue
            seen.add(place)
            body.report(code, f"{place} {what}", position, expected=expected, hint=hints.get(code))


def _guarded(view: View, position: int) -> bool:
    """Does a condition decide whether the instruction runs? Then one thread may initialise for the others."""
    flow = view.body.flow
    return view.body.instructions[position].pred is not None or bool(flow.controllers[flow.block_at(position).index])


def _publishes(view: View, position: int, inits: list[int]) -> bool:
    """May other threads than the one that initialises rely on a barrier?

    On one for fewer threads than the CTA has (bar.warp.sync, a thread count) only where it stands with the initialisation in one
    branch.
    """
    operands = view.body.instructions[position].operands
    op = view.body.instructions[position].op
    counted = op.partition(".")[0] in opcodes_with("barrier") and ".cluster" not in op and len(operands) > 1
    met = 32 if view.op(position).startswith("bar.warp") else None
    if counted and ".red." not in view.op(position):
        met = view.values.constant(operands[1], position)
    if met is None or view.threads is None or met >= view.threads:
        return True
    flow = view.body.flow
    own = flow.controllers[flow.block_at(position).index]
    return any(own & flow.controllers[flow.block_at(init).index] for init in inits)
