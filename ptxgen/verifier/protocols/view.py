"""One body as the protocols see it: its values, its paths, its shared memory, each worked out when first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.launch_bounds import cta_threads
from ptxgen.dataflow.calls.participation import HARMLESS
from ptxgen.dataflow.paths.paths import Paths
from ptxgen.dataflow.threads.active_threads import ActiveThreads, active_threads
from ptxgen.dataflow.threads.thread_values import first_threads
from ptxgen.dataflow.threads.uniformity import Level, Uniformity
from ptxgen.dataflow.values.evaluation import Evaluation
from ptxgen.dataflow.values.recipes import followed
from ptxgen.dataflow.values.value_numbers import ValueNumbers
from ptxgen.ir import Function, Immediate, Register, Symbol, Vector
from ptxgen.verifier.protocols.barrier_uses import BarrierUse, barrier_uses
from ptxgen.verifier.protocols.loops import Loops
from ptxgen.verifier.protocols.memory import ProxyAccess, accesses

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ptxgen.dataflow.graph.regions import Region
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["View"]


class View:
    """What the checks of this room share about one body."""

    def __init__(self, body: CheckedBody) -> None:
        self.body = body

    @cached_property
    def values(self) -> ValueNumbers:
        return self.body.analysis(ValueNumbers)

    @cached_property
    def paths(self) -> Paths:
        return self.body.analysis(Paths)

    @cached_property
    def accesses(self) -> list[ProxyAccess]:
        return accesses(self.body, self.values)

    @cached_property
    def accesses_at(self) -> dict[int, list[ProxyAccess]]:
        """The accesses by position."""
        found: dict[int, list[ProxyAccess]] = {}
        for access in self.accesses:
            found.setdefault(access.position, []).append(access)
        return found

    @cached_property
    def barrier_uses(self) -> list[BarrierUse]:
        return barrier_uses(self.body, self.values)

    @cached_property
    def _evaluations(self) -> dict[frozenset[int], Evaluation]:
        return {}

    def evaluation(self, registers: Iterable[int]) -> Evaluation:
        """What these registers hold along paths: what was found out about the ways of one operand serves others."""
        asked, known = frozenset(registers), self._evaluations
        found = known.get(asked)
        if found is None:
            tracked = followed(self.body, asked)
            found = known[asked] = known.get(tracked) or known.setdefault(tracked, Evaluation(self.body, tracked))
        return found

    @cached_property
    def first_states(self) -> dict[tuple[Evaluation, int, bool], set[int] | None]:
        """By what is followed, a block, and whether only one is wanted: the states when control first comes there."""
        return {}

    @cached_property
    def regions(self) -> dict[tuple[int, int], Region]:
        """By their blocks, and by those at which something changes."""
        return {}

    @cached_property
    def loops(self) -> Loops:
        return Loops(self.body)

    @cached_property
    def whole(self) -> bool:
        """Is all that a thread does to be seen here: a kernel that calls nothing but what keeps to itself?

        Of a device function, or a kernel that calls one, only single instructions are judged: the rest of a protocol may be in
        the other.
        """
        return self.body.function.is_entry and not any(self._calls())

    def _calls(self) -> Iterator[str]:
        names = self.body.context.names
        if not any(op.startswith("call") for op in {instruction.op for instruction in self.body.instructions}):
            return
        for position, instruction in enumerate(self.body.instructions):
            if not instruction.op.startswith("call"):
                continue
            callee = next((o.name for o in instruction.operands if isinstance(o, Symbol)), "")
            known = names.find(callee)
            if callee in HARMLESS:
                continue
            if not isinstance(known, Function) or self.body.context.callees.take_part(known):
                yield f"{callee} at {position}"

    def at(self, opcode: str, start: str = "") -> list[int]:
        """The positions of the instructions of an opcode whose name starts with `start`."""
        instructions = self.body.instructions
        return [p for p in self.body.at.get(opcode, ()) if instructions[p].op.startswith(start)]

    def registers(self, operand: object, position: int) -> frozenset[int]:
        """The numbers of the registers that an operand, or a vector of them, is."""
        parts = operand.elements if isinstance(operand, Vector) else (operand,)
        found = (self.body.number(part, position) for part in parts if isinstance(part, Register))
        return frozenset(number for number in found if number is not None)

    def left_pending(self, position: int) -> int:
        """How many groups a wait_group leaves pending. A number below 0 is another check's finding."""
        first = self.body.instructions[position].operands[0]
        return max(first.value, 0) if isinstance(first, Immediate) else 0

    def op(self, position: int) -> str:
        return self.body.instructions[position].op

    @cached_property
    def threads(self) -> int | None:
        """The most threads of a CTA, as its directives state; None when they do not."""
        return cta_threads(self.body.function)

    @cached_property
    def exact_threads(self) -> int | None:
        """The threads of a CTA, where .reqntid says them; None where there may be fewer."""
        return self.threads if self.body.function.directive("reqntid") is not None else None

    @cached_property
    def active_first(self) -> ActiveThreads:
        """Which of a CTA's first threads run an instruction: two warps of them where nothing says how many there are."""
        return ActiveThreads(self.body, self.body.analysis(first_threads))

    @cached_property
    def active(self) -> ActiveThreads | None:
        """Which threads of a CTA run an instruction; None where nothing says how many there are."""
        return None if self.threads is None else active_threads(self.body, self.threads)

    @cached_property
    def barriers(self) -> list[int]:
        """The positions where a thread waits for others: bar, barrier (a cluster's wait too), bar.warp.sync."""
        found = [p for p in (*self.at("bar"), *self.at("barrier")) if "arrive" not in self.op(p).split(".")]
        return sorted(found)

    @cached_property
    def asking(self) -> list[int]:
        """The positions of atomics, and of loads that may ask for what another thread has stored (volatile, acquire, ...)."""
        return [p for p in self.body.memory if _asks(self.op(p))]

    @cached_property
    def async_fences(self) -> list[int]:
        """The positions of fences that order generic writes, or initialised mbarriers, before the async proxy."""
        found = [*self.at("fence", "fence.proxy.async"), *self.at("fence", "fence.mbarrier_init")]
        found += self.at("membar", "membar.proxy.async")
        return sorted(p for p in found if not self.op(p).endswith(("async.global", "::read.cluster")))

    def parts_threads(self, index: int) -> bool:
        """Does a block end with a branch that threads of one CTA may take differently?"""
        return self.body.analysis(Uniformity).branch(index) > Level.CTA

    def comes_before(self, first: int, second: int) -> bool:
        """Has whoever comes to the instruction at the second position executed the one at the first, in whatever way?"""
        flow = self.body.flow
        here, there = flow.block_at(first).index, flow.block_at(second).index
        before = first < second if here == there else flow.dominates(here, there)
        return before and self.body.instructions[first].pred is None

    def reaches(self, first: int, second: int) -> bool:
        """May control come from the start of one block to the start of another?"""
        return first == second or self.reaches_from_end(first, second)

    def reaches_from_end(self, first: int, second: int) -> bool:
        """May control come from the end of one block to the start of another?"""
        return bool(self.body.flow.behind(first) >> second & 1)


def _asks(op: str) -> bool:
    opcode, *words = op.split(".")
    strong = {"volatile", "relaxed", "acquire", "acq_rel", "mmio"}
    return opcode == "atom" or (opcode == "ld" and not strong.isdisjoint(words))
