"""The memory in which a worker runs a launch: its launch record, CTA and warp records, shared, local and parameter memory."""

from __future__ import annotations

import ctypes

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.cpu import record_layout
from ptxgen.cpu.record_layout import CLAIMS, LAUNCH_HEAD, TENSOR_MEMORY_BYTES, LaunchRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.cpu.arena import AllocationTable, Arena
    from ptxgen.cpu.machine_code import Code
    from ptxgen.cpu.printing import Printer
    from ptxgen.cpu.profiler.launch import CountedLaunch
    from ptxgen.cpu.relocatable import KernelCode
    from ptxgen.cpu.request import Request
    from ptxgen.cpu.sanitizer.launch import SanitizedLaunch
    from ptxgen.isa.products import Product

__all__ = ["Frame"]

POLLING_ROUNDS = 256
"""Rounds in which a kernel that polls memory only loops, before it is taken to wait for a CTA that has not started."""
QUIET_ROUNDS = 1 << 18
"""The same for a kernel without volatile, ordered or atomic accesses: its loops are work, or a mistake."""

SHARED_ALIGNMENT = 1024
"""Of each CTA's shared memory: swizzles look at the lowest ten bits of an address."""

_CTA = ctypes.sizeof(record_layout.Cta)
_WORKSPACE = 64
"""Bytes of a grid's workspace: nvcc's cooperative groups keep a size and the count of a barrier there."""


class SavedFrame(NamedTuple):
    """A launch that has not begun: its records and parameters, and (address, contents) of its memory."""

    head: bytes
    memory: tuple[tuple[int, bytes], ...]
    resident: int


