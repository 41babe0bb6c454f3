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

import ctypes
from contextlib import contextmanager, nullcontext
from itertools import accumulate
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.blocks import Choice, FlatBlock, Step, definitions, members, operations, register_set, uses
from ptxgen.cpu.cfg import build_blocks
from ptxgen.cpu.debugger.debug_record import DEBUG
from ptxgen.cpu.emit import BITS, Emitter, LlvmValue, ModuleText
from ptxgen.cpu.flat import FlatKernel, Op, Reg
from ptxgen.cpu.lower.checks import plan_checks
from ptxgen.cpu.lower.context import SLOT, LoweringContext, Static, representation
from ptxgen.cpu.lower.matrix_wgmma import owner
from ptxgen.cpu.lower.registry import find
from ptxgen.cpu.lower.special import WORKSPACE, read_special
from ptxgen.cpu.lower.sync import SyncBlock
from ptxgen.cpu.lower.windows import has_ranks
from ptxgen.cpu.profiler.counters import TOOL
from ptxgen.cpu.record_layout import WarpStatus
from ptxgen.cpu.relocatable import KernelCode
from ptxgen.cpu.rt.matrix.signature import PREFIX
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.sanitizer.probe import Probe
from ptxgen.cpu.unsupported import unsupported
from ptxgen.ir import Special
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


__all__ = ["WarpFunction", "lower_kernel", "lower_operation"]

_WAITING, _WORKING = 0xF, 0xFFFF
"""Of a warp that counts: lanes behind its loops run in rounds without these bits, where loops may wait for memory, and where
they do not."""


def _kernel_code(
    module: ModuleText, function: WarpFunction, kernel: FlatKernel, blocks: list[FlatBlock], probe: Probe
) -> KernelCode:
    tools = {TOOL} if probe.counting is not None else set()
    tools |= {DEBUG} if probe.pausing is not None else set()
    return KernelCode(
        text=str(module),
        matrices=tuple(name for name in module.declarations if name.startswith(PREFIX)),
        polls=any(_polls(op) for op in kernel.ops),
        uses_sync=any(b.sync is not None for b in blocks),
        uses_copies=uses_copies(kernel),
        uses_tensor_memory=_uses_tensor_memory(kernel),
        ranked=has_ranks(kernel),
        warp_bytes=function.warp_bytes(),
        copies_offset=function.copies_offset(),
        slot_bytes=function.k.slots * SLOT,
        waits=tuple((len(blocks) + b.index, b.sync.index) for b in blocks if b.sync is not None),
        places=tuple(_place(b) for b in blocks),
        live_words=_most_live_words(kernel, blocks),
        takes_workspace=any(
            isinstance(each, Special) and each.name.lstrip("%") in WORKSPACE
            for op in kernel.ops
            for each in op.operands
        ),
        prints=any(op.opcode == "vprintf" for op in kernel.ops),
        uses_stack=kernel.uses_stack,
        uses_multicast=any(op.opcode == "multimem" for op in kernel.ops),
        uses_textures=any(op.opcode in opcodes_with("image") for op in kernel.ops),
        uses_heap=any(op.opcode in ("malloc", "free") for op in kernel.ops),
        layers=probe.layers,
        tools=tuple(sorted(probe.tools | tools)),
        leaders=tuple(probe.counting.leaders) if probe.counting else (),
        registers=function.register_offsets() if probe.pausing else (),
        written=function.end_of_record() if probe.pausing else 0,
    )


def uses_copies(kernel: FlatKernel) -> bool:
    """Do its warps need room for what is under way: asynchronous copies, waits for mbarriers, wgmma?"""
    return (
        _uses_tensor_memory(kernel)
        or _uses_wgmma(kernel)
        or any(op.opcode == "mbarrier" or _copies(op) for op in kernel.ops)
    )


def _uses_wgmma(kernel: FlatKernel) -> bool:
    return any(op.opcode == "wgmma" for op in kernel.ops)


def _uses_tensor_memory(kernel: FlatKernel) -> bool:
    return any(op.opcode == "tcgen05" for op in kernel.ops)


