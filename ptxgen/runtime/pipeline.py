"""A compiled program: dispatch it with host data, with resident buffers, in batches, and as replayed graphs."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from ptxgen.runtime import keys
from ptxgen.runtime.errors import BackendError, InvalidProgramError
from ptxgen.runtime.pending import PendingDispatch, TimedResult
from ptxgen.runtime.persistent import PersistentDispatch, ResidentLaunch
from ptxgen.runtime.plans import DispatchConfig, DispatchPlan, plan_dispatch
from ptxgen.runtime.pools import size_class
from ptxgen.runtime.replay import GraphReplay
from ptxgen.runtime.resident import as_bytes
from ptxgen.runtime.shapes import Shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ptxgen.runtime.backend import Backend, Loaded
    from ptxgen.runtime.programs import Program
    from ptxgen.runtime.resident import ResidentBuffer

__all__ = ["CompiledPipeline", "OutputCache"]

MOST_SHAPES = 32
"""Shapes, and with them recorded graphs, that a pipeline keeps; the one that was used longest ago goes."""

_RESIDENT_KEPT = 256
_LANES = 2, 32
_SM_PER_LANE = 8
_VRAM_SHARE = 64


class OutputCache:
    """Outputs by inputs, where a caller asked for that: at most 32 and 8 MiB, the oldest goes first. An entry is found by a
    digest and compared byte by byte."""

    MOST, MOST_BYTES = 32, 8 << 20

    def __init__(self) -> None:
        self._entries: OrderedDict[bytes, tuple[list[bytes], list[bytes]]] = OrderedDict()
        self._bytes = 0

    def key(self, inputs: Sequence[Any]) -> tuple[bytes, list[bytes]]:
        """(digest, copies) of the inputs."""
        copies = [bytes(as_bytes(data)) for data in inputs]
        state = blake2b(digest_size=32)
        for data in copies:
            state.update(len(data).to_bytes(8, "little"))
            state.update(data)
        return state.digest(), copies

    def get(self, key: tuple[bytes, list[bytes]]) -> list[bytes] | None:
        """What came of equal inputs, or None."""
        found = self._entries.get(key[0])
        return list(found[1]) if found is not None and found[0] == key[1] else None

    def put(self, key: tuple[bytes, list[bytes]], outputs: list[bytes]) -> None:
        """Keep it, if it is not too large."""
        size = _size(key[1]) + _size(outputs)
        if size > self.MOST_BYTES or key[0] in self._entries:
            return
        self._entries[key[0]] = key[1], list(outputs)
        self._bytes += size
        while len(self._entries) > self.MOST or self._bytes > self.MOST_BYTES:
            _, (inputs, old) = self._entries.popitem(last=False)
            self._bytes -= _size(inputs) + _size(old)

    def __len__(self) -> int:
        return len(self._entries)


def _size(parts: Iterable[bytes]) -> int:
    return sum(map(len, parts))


class CompiledPipeline:
    """Made by `Backend.compile`. Inputs and outputs are in the order of the bindings; handles are those of all bindings but
    the shared ones."""

    def __init__(
        self, backend: Backend, program: Program, config: DispatchConfig, ptx: str, source_key: str, module_key: str
    ) -> None:
        self.backend, self.program, self.config = backend, program, config
        self.ptx, self.source_key, self.module_key = ptx, source_key, module_key
        self.closed = False
        self._shapes: OrderedDict[tuple[int, ...], Shape] = OrderedDict()
        self._replays: OrderedDict[tuple[int, ...], list[GraphReplay]] = OrderedDict()
        self._seen: dict[tuple[int, ...], int] = {}
        self._resident: dict[tuple[ResidentBuffer, ...], ResidentLaunch] = {}
        self._recorded: WeakSet[GraphReplay] = WeakSet()
        self._persistent: WeakSet[PersistentDispatch] = WeakSet()
        self._outputs = OutputCache() if config.cache_outputs else None
        self._lock = threading.RLock()
        self._graphs = config.graph if config.graph is not None else os.environ.get("PTXGEN_GRAPH_REPLAY", "1") != "0"
        self._count_occupancy(self.loaded())

    @property
    def id(self) -> str:
        """What it is: "cuda:" and the digest of its PTX, its module, and its launch as far as that is fixed."""
        config = self.config
        workgroup = config.workgroup or self.program.workgroup
        digest = keys.digest(
            "ptxgen-pipeline.v1", self.source_key, self.module_key, config.element_count, workgroup, config.grid
        )
        return f"cuda:{digest}"

    def __repr__(self) -> str:
        return f"<pipeline {self.program.name} on {self.backend.name}{', closed' if self.closed else ''}>"

    def loaded(self) -> Loaded:
        """The kernel on the device; loaded anew after a `Backend.cleanup`."""
        return self.backend.load(self.ptx, self.module_key, self.program.name, len(self.program.pointers) + 1)

    def _count_occupancy(self, loaded: Loaded) -> None:
        from driver_ctypes import max_active_blocks
        from driver_ctypes.errors import CudaError

        caps, (x, y, z) = self.backend.capabilities, self.config.workgroup or self.program.workgroup
        try:
            resident = max_active_blocks(loaded.function, x * y * z) * x * y * z
        except CudaError:
            self.backend.telemetry.add(occupancy_unmeasured_launches=1)
            return
        share = 10_000 * resident // caps.max_threads_per_sm
        self.backend.telemetry.add(launch_occupancy_bps_sum=share, occupancy_measured_launches=1)

    # --- plans --------------------------------------------------------------------------------------------------------

    def plan(self, input_lengths: Sequence[int]) -> DispatchPlan:
        """What a dispatch of inputs of these lengths in bytes would do."""
        return plan_dispatch(self.program, self.config, self.backend.capabilities, input_lengths)

    def _shape(self, lengths: tuple[int, ...]) -> Shape:
        shape = self._shapes.get(lengths)
        if shape is not None:
            self._shapes.move_to_end(lengths)
            return shape
        if self.closed:
            raise BackendError(f"{self!r}", fix="compile the program again")
        self.backend.check_open()
        with self._lock:
            shape = self._shapes.get(lengths)
            if shape is None:
                shape = Shape(self.backend, self.program.name, self.plan(lengths), self.loaded())
                self._shapes[lengths] = shape
                while len(self._shapes) > MOST_SHAPES:
                    self._drop(next(iter(self._shapes)))
            return shape

    def _drop(self, lengths: tuple[int, ...]) -> None:
        """Forget a shape. What still uses it keeps it."""
        shape = self._shapes.pop(lengths)
        for replay in self._replays.pop(lengths, []):
            replay.retire()  # a thread that has its turn may want this pipeline's lock
        for handles in [key for key, launch in self._resident.items() if launch.shape is shape]:
            del self._resident[handles]
        self._end(shape)

    def _end(self, shape: Shape) -> None:
        """Let go of a shape when the resident dispatches of it are done; none is queued meanwhile."""
        tickets = self.backend.tickets
        with tickets.lock:
            tickets.synchronize()
            shape.let_go()

    # --- host data ----------------------------------------------------------------------------------------------------

    def _lengths(self, inputs: Sequence[Any]) -> tuple[int, ...]:
        return tuple([as_bytes(data).nbytes for data in inputs])

    def dispatch(self, inputs: Sequence[Any]) -> list[bytes]:
        """Copy the inputs, run, and return the outputs. From the second dispatch of a shape on it is one replay of a graph,
        unless `DispatchConfig(graph=False)` or `PTXGEN_GRAPH_REPLAY=0`.

        Raises InvalidProgramError for inputs that do not fit, DeviceMemoryError, DispatchError, DeviceLostError.
        """
        if self._outputs is None:
            return self._dispatch(inputs)
        key = self._outputs.key(inputs)
        found = self._outputs.get(key)
        if found is not None:
            self.backend.telemetry.add(graph_materialized_cache_hits=1)
            return found
        outputs = self._dispatch(inputs)
        self._outputs.put(key, outputs)
        return outputs

    def _dispatch(self, inputs: Sequence[Any]) -> list[bytes]:
        lengths = self._lengths(inputs)
        replay = self._replay(lengths) if self._graphs else None
        if replay is not None and replay.try_begin(inputs):
            return replay.finish()
        return self._begin(lengths, inputs).await_result()

    def _begin(self, lengths: tuple[int, ...], inputs: Sequence[Any], *, timed: bool = False) -> PendingDispatch:
        with self._lock:
            shape = self._shape(lengths).hold()
        return PendingDispatch(shape, inputs, timed=timed)

    def dispatch_into(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """The same into writable buffers of the outputs' lengths."""
        lengths = self._lengths(inputs)
        replay = self._replay(lengths) if self._graphs else None
        if replay is not None and replay.try_begin(inputs):
            replay.finish_into(outputs)
        else:
            self._begin(lengths, inputs).await_result_into(outputs)

    def dispatch_async(self, inputs: Sequence[Any], *, timed: bool = False) -> PendingDispatch:
        """Begin, on a stream of its own; take the result later."""
        self.backend.sweep()
        return self._begin(self._lengths(inputs), inputs, timed=timed)

    def dispatch_timed(self, inputs: Sequence[Any]) -> TimedResult:
        """Dispatch directly, with times on both clocks."""
        return self.dispatch_async(inputs, timed=True).await_timed_result()

    # --- graphs -------------------------------------------------------------------------------------------------------

    def _replay(self, lengths: tuple[int, ...]) -> GraphReplay | None:
        """The recorded graph of a shape; None the first time that it comes."""
        known = self._replays.get(lengths)
        if known:
            return known[0]
        with self._lock:
            self._seen[lengths] = times = self._seen.get(lengths, 0) + 1
            if times < 2:
                return None
            if len(self._seen) > 64 * MOST_SHAPES:
                self._seen.clear()
            return self._lanes(lengths, 1)[0]

    def _lanes(self, lengths: tuple[int, ...], number: int) -> list[GraphReplay]:
        """So many recorded graphs of a shape, each with its own memory and stream."""
        with self._lock:
            shape = self._shape(lengths)
            lanes = self._replays.setdefault(lengths, [])
            while len(lanes) < number:
                lanes.append(GraphReplay(shape))
            self._replays.move_to_end(lengths)
            while sum(map(len, self._replays.values())) > max(MOST_SHAPES, number):
                for replay in self._replays.pop(next(iter(self._replays))):
                    replay.retire()
            return lanes

    def record(self, input_lengths: Sequence[int]) -> GraphReplay:
        """A graph of a dispatch of inputs of these lengths in bytes, of the caller's own: it is not used by `dispatch`."""
        with self._lock:
            replay = GraphReplay(self._shape(tuple(input_lengths)))
            self._recorded.add(replay)
        return replay

    def lanes_for(self, batches: int, slab: int) -> int:
        """How many dispatches of a batch run side by side: one for 8 multiprocessors, from 2 to 32, within a 64th of the
        device's memory."""
        caps = self.backend.capabilities
        wanted = min(max(-(-caps.multi_processor_count // _SM_PER_LANE), _LANES[0]), _LANES[1])
        return max(1, min(batches, wanted, caps.total_memory // _VRAM_SHARE // max(1, size_class(slab))))

    def dispatch_batch(self, batch: Sequence[Sequence[Any]]) -> list[list[bytes]]:
        """Dispatch each of *batch*, several side by side where they are of one shape; the outputs of each, in order."""
        results: list[list[bytes]] = [[] for _ in batch]
        groups: dict[tuple[int, ...], list[int]] = {}
        for index, inputs in enumerate(batch):
            groups.setdefault(self._lengths(inputs), []).append(index)
        for lengths, members in groups.items():
            self._dispatch_lanes(lengths, members, batch, results)
        return results

    def _dispatch_lanes(
        self, lengths: tuple[int, ...], members: list[int], batch: Sequence[Sequence[Any]], results: list[list[bytes]]
    ) -> None:
        shape = self._shape(lengths)
        number = self.lanes_for(len(members), shape.layout.nbytes)
        if not self._graphs or number == 1:
            for index in members:
                results[index] = self._dispatch(batch[index])
            return
        lanes = self._lanes(lengths, number)[:number]
        running: dict[int, tuple[GraphReplay, int]] = {}
        try:
            for place, index in enumerate(members):
                lane = place % number
                if lane in running:
                    replay, before = running.pop(lane)
                    results[before] = replay.finish()
                if lanes[lane].try_begin(batch[index]):
                    running[lane] = lanes[lane], index
                else:  # another thread's dispatch is on this lane
                    results[index] = self._begin(lengths, batch[index]).await_result()
        finally:
            for replay, before in running.values():
                results[before] = replay.finish()
        chunks = -(-len(members) // number)
        self.backend.telemetry.add(graph_batched_replay_chunks=chunks, graph_batched_replay_lanes=len(members))

    # --- resident buffers ---------------------------------------------------------------------------------------------

    def dispatch_resident(self, handles: Sequence[ResidentBuffer]) -> None:
        """Queue a dispatch on resident buffers, on the backend's stream: `Backend.synchronize`, or a download, waits for it.
        Outputs are not zeroed first: they are the caller's.

        Raises InvalidProgramError where the number of handles, an owner or a length does not fit.
        """
        launch = self._resident.get(tuple(handles))
        if launch is None or launch.generation != self.backend.resident.generation:
            launch = self._prepare_resident(tuple(handles))
        while not launch():
            launch = self._prepare_resident(tuple(handles))

    def persistent(self, handles: Sequence[ResidentBuffer]) -> PersistentDispatch:
        """The same bound once: calls check nothing any more, and the buffers cannot be freed until it is closed."""
        with self._lock:
            bound = PersistentDispatch(self._prepare_resident(tuple(handles)))
            self._persistent.add(bound)
        return bound

    def _prepare_resident(self, handles: tuple[ResidentBuffer, ...]) -> ResidentLaunch:
        if self.closed:
            raise BackendError(f"{self!r}", fix="compile the program again")
        pointers = self.program.pointers
        if len(handles) != len(pointers):
            raise InvalidProgramError(
                f"CUDA resident dispatch expected {len(pointers)} resident buffer handle(s) but received {len(handles)}",
                fix=f"pass one for each of {', '.join(b.name for b in pointers)}",
            )
        store = self.backend.resident
        generation = store.generation
        buffers = tuple([store.view(handle) for handle in handles])
        given = [b for binding, b in zip(pointers, buffers) if binding.takes_input]
        shape = self._shape(tuple([buffer.byte_len for buffer in given]))
        for binding, buffer in zip(pointers, buffers):
            needed = shape.layout.sizes[binding.number]
            if buffer.byte_len < needed:
                raise InvalidProgramError(
                    f"program {self.program.name}: {binding.role} {binding.name!r} needs {needed} bytes, {buffer!r} is smaller",
                    fix=f"allocate {needed} bytes",
                )
        launch = ResidentLaunch(shape, buffers, generation)
        with self._lock:
            if len(self._resident) >= _RESIDENT_KEPT:
                self._resident.clear()
            self._resident[handles] = launch
        return launch

    # --- its end ------------------------------------------------------------------------------------------------------

    def release(self) -> None:
        """Give back what dispatches left: recorded graphs, bound dispatches, parameter words. The pipeline stays usable."""
        with self._lock:
            held = [replay for replays in self._replays.values() for replay in replays]
            shapes = list(self._shapes.values())
            self._replays.clear()
            self._resident.clear()
            self._shapes.clear()
        for bound in list(self._persistent):
            bound.close()
        for replay in (*self._recorded, *held):
            replay.close()
        for shape in shapes:
            self._end(shape)

    def close(self) -> None:
        """`release`, for good."""
        if not self.closed:
            self.release()
            self.closed = True

    def __enter__(self) -> CompiledPipeline:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