class Frame:
    """Reused by the launches of one kernel; belongs to one worker of one launch at a time.

    Records of CTAs lie side by side, up to `max_resident` of them; the memory of each CTA comes in chunks, as they are needed.
    `chunks` are (address, bytes) of these.
    """

    __slots__ = (
        "_arena", "_begun", "_claims", "_ctas", "_given", "_head", "_joined", "_request", "_slots", "_taken", "_uses_copies",
        "_warp_bytes", "address", "block", "chunks", "counted", "launch", "local", "param_bytes", "params", "printer", "raw",
        "records", "resident", "sanitized", "shared_bytes", "table", "tensor_bytes", "together", "workspace",
    )  # fmt: skip

    def __init__(
        self,
        arena: Arena,
        product: Product,
        code: KernelCode,
        param_bytes: int,
        local: tuple[int, int],
        max_resident: int,
    ) -> None:
        """`local` is (bytes, stride) of a thread's local memory."""
        self._arena = arena
        self._warp_bytes = code.warp_bytes
        self._slots = code.slot_bytes
        self._uses_copies = code.uses_copies
        self.tensor_bytes = TENSOR_MEMORY_BYTES if code.uses_tensor_memory else 0
        self.local = local
        self.records = max_resident
        self.param_bytes = param_bytes
        self.block = (0, 0, 0)
        self.shared_bytes = -1
        self.resident = 0
        self.together = 1
        self.workspace = 0
        self._joined = 0
        self._request: Request | None = None
        self._begun: tuple[Code, int, bytes] | None = None
        """Code, tick and head of the record as the last launch began, where the next one may begin in the same way."""
        self.table: AllocationTable | None = None
        slots_at = ctypes.sizeof(LaunchRecord)
        params_at = -(-(slots_at + self._slots) // 64) * 64
        claims_at = -(-(params_at + param_bytes) // 64) * 64
        ctas_at = claims_at + CLAIMS
        self.address = arena.open_window(ctas_at + _CTA * max_resident)
        self.chunks: list[tuple[int, int]] = []
        self.launch = launch = LaunchRecord.from_address(self.address)
        self.raw = arena.raw
        self._head = arena.raw(self.address, LAUNCH_HEAD.size)
        self.params = self.address + params_at
        self._given = arena.raw(self.params, param_bytes)
        self._claims = self.address + claims_at
        self._taken = arena.raw(self._claims, 8).cast("Q")
        self._ctas = launch.ctas = self.address + ctas_at
        launch.param = self.params
        launch.param_bytes = param_bytes
        launch.cluster_ctas = 1
        launch.warp_stride = code.warp_bytes
        launch.local_bytes, launch.local_stride = local
        launch.multiprocessors, launch.warp_slots = product.multiprocessors, product.target.warps_total
        launch.workers = 1
        launch.idle_limit = POLLING_ROUNDS if code.polls else QUIET_ROUNDS
        self.sanitized: SanitizedLaunch | None = None
        self.counted: CountedLaunch | None = None
        self.printer: Printer | None = None
        if code.uses_multicast:
            launch.multicast = arena.multicast().address
        if code.uses_textures:
            launch.textures = arena.textures().address
        if code.uses_heap:
            heap = arena.heap()
            launch.malloc, launch.free = heap.malloc, heap.free
        if code.prints:
            from ptxgen.cpu.printing import Printer

            self.printer = Printer(arena, launch)

    def shape(
        self, block: tuple[int, int, int], dynamic: int, shared_bytes: int, geometry: Callable[[int], None]
    ) -> None:
        """Lays the frame out anew for a block shape and an amount of shared memory, with one CTA. Raises MemoryError."""
        for chunk, _ in self.chunks:
            self._arena.close_window(chunk)
        self.chunks.clear()
        launch = self.launch
        ctypes.memset(launch.ctas, 0, _CTA * self.resident)
        self.block = block
        self.shared_bytes = shared_bytes
        self.resident = 0
        launch.block[:] = block
        launch.threads = block[0] * block[1] * block[2]
        launch.warps = -(-launch.threads // 32)
        launch.shared_bytes = shared_bytes
        launch.dynamic_bytes = dynamic
        self.grow(1, geometry)

    def group(self, together: int) -> None:
        """From now on clusters have that many CTAs, whose records lie side by side."""
        launch = self.launch
        self.together = launch.cluster_ctas = together
        for number in range(self.resident):
            address = launch.ctas + number * _CTA
            cta = record_layout.Cta.from_address(address)
            cta.rank = number % together
            cta.cluster = address - cta.rank * _CTA

    def grow(self, resident: int, geometry: Callable[[int], None]) -> None:
        """Makes room for `resident` CTAs at once. Raises MemoryError, and then nothing has changed."""
        new = resident - self.resident
        launch = self.launch
        shared_stride = -(-self.shared_bytes // SHARED_ALIGNMENT) * SHARED_ALIGNMENT + self.tensor_bytes
        warps = launch.warps * self._warp_bytes
        local = launch.warps * 32 * self.local[1]
        nbytes = max(new * (warps + shared_stride + local), 1)
        chunk = self._arena.open_window(nbytes, SHARED_ALIGNMENT)
        self.chunks.append((chunk, nbytes))
        launch.shared_base = chunk
        launch.shared_stride = shared_stride
        launch.local_base = chunk + new * shared_stride
        launch.warp_base = launch.local_base + new * local
        launch.first, launch.resident = self.resident, resident
        geometry(self.address)
        self.resident = resident

    def start_more(self, most: int, code: Code) -> int:
        """Twice as many CTAs may be in flight from now on, but not more than `most`. How many may be at last: fewer when there is
        no memory for them."""
        more = min(2 * self.launch.resident, most)
        if more > self.resident:
            try:
                self.grow(more, code.geometry)
            except MemoryError:
                return int(self.launch.resident)
        self.launch.resident = more
        return most

    def begin(
        self, request: Request, code: Code, params: bytes, table: AllocationTable, tick_at: int, grid_id: int
    ) -> None:
        """Sets all that changes from launch to launch. Raises MemoryError."""
        if self._request is not request:
            self._prepare(request, code)
            self._begun = None
        if params:
            self._given[:] = params
        if table is not self.table:
            self.table = table
            ctypes.memset(self.address + ctypes.sizeof(LaunchRecord), 0, self._slots)
            self._begun = None
        self._taken[0] = self._joined = 0
        begun = self._begun
        if begun is not None and begun[0] is code and begun[1] == tick_at:
            self._head[:] = begun[2]
        else:
            LAUNCH_HEAD.pack_into(
                self._head, 0, *request.head, self._claims, *request.share, 0, 0, tick_at, 0, 0, code.warp, table.address,
                table.count, 0, 0, 0,
            )  # fmt: skip
            self._begun = code, tick_at, bytes(self._head)
        self.launch.grid_id = grid_id
        if self._uses_copies:
            self.launch.early_copies, self.launch.draws = request.options.asynchrony
            self.launch.injects_waits = int(request.options.waits == "injected")

    def _prepare(self, request: Request, code: Code) -> None:
        """For launches of a shape."""
        self._request = None
        if self.together != request.together:
            self.group(request.together)
        if self.block != request.block or self.shared_bytes != request.shared:
            self.shape(request.block, request.dynamic_shared, request.shared, code.geometry)
        if request.resident > self.resident:
            self.grow(request.resident, code.geometry)
        self.launch.fills_shared = request.fills
        self._request = request

    # -- several workers ----------------------------------------------------------------------------------------------

    def join(self, first: Frame, workers: int) -> None:
        """From now on takes CTAs of the grid that another worker has begun; time goes on as it has for that one."""
        mine, its = self.launch, first.launch
        mine.claims, mine.claim_shift, mine.claim_most = its.claims, its.claim_shift, its.claim_most
        mine.instructions = self._joined = int(its.instructions)  # read once: the other may be at work
        mine.clock_reads = its.clock_reads
        mine.workspace = its.workspace
        mine.workers = its.workers = workers

    def take_over(self, first: Frame, number: int, count: int) -> None:
        """Goes on with `count` CTAs of another worker's, from its record `number` on: they stay where they are."""
        self.launch.ctas = first.launch.ctas + number * _CTA
        self.launch.resident = count
        self._own_ctas()

    def give_back(self, first: Frame) -> None:
        """The end of what `join` and `take_over` have begun."""
        self.launch.workers = first.launch.workers = 1
        if self.launch.ctas != self._ctas:
            first.launch.resident = first.resident
            first._own_ctas()
            self.launch.ctas = self._ctas

    @property
    def faulty_cta(self) -> int:
        """The number in the grid of the CTA whose thread has the fault that is noted."""
        warp = record_layout.Warp.from_address(self.launch.fault_warp)
        return int(record_layout.Cta.from_address(warp.cta).index)

    def _own_ctas(self) -> None:
        """The records of its CTAs, and of their warps, lead to its launch record."""
        for cta in self.ctas():
            cta.launch = self.address
            for w in range(self.launch.warps):
                record_layout.Warp.from_address(cta.warps + w * self.launch.warp_stride).launch = self.address

    def ctas(self) -> Iterator[record_layout.Cta]:
        """The records of its CTAs, whether they run or not."""
        for r in range(self.launch.resident):
            yield record_layout.Cta.from_address(self.launch.ctas + r * _CTA)

    @property
    def executed(self) -> int:
        """Instructions that the worker has executed, times lanes."""
        return int(self.launch.instructions - self._joined)

    @property
    def waiting_ctas(self) -> int:
        """Those that the worker has taken and not started."""
        return int(self.launch.end_cta - self.launch.next_cta)

    @property
    def free_ctas(self) -> int:
        """Those of the grid that no worker has taken."""
        taken = ctypes.c_uint64.from_address(self.launch.claims).value
        return int(max(self.launch.grid_ctas - taken, 0))

    def offer_workspace(self, cooperative: bool) -> None:
        """Give the launch new memory in which its CTAs wait for one another, if all of them run at once."""
        if cooperative and not self.workspace:
            self.workspace = self._arena.allocate(_WORKSPACE)
        if cooperative:
            self._arena.raw(self.workspace, _WORKSPACE)[:] = bytes(_WORKSPACE)
            self._arena.note_written(self.workspace, _WORKSPACE)
        self.launch.workspace = self.workspace if cooperative else 0

    def saved(self) -> SavedFrame:
        """What a launch begins with, for `restore`: to be asked before it runs."""
        head = int(self.launch.ctas) + _CTA * self.records - self.address
        memory = tuple((chunk, bytes(self.raw(chunk, nbytes))) for chunk, nbytes in self.chunks)
        return SavedFrame(bytes(self.raw(self.address, head)), memory, self.resident)

    def restore(self, saved: SavedFrame) -> None:
        """The launch is where it began."""
        for chunk, _ in self.chunks[len(saved.memory) :]:
            self._arena.close_window(chunk)
        del self.chunks[len(saved.memory) :]
        for chunk, contents in saved.memory:
            ctypes.memmove(chunk, contents, len(contents))
        ctypes.memmove(self.address, saved.head, len(saved.head))
        self.resident = saved.resident

    @property
    def nbytes(self) -> int:
        """Of the memory of its CTAs."""
        return sum(nbytes for _, nbytes in self.chunks)

    def forget_memory(self) -> None:
        """From now on every access of global or shared memory that is checked is a fault."""
        self.table = None
        self.launch.table_count = self.launch.shared_bytes = 0
        ctypes.memset(self.address + ctypes.sizeof(LaunchRecord), 0, self._slots)

    def close(self) -> None:
        """Gives the memory back."""
        for chunk, _ in self.chunks:
            self._arena.close_window(chunk)
        self.chunks.clear()
        if self.printer is not None:
            self.printer.close()
            self.printer = None
        if self.sanitized is not None:
            self.sanitized.close()
            self.sanitized = None
        if self.workspace:
            self._arena.free(self.workspace)
            self.workspace = 0
        if self.address:
            self._arena.close_window(self.address)
            self.address = 0