def _copies(op: Op) -> bool:
    words = op.op.split(".")
    plain_prefetch = "prefetch" in words and "tensor" not in words  # one of a tensor checks its map, as its copy does
    return "async" in words and not plain_prefetch and op.opcode not in opcodes_with("fence")


def _place(block: FlatBlock) -> int:
    """The operation by which a report names the block; -1 for one without any."""
    passed = []
    while not (ops := _operations(block)) and block.following is not None and block not in passed:
        passed.append(block)  # lanes that are at a label
        block = block.following
    reads = (op for op in ops if op.opcode in _READS)
    return next(reads, ops[0]).index if ops else -1


def _operations(block: FlatBlock) -> list[Op]:
    """All of a block."""
    return [*operations(block.ops), *(op for op in (block.sync, block.terminator) if op is not None)]


_READS = frozenset({"mbarrier", *opcodes_with("load", "atomic")})


def _polls(op: Op) -> bool:
    """May the operation see what another CTA writes while both run?"""
    words = op.op.split(".")
    if words[0] in opcodes_with("atomic"):
        return "global" in words or not any(w.startswith("shared") for w in words)
    return words[0] == "ld" and any(w in ("volatile", "relaxed", "acquire", "mmio", "cg", "cv") for w in words)


def _waits(op: Op) -> bool:
    """May a loop around the operation wait for another thread, of its own warp too?"""
    return (
        op.opcode == "atom"
        or op.opcode == "mbarrier"
        or (op.opcode == "ld" and (_polls(op) or "shared::cluster" in op.op))
    )


def _most_live_words(kernel: FlatKernel, blocks: list[FlatBlock]) -> int:
    """32-bit registers that live values take at the start of the block where they take most."""
    wide = sum(1 << reg.id for reg in kernel.regs if reg.type.bits > 32)
    return max((b.live_in.bit_count() + (b.live_in & wide).bit_count() for b in blocks), default=0)


