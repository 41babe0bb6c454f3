"""What lowerings call for each access of memory and each barrier. It writes calls of the sanitizer's functions, for the tools
that a kernel is compiled for; without any, nothing."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ptxgen.cpu.debugger import DEBUG
from ptxgen.cpu.debugger.pausing import Pausing
from ptxgen.cpu.emit import LlvmValue
from ptxgen.cpu.lower.windows import Writer
from ptxgen.cpu.profiler.counters import TOOL
from ptxgen.cpu.profiler.counting import Counting
from ptxgen.cpu.record_layout import CopyRecord, LaneCopies
from ptxgen.cpu.rt.records import MemoryRecord
from ptxgen.cpu.sanitizer.batch import Batch
from ptxgen.cpu.sanitizer.bounds import block_of
from ptxgen.cpu.sanitizer.in_flight import COPY
from ptxgen.cpu.sanitizer.in_line import (
    WHOLLY_WRITTEN,
    address_of,
    bias,
    in_arena,
    kept,
    not_under_way,
    state_of_warp,
    written,
)
from ptxgen.cpu.sanitizer.initialised import note_written
from ptxgen.cpu.sanitizer.order import (
    ACQUIRES,
    COMPLETES,
    FENCES,
    GRID,
    NEAR_FENCES,
    NEAR_IN_CLUSTER,
    ORDERED,
    PROXIES,
    RELEASES,
    SCOPE_OF_CLUSTER,
)
from ptxgen.cpu.sanitizer.provenance import origin_of, origins
from ptxgen.cpu.sanitizer.state_layout import (
    ASYNC_ACCESS,
    CLUSTER_BARRIER,
    LAYERS,
    NEAR,
    SCOPE,
    SCOPES,
    UPDATE,
    WRITE,
)
from ptxgen.cpu.value import OneLaneError
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.blocks import Step
    from ptxgen.cpu.flat import FlatAddress, FlatKernel, Op
    from ptxgen.cpu.lower.reach import Reach
    from ptxgen.cpu.lower.windows import Lanes
    from ptxgen.cpu.sanitizer.batch import Kept
    from ptxgen.cpu.sanitizer.provenance import Origin

__all__ = ["Bounds", "Probe"]

_BEYOND_THE_CLUSTER = frozenset({"gpu", "sys", "gl"})
_BEYOND_THE_CTA = _BEYOND_THE_CLUSTER | {"cluster"}


class BoundsWriter(Writer, Protocol):
    """A writer that has slots: a `context.LoweringContext`."""

    def slot(self) -> LlvmValue: ...


class Bounds(NamedTuple):
    """What an address was made from: where it begins, as addresses of its space count, and its bytes, i64s that are the same
    for every lane. `value` is that of the parameter, None for a shared variable."""

    name: str
    start: LlvmValue
    nbytes: LlvmValue
    origin: Origin
    value: LlvmValue | None

    def holds(self, offset: int, nbytes: int) -> bool:
        """Do so many bytes certainly lie there, at a multiple of their number?"""
        return self.nbytes.number is not None and offset % nbytes == 0 and offset + nbytes <= self.nbytes.number


class Probe:
    """Of one kernel. `tools` are those that it is compiled for; `counting` is there where the profile is one of them, `pausing`
    where the debugger is."""

    __slots__ = (
        "_async", "_batch", "_cluster_fences", "_fences", "_initialised", "_kernel", "_origins", "_races", "_syncs",
        "_wide_fences", "counting", "layers", "pausing", "tools",
    )  # fmt: skip

    def __init__(self, kernel: FlatKernel, tools: frozenset[str] = frozenset()) -> None:
        self.counting = Counting(len(kernel.ops)) if TOOL in tools else None
        self.pausing = Pausing(len(kernel.regs)) if DEBUG in tools else None
        self.tools = tools - {TOOL, DEBUG}
        self._kernel = kernel
        self._origins = origins(kernel) if "memcheck" in tools else None
        self._races = "racecheck" in tools
        self._fences = any(op.opcode in opcodes_with("fence") for op in kernel.ops)
        self._wide_fences = any(_orders_ctas(op.op) for op in kernel.ops)
        fences = {_fence(op.op) for op in kernel.ops}
        self._cluster_fences = any(_fence(op.op) == NEAR_FENCES and "cluster" in op.op for op in kernel.ops)
        proxies = any(op.opcode == "wgmma" or ".bulk" in op.op for op in kernel.ops) or bool(fences - {0})
        self.layers = (NEAR + 1 if NEAR_FENCES in fences else LAYERS) if self._races and proxies else 1
        self._initialised = "initcheck" in tools
        self._syncs = "synccheck" in tools
        self._batch: Batch | None = None
        self._async = "asynccheck" in tools and any(is_asynchronous(op) for op in kernel.ops)

    # -- accesses -----------------------------------------------------------------------------------------------------

    def access(
        self, k: Writer, pointer: LlvmValue, space: str, size: int, *, write: bool, strong: bool = False,
        updates: bool = False, scope: str | None = None, values: Sequence[LlvmValue] = (), line: LlvmValue | None = None,
    ) -> None:  # fmt: skip
        """The lane in hand touches `size` bytes at a checked pointer. `space` is the instruction's, "" for a generic address;
        `strong`: atomic, volatile, or with an order and a scope (manual 8.3.1), `scope` where it is stated; `updates`: it writes,
        and reads before; `values`: what it writes, where that is known; `line`: the number of the lane for which it does, where
        that is another."""
        if self.counting is not None:
            self.counting.access(k, pointer, space, size, k.lane if line is None else line)
        self._watch(k, pointer, space, size, write=write, strong=strong, updates=updates, scope=scope, values=values)

    def _watch(
        self, k: Writer, pointer: LlvmValue, space: str, size: int, *, write: bool, strong: bool = False,
        updates: bool = False, scope: str | None = None, values: Sequence[LlvmValue] = (),
    ) -> None:  # fmt: skip
        """`access`, for the sanitizer alone."""
        if not self.tools:
            return
        run, where = k.e.const("i32", size), address_of(k.e, pointer)
        later: frozenset[str] = frozenset()
        if self._batch is not None and not strong and not updates:
            later = self._batch.takes(space)
            if later:
                stored = values if self._races else ()
                self._batch.access(k, where, size, write=write, values=stored)
        fast = self._initialised and size in WHOLLY_WRITTEN and space not in ("param", "const")
        if fast and "initcheck" not in later:
            written(k, pointer, space, size, write=write, updates=updates)
        if self._async and space in _SHARED:
            not_under_way(k, where, space, size, write=write, values=values)
        self._watch_run(
            k, where, space, run, write=write, strong=strong, updates=updates, scope=scope, values=values, partly=fast,
            later=later,
        )  # fmt: skip

    def takes_lanes(self, space: str, *, write: bool) -> None:
        """Raises OneLaneError where what several lanes touch at once in that space must be told of lane by lane."""
        told = not self._races or (self._batch is not None and self._batch.takes_lanes(space, write=write))
        if (self._async and space in _SHARED) or (space not in ("param", "const") and not told):
            raise OneLaneError

    def stores(self, k: Lanes, reach: Reach, offset: int, space: str, size: int) -> Kept | None:
        """`lanes_access`, of a store that is about to be done: where it is kept what it writes, None where nobody asks."""
        if self._batch is None or not self._batch.takes(space):
            return None
        return self._batch.stores(k, reach.addresses(offset), size)

    def lanes_access(self, k: Lanes, reach: Reach, offset: int, space: str, size: int, *, write: bool) -> None:
        """`access`, of the lanes in hand, when it is done; of a store, what `stores` has not been told."""
        if not write and self._batch is not None and self._batch.takes(space):
            self._batch.access(k, reach.addresses(offset), size, write=False, values=())
        if not self._initialised or space in ("param", "const"):
            return
        e = k.e
        own = None if space == "shared" else in_arena(k, reach.first + offset, k.lanes * size)
        with k.unlikely(note_written(k, reach, offset, size, own, bias(k), write=write)) as go_on:
            addresses = reach.addresses(offset)
            with k.each_alone(k.active) as i:
                written(k, e.ptr(e.extract(addresses, i)), space, size, write=write, updates=False)
            e.jump(go_on)

    def same_access(self, k: Lanes, pointer: LlvmValue, space: str, size: int) -> None:
        """A read by the lanes in hand of one place; of them one is told."""
        if self._batch is not None and self._batch.takes(space):
            self._batch.access(k, address_of(k.e, pointer), size, write=False, values=())
        if self._initialised and space not in ("param", "const"):
            written(k, pointer, space, size, write=False, updates=False)

    def begin(self, k: Writer, steps: Sequence[Step], *, several: bool = False) -> None:
        """The lanes are about to run a block, one after the other or several at once."""
        tools = self.tools & ({"racecheck"} if several else {"initcheck", "racecheck"})
        self._batch = Batch(steps, tools, len(k.e.lines)) if tools else None

    def end(self, k: Writer, lanes: LlvmValue) -> None:
        """The lanes have run the block."""
        if self._batch is not None:
            self._batch.tell(k, lanes, state_of_warp(k))
            self._batch = None

    def run(
        self, k: Writer, address: LlvmValue, space: str, size: LlvmValue, *, write: bool, strong: bool = False,
        updates: bool = False, values: Sequence[LlvmValue] = (), partly: bool = False, by_copy: bool = False,
    ) -> None:  # fmt: skip
        """The same for bytes, an i32, that are known only at run time, at an address of the machine, an i64. `partly`: some of
        what is read may be of no account."""
        if self.counting is not None:
            self.counting.run(k, address, space, size)
        self._watch_run(
            k, address, space, size, write=write, strong=strong, updates=updates, values=values, partly=partly,
            by_copy=by_copy,
        )  # fmt: skip

    def _watch_run(
        self, k: Writer, address: LlvmValue, space: str, size: LlvmValue, *, write: bool, strong: bool,
        updates: bool, values: Sequence[LlvmValue], partly: bool, scope: str | None = None, by_copy: bool = False,
        later: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        """`run`, for the sanitizer alone. The tools of `later` are told behind the block."""
        e = k.e
        if not self.tools:
            return
        flags = (WRITE if write else 0) | (UPDATE if updates else 0) | (ASYNC_ACCESS if by_copy else 0)
        flags |= SCOPES[scope or "sys"] << SCOPE if strong else 0
        given = (state_of_warp(k), address, size | flags, k.lane, e.const("i32", k.op.index))
        if self._initialised and space not in ("param", "const") and not partly:
            e.invoke("init_access", *given)
        if self._async and by_copy and space in _SHARED:
            e.invoke("async_access", *given, e.undef("ptr"))
        if self._races and space in ("", "shared", "shared::cluster", "global") and "racecheck" not in later:
            e.invoke("race_access" if space in ("shared", "global") else "race_elsewhere", *given, kept(k, values))

    def bounds(self, k: BoundsWriter, place: FlatAddress, space: str, size: int) -> Bounds | None:
        """Where the address of an access of `size` bytes should lie: in the shared variable or the allocation that it was made
        from. None where that is not known, or not asked."""
        if self._origins is None:
            return None
        e, origin = k.e, origin_of(place, self._kernel, self._origins)
        if origin is None or (origin.space == "shared" and (space == "global" or origin.offset % size)):
            return None
        if origin.space == "shared":
            start, nbytes = e.const("i64", origin.offset), e.const("i64", origin.end - origin.offset)
            if space == "":  # an address of the machine
                start = k.uniform(f"bounds.machine.{origin.offset}", lambda: k.cta.get("shared") + origin.offset)
            return Bounds(f"bounds.shared.{origin.offset}", start, nbytes, origin, None)
        name = f"bounds.{origin.offset}"
        slot = k.uniform(f"{name}.slot", k.slot)
        value = k.uniform(f"{name}.value", lambda: e.load("i64", e.offset(e.ptr(k.launch.get("param")), origin.offset)))
        start = k.uniform(f"{name}.start", lambda: e.use(block_of, k.launch.pointer, value, slot))
        return Bounds(name, start, k.uniform(f"{name}.bytes", lambda: e.load("i64", e.offset(slot, 8))), origin, value)

    def outside(self, k: Writer, bounds: Bounds, pointer: LlvmValue, size: int, number: int, *, write: bool) -> None:
        """The operation of that number may touch bytes outside these bounds; whether it does is asked here."""
        e = k.e
        access = e.const("i32", size | (WRITE if write else 0))
        given = (
            state_of_warp(k),
            address_of(e, pointer),
            access,
            k.lane,
            *(e.const("i32", n) for n in (number, bounds.origin.number)),
        )
        if bounds.value is not None:
            e.invoke("bounds_of_block", *given, bounds.value)
            return
        base = k.uniform("shared.address", lambda: k.cta.get("shared"))
        offset = given[1] - base - bounds.origin.offset
        with e.if_(offset.ugt(bounds.nbytes - size)):
            e.invoke("bounds_of_variable", *given)

    def takes(self, k: Writer, pointer: LlvmValue, size: int, taken: LlvmValue) -> None:
        """The lane in hand has so many bytes, an i32, of `size` read from global memory, and the rest is zeros."""
        if self.counting is not None:
            self.counting.access(k, pointer, "global", size, k.lane)
            self.counting.moves(k, "global", taken - size)
        where = address_of(k.e, pointer)
        self._watch_run(k, where, "global", taken, write=False, strong=False, updates=False, values=(), partly=False)

    def moves(self, k: Writer, space: str, size: LlvmValue) -> None:
        """The lane in hand has so many bytes, an i32, of global memory moved; of where they lie nobody is told."""
        if self.counting is not None:
            self.counting.moves(k, space, size)

    def tensor(self, k: Writer, map_: LlvmValue, numbers: LlvmValue, *, write: bool, updates: bool = False) -> None:
        """The lane in hand has a box of a tensor in global memory read or written: pointers to the words of the map, and to the
        coordinates and offsets."""
        if self._races or self._initialised or self._origins is not None:
            flags = (WRITE if write else 0) | (UPDATE | SCOPES["gpu"] << SCOPE if updates else 0)
            numbered = (k.lane, k.e.const("i32", k.op.index))
            k.e.invoke("tensor_access", state_of_warp(k), map_, numbers, k.e.const("i32", flags), *numbered)

    def box(self, k: Writer, map_: LlvmValue, numbers: LlvmValue, address: LlvmValue) -> None:
        """The lane in hand has a box brought to an address of the machine, an i64, in shared memory."""
        if self._async:
            k.e.invoke("box_mark", state_of_warp(k), map_, numbers, address)

    # -- what is under way --------------------------------------------------------------------------------------------

    def started(self, k: Writer, address: LlvmValue, nbytes: LlvmValue, ring: int, number: LlvmValue) -> None:
        """The lane in hand has started what reads or writes so many bytes, an i32, of shared memory at an address, an i64. It has
        that number, an i32, in its ring, one of in_flight's."""
        if self._async:
            k.e.invoke("async_mark", state_of_warp(k), address, nbytes, k.lane, k.e.const("i32", ring), number)

    def copied(self, k: Writer, lane: MemoryRecord, to: LlvmValue, nbytes: int) -> None:
        """The lane in hand has started a cp.async, the last one in its record."""
        if self._async:
            e = k.e
            number = lane.get("next") - 1
            place = (number & (LaneCopies.SIZE - 1)).zext("i64") * ctypes.sizeof(CopyRecord)
            entry = MemoryRecord(e, CopyRecord, e.offset(lane.pointer_to("copies"), place))
            entry.set("instruction", k.op.index)
            self.started(k, to, e.const("i32", nbytes), COPY, number)

    def matrix(
        self, k: Writer, queue: LlvmValue, descriptor: LlvmValue, lines: int, chunks: int, transposed: LlvmValue
    ) -> None:
        """The warp has issued a wgmma that reads a matrix in shared memory of so many lines, of chunks of 16 bytes."""
        if self._races or self._initialised or self._async:
            e = k.e
            given = (e.const("i32", lines), e.const("i32", chunks), transposed, e.const("i32", k.op.index))
            e.invoke("matrix_access", state_of_warp(k), queue, descriptor, *given)

    def registers(self, k: Writer, queue: LlvmValue, op: Op, instructions: Sequence[int]) -> None:
        """The warp is about to execute an operation on registers that belong to wgmma of these instructions."""
        e = k.e
        name = f"@wgmma{op.index}"
        numbers = ", ".join(f"i32 {number}" for number in instructions)
        e.module.heads.append(f"{name} = private constant [{len(instructions)} x i32] [{numbers}]")
        lane, number = e.intrinsic("llvm.cttz", k.mask, False), e.const("i32", op.index)
        many = e.const("i32", len(instructions))
        e.invoke("async_registers", state_of_warp(k), queue, LlvmValue(e, "ptr", name), many, lane, number)

    def exits(self, k: Writer, copies: LlvmValue, lanes: LlvmValue, op: Op) -> None:
        """The lanes are about to exit."""
        if self._async:
            k.e.invoke("async_exit", state_of_warp(k), copies, lanes, k.e.const("i32", op.index))

    @property
    def watches_registers(self) -> bool:
        """Is it told of registers that wgmma has?"""
        return self._async

    # -- order --------------------------------------------------------------------------------------------------------

    def releases(self, order: str | None) -> bool:
        """Does an arrival with that modifier release? A relaxed one does behind a fence: which fence is not asked."""
        return order != "relaxed" or self._fences

    def order(
        self, k: Writer, pointer: LlvmValue, *, acquires: bool = False, releases: bool = False, scope: str | None = None,
        completes: bool = False, ordered: bool = True,
    ) -> None:  # fmt: skip
        """The lane in hand acquires and releases through a word or an mbarrier: first the one, then the other. The scopes .cta
        and .cluster are for the own ones alone, unless there are fences that order more: which one stands before it is not
        asked. `completes`: a copy does it, and whoever waits is told. `ordered`: it has a release or acquire order itself, and
        needs no fence in global memory."""
        if not self._races or not (acquires or releases):
            return
        how = (RELEASES if releases else 0) | (ACQUIRES if acquires else 0) | (COMPLETES if completes else 0)
        how |= (ORDERED if ordered else 0) | (NEAR_IN_CLUSTER if self._cluster_fences else 0)
        if scope != "cta" or self._wide_fences:
            how |= SCOPE_OF_CLUSTER
        if scope not in ("cta", "cluster") or self._wide_fences:
            how |= GRID
        k.e.invoke("race_order", state_of_warp(k), address_of(k.e, pointer), k.lane, k.e.const("i32", how))

    def fence(self, k: Writer, op: Op) -> None:
        """The lane in hand has executed a fence."""
        what = _fence(op.op)
        if self._races and what:
            k.e.invoke("race_fence", state_of_warp(k), k.e.const("i32", what))

    def warp_sync(self, k: Writer, lanes: LlvmValue) -> None:
        """The lanes have waited for each other, and what they wrote is seen (manual 9.7.13.2)."""
        if self._races:
            k.e.invoke("race_warp_sync", state_of_warp(k), lanes)

    def arrive(self, k: Writer, barrier: LlvmValue, count: LlvmValue, lanes: LlvmValue, *, wait: bool) -> None:
        """The lanes arrive at a barrier of the CTA, which is for `count` threads, 0 for all."""
        if self._syncs:
            k.e.invoke("sync_barrier", state_of_warp(k), barrier, count, lanes, k.e.const("i32", k.op.index))
        if self._races:
            k.e.invoke("race_arrive", state_of_warp(k), barrier, lanes if wait else k.e.const("i32", 0))

    def arrive_in_cluster(self, k: Writer, lanes: LlvmValue, *, releases: bool) -> None:
        """The lanes, perhaps none, arrive at the barrier of the cluster."""
        if self._races and releases:
            with k.e.if_(lanes.ne(0)):
                k.e.invoke("race_arrive", state_of_warp(k), k.e.const("i32", CLUSTER_BARRIER), k.e.const("i32", 0))

    # -- mbarriers ----------------------------------------------------------------------------------------------------

    def mbarrier(self, k: Writer, pointer: LlvmValue, *, begins: bool) -> None:
        """The lane in hand initialises or invalidates an mbarrier: to others that is a write like any other."""
        if self.pausing is not None and begins:
            self.pausing.mbarrier(k, address_of(k.e, pointer))
        if self._syncs:
            e = k.e
            given = (e.const("i32", int(begins)), k.lane, e.const("i32", k.op.index))
            e.invoke("sync_mbarrier", state_of_warp(k), address_of(e, pointer), *given)
        self._watch(k, pointer, "shared", 8, write=True)

    def uses_mbarrier(self, k: Writer, pointer: LlvmValue, *, looks: bool = False) -> None:
        """The lane in hand uses a valid mbarrier, or just looks at it."""
        self._watch(k, pointer, "shared::cluster", 8, write=not looks, strong=True)


_SHARED = frozenset({"", "shared", "shared::cluster"})


def _orders_ctas(op: str) -> bool:
    """Is it a fence between threads of several CTAs?"""
    words = op.split(".")
    if words[0] not in opcodes_with("fence") or "proxy" in words or "mbarrier_init" in words:
        return False
    return not _BEYOND_THE_CTA.isdisjoint(words)


def is_asynchronous(op: Op) -> bool:
    """Does it start what goes on beside the threads?"""
    return op.opcode == "wgmma" or (".async" in op.op and op.opcode not in opcodes_with("fence"))


def _fence(op: str) -> int:
    """What an instruction orders, for `race_fence`."""
    words = op.split(".")
    if words[0] not in opcodes_with("fence") or "mbarrier_init" in words:
        return 0
    if any(word.startswith(("proxy", "async", "sync_restrict")) for word in words):
        return PROXIES
    return FENCES if _BEYOND_THE_CLUSTER.intersection(words) else NEAR_FENCES
