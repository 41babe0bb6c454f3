"""A chain of programs, launched as few times as a fusion plan allows.

The plan (`fusion.plan_launch_fusion`) groups neighbouring programs for a memory budget; each group is one program
(`chains.fuse`), compiled and dispatched by the backend, and what one group leaves for the next is in a resident buffer.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ptxgen.runtime.dispatch.arrays import device_arrays, new_array, on_device
from ptxgen.runtime.dispatch.formats import HostFormat
from ptxgen.runtime.dispatch.forms import input_form, output_forms
from ptxgen.runtime.dispatch.handles import in_order
from ptxgen.runtime.errors import BackendError, InvalidProgramError, ValidationError
from ptxgen.runtime.fusion.chains import ProgramChain
from ptxgen.runtime.fusion.sized import SizedChain, Traffic, columns_read, host_sizes
from ptxgen.runtime.memory.buffers import ResidentBuffer
from ptxgen.runtime.memory.forms import shown
from ptxgen.runtime.programs.plans import MOST_ELEMENTS, bytes_needed

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ptxgen.runtime.backend import Backend
    from ptxgen.runtime.fusion.planner import FusionPlan, Stage
    from ptxgen.runtime.programs.bindings import Binding
    from ptxgen.runtime.programs.program import Program

__all__ = ["FusedPipeline", "Traffic"]

_MOST_SIZES = 32
"""Numbers of elements for which plan, launches and memory are kept; the least recently used one is evicted."""


class FusedPipeline:
    """`FusedPipeline(backend, programs)`: programs over the elements of an array, each taking what the one before it gives.

    `dispatch` takes the inputs among `bindings`, those that no program hands on, as a `CompiledPipeline` does. The number of
    elements is that of the first program's first input; with *n* it is fixed, and known before the first dispatch. `plan` is the
    fusion plan for n elements, or for those of the last dispatch; `traffic()` says what a run asks of the device,
    `unfused_traffic()` what launching every program alone would: the difference is what the plan says it avoids, each avoided
    byte having been written once and read once. `dispatch(..., fused=False)` launches every program alone; both give the same
    bits.

    `budget_bytes` is the plan's, for each group: by default all programs of one layout are fused. `host` are the places of
    programs before which the host looks: `between(place)` downloads what the last run left there.
    """

    def __init__(
        self,
        backend: Backend,
        programs: Sequence[Program],
        n: int | None = None,
        *,
        budget_bytes: int = (1 << 64) - 1,
        host: Collection[int] = (),
    ) -> None:
        """LaunchFusionError where there is no plan, ValidationError where programs do not fit together, host is not a place in
        the chain, or the number of elements cannot be known."""
        self.backend = backend
        self.chain = ProgramChain.of(programs)
        self.programs, self.bindings = self.chain.programs, self.chain.bindings
        self.handles: tuple[Binding, ...] = tuple(b for b in self.bindings if b.takes_handle)
        """The bindings that a dispatch has memory for, in their order."""
        self._takes = tuple((b, HostFormat(b)) for b in self.handles if b.takes_input)
        for place in host:
            if not 0 < place < len(programs):
                raise ValidationError(
                    f"host={sorted(host)} in a chain of {len(programs)} programs",
                    fix=f"name programs from 1 to {len(programs) - 1}",
                )
        enters = self.chain.names[0].get(self.chain.inputs[0] or "")
        self._enters = next((b for b in self.bindings if b.name == enters), None)
        self.n = self._fixed(n)
        self._budget, self._host = budget_bytes, frozenset(host)
        self._columns = [columns_read(backend, program) for program in self.programs]
        self.closed = False
        self._sizes: OrderedDict[int, SizedChain] = OrderedDict()
        self._last = self._sized(self.n) if self.n is not None else None
        self._last_fused = True

    def _fixed(self, n: int | None) -> int | None:
        """The number of elements where it is known now."""
        if n is None:
            if self._enters is None:
                raise ValidationError(
                    f"program {self.programs[0].name} takes no input that says how many elements there are",
                    fix="pass n",
                )
            return self._enters.elements or None
        if type(n) is not int or not 0 < n <= MOST_ELEMENTS:
            raise ValidationError(f"n={n!r} elements", fix=f"pass 1 to {MOST_ELEMENTS}, or leave n out")
        return n

    def _sized(self, n: int) -> SizedChain:
        found = self._sizes.get(n)
        if found is None:
            backend = self.backend
            found = SizedChain(backend, backend.compile, self.chain, self._columns, n, self._budget, self._host)
            self._sizes[n] = found
            if len(self._sizes) > _MOST_SIZES:
                self._sizes.popitem(last=False)[1].close()
        self._sizes.move_to_end(n)
        return found

    def _now(self) -> SizedChain:
        if self._last is None:
            raise ValidationError(
                "the plan follows from the number of elements, and nothing was dispatched yet",
                fix="pass n, or dispatch",
            )
        return self._last

    # --- running ------------------------------------------------------------------------------------------------------

    def dispatch(
        self,
        inputs: Sequence[Any],
        out: Sequence[Any] | None = None,
        *,
        like: Sequence[Any] | None = None,
        fused: bool = True,
    ) -> list[Any]:
        """Run, and return the outputs. Inputs, *out* and *like* are those of `CompiledPipeline.dispatch`: host data, arrays on
        the device, or resident buffers with *out*. InvalidProgramError for those of another number, type or length."""
        self._check_open()
        given = [*inputs, *(out or ())]
        if any(isinstance(data, ResidentBuffer) for data in given):
            return self._on_handles(inputs, out or (), fused)
        if any(map(on_device, given)):
            return self._on_arrays(inputs, out, like, fused)
        return self._on_host(inputs, out, like, fused)

    def _on_handles(self, inputs: Sequence[Any], out: Sequence[Any], fused: bool) -> list[Any]:
        handles = in_order("the chain", self.handles, inputs, out)
        n = self.n
        if n is None:
            n = next(self._count(b, handle.byte_len) for b, handle in zip(self.handles, handles) if b is self._enters)
        if n:
            self._begin(n, fused).run(self.handles, handles, fused)
        return [handle for binding, handle in zip(self.handles, handles) if binding.gives_output]

    def _on_arrays(
        self, inputs: Sequence[Any], out: Sequence[Any] | None, like: Sequence[Any] | None, fused: bool
    ) -> list[Any]:
        """On arrays: as resident buffers in their memory, which come in order with the device's current stream."""
        backend = self.backend
        arrays = dict(
            zip([b.name for b, _ in self._takes], device_arrays(backend, [f for _, f in self._takes], inputs))
        )
        sizes = self._sizes_of({name: array.nbytes for name, array in arrays.items()})[1]
        given = {b.name: data for (b, _), data in zip(self._takes, inputs)}
        gives = [(b, HostFormat(b, output=True)) for b in self.handles if not b.takes_input]
        if out is None:
            out = [new_array(backend.device, b, sizes[b.name] // b.size, list(arrays.values())) for b, _ in gives]
            if like is not None:
                out = [array.reshape(*model.shape) for array, model in zip(out, like)]
        for (binding, _), data in zip(gives, device_arrays(backend, [f for _, f in gives], out)):
            if data.nbytes != sizes[binding.name]:
                raise InvalidProgramError(
                    f"{binding.name!r} has {sizes[binding.name]} bytes, the array {data.nbytes}",
                    fix=f"pass an array of {sizes[binding.name]} bytes",
                )
            arrays[binding.name], given[binding.name] = data, out[len(given) - len(self._takes)]
        handles: list[ResidentBuffer] = []
        if all(array.nbytes for array in arrays.values()):
            try:
                handles += [backend.resident.adopt(arrays[b.name]) for b in self.handles]
                takes = [handle for b, handle in zip(self.handles, handles) if b.takes_input]
                self._on_handles(takes, [handle for handle in handles if handle not in takes], fused)
            finally:
                backend.resident.free_later(handles)
        return [given[b.name] for b in self.handles if b.gives_output]

    def _on_host(
        self, inputs: Sequence[Any], out: Sequence[Any] | None, like: Sequence[Any] | None, fused: bool
    ) -> list[Any]:
        self._check_number(inputs)
        data = {binding.name: format_.bytes_of(each) for (binding, format_), each in zip(self._takes, inputs)}
        n, sizes = self._sizes_of({name: view.nbytes for name, view in data.items()})
        gives = [b for b in self.handles if b.gives_output]
        counts = [(b, sizes[b.name] // b.size) for b in gives]
        forms = output_forms([(b, input_form(b, each)) for (b, _), each in zip(self._takes, inputs)], counts, like)
        views = None if out is None else self._views(gives, sizes, out)
        if n == 0:  # nothing to launch
            found = [bytes(sizes[b.name]) for b in gives]
        else:
            found = self._begin(n, fused).run_host(self.handles, data, sizes, fused)
        if views is None or out is None:
            return [shown(each, form) for each, form in zip(found, forms)]
        for view, each in zip(views, found):
            view[:] = each
        return list(out)

    def _views(self, gives: Sequence[Binding], sizes: dict[str, int], out: Sequence[Any]) -> list[memoryview]:
        """Buffers of the caller as the bytes that the outputs go to."""
        if len(out) != len(gives):
            raise InvalidProgramError(
                f"the chain gives {len(gives)} outputs, {len(out)} buffers were passed",
                fix=f"pass {', '.join(b.name for b in gives)}",
            )
        return [HostFormat(b, output=True).writable(data, sizes[b.name]) for b, data in zip(gives, out)]

    def _check_number(self, inputs: Sequence[Any]) -> None:
        if len(inputs) != len(self._takes):
            raise InvalidProgramError(
                f"the chain takes {len(self._takes)} inputs but received {len(inputs)}",
                fix=f"pass {', '.join(b.name for b, _ in self._takes) or 'none'}",
            )

    def _sizes_of(self, nbytes: dict[str, int]) -> tuple[int, dict[str, int]]:
        """(the number of elements, the bytes of each binding) where the inputs have so many bytes."""
        counts = {binding.name: self._count(binding, nbytes[binding.name]) for binding, _ in self._takes}
        n = counts[self._enters.name] if self._enters is not None else self.n or 0
        if self.n not in (None, n):
            raise InvalidProgramError(
                f"{self._enters.name if self._enters else ''!r} has {n} elements, this pipeline is for {self.n}",
                fix="leave n out: each dispatch then says how many",
            )
        return n, host_sizes(self.handles, counts, n)

    def _count(self, binding: Binding, nbytes: int) -> int:
        """Elements of a binding that is given so many bytes."""
        needed = bytes_needed(binding, nbytes)
        if needed is not None:
            raise InvalidProgramError(f"{binding.name!r} received {nbytes} bytes", fix=f"pass {needed}")
        return nbytes // binding.size

    def _begin(self, n: int, fused: bool) -> SizedChain:
        """The next run is one of n elements."""
        last = self._last
        if last is None or last.n != n:
            last = self._last = self._sized(n)
        self._last_fused = fused
        return last

    def _check_open(self) -> None:
        if self.closed:
            raise BackendError("this fused pipeline is closed", fix="make it anew")

    def between(self, place: int) -> Any:
        """What program *place* took in the last run, as an array. InvalidProgramError where that never lay in memory."""
        return self._now().between(place, self._last_fused)

    # --- what it costs ------------------------------------------------------------------------------------------------

    @property
    def plan(self) -> FusionPlan:
        """For n elements, or for those of the last dispatch. ValidationError where there is neither."""
        return self._now().plan

    @property
    def stages(self) -> tuple[Stage, ...]:
        """What the plan is made of."""
        return self._now().stages

    def traffic(self) -> Traffic:
        """The device work of a fused run."""
        return self._now().traffic(fused=True)

    def unfused_traffic(self) -> Traffic:
        """The device work if each program is launched alone."""
        return self._now().traffic(fused=False)

    def close(self) -> None:
        """Wait for what was queued, and free the buffers between launches."""
        if self.closed:
            return
        self.closed = True
        for sized in self._sizes.values():
            sized.close()
        self._sizes.clear()

    def __enter__(self) -> FusedPipeline:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
