"""Barriers, and instructions that a warp must execute together, where threads have diverged (manual 9.7.13, 8.6).

`.aligned` wants all lanes of a warp, a `membermask` the lanes that it names, a barrier without a thread count all warps of the
CTA. Threads that have left the kernel count as come: barriers and warps wait only for those still there.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.bodies.launch_bounds import cta_threads
from ptxgen.dataflow.threads.branches import Branches
from ptxgen.dataflow.threads.thread_values import ThreadValues
from ptxgen.dataflow.threads.uniformity import WARP_SIZE, Level, Uniformity, Value
from ptxgen.ir import Immediate, Not, resolve
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Instruction
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["Divergence", "all_agree", "check_divergence", "explain", "has_count", "is_handed_out"]

_BARRIERS = sorted(opcodes_with("barrier"))
_MASKED = sorted(opcodes_with("warp"))
_WARP = sorted(opcodes_with("converged") - opcodes_with("barrier", "warp"))
_ALL_LANES = 0xFFFFFFFF


class Divergence(NamedTuple):
    """Where threads diverge: at the branch that ends `block` (or, -1, by the instruction's own guard), on `register`."""

    block: int
    register: int
    position: int


def check_divergence(body: CheckedBody) -> None:
    """Warn of instructions that not all threads reach which must execute them together."""
    at = body.at
    if len(body.flow.blocks) == 1 and all(i.pred is None for i in body.instructions):
        return
    barriers = _barriers_by_number(body)
    for name in _BARRIERS:
        for position in at.get(name, ()):
            _check_barrier(body, position, barriers)
    for name in _MASKED:
        for position in at.get(name, ()):
            _check_masked(body, position)
    for name in _WARP:
        for position in at.get(name, ()):
            if ".aligned" in body.instructions[position].op:
                _check_aligned(body, position)


def _check_aligned(body: CheckedBody, position: int) -> bool:
    """PTX501: lanes of one warp diverge before an instruction that all of them must execute together."""
    for divergence in _divergences(body, position, above=Level.WARP):
        op = body.instructions[position].op
        body.report(
            "PTX501",
            f"only some lanes of a warp come to {op}: {explain(body, divergence)}",
            position,
            expected="all lanes of the warp together (.aligned)",
            hint="move it behind the end of the branch, or branch on what is the same in the warp",
        )
        return True
    return False


def _check_barrier(body: CheckedBody, position: int, barriers: dict[object, set[int]]) -> None:
    instruction = body.instructions[position]
    words = instruction.op.split(".")
    if "warp" in words:
        _check_masked(body, position)
        return
    aligned = words[0] == "bar" or "aligned" in words
    if aligned and _check_aligned(body, position):
        return
    if "cluster" in words or "arrive" in words or has_count(instruction) or body.analysis(Uniformity).one_warp:
        return
    for divergence in _divergences(body, position, above=Level.CTA):
        if divergence.block >= 0 and is_handed_out(body, divergence.register, divergence.position):
            continue
        if divergence.block >= 0 and _met_elsewhere(body, position, divergence.block, barriers):
            continue
        body.report(
            "PTX502",
            f"only some threads of the CTA come to {instruction.op}: {explain(body, divergence)}",
            position,
            expected="all threads of the CTA, for a barrier without a thread count",
            hint="move it behind the end of the branch, or give it a number and the count of the threads that come",
        )
        return


def is_handed_out(body: CheckedBody, register: int, position: int) -> bool:
    """Does a condition depend on what its warp loads from shared memory: the work that other warps gave it?

    So a compiler's dispatcher of specialised warps works: each case meets the barriers that the others count on.
    """
    uniformity = body.analysis(Uniformity)
    if uniformity.register(register, position) > Level.WARP:
        return False
    work, seen = [uniformity.read(register, position).value], set[Value]()
    while work:
        value = work.pop()
        if value is None or value in seen or value[1] < 0:
            continue
        seen.add(value)
        if body.instructions[value[1]].op.startswith("ld.shared"):
            return True
        work += [uniformity.read(number, value[1]).value for number in body.reads[value[1]]]
    return False


def has_count(instruction: Instruction) -> bool:
    """Does a barrier say how many threads take part?"""
    return len(instruction.operands) > (3 if ".red." in instruction.op else 1)


def _check_masked(body: CheckedBody, position: int) -> None:
    """PTX503: the mask names all lanes, and some of them go elsewhere."""
    instruction = body.instructions[position]
    if ".sync" not in instruction.op:  # before Volta: all threads that are active
        return
    mask = instruction.operands[-1]
    if body.constant(mask, position) not in (_ALL_LANES, -1):
        return
    for divergence in _divergences(body, position, above=Level.WARP):
        body.report(
            "PTX503",
            f"the mask of {instruction.op} names lanes that do not come: {explain(body, divergence)}",
            position,
            expected="every lane that the mask names",
            hint="move it behind the end of the branch, or name only the lanes that come (vote.sync.ballot before the branch)",
        )
        return


def _divergences(body: CheckedBody, position: int, *, above: Level) -> Iterator[Divergence]:
    """Where threads that agree no further than `above` diverge before they come to an instruction."""
    uniformity, flow = body.analysis(Uniformity), body.flow
    guard = body.guard(position)
    if guard is not None and uniformity.register(guard[0], position) > above:
        yield Divergence(-1, guard[0], position)
    target = flow.block_at(position).index
    if target not in flow.reachable:
        return
    branches = body.analysis(Branches)
    for block in flow.branches_of(branches.apart(flow.controllers[target] & ~branches.abandoning, above)):
        if not all(branches.leaves_at_once(side) for side in branches.sides_without(block, target)):
            end = flow.blocks[block].end - 1
            register = next(number for number in body.reads[end] if uniformity.register(number, end) > above)
            if not all_agree(body, block):
                yield Divergence(block, register, end)


def all_agree(body: CheckedBody, branch: int) -> bool:
    """Is the condition of a branch the same for all threads of a CTA, though it is made of their numbers?

    So is `tid < 256` in a CTA of 256 threads, and `i < tid + n` where `i` counts from `tid`.
    """
    most = body.context.target.max_threads
    if (cta_threads(body.function) or most) > most:
        return False
    return body.analysis(_Agreements).of(branch, most)


class _Agreements:
    """What is known of the branches of a body, for all barriers behind them."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._known: dict[int, bool] = {}
        self._values: ThreadValues | None = None

    def of(self, branch: int, most: int) -> bool:
        """Do all threads agree on it, in a CTA of the stated size, or of `most` threads?"""
        known = self._known.get(branch)
        if known is None:
            known = self._known[branch] = self._agree(branch, most)
        return known

    def _agree(self, branch: int, most: int) -> bool:
        end = self.body.flow.blocks[branch].end - 1
        guard = self.body.instructions[end].pred
        if guard is None:
            return False
        if self._values is None:
            self._values = ThreadValues(self.body, max(cta_threads(self.body.function) or most, WARP_SIZE + 1))
        found = self._values.of(guard.operand if isinstance(guard, Not) else guard, end)
        return found is not None and found.uniform


def explain(body: CheckedBody, divergence: Divergence) -> str:
    """ "the branch at k.py:12 depends on %tid.x"."""
    reason = body.analysis(Uniformity).reason(divergence.register, divergence.position)
    if divergence.block < 0:
        return f"its guard {body.registers[divergence.register].name} depends on {reason}"
    places = resolve(body.instructions[divergence.position].source)
    where = f"the branch at {places[0]}" if places else f"the branch on {body.registers[divergence.register].name}"
    return f"{where} depends on {reason}"


def _met_elsewhere(body: CheckedBody, position: int, branch: int, barriers: dict[object, set[int]]) -> bool:
    """Do the threads that go another way meet a barrier of the same number there? Then each part of the CTA has its own."""
    flow, branches = body.flow, body.analysis(Branches)
    meeting = flow.post_dominators[branch]
    number = _barrier_number(body, position)
    sides = [side for side in branches.sides_without(branch, flow.block_at(position).index) if side >= 0]
    met = [
        branches.leaves_at_once(side)
        or any(index != meeting and index in barriers.get(number, ()) for index in branches.region(side, branch))
        for side in sides
    ]
    return bool(sides) and all(met)


def _barriers_by_number(body: CheckedBody) -> dict[object, set[int]]:
    """The blocks that have a barrier of each number."""
    found: dict[object, set[int]] = {}
    for name in _BARRIERS:
        for position in body.at.get(name, ()):
            found.setdefault(_barrier_number(body, position), set()).add(body.flow.block_at(position).index)
    return found


def _barrier_number(body: CheckedBody, position: int) -> object:
    instruction = body.instructions[position]
    operand = instruction.operands[1 if ".red." in instruction.op else 0] if instruction.operands else None
    return operand.value if isinstance(operand, Immediate) else None
