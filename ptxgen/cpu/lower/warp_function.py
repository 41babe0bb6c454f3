"""The warp function: `i32 warp(ptr)` runs the lanes of one warp until they have exited, wait, or have had their turn.

Shape: for each block in execution order, `if (mask of lanes at the block) run it`. Running it is a loop over these lanes;
registers that cross blocks live in arrays of 32 behind the warp's header; the lanes are then handed to the masks of the
blocks that follow. A branch to an earlier block jumps back as long as the warp's budget lasts, and then falls through once,
so that lanes parked later in program order get their turn too.

    check.b:   M = mask[b]; if (!M) goto check.(b+1)
    run.b:     mask[b] = 0; for (lane in M) { ... }; mask[target] |= taken; mask[next] |= M & ~taken
               if (mask[an earlier target] && --budget > 0) goto check.target
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from ptxgen.cpu.blocks import Choice, FlatBlock, Step, effect, members, operations
from ptxgen.cpu.emit import Emitter, LlvmValue
from ptxgen.cpu.flat import FlatKernel, Op
from ptxgen.cpu.lower.checks import plan_checks
from ptxgen.cpu.lower.context import LoweringContext, Static
from ptxgen.cpu.lower.needs import all_operations, uses_tensor_memory, waits
from ptxgen.cpu.lower.operation import lower_operation
from ptxgen.cpu.lower.registry import find
from ptxgen.cpu.lower.several_lanes import leave_lanes
from ptxgen.cpu.lower.special import read_special
from ptxgen.cpu.lower.sync import SyncBlock
from ptxgen.cpu.lower.warp_record import WarpRecord
from ptxgen.cpu.lower.wgmma_registers import WgmmaRegisters
from ptxgen.cpu.record_layout import WarpStatus
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.value import OneLaneError
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.cpu.sanitizer.probe import Probe

__all__ = ["WarpFunction"]

_WAITING, _WORKING = 0xF, 0xFFFF
"""Of a warp that counts: lanes behind its loops run in rounds without these bits, where loops may wait for memory, and where
they do not."""


class WarpFunction:
    """Writes the warp function of one kernel: see the head of this file."""

    def __init__(
        self,
        e: Emitter,
        kernel: FlatKernel,
        blocks: list[FlatBlock],
        uniform: list[Op],
        statics: dict[str, Static],
        probe: Probe,
        lanes: int = 0,
    ) -> None:
        self.e = e
        self.lanes_at_once = lanes
        self.kernel = kernel
        self.blocks = blocks
        self.k = LoweringContext(e, kernel, statics, read_special, probe)
        self.counting = probe.counting
        self.pausing = probe.pausing
        for op in uniform:
            self.k.lower_uniform(op, lower_operation)
        self.record = WarpRecord(self.k, kernel, blocks)
        self.wgmma = WgmmaRegisters(self.k, blocks)
        self.has_tensor_memory = uses_tensor_memory(kernel)
        self.has_barriers = any(b.sync is not None and b.sync.opcode in opcodes_with("barrier") for b in blocks)
        self.has_clusters = any(b.sync is not None and b.sync.op.startswith("barrier.cluster") for b in blocks)
        if self.pausing is not None:
            self.pausing.written = self.record.end()
        self.budget = e.var("i32")
        self.extra = e.var("i32")  # instructions that lanes have executed inside choices of the block in hand

    # -- the whole ----------------------------------------------------------------------------------------------------

    def write(self) -> str:
        e, k = self.e, self.k
        self.record.find_queues()
        if self.pausing is not None:
            self.pausing.enter(k, self.budget, self.blocks)
        else:
            self.budget.set(k.launch.get("budget"))
            e.jump("check0")
        for block in self.blocks:
            self._check(block)
            if block.sync is not None:
                self._run_sync(block, block.sync)
            else:
                self._run(block)
            e.jump(self._label_after(block))
        self._finish()
        e.lines += k.cold
        e.label("faulted")
        e.line(f"ret i32 {int(WarpStatus.FAULT)}")
        return e.function("i32 @warp(ptr noalias %warp) nounwind")

    def _label_after(self, block: FlatBlock) -> str:
        return f"check{block.index + 1}"

    def _check(self, block: FlatBlock) -> None:
        e = self.e
        e.label(f"check{block.index}")
        mask = arrived = e.load("i32", self.record.mask_pointer(block.index))
        if block.sync is not None:
            mask = mask | e.load("i32", self.record.mask_pointer(len(self.blocks) + block.index))
        run = f"run{block.index}"
        e.branch(mask.eq(0), self._label_after(block), run)
        e.label(run)
        self.k.mask = mask
        if self.pausing is not None:
            self.pausing.ask(self.k, self.budget, block, mask, arrived)
            if block.index == 0:
                self.pausing.begin_cta(self.k)
        e.store(e.const("i32", 0), self.record.mask_pointer(block.index))

    def _finish(self) -> None:
        """No block is left to run in this pass."""
        e, k = self.e, self.k
        e.label(f"check{len(self.blocks)}")
        gone = k.warp.get("live").eq(0)
        e.branch(gone, "done", "alive")
        e.label("alive")
        waiting = self.budget.get().sgt(0)
        status = waiting.select(e.const("i32", int(WarpStatus.BLOCKED)), int(WarpStatus.YIELD))
        e.line(f"ret i32 {status.text}")
        e.label("done")
        e.line(f"ret i32 {int(WarpStatus.DONE)}")

    def count_instructions(self, lanes: LlvmValue, number: int) -> None:
        if number:
            executed = self.e.intrinsic("llvm.ctpop", lanes).zext("i64") * number
            self.k.launch.add("instructions", executed)

    # -- lanes --------------------------------------------------------------------------------------------------------

    @contextmanager
    def lanes(self, mask: LlvmValue, accumulators: int = 0) -> Iterator[list[LlvmValue]]:
        """Runs its body for each lane of a mask; the body may replace the accumulators (i32) that it is given."""
        e, k = self.e, self.k
        head, exit_ = e.fresh("lane"), e.fresh("lanes")
        origin = e.block
        names = [f"%{e.fresh('r')}" for _ in range(accumulators + 1)]
        at = len(e.lines) + 2
        e.jump(head)
        e.label(head)
        left = LlvmValue(e, "i32", names[0])
        sums = [LlvmValue(e, "i32", names[1 + i]) for i in range(accumulators)]
        k.lane = e.intrinsic("llvm.cttz", left, True)
        k.lane64 = k.lane.zext("i64")
        k.bit = left & -left
        k.values = {}
        yield sums
        after = left & (left - 1)
        latch = e.block
        phis = [f"  {names[0]} = phi i32 [ {mask.text}, %{origin} ], [ {after.text}, %{latch} ]"]
        for i, value in enumerate(sums):
            phis.append(f"  {names[1 + i]} = phi i32 [ 0, %{origin} ], [ {value.text}, %{latch} ]")
        e.lines[at:at] = phis
        e.branch(after.eq(0), exit_, head)
        e.label(exit_)

    # -- plain blocks -------------------------------------------------------------------------------------------------

    def _run(self, block: FlatBlock) -> None:
        t = block.terminator
        lanes = self.k.mask
        self.count_instructions(lanes, block.size)
        if self.counting is not None:
            self.counting.begin(self.k, block.ops, t)
        self.wgmma.meet([*operations(block.ops)])
        guarded = t is not None and t.guard is not None
        if not block.ops and not guarded and (t is None or t.opcode != "brx"):
            self._leave(block, lanes, lanes)
            return
        chooses = any(not isinstance(step, Op) for step in block.ops)
        if chooses:
            self.extra.set(0)
        sums = self._run_lanes(block, lanes, guarded=guarded)
        self.k.probe.end(self.k, lanes)
        if chooses:
            self.k.launch.add("instructions", self.extra.get().zext("i64"))
        taken = sums[0] if guarded else lanes
        if self.counting is not None:
            self.counting.end(self.k, t, taken)
        self._leave(block, lanes, taken)

    def _run_lanes(self, block: FlatBlock, lanes: LlvmValue, *, guarded: bool) -> list[LlvmValue]:
        """Runs the block for all lanes of a mask, several at once or one after the other: those that take its guarded branch."""
        k, t = self.k, block.terminator
        several = self._run_several(block, lanes, guarded=guarded) if self.lanes_at_once else None
        if several is not None:
            return several
        k.probe.begin(k, block.ops)
        with self.lanes(lanes, int(guarded)) as sums:
            self._straight(block)
            if guarded:
                sums[0] = sums[0] | self._taking(block).select(k.bit, 0)
            if t is not None and t.opcode == "brx":
                k.op = t
                self._branch_indexed(block, t)
        return sums

    def _run_several(self, block: FlatBlock, lanes: LlvmValue, *, guarded: bool) -> list[LlvmValue] | None:
        """`_run_lanes`, several at once; None, and nothing is written, where that cannot be."""
        from ptxgen.cpu.lower.vector import fits, groups_of_lanes

        e, k = self.e, self.k
        if not fits(block):
            return None
        lines, before = e.lines, (e.block, len(e.lines), len(k.cold))
        entered = k.entered()
        k.probe.begin(k, block.ops, several=True)
        try:
            with groups_of_lanes(k, lanes, self.lanes_at_once, int(guarded)) as sums:
                self._straight(block)
                if guarded:
                    sums[0] = sums[0] | self._taking(block).resize("i32") << k.first
            return sums
        except OneLaneError:
            e.lines, (e.block, written, cold) = lines, before
            del lines[written:], k.cold[cold:]
            leave_lanes(k)
            k.forget(entered)
            return None

    def _taking(self, block: FlatBlock) -> LlvmValue:
        """Does the lane in hand take the branch? Of several lanes, those that do, as an integer."""
        k = self.k
        assert block.terminator is not None
        k.op = block.terminator
        condition = k.guard()
        assert condition is not None
        return self.e.lanes_set(k.active & condition) if k.lanes else condition

    def _straight(self, block: FlatBlock) -> None:
        """The block's steps in the lane in hand; registers that live on are stored at the end."""
        k, regs, t = self.k, self.kernel.regs, block.terminator
        needed = block.live_in & (block.effect.needs | block.effect.touches)
        k.values = {regs[i]: self.record.load_register(regs[i]) for i in members(needed)}
        self._steps(block.ops, block.live_out | (0 if t is None or t.guard is None else 1 << t.guard.id))
        for i in members(block.effect.touches & block.live_out):
            self.record.store_register(regs[i], k.values[regs[i]])

    def _steps(self, steps: Sequence[Step], needed: int) -> None:
        """Straight code, behind which these registers are needed."""
        k = self.k
        with k.checks(plan_checks(steps)):
            for i, step in enumerate(steps):
                if isinstance(step, Op):
                    if self.counting is not None:
                        self.counting.operation(k, step)
                    guard = self.pausing.guard_of(k, step) if self.pausing is not None else None
                    lower_operation(k, step)
                    if self.pausing is not None:
                        self.pausing.wrote(k, step, k.bit if guard is None else guard.select(k.bit, 0))
                else:
                    rest = effect(steps[i + 1 :])
                    self._choose(step, rest.needs | (needed & ~rest.sets))

    def _choose(self, choice: Choice, needed: int) -> None:
        """The lane in hand takes one of two arms, behind which these registers are needed."""
        k = self.k
        k.op = choice.branch
        condition = k.guard()
        assert condition is not None
        sides = (condition, ~condition)
        needed |= effect(choice.otherwise).needs
        arms = self.counting.choice(k, choice, condition) if self.counting is not None else (None, None)
        for holds, steps, size, arm in zip(sides, (choice.then, choice.otherwise), choice.sizes, arms):
            if size:
                with k.when(holds, needed), nullcontext() if self.counting is None else self.counting.inside(arm):
                    number = self.e.intrinsic("llvm.ctpop", k.active_bits()) if k.lanes else self.e.const("i32", 1)
                    self.extra.set(self.extra.get() + number * size)
                    self._steps(steps, needed)

    def _branch_indexed(self, block: FlatBlock, t: Op) -> None:
        """brx.idx: each lane puts itself into the mask of its own target (manual 9.7.12.3)."""
        e, k = self.e, self.k
        with k.when(k.guard()):
            index = k.read(t.operands[0], TYPES["u32"])
            k.fault_if(index.uge(len(block.targets)), FaultKind.BRANCH_INDEX, index)
            table = f"@targets{block.index}"
            numbers = ", ".join(f"i32 {target.index}" for target in block.targets)
            e.module.heads.append(f"{table} = private constant [{len(block.targets)} x i32] [{numbers}]")
            target = e.load("i32", e.element("i32", LlvmValue(e, "ptr", table), index.zext("i64")))
            if self.counting is not None:
                self.counting.indexed(k, index)
            pointer = e.element("i32", self.record.mask_pointer(0), target.zext("i64"))
            e.store(e.load("i32", pointer) | k.bit, pointer)

    # -- where lanes go -----------------------------------------------------------------------------------------------

    def _leave(self, block: FlatBlock, lanes: LlvmValue, taken: LlvmValue) -> None:
        """Hands `taken` to the terminator and the other lanes to the block that follows."""
        t = block.terminator
        if t is not None and t.opcode == "exit":
            self._exit(taken, t)
        elif t is not None and t.opcode == "bra":
            self.send(block.targets[0], taken)
        if block.following is not None:
            self.send(block.following, lanes if taken is lanes else lanes & ~taken)
        self.jump_back(block)

    def send(self, block: FlatBlock, lanes: LlvmValue) -> None:
        """The lanes go to a block."""
        pointer = self.record.mask_pointer(block.index)
        self.e.store(self.e.load("i32", pointer) | lanes, pointer)

    def _exit(self, lanes: LlvmValue, op: Op) -> None:
        """The lanes are gone, their copies done; a barrier that counts every thread may be complete without them."""
        e, k = self.e, self.k
        if self.record.has_copies:
            k.probe.exits(k, k.copies.pointer, lanes, op)
            e.invoke("copies_exit", k.copies.pointer, k.warp.pointer, lanes)
            e.break_if(k.launch.get("fault_kind").ne(0), "faulted")
        if k.has_wgmma:
            with e.if_(k.warp.get("live").eq(lanes)):
                e.invoke("wgmma_exit", k.wgmma.pointer, k.warp.pointer)
            e.break_if(k.launch.get("fault_kind").ne(0), "faulted")
        if self.has_barriers:
            e.invoke("lanes_exit", k.warp.pointer, lanes)
        else:
            k.warp.set("live", k.warp.get("live") & ~lanes)
            k.cta.set("alive", k.cta.get("alive") - e.intrinsic("llvm.ctpop", lanes))
        if self.has_clusters:
            e.invoke("cluster_complete", k.warp.pointer, lanes & ~k.warp.get("in_cluster"))
        if self.has_tensor_memory:
            with e.if_(k.cta.get("alive").eq(0) & k.cta.get("tensor_used").ne(0)):
                kind, number = (e.const("i32", int(n)) for n in (FaultKind.TENSOR_MEMORY_LEAK, op.index))
                lane, used = e.intrinsic("llvm.cttz", lanes, True), k.cta.get("tensor_used").zext("i64")
                e.invoke("fault", k.warp.pointer, kind, number, lane, used, e.const("i32", 0))
                e.leave("faulted")

    def jump_back(self, block: FlatBlock) -> None:
        """Goes to an earlier block that has lanes now, while the budget lasts."""
        e = self.e
        for index in sorted({s.index for s in block.successors if s.index <= block.index}):
            back, on = e.fresh("back"), e.fresh("on")
            e.branch(e.load("i32", self.record.mask_pointer(index)).ne(0), back, on)
            e.label(back)
            left = self.budget.get() - 1
            self.budget.set(left)
            if self.counting is not None:
                self._yield_whole(left, self.blocks[index : block.index + 1])
            e.branch(left.sgt(0), f"check{index}", on)
            e.label(on)

    def _yield_whole(self, left: LlvmValue, loop: Sequence[FlatBlock]) -> None:
        """What is counted is a warp whose lanes wait for each other behind a loop, as they do on a GPU: so when its budget is
        spent it has other warps run, and goes on in the loop. Where lanes may wait there for those behind it, these run now and
        then."""
        waiting = any(waits(op) for block in loop for op in all_operations(block))
        e, k = self.e, self.k
        spent, turn, rest = e.fresh("spent"), e.fresh("turn"), e.fresh("rest")
        e.branch(left.eq(0), spent, rest)  # below, lanes behind a loop have their turn already
        e.label(spent)
        e.branch((k.launch.get("rounds") & (_WAITING if waiting else _WORKING)).eq(0), rest, turn)
        e.label(turn)
        e.line(f"ret i32 {int(WarpStatus.YIELD)}")
        e.label(rest)

    # -- sync blocks --------------------------------------------------------------------------------------------------

    def _run_sync(self, block: FlatBlock, op: Op) -> None:
        """An operation of several lanes: the chapter's function decides when the lanes at it may go on."""
        found = find(op.op)
        assert found is not None
        self.k.op = op
        self.k.values = {}
        self.wgmma.meet([op])
        self.k.reload = self.record.load_register
        found[0].function(SyncBlock(self, block, op), found[1], op)
        self.k.reload = None
        if self.counting is not None:
            self.counting.flush(self.k)
        self.jump_back(block)
