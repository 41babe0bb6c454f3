"""A kernel ready to launch: compiled when first launched, compiled better when it turns out to run long."""

from __future__ import annotations

import ctypes
import itertools
import threading
from math import prod
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.frame import Frame
from ptxgen.cpu.jit import Tier, compiled, left_behind, load_object
from ptxgen.cpu.options import FILLS, LaunchOptions, LaunchStats
from ptxgen.cpu.record_layout import Status
from ptxgen.cpu.rt.libraries import libraries
from ptxgen.cpu.rt.matrix.signature import has_fused
from ptxgen.isa.products import PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ptxgen import ir
    from ptxgen.cpu.arena import Arena
    from ptxgen.cpu.fault import Dim3
    from ptxgen.cpu.flat import Op, SharedVariable
    from ptxgen.cpu.relocatable import RelocatableKernel
    from ptxgen.cpu.sanitizer.tools import Sanitizer
    from ptxgen.dataflow.bodies.source_lines import SourceLine
    from ptxgen.isa.products import Product

__all__ = ["Kernel", "KernelOperations"]


TICK = 8_000_000
"""Instructions (times lanes) between looks at a launch in unoptimised code: about 3 ms."""
LATER_TICK = 200_000_000
"""The same for optimised code, for signals and time limits: 20 to 100 ms."""
GAIN = 0.5
"""The part of the time in unoptimised code that optimised code saves."""
COST = 25e-6
"""Seconds that optimising a line of LLVM text takes."""

FEWEST_RECORDS = 264
"""Of CTAs, in the frame of a small grid."""

LARGEST_CLUSTER = 16

SMALLEST_STACK = 1 << 14
STACKS_APART = 64
"""Bytes from a lane's stack to the next lane's: else all would begin in one line of the cache."""

_grid_ids = itertools.count(1)


class KernelOperations(NamedTuple):
    """A kernel's operations, the names of the files that .loc means, and its shared variables."""

    ops: Sequence[Op]
    files: Mapping[int, str]
    shared: Sequence[SharedVariable]


class _Code:
    """Machine code of one tier, and with one kind of products: `run(launch record)`, `geometry(launch record)` and the warp
    function's address."""

    __slots__ = ("_libraries", "geometry", "products", "run", "tier", "warp")

    def __init__(
        self, tier: Tier, products: str, relocatable: RelocatableKernel, code: bytes, symbols: Mapping[str, int]
    ) -> None:
        needed = libraries(relocatable.code, fused=products == "fast")
        library = load_object(code, needed, symbols)
        core = needed[0].addresses
        self.tier = tier
        self.products = products
        self._libraries = (library, *needed)
        self.warp = library.addresses["warp"]
        self.run: Callable[[int], int] = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64)(core["grid"])
        self.geometry: Callable[[int], None] = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(core["geometry"])