def lower_kernel(kernel: FlatKernel, statics: dict[str, Static], tools: frozenset[str] = frozenset()) -> KernelCode:
    """The module that runs one kernel; it exports `warp`. `tools` of the sanitizer watch it, the profile counts, a debugger
    pauses it. Raises UnsupportedError."""
    blocks, uniform = build_blocks(kernel, whole=TOOL in tools, single=DEBUG in tools)
    module = ModuleText()
    module.heads.append('!0 = !{!"branch_weights", i32 2000, i32 1}')
    e = Emitter(module)
    probe = Probe(kernel, tools)
    code = WarpFunction(e, kernel, blocks, uniform, statics, probe)
    body = code.write()
    module.heads.insert(0, code.state_type())
    module.functions.append(body)
    return _kernel_code(module, code, kernel, blocks, probe)


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
    ) -> None:
        self.e = e
        self.kernel = kernel
        self.blocks = blocks
        self.k = LoweringContext(e, kernel, statics, read_special, probe)
        self.counting = probe.counting
        self.pausing = probe.pausing
        for op in uniform:
            self.k.lower_uniform(op, lower_operation)
        self.arrays = self._choose_arrays()
        self.has_copies = uses_copies(kernel)
        self.has_tensor_memory = _uses_tensor_memory(kernel)
        self.has_wgmma = self.k.has_wgmma
        self.owners = self._accumulators()
        self.products, self.factors = self._registers_of_wgmma()
        self.has_barriers = any(b.sync is not None and b.sync.opcode in opcodes_with("barrier") for b in blocks)
        self.has_clusters = any(b.sync is not None and b.sync.op.startswith("barrier.cluster") for b in blocks)
        if self.pausing is not None:
            self.pausing.written = self.end_of_record()
        self.budget = e.var("i32")
        self.extra = e.var("i32")  # instructions that lanes have executed inside choices of the block in hand

    # -- the warp's record --------------------------------------------------------------------------------------------

    def _choose_arrays(self) -> dict[Reg, int]:
        """Registers that live in memory -> field of the state type: those that cross blocks or belong to sync operations."""
        word = 0
        for block in self.blocks:
            word |= block.live_in
            if block.sync is not None:
                word |= register_set([*uses(block.sync), *definitions(block.sync)])
        found = [reg for i in members(word) if (reg := self.kernel.regs[i]) not in self.k.uniform_values]
        return {reg: 3 + i for i, reg in enumerate(found)}

    def _accumulators(self) -> dict[Reg, int]:
        """The accumulators of wgmma -> the bits of the instructions that they belong to."""
        found: dict[Reg, int] = {}
        for block in self.blocks:
            if block.sync is not None and block.sync.op.startswith("wgmma.mma_async"):
                for reg in definitions(block.sync):
                    found[reg] = found.get(reg, 0) | owner(block.sync)
        return found

    def _registers_of_wgmma(self) -> tuple[dict[Reg, list[int]], dict[Reg, list[int]]]:
        """Accumulators, and registers of A -> the numbers of the instructions that have them."""
        products: dict[Reg, list[int]] = {}
        factors: dict[Reg, list[int]] = {}
        for op in (block.sync for block in self.blocks):
            if op is not None and op.op.startswith("wgmma.mma_async"):
                for operand, found in zip(op.operands, (products, factors)):
                    for reg in operand if isinstance(operand, tuple) else ():
                        if isinstance(reg, Reg):
                            found.setdefault(reg, []).append(op.index)
        return products, factors

    def _check_registers(self, block: FlatBlock) -> None:
        """Lets asynccheck look at each operation on registers that wgmma may have; once for those of the same instructions."""
        e, k, seen = self.e, self.k, set[tuple[int, ...]]()
        for op in operations(block.ops) if k.probe.watches_registers else ():
            if op.opcode == "mov":  # compilers rename registers so
                continue
            written = definitions(op)
            found = {number for reg in (*uses(op), *written) for number in self.products.get(reg, ())}
            found |= {number for reg in written for number in self.factors.get(reg, ())}
            numbers = tuple(sorted(found))
            if numbers and numbers not in seen:
                seen.add(numbers)
                with e.if_(k.wgmma.get("first").ne(k.wgmma.get("next"))):
                    k.probe.registers(k, k.wgmma.pointer, op, numbers)

    def _settle_moved(self, block: FlatBlock) -> None:
        """Products whose accumulators are moved to other registers in the block are done. Compilers rename registers so while
        wgmma has them, and assemblers take the two for one."""
        owners = 0
        for op in operations(block.ops):
            if op.opcode == "mov":
                for reg in uses(op):
                    owners |= self.owners.get(reg, 0)
        if owners:
            e, k = self.e, self.k
            with e.if_(k.wgmma.get("first").ne(k.wgmma.get("next"))):
                e.invoke("wgmma_touch", k.wgmma.pointer, k.warp.pointer, e.const("i64", owners))
                e.break_if(k.launch.get("fault_kind").ne(0), "faulted")

    def state_type(self) -> str:
        count = len(self.blocks)
        header = ctypes.sizeof(record_layout.Warp)
        pad = -(header + 8 * count) % 16
        fields = [f"[{header} x i8]", f"[{2 * count} x i32]", f"[{pad} x i8]"]
        fields += [f"[32 x {_stored(reg)}]" for reg in self.arrays]
        if self.has_copies:
            fields.append(f"[{ctypes.sizeof(record_layout.Copies)} x i8]")
        if self.has_wgmma:
            fields.append(f"[{ctypes.sizeof(record_layout.WgmmaQueue)} x i8]")
        if self.pausing is not None:
            fields.append(f"[{self.pausing.registers} x i32]")
        return f"%State = type <{{ {', '.join(fields)} }}>"

    def register_offsets(self) -> tuple[int, ...]:
        """Where the values of each register with an array begin in the record of a warp, and behind all of them."""
        size = ctypes.sizeof(record_layout.Warp) + 8 * len(self.blocks)
        sizes = [32 * max(BITS[_stored(reg)], 8) // 8 for reg in self.arrays]
        return tuple(accumulate(sizes, initial=size + -size % 16))

    def copies_offset(self) -> int:
        """Where Copies lie in the record of a warp that has them: behind its registers."""
        return self.register_offsets()[-1]

    def end_of_record(self) -> int:
        """What lies behind the queues of a warp, where it has such."""
        size = self.copies_offset() + (ctypes.sizeof(record_layout.Copies) if self.has_copies else 0)
        return size + (ctypes.sizeof(record_layout.WgmmaQueue) if self.has_wgmma else 0)

    def warp_bytes(self) -> int:
        size = self.end_of_record() + (4 * self.pausing.registers if self.pausing is not None else 0)
        return -(-size // 64) * 64

    def mask_pointer(self, index: int) -> LlvmValue:
        return self.e.op("ptr", f"getelementptr inbounds %State, ptr %warp, i64 0, i32 1, i64 {index}")

    def array_pointer(self, reg: Reg) -> LlvmValue:
        return self.e.op("ptr", f"getelementptr inbounds %State, ptr %warp, i64 0, i32 {self.arrays[reg]}")

    def array_offset(self, reg: Reg) -> str:
        """The byte of the warp's record at which a register's array begins, as an LLVM constant."""
        return f"i32 ptrtoint (ptr getelementptr (%State, ptr null, i64 0, i32 {self.arrays[reg]}) to i32)"

    def register_pointer(self, reg: Reg) -> LlvmValue:
        lane = self.k.lane64.text
        return self.e.op("ptr", f"getelementptr inbounds %State, ptr %warp, i64 0, i32 {self.arrays[reg]}, i64 {lane}")

    def load_register(self, reg: Reg) -> LlvmValue:
        if reg not in self.arrays:
            return self.e.undef(representation(reg.type))
        value = self.e.load(_stored(reg), self.register_pointer(reg))
        return value.trunc("i1") if reg.type.kind == "p" else value

    def store_register(self, reg: Reg, value: LlvmValue) -> None:
        self.e.store(value.zext("i8") if value.type == "i1" else value, self.register_pointer(reg))

    # -- the whole ----------------------------------------------------------------------------------------------------

    def write(self) -> str:
        e, k = self.e, self.k
        if self.has_copies:
            e.allocas.append(f"  {k.copies.pointer.text} = getelementptr i8, ptr %warp, i64 {self.copies_offset()}")
        if self.has_wgmma:
            behind = self.copies_offset() + ctypes.sizeof(record_layout.Copies)
            e.allocas.append(f"  {k.wgmma.pointer.text} = getelementptr i8, ptr %warp, i64 {behind}")
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
        mask = arrived = e.load("i32", self.mask_pointer(block.index))
        if block.sync is not None:
            mask = mask | e.load("i32", self.mask_pointer(len(self.blocks) + block.index))
        run = f"run{block.index}"
        e.branch(mask.eq(0), self._label_after(block), run)
        e.label(run)
        self.k.mask = mask
        if self.pausing is not None:
            self.pausing.ask(self.k, self.budget, block, mask, arrived)
            if block.index == 0:
                self.pausing.begin_cta(self.k)
        e.store(e.const("i32", 0), self.mask_pointer(block.index))

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
        if self.owners:
            self._check_registers(block)
            self._settle_moved(block)
        guarded = t is not None and t.guard is not None
        if not block.ops and not guarded and (t is None or t.opcode != "brx"):
            self._leave(block, lanes, lanes)
            return
        chooses = any(not isinstance(step, Op) for step in block.ops)
        if chooses:
            self.extra.set(0)
        self.k.probe.begin(self.k, block.ops)
        with self.lanes(lanes, int(guarded)) as sums:
            self._straight(block)
            if t is not None:
                self.k.op = t
                condition = self.k.guard()
                if condition is not None:
                    sums[0] = sums[0] | condition.select(self.k.bit, 0)
                if t.opcode == "brx":
                    self._branch_indexed(block, t)
        self.k.probe.end(self.k, lanes)
        if chooses:
            self.k.launch.add("instructions", self.extra.get().zext("i64"))
        taken = sums[0] if guarded else lanes
        if self.counting is not None:
            self.counting.end(self.k, t, taken)
        self._leave(block, lanes, taken)

    def _straight(self, block: FlatBlock) -> None:
        """The block's steps in the lane in hand; registers that live on are stored at the end."""
        k, regs = self.k, self.kernel.regs
        needed = block.live_in & (block.effect.needs | block.effect.touches)
        k.values = {regs[i]: self.load_register(regs[i]) for i in members(needed)}
        self._steps(block.ops)
        for i in members(block.effect.touches & block.live_out):
            self.store_register(regs[i], k.values[regs[i]])

    def _steps(self, steps: Sequence[Step]) -> None:
        k = self.k
        with k.checks(plan_checks(steps)):
            for step in steps:
                if isinstance(step, Op):
                    if self.counting is not None:
                        self.counting.operation(k, step)
                    guard = self.pausing.guard_of(k, step) if self.pausing is not None else None
                    lower_operation(k, step)
                    if self.pausing is not None:
                        self.pausing.wrote(k, step, k.bit if guard is None else guard.select(k.bit, 0))
                else:
                    self._choose(step)

    def _choose(self, choice: Choice) -> None:
        """The lane in hand takes one of two arms."""
        k = self.k
        k.op = choice.branch
        condition = k.guard()
        assert condition is not None
        sides = (condition, ~condition)
        arms = self.counting.choice(k, choice, condition) if self.counting is not None else (None, None)
        for holds, steps, size, arm in zip(sides, (choice.then, choice.otherwise), choice.sizes, arms):
            if size:
                with k.when(holds), nullcontext() if self.counting is None else self.counting.inside(arm):
                    self.extra.set(self.extra.get() + size)
                    self._steps(steps)

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
            pointer = e.element("i32", self.mask_pointer(0), target.zext("i64"))
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
        pointer = self.mask_pointer(block.index)
        self.e.store(self.e.load("i32", pointer) | lanes, pointer)

    def _exit(self, lanes: LlvmValue, op: Op) -> None:
        """The lanes are gone, their copies done; a barrier that counts every thread may be complete without them."""
        e, k = self.e, self.k
        if self.has_copies:
            k.probe.exits(k, k.copies.pointer, lanes, op)
            e.invoke("copies_exit", k.copies.pointer, k.warp.pointer, lanes)
            e.break_if(k.launch.get("fault_kind").ne(0), "faulted")
        if self.has_wgmma:
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
            e.branch(e.load("i32", self.mask_pointer(index)).ne(0), back, on)
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
        waits = any(_waits(op) for block in loop for op in _operations(block))
        e, k = self.e, self.k
        spent, turn, rest = e.fresh("spent"), e.fresh("turn"), e.fresh("rest")
        e.branch(left.eq(0), spent, rest)  # below, lanes behind a loop have their turn already
        e.label(spent)
        e.branch((k.launch.get("rounds") & (_WAITING if waits else _WORKING)).eq(0), rest, turn)
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
        self.k.reload = self.load_register
        found[0].function(SyncBlock(self, block, op), found[1], op)
        self.k.reload = None
        if self.counting is not None:
            self.counting.flush(self.k)
        self.jump_back(block)


def lower_operation(k: LoweringContext, op: Op) -> None:
    """Writes one operation for the lane in hand."""
    found = find(op.op)
    assert found is not None
    lowering, form = found
    k.op = op
    if lowering.raw:
        lowering.function(k, form, op)
        return
    sources = op.operands[1:]
    types = lowering.source_types(form, len(sources))
    if len(types) != len(sources):
        raise unsupported(f"{op.op} with {len(op.operands)} operands", op.origin.source)
    result = lowering.function(k, form, *(k.read(s, t) for s, t in zip(sources, types)))
    k.set(op.operands[0], result, lowering.result_type(form))


def _stored(reg: Reg) -> str:
    """The type of a register's array element."""
    kind = representation(reg.type)
    return "i8" if kind == "i1" else kind
