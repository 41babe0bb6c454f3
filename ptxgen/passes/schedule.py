"""List scheduling: within a block, what takes long comes early, and other instructions fill the time until it is there.

A region (regions.py) is ordered by the longest path of latencies to its end, one instruction a cycle; ties stay as they are. What
must keep its order keeps it: a write and its reads, reads and the next write, writes of one register; memory that may be the
same, unless both only read; carries; shuffles, votes and matrix instructions. A guard is read like any register, and a guarded
write leaves what was there, so it also reads.

The order changes only where the model takes fewer cycles for it, and where no more registers are alive than before in the
function, or than cost nothing (pressure.py). So the pass converges: each change lowers the cycles of a region.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.passes.effects import may_alias
from ptxgen.passes.latency import latency
from ptxgen.passes.pressure import Pressure
from ptxgen.passes.regions import regions

if TYPE_CHECKING:
    from ptxgen.passes.editing import Edit
    from ptxgen.passes.effects import MemoryAccess
    from ptxgen.passes.regions import SchedulingRegion

__all__ = ["schedule"]


def schedule(edit: Edit) -> None:
    """Orders instructions within blocks by latency, as far as registers allow; never by default."""
    found = list(regions(edit))
    if not found:
        return
    pressure = Pressure(edit)
    for region in found:
        _Scheduler(edit, pressure, region, pressure.after(region.block, region.end - 1)).run()


class _Scheduler:
    """One region. Its instructions are numbered from 0 here."""

    def __init__(self, edit: Edit, pressure: Pressure, region: SchedulingRegion, behind: int) -> None:
        self.edit = edit
        self.pressure = pressure
        self.region = region
        self.behind = behind
        body = edit.body
        self.size = region.end - region.start
        self.latency = [latency(body.instructions[region.start + i]) for i in range(self.size)]
        self.after: list[dict[int, int]] = [{} for _ in range(self.size)]
        """For each instruction: those that must come behind it, and after how many cycles at least."""
        self._order_registers()
        self._order_memory()
        self.before: list[dict[int, int]] = [{} for _ in range(self.size)]
        for i, later in enumerate(self.after):
            for j, cycles in later.items():
                self.before[j][i] = cycles
        self.path = self._paths()

    def run(self) -> None:
        order = self._ordered()
        if order == sorted(order) or not self._fits(order):
            return
        if self._cycles(order) >= self._cycles(range(self.size)):
            return
        instructions, start = self.edit.body.instructions, self.region.start
        for place, i in enumerate(order):
            if place != i:
                self.edit.replace(start + place, instructions[start + i])

    def _link(self, first: int, second: int, cycles: int) -> None:
        if first != second:
            self.after[first][second] = max(cycles, self.after[first].get(second, 0))

    def _order_registers(self) -> None:
        body, start = self.edit.body, self.region.start
        written: dict[int, list[int]] = {}
        """By register: the write whose value is there now, and guarded ones since."""
        read: dict[int, list[int]] = {}
        for i in range(self.size):
            guarded = body.instructions[start + i].pred is not None
            writes = body.writes[start + i]
            for register in (*body.reads[start + i], *(writes if guarded else ())):
                for j in written.get(register, ()):
                    self._link(j, i, self.latency[j])
                read.setdefault(register, []).append(i)
            for register in writes:
                for j in written.get(register, ()):
                    self._link(j, i, 1)
                for j in read.get(register, ()):
                    self._link(j, i, 0)
                written[register] = [*written.get(register, ()), i] if guarded else [i]
                if not guarded:
                    read[register] = []

    def _order_memory(self) -> None:
        accesses: list[tuple[int, MemoryAccess]] = []
        memory_since: list[int] = []
        together = carries = matrix = -1
        for i, what in enumerate(self.region.behaviours):
            if what.carries:
                if carries >= 0:
                    self._link(carries, i, self.latency[carries])
                carries = i
            if what.access is not None:
                for j, other in accesses:
                    if may_alias(other, what.access):
                        self._link(j, i, 1 if other.writes else 0)
                accesses.append((i, what.access))
            if what.kind == "together":
                for j in (*memory_since, together, matrix):
                    if j >= 0:
                        self._link(j, i, 1)
                together, memory_since = i, []
            elif what.kind == "memory":
                if together >= 0:
                    self._link(together, i, 1)
                memory_since.append(i)
            elif what.kind == "matrix":
                for j in (together, matrix):
                    if j >= 0:
                        self._link(j, i, 1)
                matrix = i

    def _paths(self) -> list[int]:
        """Cycles from each instruction to the end of the region, along the longest path."""
        path = [0] * self.size
        for i in range(self.size - 1, -1, -1):
            path[i] = max([self.latency[i], *(cycles + path[j] for j, cycles in self.after[i].items())])
        return path

    def _cycles(self, order: list[int] | range) -> int:
        """How long the region takes in that order, until its last result is there."""
        issued = [0] * self.size
        now, end = -1, 0
        for i in order:
            now = max([now + 1, *(issued[j] + cycles for j, cycles in self.before[i].items())])
            issued[i] = now
            end = max(end, now + self.latency[i])
        return end

    def _fits(self, order: list[int]) -> bool:
        """Are no more registers alive in that order than may be?"""
        pressure, body, start = self.pressure, self.edit.body, self.region.start
        alive = self.behind
        for i in reversed(order):
            here = alive
            for register in body.writes[start + i]:
                here |= 1 << register
            words, predicates = pressure.count(here)
            if words > pressure.limit or predicates > pressure.predicates:
                return False
            alive = pressure.before(start + i, alive)
        return True

    def _ordered(self) -> list[int]:
        """The order: of what can be issued now and leaves room for what is alive, the one with the longest path."""
        waiting = [len(before) for before in self.before]
        earliest = [0] * self.size
        open_ = [i for i in range(self.size) if not waiting[i]]
        values = _Values(self)
        order: list[int] = []
        now = 0
        while open_:
            ready = [i for i in open_ if earliest[i] <= now]
            fitting = [i for i in ready if values.fits(i)]
            if not fitting and len(ready) < len(open_) and not any(values.fits(i) for i in ready):
                later = [i for i in open_ if values.fits(i)]
                if later:
                    now = max(now, min(earliest[i] for i in later))
                    fitting = [i for i in later if earliest[i] <= now]
            if fitting:
                chosen = max(fitting, key=lambda i: (self.path[i], -i))
            else:  # nothing leaves room: what takes the least
                chosen = min(open_, key=lambda i: (values.growth(i), i))
                now = max(now, earliest[chosen])
            open_.remove(chosen)
            values.issue(chosen)
            order.append(chosen)
            for j, cycles in self.after[chosen].items():
                earliest[j] = max(earliest[j], now + cycles)
                waiting[j] -= 1
                if not waiting[j]:
                    open_.append(j)
            now += 1
        return order


class _Values:
    """What is alive while a region is being ordered. Each write of a register makes a value; a guarded one keeps it."""

    def __init__(self, scheduler: _Scheduler) -> None:
        region, pressure = scheduler.region, scheduler.pressure
        body, start, size = scheduler.edit.body, region.start, scheduler.size
        self.limit, self.most_predicates = pressure.limit, pressure.predicates
        self.weights: list[int] = []
        self.left: list[int] = []
        """By value: reads still to come; one more where it is alive behind the region."""
        self.read: list[list[int]] = []
        self.made: list[list[int]] = []
        current: dict[int, int] = {}

        def value(register: int) -> int:
            self.weights.append(pressure.weights[register])
            self.left.append(0)
            current[register] = len(self.left) - 1
            return current[register]

        entering = scheduler.behind
        for position in range(region.end - 1, start - 1, -1):
            entering = pressure.before(position, entering)
        self.words, self.predicates = pressure.count(entering)
        for i in range(size):
            guarded = body.instructions[start + i].pred is not None
            read, made = set(), []
            for register in body.reads[start + i]:
                read.add(current[register] if register in current else value(register))
            for register in body.writes[start + i]:
                if guarded and (register in current or entering >> register & 1):
                    read.add(current[register] if register in current else value(register))
                else:
                    made.append(value(register))
            for each in read:
                self.left[each] += 1
            self.read.append(sorted(read))
            self.made.append(made)
        for register, each in current.items():
            self.left[each] += scheduler.behind >> register & 1

    def growth(self, i: int) -> int:
        """Words that issuing an instruction adds, or with a minus, frees."""
        return self._change(i)[0]

    def fits(self, i: int) -> bool:
        """Is there room for it?"""
        words, predicates = self._change(i)
        return (words <= 0 or self.words + words <= self.limit) and (
            predicates <= 0 or self.predicates + predicates <= self.most_predicates
        )

    def _change(self, i: int) -> tuple[int, int]:
        words = predicates = 0
        for each in self.made[i]:
            if self.left[each]:
                words += self.weights[each]
                predicates += self.weights[each] == 0
        for each in self.read[i]:
            if self.left[each] == 1:
                words -= self.weights[each]
                predicates -= self.weights[each] == 0
        return words, predicates

    def issue(self, i: int) -> None:
        """It is issued now."""
        words, predicates = self._change(i)
        self.words += words
        self.predicates += predicates
        for each in self.read[i]:
            self.left[each] -= 1