class Kernel:
    """An `.entry` of a compiled module.

    parameters: (name, byte offset, bytes) of each parameter; parameter_bytes: size of the whole block.
    static_shared, local_bytes: bytes of a CTA's static shared memory, of a thread's local memory.
    max_threads: of a CTA, from .maxntid or .reqntid, else 1024.
    registers: an estimate of what a thread would need on a GPU, in 32-bit registers.
    """

    def __init__(
        self,
        relocatable: RelocatableKernel,
        arena: Arena,
        symbols: Mapping[str, int],
        operations: Callable[[str], KernelOperations],
        key: str = "",
        sanitized: Callable[[str, frozenset[str]], RelocatableKernel] | None = None,
        product: Product = PLAIN,
    ) -> None:
        """symbols: addresses of the module's variables. operations: those of a kernel by its name, asked for when a message
        needs one. key: what the program's code is kept under on disk; without one it is not. sanitized: a kernel compiled for
        tools of the sanitizer. product: the device that it runs on."""
        self.name = relocatable.name
        self.parameters = relocatable.parameters
        self.parameter_bytes = relocatable.parameter_bytes
        self.static_shared = relocatable.shared_bytes
        self.local_bytes = relocatable.local_bytes
        self.bounds = relocatable.bounds
        self.max_threads = _thread_limit(relocatable.bounds)
        self.code = relocatable.code
        self.registers = min(max(relocatable.code.live_words + 8, 16), 255)
        self.arena = arena
        self.product = product
        self.relocatable = relocatable
        self._symbols = symbols
        self._operations = operations
        self._key = (key, relocatable.name, *self.code.tools) if key else ()
        self._sanitized_code = sanitized
        self._sanitized: dict[frozenset[str], Kernel] = {}
        self._frames: list[Frame] = []
        self._codes: dict[tuple[Tier, str], _Code] = {}
        self._best: dict[str, _Code] = {}
        self._has_fused = any(has_fused(name) for name in relocatable.code.matrices)
        self._compiling = threading.Lock()
        self._spent = 0.0  # seconds in unoptimised code, of all launches
        self._break_even = relocatable.lines * COST / GAIN
        self._closed = threading.Event()

    def __repr__(self) -> str:
        return f"<CPU kernel {self.name}>"

    # -- code ---------------------------------------------------------------------------------------------------------

    def compiled(self, tier: Tier, products: str = "exact") -> _Code:
        """The kernel's machine code of a tier, compiled when it is not there yet."""
        return self._codes.get((tier, products)) or self._load(
            tier, products, lambda: compiled(lambda: self.relocatable.text, tier, *self._key)
        )

    def _load(self, tier: Tier, products: str, find: Callable[[], bytes]) -> _Code:
        with self._compiling:
            found = self._codes.get((tier, products))
            if found is None:
                found = _Code(tier, products, self.relocatable, find(), self._symbols)
                self._codes[tier, products] = found
                best = self._best.get(products)
                if best is None or tier > best.tier:
                    self._best[products] = found
        return found

    def _first(self, products: str) -> _Code:
        """Optimised code where an earlier process has found that worth its time, else what is ready soonest."""
        left = left_behind(Tier.FAST, *self._key)
        if left is not None:
            return self._load(Tier.FAST, products, lambda: left)
        return self.compiled(Tier.BASE, products)

    def instruction(self, number: int) -> ir.Instruction:
        """Where an operation of the kernel comes from."""
        return self.operations[number].origin

    @property
    def operations(self) -> Sequence[Op]:
        """In the order of their numbers."""
        return self._operations(self.name).ops

    def source_lines(self, number: int) -> tuple[SourceLine, ...]:
        """The lines of the user's source that .loc names there, innermost first."""
        from ptxgen.dataflow.bodies.source_lines import source_lines

        found = self._operations(self.name)
        return source_lines(found.ops[number].lines, found.files)

    @property
    def shared_variables(self) -> Sequence[SharedVariable]:
        """The variables in its shared memory."""
        return self._operations(self.name).shared

    def _watched_by(self, tools: frozenset[str]) -> Kernel:
        """The kernel compiled for tools of the sanitizer, and the profile; itself where it is, or where it cannot be."""
        if self.code.tools or self._sanitized_code is None:
            return self
        with self._compiling:
            found = self._sanitized.get(tools)
            if found is None:
                relocatable = self._sanitized_code(self.name, tools)
                key = self._key[0] if self._key else ""
                found = Kernel(relocatable, self.arena, self._symbols, self._operations, key, product=self.product)
                self._sanitized[tools] = found
        return found

    def _choose(self, options: LaunchOptions) -> _Code:
        products = options.products if self._has_fused else "exact"
        if options.tier != "auto":
            return self.compiled(Tier.BASE if options.tier == "base" else Tier.FAST, products)
        best = self._best.get(products)
        if best is None:
            return self._first(products)
        if best.tier is Tier.BASE and self._spent > self._break_even and not self._compiling.locked():
            return self.compiled(Tier.FAST, products)
        return best

    def _is_worth_it(self, frame: Frame, seconds: float) -> bool:
        """Would optimised code pay for the rest of a launch that has run for some time, as far as one can tell?

        It does when unoptimised code has already lost as much time as optimising takes, or will, going by the CTAs done.
        """
        launch = frame.launch
        whole = seconds * launch.end_cta / launch.done_ctas if launch.done_ctas else seconds
        return self._spent + whole > self._break_even

    # -- launching ----------------------------------------------------------------------------------------------------

    def launch(
        self,
        grid: Dim3,
        block: Dim3,
        params: bytes,
        *,
        dynamic_shared: int = 0,
        cluster: Dim3 | None = None,
        cooperative: bool = False,
        room: int | None = None,
        options: LaunchOptions = LaunchOptions(),  # noqa: B008  (immutable by convention)
    ) -> LaunchStats:
        """Runs a grid to its end.

        grid, block, cluster: CTAs of the grid, threads of a CTA, CTAs of a cluster, along x, y, z; without a
        cluster what only clusters may do is a fault. The CTAs of a cluster start together. params: the parameter block.
        dynamic_shared: bytes. cooperative: every CTA is resident from the start, so that they may wait for each other.
        room: CTAs of this shape that the device holds at once, where `options` say nothing else; None: they are small.
        Raises KernelFault when the kernel does something illegal, ValueError for an impossible launch, MemoryError when there is
        no room for as many CTAs as must be in flight.
        """
        if (options.sanitizer is not None or options.profiler is not None) and not self.code.tools:
            return self._watched_by(options.tools).launch(
                grid, block, params, dynamic_shared=dynamic_shared, cluster=cluster, cooperative=cooperative, room=room,
                options=options,
            )  # fmt: skip
        if len(params) != self.parameter_bytes:
            raise ValueError(f"kernel {self.name} takes {self.parameter_bytes} bytes of parameters, not {len(params)}")
        if min(grid) < 1:
            raise ValueError(f"a grid is three positive numbers of CTAs, not {grid}")
        together = 1 if cluster is None else _ctas_of(cluster, grid)
        if self._closed.is_set():
            raise ValueError(f"kernel {self.name} cannot be launched: its program is closed")
        if self.code.uses_heap:
            self.arena.heap()
        table = self.arena.known_table or self.arena.table()
        code = self._choose(options)
        ctas = grid[0] * grid[1] * grid[2]
        resident = ctas if cooperative else together
        most = max(options.max_resident or room or self.product.resident_ctas, resident)
        frame = self._frame(resident, min(ctas, most), most)
        try:
            if self.code.takes_workspace:
                frame.offer_workspace(cooperative)
                table = self.arena.table()
            shared = self.static_shared + dynamic_shared
            if frame.together != together:
                frame.group(together)
            if frame.block != block or frame.shared_bytes != shared:
                self._check(block, dynamic_shared)
                frame.shape(block, dynamic_shared, shared, code.geometry)
            if resident > frame.resident:
                frame.grow(resident, code.geometry)
            if params:
                ctypes.memmove(frame.params, bytes(params), len(params))
            frame.begin(
                grid, cluster, resident, options.budget, TICK, code.warp, table, next(_grid_ids)
            )  # fmt: skip
            if options.sanitizer is not None:
                self._begin_watching(frame, options.sanitizer)
            if options.profiler is not None:
                self._begin_counting(frame)
            if self.code.uses_copies:
                frame.launch.early_copies, frame.launch.draws = options.asynchrony
            frame.launch.fills_shared = FILLS[options.shared] or int(self.code.uses_copies)
            began = perf_counter()
            status = code.run(frame.address)
            if status != Status.DONE:
                code = self._continue(frame, code, status, options, most, began)
            if frame.printer is not None:
                frame.printer.flush()
            if options.sanitizer is not None:
                self._tell_findings(frame, options.sanitizer)
            if options.profiler is not None and frame.counted is not None:
                options.profiler.add(self, (grid, block, cluster, shared), frame.counted.counted())
        except BaseException:
            if options.sanitizer is not None:
                self._tell_findings(frame, options.sanitizer)
            frame.close()  # its masks are in the middle of something
            raise
        if code.tier is Tier.BASE:
            self._spent += perf_counter() - began
        executed: int = frame.launch.instructions
        if self._closed.is_set():
            frame.close()
        else:
            self._frames.append(frame)
        return LaunchStats(executed, code.tier.name.lower(), code.products)

    def _begin_counting(self, frame: Frame) -> None:
        from ptxgen.cpu.profiler.launch import CountedLaunch

        if frame.counted is None:
            frame.counted = CountedLaunch(self.code.leaders)
        frame.counted.prepare(frame.launch)

    def _begin_watching(self, frame: Frame, sanitizer: Sanitizer) -> None:
        from ptxgen.cpu.rt.libraries import sanitizer as functions
        from ptxgen.cpu.sanitizer.launch import SanitizedLaunch

        if frame.sanitized is None:
            frame.sanitized = SanitizedLaunch(self.arena, sanitizer.tools, functions().addresses)
        frame.sanitized.prepare(frame)

    def _tell_findings(self, frame: Frame, sanitizer: Sanitizer) -> None:
        from ptxgen.cpu.sanitizer.launch import findings_of

        if frame.sanitized is not None:
            for finding in findings_of(self, frame.launch, frame.sanitized.found()):
                sanitizer.add(finding)

    def _local(self) -> tuple[int, int]:
        """(bytes, stride) of a thread's local memory, its stack behind its variables. Records of calls are larger here than a
        GPU's, which keeps more in registers."""
        if not self.code.uses_stack:
            return self.relocatable.local_bytes, self.relocatable.local_stride
        size = self.relocatable.local_stride + max(SMALLEST_STACK, 4 * self.arena.stack_bytes)
        return size, size + STACKS_APART

    def _frame(self, resident: int, records: int, most: int) -> Frame:
        """A frame with records of that many CTAs, one that an earlier launch has left if there is one. A new one has `most`, so
        that it does for every grid, or where there is no room fewer, but `resident` at least."""
        local = self._local()
        while self._frames:
            try:
                frame = self._frames.pop()
            except IndexError:  # another thread took it
                break
            if frame.records >= records and frame.local == local:
                return frame
            frame.close()
        for number in (most, records) if records > FEWEST_RECORDS else (FEWEST_RECORDS, records):
            try:
                return Frame(self.arena, self.product, self.code, self.parameter_bytes, local, number)
            except MemoryError:  # of a device that is given little: what this grid takes may fit
                continue
        return Frame(self.arena, self.product, self.code, self.parameter_bytes, local, resident)

    def _continue(
        self, frame: Frame, code: _Code, status: int, options: LaunchOptions, most: int, began: float
    ) -> _Code:
        """All that is not simply done: goes on until it is, with up to `most` CTAs in flight."""
        from ptxgen.cpu.report import circling_report, fault_report, stuck_report, timeout_report
        from ptxgen.cpu.watchdog import Watchdog

        launch = frame.launch
        most = min(most, frame.records, launch.end_cta)
        most -= most % launch.cluster_ctas
        watchdog = Watchdog(frame, options.watchdog, began, self.code.uses_copies)
        while status != Status.DONE:
            if status == Status.TICK:
                if frame.printer is not None:
                    frame.printer.flush()
                seconds = perf_counter() - began
                if options.time_limit is not None and seconds > options.time_limit:
                    raise timeout_report(self, frame, options.time_limit)
                if options.tier == "auto" and code.tier is Tier.BASE and self._is_worth_it(frame, seconds):
                    code = self.compiled(Tier.FAST, code.products)
                    launch.warp_function = code.warp
                told = watchdog.look(launch.resident < most)
                if told == "stuck":
                    raise circling_report(self, frame, code.warp, options.watchdog or 0.0)
                if told == "grow":
                    most = _grow(frame, code, most)
                launch.tick_at = launch.instructions + (TICK if code.tier is Tier.BASE else LATER_TICK)
            elif status == Status.GROW and launch.resident < most:
                most = _grow(frame, code, most)
            elif status == Status.GROW and launch.idle_rounds == 0:
                pass  # as many as may be are resident and some still loop: let them
            elif status == Status.FAULT:
                raise fault_report(self, frame)
            else:
                raise stuck_report(self, frame)
            status = code.run(frame.address)
        launch.look = 0
        return code

    def _check(self, block: Dim3, dynamic_shared: int) -> None:
        if min(block) < 1:
            raise ValueError(f"a block is three positive numbers of threads, not {block}")
        threads = block[0] * block[1] * block[2]
        if threads > self.max_threads:
            raise ValueError(f"a block of {threads} threads: kernel {self.name} takes at most {self.max_threads}")
        if dynamic_shared < 0:
            raise ValueError(f"dynamic shared memory of {dynamic_shared} bytes")

    def close(self) -> None:
        """Gives the memory of finished launches back; launches under way give theirs back when they end."""
        self._closed.set()
        for kernel in list(self._sanitized.values()):
            kernel.close()
        while self._frames:
            self._frames.pop().close()


def _grow(frame: Frame, code: _Code, most: int) -> int:
    """Twice as many CTAs may be in flight from now on, but not more than `most`. How many may be at last: fewer when there is no
    memory for them."""
    launch = frame.launch
    more = min(2 * launch.resident, most)
    if more > frame.resident:
        try:
            frame.grow(more, code.geometry)
        except MemoryError:
            return int(launch.resident)
    launch.resident = more
    return most


def _ctas_of(cluster: Dim3, grid: Dim3) -> int:
    """CTAs of a cluster. Raises ValueError when a grid has no such clusters."""
    if min(cluster) < 1:
        raise ValueError(f"a cluster is three positive numbers of CTAs, not {cluster}")
    if prod(cluster) > LARGEST_CLUSTER:
        raise ValueError(f"{prod(cluster)} CTAs in a cluster: at most {LARGEST_CLUSTER}")
    if any(extent % size for extent, size in zip(grid, cluster)):
        raise ValueError(f"clusters of {cluster} CTAs do not divide a grid of {grid}")
    return prod(cluster)


def _thread_limit(bounds: Mapping[str, tuple[int, ...]]) -> int:
    for name in ("reqntid", "maxntid"):
        if name in bounds:
            return prod(bounds[name])
    return 1024
