"""A kernel ready to launch: compiled when first launched, compiled better when it turns out to run long."""

from __future__ import annotations

import itertools
import os
from math import prod
from time import perf_counter
from weakref import WeakSet

from driver_ctypes.primitives import Lock
from driver_ctypes.typing import TYPE_CHECKING, NamedTuple, Protocol
from ptxgen.cpu.frame import Frame
from ptxgen.cpu.jit import Tier, compiled, left_behind
from ptxgen.cpu.machine_code import Code, lanes_of
from ptxgen.cpu.options import LaunchOptions, LaunchRequest, LaunchStats
from ptxgen.cpu.request import TICK, Request
from ptxgen.isa.products import PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ptxgen import ir
    from ptxgen.cpu.arena import Arena
    from ptxgen.cpu.fault import Dim3
    from ptxgen.cpu.flat import LocalVariable, Op, Reg, SharedVariable, StackCall
    from ptxgen.cpu.relocatable import KernelCode, KernelOutline, RelocatableKernel
    from ptxgen.cpu.sanitizer.history import LaunchOrder
    from ptxgen.cpu.sanitizer.tools import Sanitizer
    from ptxgen.dataflow.bodies.source_lines import SourceLine
    from ptxgen.isa.products import Product

__all__ = ["Kernel", "KernelOperations"]


GAIN = 0.8
"""The part of the time in unoptimised code that optimised code saves."""
COST = 45e-6
"""Seconds that optimising a line of LLVM text takes."""

FEWEST_RECORDS = 264
"""Of CTAs, in the frame of a small grid."""

_MOST_REQUESTS = 256
"""Shapes of launches that a kernel keeps."""
_MOST_FRAMES, _SMALL_FRAME = 8, 1 << 20
"""It keeps so many frames of any size, and all that have no more bytes."""

SMALLEST_STACK = 1 << 14
STACKS_APART = 64
"""Bytes from a lane's stack to the next lane's: else all would begin in one line of the cache."""

_BASE = Tier.BASE
"""Each launch asks for it: reading a member of an enumeration costs as much as a call."""
_grid_ids = itertools.count(1)
_kernels: WeakSet[Kernel] = WeakSet()


def _after_fork_in_child() -> None:
    """Threads that do not exist in the child may have been compiling."""
    for kernel in list(_kernels):
        kernel._compiling = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


_TOLD_BY_CODE = frozenset(
    ("relocatable", "code", "static_shared", "local_bytes", "registers", "_local", "_has_fused", "_break_even")
)
"""Attributes of a `Kernel` that are there once it is compiled."""


class KernelOperations(NamedTuple):
    """A kernel's operations, the names of the files that .loc means, and what else it names."""

    ops: Sequence[Op]
    files: Mapping[int, str]
    shared: Sequence[SharedVariable]
    registers: Sequence[Reg]
    local: Sequence[LocalVariable]
    parameters: Sequence[ir.Variable]
    stack_calls: Sequence[StackCall]


class KernelSource(Protocol):
    """What has the code of a kernel: a `program.RelocatableProgram`. `key`: what it is kept under on disk, "" where it is not."""

    key: str

    def kernel(self, name: str, tools: frozenset[str]) -> RelocatableKernel: ...

    def lowered(self, name: str, tools: frozenset[str], lanes: int) -> RelocatableKernel: ...

    def operations(self, name: str) -> KernelOperations: ...


