"""Warpgroups: setmaxnreg, and what all four warps of a warpgroup must execute together (manual 9.7.19.5, 9.7.15.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.launch_bounds import cta_threads, product
from ptxgen.dataflow.paths.paths import PathEvent
from ptxgen.dataflow.threads.thread_values import ThreadValues
from ptxgen.ir import Immediate, Not
from ptxgen.verifier.protocols.report import Verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.dataflow.values.value_numbers import ValueNumbers
    from ptxgen.ir import Operand
    from ptxgen.verifier.protocols.view import View

__all__ = [
    "WARPGROUP",
    "check_register_counts",
    "check_warpgroups",
    "register_bound",
    "register_count",
]

WARP, WARPGROUP = 32, 128
_ALL = 1 << 20
_RECKONED = 1024
"""So many threads are looked at where no directive says how many a CTA has: the most of any target."""
_REGISTERS = (
    65536  # of an SM of sm_90 and later (manual, and the CUDA programming guide's table of compute capabilities)
)
_MOST = 255  # registers of a thread


def check_warpgroups(view: View) -> None:
    """Report instructions of a warpgroup under a condition that its warps judge differently."""
    flow, alike = view.body.flow, _Alike(view.values)
    reported: set[str] = set()
    first = min((*view.at("wgmma"), *view.at("setmaxnreg")))
    if view.threads is not None and view.threads < WARPGROUP:
        view.body.report(
            "PTX571",
            f"{view.op(first)} needs a warpgroup, and the CTAs of {view.body.function.name} have {view.threads} threads",
            first,
            expected=f"{WARPGROUP} threads and more",
            hint=f".reqntid {WARPGROUP}",
        )
        return
    for position in sorted((*view.at("wgmma"), *view.at("setmaxnreg"))):
        opcode = view.body.instructions[position].opcode
        if opcode in reported:
            continue
        for branch in flow.branches_of(flow.controllers[flow.block_at(position).index]):
            last = flow.blocks[branch].end - 1
            guard = view.body.instructions[last].pred
            if guard is None:
                continue
            facts = view.values.facts(guard, last)
            threads = alike.threads(facts[0][0]) if facts else _ALL
            # Fewer than a warp is a matter of lanes, which the check of divergence reports.
            if (
                WARP <= threads < WARPGROUP
                and not _run_by_warpgroups(view, position)
                and not _decided_by_warpgroups(view, guard, last)
            ):
                reported.add(opcode)
                view.body.report(
                    "PTX571",
                    f"{view.op(position)} under a condition that the warps of a warpgroup may judge differently: it is the "
                    f"same for {threads} threads, a warpgroup is {WARPGROUP}",
                    position,
                    expected="a condition on %tid.x / 128",
                    hint="shr.u32 warpgroup, tid, 7;",
                )
                break


def _run_by_warpgroups(view: View, position: int) -> bool:
    """Is it known which threads come to an instruction, and are they all or none of each warpgroup? A condition that would split
    one need not be asked by its threads."""
    come = view.active.at(position) if view.active is not None else None
    return come is not None and _same_in_warpgroups(come)


def _decided_by_warpgroups(view: View, guard: Operand, position: int) -> bool:
    """Is a guard the same in each warpgroup, reckoned thread by thread? So is `shfl.idx(tid >> 5, 0) < 4`."""
    values = ThreadValues(view.body, view.threads or _RECKONED)
    found = values.of(guard.operand if isinstance(guard, Not) else guard, position)
    return found is not None and _same_in_warpgroups(found.parts)


def _same_in_warpgroups(threads: Sequence[object]) -> bool:
    """Is what each thread has the same in all threads of its warpgroup?"""
    groups = (threads[first : first + WARPGROUP] for first in range(0, len(threads), WARPGROUP))
    return all(len(set(group)) == 1 for group in groups)


class _Alike:
    """How many threads with consecutive %tid.x have the same value."""

    def __init__(self, values: ValueNumbers) -> None:
        self.values = values
        self._known: dict[tuple[int, int], int] = {}

    def threads(self, number: int, depth: int = 0) -> int:
        """Counted from a multiple of that; many when unknown, and where it is made of more than 20 steps."""
        known = self._known.get((number, depth))
        if known is None:
            known = self._known[number, depth] = _ALL if depth > 20 else self._count(number, depth)
        return known

    def _count(self, number: int, depth: int) -> int:
        key, inputs = self.values.keys[number], self.values.inputs(number)
        kind = key[0]
        if kind == "special":
            return 1 if key[1] in ("%tid.x", "%laneid") else _ALL
        if kind == "elect":
            return 1
        if kind == "compare":
            return self._compared(str(key[1]), inputs, depth)
        if not inputs:
            return _ALL
        parts = [self.threads(n, depth + 1) for n in inputs]
        if kind in ("shr", "div") and len(inputs) == 2 and self.values.keys[inputs[1]][0] == "imm":
            by = self.values.keys[inputs[1]][1]
            assert isinstance(by, int)
            factor = 1 << min(max(by, 0), 20) if kind == "shr" else max(by, 1)
            return min(parts[0] * factor, _ALL) if factor & (factor - 1) == 0 else _ALL
        if kind == "shfl":
            return max(parts[0], 32)
        return min(parts)

    def _compared(self, relation: str, inputs: tuple[int, ...], depth: int) -> int:
        """`tid < 128` is the same for 128 threads: the bound says it, where one side is %tid.x itself."""
        left, right = (self.values.keys[n] for n in inputs)
        if left == ("special", "%tid.x") and right[0] == "imm" and not relation.startswith("eq"):
            bound = right[1]
            assert isinstance(bound, int)
            bound += relation.startswith(("le", "gt", "ls", "hi"))
            return bound & -bound if bound else _ALL
        return min(self.threads(n, depth + 1) for n in inputs)


# -- setmaxnreg ----------------------------------------------------------------------------------------------------


def check_register_counts(view: View) -> None:
    """Report setmaxnreg without a register count to start from, and counts in the wrong direction."""
    positions = view.at("setmaxnreg")
    function = view.body.function
    if not positions or not function.is_entry:
        return
    directives = {directive.name: directive for directive in function.directives}
    bound = register_bound(view)
    _check_over(view, positions, bound)
    if not directives.keys() & {"maxnreg", "maxntid", "reqntid"}:
        view.body.report(
            "PTX570",
            "setmaxnreg in a kernel that states no register count: it may have no effect",
            positions[0],
            expected=".maxnreg, or .reqntid (or .maxntid) with .minnctapersm, from which the count at the start follows",
            hint=".reqntid 384, 1, 1 .minnctapersm 1",
        )
    _check_direction(view, positions, directives["maxnreg"].arguments[0] if "maxnreg" in directives else None)


def register_bound(view: View) -> int:
    """The most registers a thread may start with, as the directives have it."""
    function = view.body.function
    registers = product(function, "maxnreg")
    if registers is not None:
        return registers
    threads = cta_threads(function)
    if threads is None:
        return _MOST
    ctas = product(function, "minnctapersm") or 1
    return min(_REGISTERS // max(threads * ctas, 1) // 8 * 8, _MOST)


def register_count(view: View, position: int) -> int | None:
    """The count that a setmaxnreg states."""
    first = view.body.instructions[position].operands[0]
    return first.value if isinstance(first, Immediate) else None


def _check_over(view: View, positions: list[int], bound: int) -> None:
    """Assemblers refuse a .dec to more registers than the kernel ever has (C7406)."""
    counts = {p: register_count(view, p) for p in positions}
    most = max([bound, *(n for p, n in counts.items() if n is not None and ".inc." in view.op(p))])
    for position, count in counts.items():
        if ".dec." in view.op(position) and count is not None and most < count <= 256:
            view.body.report(
                "PTX572",
                f"setmaxnreg.dec to {count} registers, and a thread of this kernel never has more than {most}",
                position,
                expected=f"at most {most}",
                hint=f"setmaxnreg.inc.sync.aligned.u32 {count};",
                severity="error",
            )


def _check_direction(view: View, positions: list[int], start: int | str | None) -> None:
    """.dec takes a count that is not above the present one, .inc one that is not below (undefined otherwise)."""
    verdicts = Verdicts()
    before: dict[int, int] = {}

    def step(state: int | None, event: PathEvent) -> int | None:
        count = event.data
        if not isinstance(count, int):
            return None
        if state is not None:
            wrong = count > state if event.kind == "dec" else count < state
            verdicts.mark("wrong", event.position, wrong)
            if wrong:
                before.setdefault(event.position, state)
        return count

    events = [PathEvent(p, "dec" if ".dec." in view.op(p) else "inc", register_count(view, p)) for p in positions]
    if not view.whole or not verdicts.walk(view.paths, events, start if isinstance(start, int) else None, step):
        return
    for position in verdicts.ever("wrong"):
        down = ".dec." in view.op(position)
        view.body.report(
            "PTX573",
            f"setmaxnreg.{'dec' if down else 'inc'} to {register_count(view, position)} where a thread has "
            f"{before[position]} registers",
            position,
            expected=f"a count {'not above' if down else 'not below'} the present one",
            hint=f"setmaxnreg.{'inc' if down else 'dec'}",
        )
