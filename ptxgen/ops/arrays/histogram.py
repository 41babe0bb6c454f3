"""How often values occur (ptxgen.kernels.arrays.histogram and binning)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u8, u32
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import binning
from ptxgen.kernels.arrays import histogram as kernels
from ptxgen.ops.arguments import check_apart, check_array, check_count, check_device, check_element, shared_memory_of
from ptxgen.ops.arrays import edges as edging
from ptxgen.ops.borrowing import Launches
from ptxgen.ops.launches import Fill
from ptxgen.ops.scratch import send_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.builder.values import Value
    from ptxgen.host import Array, Device
    from ptxgen.kernels.plan import KernelPlan
    from ptxgen.ops.launches import Plans

__all__ = ["Histogram"]

_MOST = (1 << 31) - 1
"""Bins, of all channels together: they are numbered in 32 bits."""


class Histogram:
    """`histogram = Histogram(device, u8, bins)`, then `histogram(x)`: `counts[v]` is how often v occurs in x, a u32.

    Elements are u8, u16 or u32; those of `bins` or more are not counted. `Histogram.even` and `Histogram.ranges` count integers
    of 8 to 64 bits, f16, f32 and f64 in bins between edges. `add(x)` counts on from where the last call ended. `counts` lies on
    the device; more bins than fit into shared memory are counted there, which takes longer.

    With `channels`, x has the elements of several channels by turns, as pixels have colours; the first `active` ones, all by
    default, are counted, and `counts` has the shape (active, bins).
    """

    def __init__(
        self, device: Device, element: type[Value], bins: int, *, channels: int = 1, active: int | None = None
    ) -> None:
        check_element("histogram", element, bits=(8, 16, 32), kinds="u")
        self._begin(device, element, check_count("bins", bins, least=1, most=_MOST), channels, active)

    @classmethod
    def even(
        cls, device: Device, element: type[Value], bins: int, low: float, high: float, *, closed: bool = True, channels: int = 1,
        active: int | None = None,
    ) -> Histogram:  # fmt: skip
        """Bins of equal width from `low` to `high`, between the edges that `numpy.linspace` gives; the last one has `high` too
        where it is `closed`. What lies outside is not counted, and neither is NaN."""
        check_element("histogram", element, bits=(8, 16, 32, 64))
        count = check_count("bins", bins, least=1, most=_MOST)
        edges = edging.evenly(element, count, low, high)
        return cls._between(device, element, edging.even(element, edges, closed=closed), channels, active)

    @classmethod
    def ranges(
        cls, device: Device, element: type[Value], edges: Iterable[float], *, closed: bool = True, channels: int = 1,
        active: int | None = None,
    ) -> Histogram:  # fmt: skip
        """Bins between ascending edges, numbers of the host: bin b holds edges[b] <= x < edges[b + 1]. The rest as of `even`."""
        check_element("histogram", element, bits=(8, 16, 32, 64))
        return cls._between(device, element, edging.between(element, edges, closed=closed), channels, active)

    @classmethod
    def _between(
        cls, device: Device, element: type[Value], bins: edging.Bins, channels: int, active: int | None
    ) -> Histogram:
        made = cls.__new__(cls)
        made._begin(device, element, bins.bins, channels, active)
        made._edges = device.empty(len(bins.packed(element)), u8)
        made._take(bins)
        return made

    def _begin(self, device: Device, element: type[Value], bins: int, channels: int, active: int | None) -> None:
        self._room = shared_memory_of(check_device(device))
        self.device, self.element, self.bins = device, element, bins
        self.channels = check_count("channels", channels, least=1, most=64)
        self.active = check_count("active", self.channels if active is None else active, least=1, most=self.channels)
        check_count("bins of all channels", bins * self.active, most=_MOST)
        self._given: edging.Bins | None = None
        self._edges: Array | None = None
        self.launches = Launches(device)
        self.counts: Array = device.zeros((self.active, bins) if self.channels > 1 else bins, u32)

    def _take(self, bins: edging.Bins) -> None:
        assert self._edges is not None
        before, self._given = self._given, bins
        send_bytes(self._edges, bins.packed(self.element))
        if before is not None and before.kernel != bins.kernel:
            self.launches = Launches(self.device)

    def move(self, low: float, high: float) -> list[float]:
        """Even bins from `low` to `high` from now on, as many as before, the last one with its upper edge: launches are kept, and
        serve any range. The edges."""
        if self._edges is None:
            raise BuildError("a histogram of values has no edges", hint="Histogram.even(...)")
        edges = edging.evenly(self.element, self.bins, low, high)
        self._take(edging.even(self.element, edges, closed=True))
        return edges

    def __call__(self, x: Any, out: Any = None) -> None:
        """Launch on the current stream, or on the arrays'. x has any shape; `out`, u32 of one dimension, takes the counts in
        place of `counts`."""
        self.launches.run(self.plans, (True,), x, out)

    def add(self, x: Any) -> None:
        """The same, beside what was counted before."""
        self.launches.run(self.plans, (False,), x, None)

    def plans(self, x: Array, out: Array | None, fresh: bool) -> Plans:
        if len(getattr(x, "shape", ())) > 1:
            x = x.reshape(-1)
        n = check_array("x", x, self.element, device=self.device)
        if n % self.channels:
            raise BuildError(f"x has {n} elements of {self.channels} channels", hint="as many of each")
        counts = self.counts
        if out is not None:
            check_array("out", out, u32, device=self.device, least=counts.size)
            counts = out[: counts.size]
        check_apart("the counts", counts, "x", x)
        plan = self._plan(n // self.channels, x, counts)
        return (Fill(counts), plan) if fresh else (plan,)

    def _plan(self, n: int, x: Array, counts: Array) -> KernelPlan:
        element: Any = self.element
        fits = u32.isa.bytes * (1 << u8.isa.bits if element is u8 else self.bins) <= self._room
        given = self._given
        if given is None and self.channels == 1 and fits:
            return kernels.plan(n, self.bins, x, counts, element=element)
        how: dict[str, Any] = {"way": "values"}
        if given is not None:
            how = given.kernel
        edges = counts if self._edges is None else self._edges.view(binning.wide_of(element))
        return binning.plan(
            n, self.bins, x, edges, counts, element=element, **how, channels=self.channels,
            active=self.active, room=self._room,
        )  # fmt: skip

    def close(self) -> None:
        """Free the counts."""
        self.counts.close()
        if self._edges is not None:
            self._edges.close()

    def __enter__(self) -> Histogram:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
