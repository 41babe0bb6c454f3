"""The memory in which one launch runs: its launch record, CTA and warp records, shared, local and parameter memory."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.record_layout import LAUNCH_HEAD, TENSOR_MEMORY_BYTES, LaunchRecord

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.arena import AllocationTable, Arena
    from ptxgen.cpu.printing import Printer
    from ptxgen.cpu.profiler.launch import CountedLaunch
    from ptxgen.cpu.relocatable import KernelCode
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


class Frame:
    """Reused by the launches of one kernel; belongs to one launch at a time.

    Records of CTAs lie side by side, up to `max_resident` of them; the memory of each CTA comes in chunks, as they are needed.
    `chunks` are (address, bytes) of these.
    """

    __slots__ = (
        "_arena", "_head", "_slots", "_warp_bytes", "address", "block", "chunks", "counted", "launch", "local",
        "param_bytes", "params", "printer", "raw", "records", "resident", "sanitized", "shared_bytes", "table", "tensor_bytes",
        "together", "workspace",
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
        self.tensor_bytes = TENSOR_MEMORY_BYTES if code.uses_tensor_memory else 0
        self.local = local
        self.records = max_resident
        self.param_bytes = param_bytes
        self.block = (0, 0, 0)
        self.shared_bytes = -1
        self.resident = 0
        self.together = 1
        self.workspace = 0
        self.table: AllocationTable | None = None
        slots_at = ctypes.sizeof(LaunchRecord)
        params_at = -(-(slots_at + self._slots) // 64) * 64
        ctas_at = -(-(params_at + param_bytes) // 64) * 64
        self.address = arena.open_window(ctas_at + _CTA * max_resident)
        self.chunks: list[tuple[int, int]] = []
        self.launch = launch = LaunchRecord.from_address(self.address)
        self.raw = arena.raw
        self._head = arena.raw(self.address, LAUNCH_HEAD.size)
        self.params = self.address + params_at
        launch.ctas = self.address + ctas_at
        launch.param = self.params
        launch.param_bytes = param_bytes
        launch.cluster_ctas = 1
        launch.warp_stride = code.warp_bytes
        launch.local_bytes, launch.local_stride = local
        launch.multiprocessors, launch.warp_slots = product.multiprocessors, product.target.warps_total
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
        """Lays the frame out anew for a block shape and an amount of shared memory, with one CTA."""
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

    def begin(
        self,
        grid: tuple[int, int, int],
        cluster: tuple[int, int, int] | None,
        resident: int,
        budget: int,
        tick_at: int,
        warp_function: int,
        table: AllocationTable,
        grid_id: int,
    ) -> None:
        """Sets all that changes from launch to launch, but for the parameters."""
        if table is not self.table:
            self.table = table
            ctypes.memset(self.address + ctypes.sizeof(LaunchRecord), 0, self._slots)
        LAUNCH_HEAD.pack_into(
            self._head, 0, *grid, *(cluster or (1, 1, 1)), budget, resident, cluster is not None, self.together,
            0, grid[0] * grid[1] * grid[2], 0, 0, tick_at, 0, 0, warp_function, table.address, table.count, grid_id, 0, 0,
        )  # fmt: skip

    def offer_workspace(self, cooperative: bool) -> None:
        """Give the launch new memory in which its CTAs wait for one another, if all of them run at once."""
        if cooperative and not self.workspace:
            self.workspace = self._arena.allocate(_WORKSPACE)
        if cooperative:
            self._arena.raw(self.workspace, _WORKSPACE)[:] = bytes(_WORKSPACE)
            self._arena.note_written(self.workspace, _WORKSPACE)
        self.launch.workspace = self.workspace if cooperative else 0

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