class Kernel:
    """An `.entry` of a compiled module.

    parameters: (name, byte offset, bytes) of each parameter; parameter_bytes: size of the whole block.
    static_shared, local_bytes: bytes of a CTA's static shared memory, of a thread's local memory.
    max_threads: of a CTA, from .maxntid or .reqntid, else 1024.
    registers: an estimate of what a thread would need on a GPU, in 32-bit registers.
    """

    relocatable: RelocatableKernel
    """Its code as it is for every device."""
    code: KernelCode
    """What the launcher must know of it."""
    static_shared: int
    local_bytes: int
    registers: int
    _local: tuple[int, int]
    _has_fused: bool
    _break_even: float

    def __init__(
        self,
        outline: KernelOutline,
        arena: Arena,
        symbols: Mapping[str, int],
        program: KernelSource,
        product: Product = PLAIN,
        tools: frozenset[str] = frozenset(),
    ) -> None:
        """symbols: addresses of the variables. program: what has its code, made when it is first needed, and what messages
        tell of its operations. product: the device that it runs on. tools: those that watch it."""
        self.name = outline.name
        self.parameters = outline.parameters
        self.parameter_bytes = outline.parameter_bytes
        self.bounds = outline.bounds
        self.max_threads = _thread_limit(outline.bounds)
        self.arena = arena
        self.product = product
        self.symbols = symbols
        self._outline = outline
        self._program = program
        self.tools = tools
        self._key = (program.key, outline.name, *sorted(tools)) if program.key else ()
        self._watched: dict[frozenset[str], Kernel] = {}
        self._frames: list[Frame] = []
        self._requests: dict[tuple[object, ...], Request] = {}
        self._codes: dict[tuple[Tier, str], Code] = {}
        self._best: dict[str, Code] = {}
        self._compiling = Lock()
        self._spent = 0.0  # seconds in unoptimised code, of all launches
        self._closed = False
        _kernels.add(self)

    def __repr__(self) -> str:
        return f"<CPU kernel {self.name}>"

    # -- code ---------------------------------------------------------------------------------------------------------

    def _learn(self) -> None:
        """Takes what its code tells, which is made now if nobody has needed it yet. Raises UnsupportedError."""
        found = self._program.kernel(self.name, self.tools)
        self.static_shared = found.shared_bytes
        self.local_bytes = found.local_bytes
        self.registers = min(max(found.code.live_words + 8, 16), 255)
        self._local = found.local_bytes, found.local_stride  # without a stack
        self._has_fused = False
        if found.code.matrices:
            from ptxgen.cpu.rt.matrix.signature import has_fused

            self._has_fused = any(map(has_fused, found.code.matrices))
        self._break_even = found.lines * COST / GAIN
        self.code = found.code
        self.relocatable = found

    if not TYPE_CHECKING:  # a type checker would take any name

        def __getattr__(self, name: str) -> object:
            """The first of these attributes to be asked for has the kernel compiled; launches find them as any others."""
            if name not in _TOLD_BY_CODE:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            self._learn()
            return getattr(self, name)

    def compiled(self, tier: Tier, products: str = "exact") -> Code:
        """The kernel's machine code of a tier, compiled when it is not there yet."""
        return self._codes.get((tier, products)) or self._load(
            tier, products, lambda: compiled(lambda: self._text(tier), tier, *self._key)
        )

    def _text(self, tier: Tier) -> str:
        """The LLVM module that a tier compiles: optimised code runs several lanes at once where the processor does."""
        lanes = lanes_of(tier, self.tools)
        return self._program.lowered(self.name, self.tools, lanes).text if lanes else self.relocatable.text

    def _load(self, tier: Tier, products: str, find: Callable[[], bytes]) -> Code:
        with self._compiling:
            found = self._codes.get((tier, products))
            if found is None:
                found = Code(tier, products, self.relocatable, find(), self.symbols)
                self._codes[tier, products] = found
                best = self._best.get(products)
                if best is None or tier > best.tier:
                    self._best[products] = found
        return found

    def _first(self, products: str) -> Code:
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
        return self._program.operations(self.name).ops

    def source_lines(self, number: int) -> tuple[SourceLine, ...]:
        """The lines of the user's source that .loc names there, innermost first."""
        from ptxgen.dataflow.bodies.source_lines import source_lines

        found = self._program.operations(self.name)
        return source_lines(found.ops[number].lines, found.files)

    @property
    def shared_variables(self) -> Sequence[SharedVariable]:
        """The variables in its shared memory."""
        return self._program.operations(self.name).shared

    @property
    def declared_parameters(self) -> Sequence[ir.Variable]:
        """Its parameters as they are declared, in the order of `parameters`."""
        return self._program.operations(self.name).parameters

    @property
    def stack_calls(self) -> Sequence[StackCall]:
        """Its calls through the stack, in the order of their numbers."""
        return self._program.operations(self.name).stack_calls

    @property
    def local_variables(self) -> Sequence[LocalVariable]:
        """The variables in a thread's local memory."""
        return self._program.operations(self.name).local

    @property
    def virtual_registers(self) -> Sequence[Reg]:
        """The registers of its PTX, those of the functions that it calls once for each call, in the order of their numbers."""
        return self._program.operations(self.name).registers

    def watched_by(self, tools: frozenset[str]) -> Kernel:
        """The kernel compiled for tools of the sanitizer, the profile and the debugger; itself where it is."""
        if self.tools:
            return self
        with self._compiling:
            found = self._watched.get(tools)
            if found is None:
                found = Kernel(self._outline, self.arena, self.symbols, self._program, self.product, tools)
                self._watched[tools] = found
        return found

    def _choose(self, options: LaunchOptions) -> Code:
        products = options.products if self._has_fused else "exact"
        if options.tier != "auto":
            return self.compiled(Tier.BASE if options.tier == "base" else Tier.FAST, products)
        best = self._best.get(products)
        if best is None:
            return self._first(products)
        if best.tier is _BASE and self._spent > self._break_even and not self._compiling.locked():
            return self.compiled(Tier.FAST, products)
        return best

    def pays(self, seconds: float) -> bool:
        """Does optimised code pay, for so many more seconds in unoptimised code?"""
        return self._spent + seconds > self._break_even

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
        order: LaunchOrder | None = None,
        options: LaunchOptions = LaunchOptions(),  # noqa: B008  (immutable by convention)
    ) -> LaunchStats:
        """Runs a grid to its end.

        grid, block, cluster: CTAs of the grid, threads of a CTA, CTAs of a cluster, along x, y, z; without a
        cluster what only clusters may do is a fault. The CTAs of a cluster start together. params: the parameter block.
        dynamic_shared: bytes. cooperative: every CTA is resident from the start, so that they may wait for each other.
        room: CTAs of this shape that the device holds at once, where `options` say nothing else; None: they are small.
        order: which earlier launches it comes after, for racecheck; None: all.
        Raises KernelFault when the kernel does something illegal, ValueError for an impossible launch, MemoryError when there is
        no room for as many CTAs as must be in flight.
        """
        request = self.request(grid, block, dynamic_shared, cluster, cooperative, room, options)
        executed, code, workers = self.run(request, params, order)
        return LaunchStats(executed, code.label, code.products, workers) if code else LaunchStats(executed, "debug")

    def run(self, request: Request, params: bytes, order: LaunchOrder | None = None) -> tuple[int, Code | None, int]:
        """`launch` of a shape that `request` has made ready: how many instructions, of which code, by how many workers. No code
        where a debugger has taken the launch. Raises as `launch` does."""
        options = request.options
        if options.debugger is not None and options.debugger.takes(self, LaunchRequest.of(request, params)):
            return 0, None, 1
        if (options.sanitizer is not None or options.profiler is not None) and not self.tools:
            if "racecheck" not in options.tools:
                return self.watched_by(options.tools).run(request, params, order)
            with self.arena.history.lock:
                return self.watched_by(options.tools).run(request, params, order)
        frame, code = self.prepared(request, params)
        workers = 1
        try:
            if options.sanitizer is not None:
                self._begin_watching(frame, options.sanitizer, order)
            if options.profiler is not None:
                self._begin_counting(frame)
            began = perf_counter()
            status = code.run(frame.address)
            executed: int = frame.launch.instructions
            if status:  # not Status.DONE
                from ptxgen.cpu.finishing import finish
                from ptxgen.cpu.running import Running

                running = Running(self, request, frame, code, began)
                finish(running, status)
                code, workers, executed = running.code, running.workers, frame.executed + running.executed
            if frame.printer is not None:
                frame.printer.flush()
            if options.sanitizer is not None:
                self._tell_findings(frame, options.sanitizer)
            if options.profiler is not None and frame.counted is not None:
                shape = request.grid, request.block, request.cluster, request.shared
                options.profiler.add(self, shape, frame.counted.counted())
        except BaseException:
            if options.sanitizer is not None:
                self._tell_findings(frame, options.sanitizer)
            frame.close()  # its masks are in the middle of something
            raise
        if code.tier is _BASE:
            self._spent += perf_counter() - began
        self.keep(frame)
        return executed, code, workers

    def prepared(self, request: Request, params: bytes) -> tuple[Frame, Code]:
        """A frame that is ready for a launch, and the code that runs it. Raises as `launch` does."""
        if len(params) != self.parameter_bytes:
            raise ValueError(f"kernel {self.name} takes {self.parameter_bytes} bytes of parameters, not {len(params)}")
        if self._closed:
            raise ValueError(f"kernel {self.name} cannot be launched: its program is closed")
        if self.code.uses_heap:
            self.arena.heap()
        table = self.arena.known_table or self.arena.table()
        code = self._choose(request.options)
        frame = self._frame(request)
        try:
            if self.code.takes_workspace:
                frame.offer_workspace(request.cooperative)
                table = self.arena.table()
            frame.begin(request, code, params, table, request.tick, next(_grid_ids))
        except BaseException:
            frame.close()
            raise
        return frame, code

    def request(
        self, grid: Dim3, block: Dim3, dynamic_shared: int, cluster: Dim3 | None, cooperative: bool, room: int | None,
        options: LaunchOptions,
    ) -> Request:  # fmt: skip
        """What launches of a shape have in common, kept for the next; see `launch`. Raises ValueError for an impossible shape."""
        shape = (grid, block, dynamic_shared, cluster, cooperative, room, options)
        found = self._requests.get(shape)
        if found is None and options.tools and not self.tools:
            found = self._requests[shape] = self.watched_by(options.tools).request(*shape)
        if found is None:
            found = Request(
                self.code, self.static_shared, grid, block, dynamic_shared, cluster, cooperative,
                room or self.product.resident_ctas, options,
            )  # fmt: skip
            self._check(block, dynamic_shared)
            if len(self._requests) >= _MOST_REQUESTS:
                self._requests.clear()
            self._requests[shape] = found
        return found

    def another_frame(self, first: Frame, request: Request, code: Code) -> Frame:
        """For one more worker of a launch. Raises MemoryError."""
        params = bytes(self.arena.raw(first.params, self.parameter_bytes))
        table = first.table
        assert table is not None
        frame = self._frame(request)
        try:
            frame.begin(request, code, params, table, TICK, first.launch.grid_id)
        except BaseException:
            frame.close()
            raise
        return frame

    def keep(self, frame: Frame) -> None:
        """A launch is done with a frame: the next may have it. Many large ones are not kept."""
        if self._closed or (len(self._frames) >= _MOST_FRAMES and frame.nbytes > _SMALL_FRAME):
            frame.close()
        else:
            self._frames.append(frame)

    def _begin_counting(self, frame: Frame) -> None:
        from ptxgen.cpu.profiler.launch import CountedLaunch

        if frame.counted is None:
            frame.counted = CountedLaunch(self.code.leaders)
        frame.counted.prepare(frame.launch)

    def _begin_watching(self, frame: Frame, sanitizer: Sanitizer, order: LaunchOrder | None) -> None:
        from ptxgen.cpu.rt.libraries import sanitizer as functions
        from ptxgen.cpu.sanitizer.launch import SanitizedLaunch

        if frame.sanitized is None:
            frame.sanitized = SanitizedLaunch(self, sanitizer.tools, functions().addresses)
        frame.sanitized.prepare(frame, order)

    def _tell_findings(self, frame: Frame, sanitizer: Sanitizer) -> None:
        from ptxgen.cpu.sanitizer.telling import findings_of

        watched = frame.sanitized
        if watched is not None:
            watched.end(frame.launch)
            for finding in findings_of(self, frame.launch, watched.found(), watched.record.first_epoch):
                sanitizer.add(finding)

    def _local_and_stack(self) -> tuple[int, int]:
        """(bytes, stride) of a thread's local memory with its stack behind its variables. Records of calls are larger here than
        a GPU's, which keeps more in registers."""
        size = self.relocatable.local_stride + max(SMALLEST_STACK, 4 * self.arena.stack_bytes)
        return size, size + STACKS_APART

    def _frame(self, request: Request) -> Frame:
        """A frame with records of as many CTAs as may be in flight, one that an earlier launch has left if there is one. A new
        one does for larger grids too, or where there is no room for fewer CTAs, but enough to begin with."""
        local = self._local_and_stack() if self.code.uses_stack else self._local
        while self._frames:
            try:
                frame = self._frames.pop()
            except IndexError:  # another thread took it
                break
            if frame.records >= request.most and frame.local == local:
                return frame
            frame.close()
        few = request.most <= FEWEST_RECORDS
        wanted = (FEWEST_RECORDS, request.most) if few else (request.room, request.most)
        for number in wanted:
            try:
                return Frame(self.arena, self.product, self.code, self.parameter_bytes, local, number)
            except MemoryError:  # of a device that is given little: what this grid takes may fit
                continue
        return Frame(self.arena, self.product, self.code, self.parameter_bytes, local, request.resident)

    def _check(self, block: Dim3, dynamic_shared: int) -> None:
        if min(block) < 1:
            raise ValueError(f"a block is three positive numbers of threads, not {block}")
        threads = block[0] * block[1] * block[2]
        if threads > self.max_threads:
            raise ValueError(f"a block of {threads} threads: kernel {self.name} takes at most {self.max_threads}")
        if dynamic_shared < 0:
            raise ValueError(f"dynamic shared memory of {dynamic_shared} bytes")

    @property
    def closed(self) -> bool:
        """Whether its program was unloaded."""
        return self._closed

    def close(self) -> None:
        """Gives the memory of finished launches back; launches under way give theirs back when they end."""
        self._closed = True
        for kernel in list(self._watched.values()):
            kernel.close()
        while self._frames:
            self._frames.pop().close()


def _thread_limit(bounds: Mapping[str, tuple[int, ...]]) -> int:
    for name in ("reqntid", "maxntid"):
        if name in bounds:
            return prod(bounds[name])
    return 1024
