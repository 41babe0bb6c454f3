"""wgmma: fence before the registers are used, commit, wait before they are touched again (manual 9.7.15.5 to 9.7.15.7).

wgmma.mma_async reads and writes registers while the warpgroup goes on: a wgmma.fence orders them after what was done to them
before, and wgmma.wait_group before what is done to them next. Accumulators that only mma_async of one shape touch need no
fence in between.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.paths.paths import PathEvent, stretches
from ptxgen.ir import Vector
from ptxgen.verifier.protocols.report import Verdicts

if TYPE_CHECKING:
    from ptxgen.verifier.protocols.view import View

__all__ = ["check_wgmma"]


class _WgmmaGroup(NamedTuple):
    """Registers as bits: accumulators, and those that are read until it is done (fragments of A, its metadata); the position of
    the last instruction of the group."""

    accumulators: int = 0
    read: int = 0
    last: int = -1


_EMPTY = _WgmmaGroup()


class _WgmmaState(NamedTuple):
    """`touched`: registers that something did to since the last fence; `shapes`: (accumulators, shape) since then."""

    touched: int
    shapes: frozenset[tuple[int, str]] = frozenset()
    open: _WgmmaGroup = _EMPTY
    groups: tuple[_WgmmaGroup, ...] = ()
    committed: bool = False
    waited: bool = True


class _Mma(NamedTuple):
    """`fenced`: what a wgmma.fence orders, accumulators and fragments of A; `read`: what must not be written until it is done."""

    accumulators: int
    fenced: int
    read: int
    shape: str
    symbols: frozenset[str]


class _Touches(NamedTuple):
    """Registers that a stretch of other instructions reads and writes, as bits, and where these stand."""

    reads: int
    writes: int
    positions: list[int]


def check_wgmma(view: View) -> None:
    """Report what is wrong with the warpgroup matrix instructions of a kernel."""
    if view.whole:
        _Wgmma(view).check()


class _Wgmma:
    def __init__(self, view: View) -> None:
        self.view = view
        self.verdicts = Verdicts(always="idle released")
        self.bits: dict[int, int] = {}
        self.masks: dict[tuple[int, ...], int] = {}
        self.mmas: dict[int, _Mma] = {}
        self.culprits: dict[int, int] = {}
        waits = view.at("wgmma", "wgmma.wait_group")
        self.deepest = 1 + max((view.left_pending(p) for p in waits), default=0)
        self.events = [PathEvent(p, "fence", settles=True) for p in view.at("wgmma", "wgmma.fence")]
        self.events += [PathEvent(p, "commit", settles=True) for p in view.at("wgmma", "wgmma.commit_group")]
        self.events += [PathEvent(p, "wait", view.left_pending(p), settles=True) for p in waits]
        for position in view.at("wgmma", "wgmma.mma_async"):
            self._add_mma(position)
        self._add_releases()
        self._add_accesses()

    def _mask(self, operand: object, position: int) -> int:
        mask = 0
        for register in sorted(self.view.registers(operand, position)):
            mask |= 1 << self.bits.setdefault(register, len(self.bits))
        return mask

    def _accumulators(self, position: int) -> int:
        """The registers that mma_async writes, as bits; worked out once for instructions that accumulate into the same ones."""
        registers = tuple(self.view.body.writes[position])
        mask = self.masks.get(registers)
        if mask is None:
            mask = 0
            for register in registers:
                mask |= 1 << self.bits.setdefault(register, len(self.bits))
            self.masks[registers] = mask
        return mask

    def _add_mma(self, position: int) -> None:
        instruction = self.view.body.instructions[position]
        words = instruction.op.split(".")
        shape = next(word for word in words if word.startswith("m64n"))
        accumulators = self._accumulators(position)
        a = instruction.operands[1]
        symbols = frozenset[str]().union(
            *(
                self.view.values.place(o, position).symbols
                for o in instruction.operands[1:3]
                if not isinstance(o, Vector)
            )
        )
        read = fragments = self._mask(a, position) if isinstance(a, Vector) else 0
        if "sp" in words:  # metadata are read as late as fragments are: measured on an H200, the manual does not say;
            read |= self._mask(instruction.operands[3], position)  # nor does it ask for a fence behind what wrote them
        mma = _Mma(accumulators, accumulators | fragments, read, f"{shape} {words[-3]}", symbols)
        self.mmas[position] = mma
        self.events.append(PathEvent(position, "mma", mma))

    def _add_accesses(self) -> None:
        """What other instructions do to the registers of mma_async."""
        body, chains = self.view.body, self.view.body.chains
        positions = set[int]()
        for register in self.bits:
            positions.update(chains.definitions.get(register, ()), chains.uses.get(register, ()))
        touching = {position: position for position in sorted(positions.difference(self.mmas))}
        for position, those in stretches(body, touching, self.events):
            self.events.append(PathEvent(position, "access", _Touches(*self._touched(those), those)))

    def _touched(self, positions: list[int]) -> tuple[int, int]:
        """The registers that some instructions read, and those that they write."""
        body, bits, reads, writes = self.view.body, self.bits, 0, 0
        for position in positions:
            for register in body.reads[position]:
                if register in bits:
                    reads |= 1 << bits[register]
            for register in body.writes[position]:
                if register in bits:
                    writes |= 1 << bits[register]
        return reads, writes

    def _add_releases(self) -> None:
        """Arrivals on the mbarriers that a refill of what wgmma reads waits for: they give the buffer back."""
        flow, uses = self.view.body.flow, self.view.barrier_uses
        targets = {a.position: a.place.symbols for a in self.view.accesses if a.kind == "bulk write"}
        read = frozenset[str]().union(*(mma.symbols for mma in self.mmas.values()))
        completed = {use.object for use in uses if use.kind == "complete"}
        gates = set()
        for use in uses:
            if use.kind != "wait" or use.object is None or use.object in completed:
                continue
            block = flow.block_at(use.position).index
            for position, symbols in targets.items():
                if symbols & read and position > use.position and flow.dominates(block, flow.block_at(position).index):
                    gates.add(use.object)
        self.events += [
            PathEvent(use.position, "release") for use in uses if use.kind == "arrive" and use.object in gates
        ]

    def check(self) -> None:
        start = _WgmmaState((1 << len(self.bits)) - 1)
        if self.verdicts.walk(self.view.paths, self.events, start, self.step, self.leave):
            self._report()

    # -- what happens on a path ------------------------------------------------------------------------------------

    def step(self, state: _WgmmaState, event: PathEvent) -> _WgmmaState:
        if event.kind == "mma":
            return self._mma(state, event)
        if event.kind == "access":
            return self._access(state, event)
        if event.kind == "fence":
            return state._replace(touched=0, shapes=frozenset())
        if event.kind == "commit":
            groups = (*state.groups, state.open._replace(last=event.position))
            if len(groups) > self.deepest:
                one, two = groups[:2]
                merged = _WgmmaGroup(one.accumulators | two.accumulators, one.read | two.read, two.last)
                groups = (merged, *groups[2:])
            return state._replace(open=_EMPTY, groups=groups, committed=True, waited=False)
        if event.kind == "wait":
            left = event.data
            assert isinstance(left, int)
            self.verdicts.mark("idle", event.position, not state.committed)
            groups = state.groups[max(len(state.groups) - left, 0) :] if left else ()
            return state._replace(groups=groups, waited=True)
        busy = bool(state.groups or state.open.accumulators)
        self.verdicts.mark("released", event.position, busy and not state.waited)
        return state

    def _mma(self, state: _WgmmaState, event: PathEvent) -> _WgmmaState:
        mma = event.data
        assert isinstance(mma, _Mma)
        self.verdicts.mark("unfenced", event.position, bool(mma.fenced & state.touched))
        other = any(mask & mma.accumulators and shape != mma.shape for mask, shape in state.shapes)
        self.verdicts.mark("reshaped", event.position, other)
        accumulators, read, _ = state.open
        return state._replace(
            touched=state.touched & ~mma.fenced,
            shapes=state.shapes | {(mma.accumulators, mma.shape)},
            open=_WgmmaGroup(accumulators | mma.accumulators, read | mma.read, event.position),
        )

    def _access(self, state: _WgmmaState, event: PathEvent) -> _WgmmaState:
        every = event.data
        assert isinstance(every, _Touches)
        groups = (state.open, *state.groups)
        if any((every.reads | every.writes) & g.accumulators or every.writes & g.read for g in groups):
            for position in every.positions:
                self._look_at(position, *self._touched([position]), groups)
        touched = state.touched | every.reads | every.writes
        return state if touched == state.touched else state._replace(touched=touched)

    def _look_at(self, position: int, reads: int, writes: int, groups: tuple[_WgmmaGroup, ...]) -> None:
        """Does an instruction use registers that a group may still use?"""
        for group in groups:
            early = (reads | writes) & group.accumulators or writes & group.read
            if early:
                self.verdicts.mark("early", position, True)
                self.culprits.setdefault(position, early)
                break

    def leave(self, state: _WgmmaState, position: int) -> None:
        if state.open.last >= 0:
            self.verdicts.mark("uncommitted", state.open.last, True)
        for group in state.groups:
            if group.accumulators:
                self.verdicts.mark("unwaited", group.last, True)

    # -- the findings ---------------------------------------------------------------------------------------------

    def _report(self) -> None:
        body, verdicts = self.view.body, self.verdicts
        for position in verdicts.ever("unfenced")[:1]:
            body.report(
                "PTX540",
                "wgmma.mma_async uses registers that were touched since the last wgmma.fence, or none was executed",
                position,
                expected="wgmma.fence behind the last access to its accumulators and fragments of A, before it",
                hint="wgmma.fence.sync.aligned;",
            )
        for position in verdicts.ever("reshaped")[:1]:
            body.report(
                "PTX545",
                "wgmma.mma_async of another shape or type uses accumulators of one before, without a wgmma.fence in between",
                position,
                expected="wgmma.fence between mma_async of different shapes on the same registers",
                hint="wgmma.fence.sync.aligned;",
            )
        uncommitted = verdicts.ever("uncommitted")
        self._report_early(uncommitted)
        for position in uncommitted[:1]:
            body.report(
                "PTX542",
                "this wgmma.mma_async is never part of a group: a path ends without wgmma.commit_group behind it",
                position,
                expected="wgmma.commit_group, then wgmma.wait_group",
                hint="wgmma.commit_group.sync.aligned;",
            )
        for position in [] if uncommitted else verdicts.always("idle"):
            body.report(
                "PTX544",
                "wgmma.wait_group waits for nothing: no group is committed before it on any path",
                position,
                expected="wgmma.commit_group behind the wgmma.mma_async, before the wait",
            )
        if not verdicts.ever("early"):
            for position in verdicts.ever("unwaited")[:1]:
                body.report(
                    "PTX543",
                    "this group of wgmma.mma_async is not waited for on some path to the end",
                    position,
                    expected="wgmma.wait_group.sync.aligned 0 before the accumulators are used and before the kernel ends",
                )
        for position in verdicts.always("released"):
            body.report(
                "PTX547",
                "the buffer is given back for a refill while wgmma.mma_async may still read it",
                position,
                expected="wgmma.wait_group between the commit of the group that reads it and this arrival",
                hint="wgmma.wait_group.sync.aligned 1; (and give back the stage of the iteration before)",
            )

    def _report_early(self, uncommitted: list[int]) -> None:
        """One finding for each set of accumulators, at the first access."""
        reported = 0
        for position in self.verdicts.ever("early"):
            early = self.culprits[position]
            if early & reported:
                continue
            mma = next((p for p, m in self.mmas.items() if (m.accumulators | m.read) & early), -1)
            if mma < 0 or mma in uncommitted:
                continue
            reported |= self.mmas[mma].accumulators | self.mmas[mma].read
            self.view.body.report(
                "PTX541",
                f"a register is used while it may still belong to {self.view.body.line_of(mma)}",
                position,
                expected="wgmma.commit_group and wgmma.wait_group 0 (or N that leaves only later groups pending) before it",
                hint="wgmma.wait_group.sync.aligned 0;",
            )
